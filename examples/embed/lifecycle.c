/* lifecycle.c -- the loop of an orchestrator in virtual time: plan, settle, report starts and
 * ends, sleep until the next wake.
 *
 * Four jobs of 4 GPUs share a node with 8. The orchestrator rejects one placement once, to show
 * that the job comes back; the loop ends when every job has run. A real orchestrator waits for
 * events where this one moves its clock. */
#include <inttypes.h>
#include <libsched/libsched.h>
#include <stdio.h>

enum { JOBS = 4, SECOND_US = 1000000 };

struct running {
    lsched_id job;
    int64_t ends_us; /* 0: this entry is free */
};

struct orchestrator {
    lsched_cluster *cluster;
    int64_t now_us;
    int refused; /* one placement has been refused already */
    struct running running[JOBS];
};

static int report_error(const lsched_error *err) {
    fprintf(stderr, "%s: %s\n", lsched_error_name(err->code), err->message);
    return err->code;
}

static void say(const struct orchestrator *me, const char *what, lsched_id job) {
    size_t len = 0;
    const char *name = lsched_name(me->cluster, job, &len);
    printf("%3" PRId64 " s  %s %.*s\n", me->now_us / SECOND_US % 1000, what, (int)len, name);
}

static int set_up(struct orchestrator *me, lsched_error *err) {
    static const char *const names[JOBS] = {"ada", "bob", "cleo", "dan"};
    lsched_device_desc gpus = {.size = sizeof gpus, .count = 8, .model = LSCHED_TEXT("H100-80GB")};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = LSCHED_TEXT("gpu-1");
    node.devices = &gpus, node.n_devices = 1;
    lsched_queue_desc queue = {.size = sizeof queue, .name = LSCHED_TEXT("research")};
    lsched_amount needs = {LSCHED_GPU, 0, 4000};
    lsched_group_desc task = {.size = sizeof task, .request = &needs, .n_request = 1};
    lsched_job_desc jobs[JOBS];
    for (int i = 0; i < JOBS; i++) {
        lsched_init(&jobs[i], sizeof jobs[i]);
        jobs[i].name = lsched_cstr(names[i]);
        jobs[i].queue_name = LSCHED_TEXT("research");
        jobs[i].groups = &task, jobs[i].n_groups = 1;
        jobs[i].duration_us = (10 + 5 * i) * (int64_t)SECOND_US;
        jobs[i].submit_us = me->now_us;
    }
    int32_t code = lsched_cluster_create(NULL, &me->cluster, err);
    if (code >= 0)
        code = lsched_nodes_add(me->cluster, &node, 1, sizeof node, NULL, NULL, NULL, err);
    if (code >= 0)
        code = lsched_queues_add(me->cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, err);
    if (code >= 0) {
        code = lsched_jobs_submit(me->cluster, jobs, JOBS, sizeof jobs[0], NULL, NULL, NULL, err);
    }
    return code;
}

static int32_t report(struct orchestrator *me, lsched_id job, uint32_t event, lsched_error *err) {
    lsched_task_event e = {.size = sizeof e, .event = event, .job = job, .at_us = me->now_us};
    return lsched_tasks_report(me->cluster, &e, 1, sizeof e, NULL, NULL, err);
}

/* Carry out one decision: settle it, start the task, remember when it will end. */
static int32_t carry_out(struct orchestrator *me, const lsched_decision *d, lsched_error *err) {
    lsched_outcome outcome = me->refused ? LSCHED_OUTCOME_CONFIRMED : LSCHED_OUTCOME_REJECTED;
    me->refused = 1;
    say(me, outcome == LSCHED_OUTCOME_CONFIRMED ? "start " : "refuse", d->job);
    lsched_settlement answer = {.size = sizeof answer, .outcome = outcome, .decision = d->id};
    int32_t code = lsched_settle(me->cluster, &answer, 1, sizeof answer, NULL, NULL, NULL, err);
    if (code < 0 || outcome == LSCHED_OUTCOME_REJECTED) return code;

    lsched_job_info job = {.size = sizeof job};
    code = lsched_job_get(me->cluster, d->job, &job, NULL);
    if (code >= 0) code = report(me, d->job, LSCHED_EVENT_STARTED, err);
    for (int i = 0; code >= 0 && i < JOBS; i++) {
        if (me->running[i].ends_us != 0) continue;
        me->running[i] = (struct running){d->job, me->now_us + job.duration_us};
        break;
    }
    return code;
}

static int32_t plan_and_carry_out(struct orchestrator *me, lsched_error *err) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = me->now_us;
    lsched_plan *plan = NULL;
    int32_t code = lsched_schedule(me->cluster, &opts, &plan, err);
    for (size_t i = 0; code >= 0 && i < lsched_plan_size(plan); i++) {
        code = carry_out(me, lsched_plan_at(plan, i), err);
    }
    lsched_plan_destroy(plan);
    return code;
}

/* Report what has ended by now. A job whose tasks have all ended is removed by the library. */
static int32_t end_due(struct orchestrator *me, lsched_error *err) {
    for (int i = 0; i < JOBS; i++) {
        struct running *r = &me->running[i];
        if (r->ends_us == 0 || r->ends_us > me->now_us) continue;
        say(me, "end   ", r->job);
        r->ends_us = 0;
        int32_t code = report(me, r->job, LSCHED_EVENT_ENDED, err);
        if (code < 0) return code;
    }
    return LSCHED_OK;
}

/* The library's next wake, or the next end if that is sooner. */
static int64_t next_event_us(const struct orchestrator *me) {
    int64_t next_us = lsched_next_wake(me->cluster);
    for (int i = 0; i < JOBS; i++) {
        int64_t ends_us = me->running[i].ends_us;
        if (ends_us != 0 && ends_us < next_us) next_us = ends_us;
    }
    return next_us;
}

int main(void) {
    struct orchestrator me = {.now_us = INT64_C(1700000000000000)};
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t code = set_up(&me, &err);
    lsched_cluster_stats stats = {.size = sizeof stats, .jobs = JOBS};
    while (code >= 0 && stats.jobs > 0) {
        code = plan_and_carry_out(&me, &err);
        int64_t next_us = next_event_us(&me);
        if (next_us == LSCHED_NEVER_US) break;
        if (next_us > me.now_us) me.now_us = next_us;
        if (code >= 0) code = end_due(&me, &err);
        if (code >= 0) code = lsched_cluster_stats_get(me.cluster, &stats, NULL);
    }
    if (code < 0) report_error(&err);
    lsched_cluster_destroy(me.cluster);
    return code >= 0 && stats.jobs == 0 ? 0 : 1;
}
