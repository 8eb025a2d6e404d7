/*
 * bench_adopt.c -- what part of a clone's plan is dropped when the original has had 0, 1, 10 or 100
 * events before it adopts the plan, and what an adopted group costs.
 *
 * A cluster of 1,000 nodes is full, and jobs wait. In each trial 64 tasks end, a clone is made and
 * plans, the original gets its events, and adopts. An event is one of: a running task ends, a
 * waiting job is removed, a node is cordoned, a job of the highest priority is submitted. Every
 * adopted state and plan is verified. The baseline schedules on the original itself instead.
 * `bench_adopt 5000` takes 5,000 nodes.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "bench_support.h"
#include "support/event_world.h"

enum { NODES = 1000, TRIALS = 30, ENDS = 64, RESULTS = LSCHED_ADOPTION_BUDGET + 1 };

static struct {
    lsched_cluster *c, *copy;
    uint64_t chance;
    int64_t now_us;
    uint32_t names;
    uint64_t groups, dropped, adopted, decided, by_result[RESULTS];
    double adopting, scheduling;
} all;

static uint32_t below(uint32_t n) {
    all.chance = all.chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((all.chance >> 33) % n);
}

static lsched_id some(uint32_t kind) {
    lsched_cluster_stats s = {.size = sizeof s};
    lsched_cluster_stats_get(all.c, &s, NULL);
    uint64_t cursor = below((uint32_t)(kind == LSCHED_KIND_NODE ? s.nodes : s.jobs));
    return lsched_next(all.c, kind, &cursor);
}

/* Ends a running task. Returns 0 if the chosen job runs none. */
static int end_task(void) {
    lsched_task_info t = {.size = sizeof t};
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    uint64_t cursor = 0;
    lsched_id job = some(LSCHED_KIND_JOB);
    if (!job || lsched_tasks_next(all.c, job, 0, &cursor, &t, NULL) != 1 ||
        t.state != LSCHED_TASK_RUNNING)
        return 0;
    e.event = LSCHED_EVENT_ENDED;
    e.job = job;
    e.task_index = t.task_index;
    return lsched_tasks_report(all.c, &e, 1, sizeof e, NULL, NULL, NULL) == 1;
}

static int remove_waiting(const lsched_plan *plan) {
    size_t n = lsched_plan_size(plan);
    if (n == 0) return 0;
    lsched_id job = lsched_plan_at(plan, below((uint32_t)n))->job;
    return lsched_jobs_remove(all.c, &job, 1, NULL, NULL, NULL) == 1;
}

static int set_node(lsched_id node, uint32_t state) {
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = node;
    u.set = LSCHED_NODE_SET_STATE;
    u.state = state;
    return lsched_nodes_update(all.c, &u, 1, sizeof u, NULL, NULL, NULL) == 1;
}

static int submit_first(void) {
    uint64_t cursor = 0;
    lsched_amount gpus = {LSCHED_GPU, 0, 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_job_info info = {.size = sizeof info};
    char name[32];
    snprintf(name, sizeof name, "first-%u", all.names++);
    lsched_job_get(all.c, lsched_next(all.c, LSCHED_KIND_JOB, &cursor), &info, NULL);
    g.request = &gpus, g.n_request = 1;
    d.name = lsched_cstr(name), d.queue = info.queue, d.priority = 100;
    d.groups = &g, d.n_groups = 1;
    return lsched_jobs_submit(all.c, &d, 1, sizeof d, NULL, NULL, NULL, NULL) == 1;
}

static void happen(const lsched_plan *plan, uint32_t events, lsched_id *cordoned) {
    for (uint32_t i = 0, tries = 0; i < events && tries < 100 * events; tries++) {
        switch (below(4)) {
        case 0: i += (uint32_t)end_task(); break;
        case 1: i += (uint32_t)remove_waiting(plan); break;
        case 2:
            i += (uint32_t)set_node(cordoned[i] = some(LSCHED_KIND_NODE), LSCHED_NODE_CORDONED);
            break;
        default: i += (uint32_t)submit_first();
        }
    }
}

/* Makes the plan true at once. */
static void carry_out(const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_settlement s = {
            .size = sizeof s, .outcome = LSCHED_OUTCOME_CONFIRMED, .decision = d->id};
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        lsched_settle(all.c, &s, 1, sizeof s, NULL, NULL, NULL, NULL);
        e.event = d->kind == LSCHED_DECIDE_PLACE ? LSCHED_EVENT_STARTED : LSCHED_EVENT_ENDED;
        e.job = d->job, e.task_index = d->task_index;
        lsched_tasks_report(all.c, &e, 1, sizeof e, NULL, NULL, NULL);
    }
}

static lsched_plan *schedule(lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    o.now_us = all.now_us;
    bench_check(lsched_schedule(c, &o, &plan, &err), &err, "schedule");
    return plan;
}

static void count(const lsched_plan *adopted) {
    for (size_t i = 0; i < lsched_adopted_group_size(adopted); i++) {
        uint32_t result = lsched_adopted_group_at(adopted, i)->result;
        all.groups++;
        all.dropped += result != LSCHED_ADOPTION_APPLIED;
        all.by_result[result]++;
    }
}

/* own: 1 to schedule on the original instead. */
static void trial(uint32_t events, int own) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id cordoned[256] = {0};
    lsched_plan *plan = NULL;
    for (uint32_t i = 0, tries = 0; i < ENDS && tries < 100000; tries++) i += (uint32_t)end_task();
    all.now_us += 1000000;
    bench_check(lsched_cluster_clone(all.c, &all.copy, &err), &err, "clone");
    lsched_plan *from = schedule(all.copy);
    happen(from, events, cordoned);
    double begin = bench_seconds();
    if (own)
        plan = schedule(all.c);
    else
        bench_check(lsched_adopt(all.c, from, NULL, &plan, &err), &err, "adopt");
    double t = bench_seconds() - begin;
    bench_check(lsched_verify(all.c, plan, &err), &err, "verify");
    all.adopting += own ? 0 : t;
    all.scheduling += own ? t : 0;
    all.adopted += own ? 0 : lsched_plan_size(plan);
    all.decided += own ? lsched_plan_size(plan) : 0;
    count(plan);
    carry_out(plan);
    for (uint32_t i = 0; i < 256; i++)
        if (cordoned[i]) (void)set_node(cordoned[i], LSCHED_NODE_READY);
    lsched_plan_destroy(plan);
    lsched_plan_destroy(from);
    plan = schedule(all.c); /* what was dropped starts, and what waits is parked */
    carry_out(plan);
    lsched_plan_destroy(plan);
}

static void measure(uint32_t events, const char *name) {
    all.groups = all.dropped = all.adopted = all.decided = 0;
    all.adopting = all.scheduling = 0;
    memset(all.by_result, 0, sizeof all.by_result);
    for (int i = 0; i < 2 * TRIALS; i++) trial(events, i & 1);
    double each = 1e6 * all.adopting / (double)(all.adopted ? all.adopted : 1),
           own = 1e6 * all.scheduling / (double)(all.decided ? all.decided : 1);
    rows_put(name, "us/decision", each, "schedule on the original", own);
    rows_note("%u events: %llu of %llu groups dropped, %.1f %%", events,
              (unsigned long long)all.dropped, (unsigned long long)all.groups,
              all.groups ? 100.0 * (double)all.dropped / (double)all.groups : 0.0);
    for (uint32_t r = 1; r < RESULTS; r++)
        if (all.by_result[r])
            rows_note("  %s %llu", lsched_adopt_result_name(r),
                      (unsigned long long)all.by_result[r]);
}

int main(int argc, char **argv) {
    argc = rows_open("adopt", argc, argv);
    uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : NODES;
    if (nodes == 0) {
        fprintf(stderr, "usage: bench_adopt [NODES]; NODES is at least 1\n");
        return 2;
    }
    const struct event_size size = {.policy = "guaranteed-quota",
                                    .nodes = nodes,
                                    .queues = 8,
                                    .waiting = 8,
                                    .shapes = 4,
                                    .jobs = 2000,
                                    .seed = 1};
    struct event_world *w = event_world_open(&size);
    lsched_cluster_stats s = {.size = sizeof s};
    all.c = event_world_cluster(w);
    all.chance = 1;
    lsched_cluster_stats_get(all.c, &s, NULL);
    all.now_us = s.now_us;
    rows_note("%u nodes with 8 GPUs, all of them in use; %d trials, in each of which %d tasks end",
              nodes, TRIALS, ENDS);
    measure(0, "events_0");
    measure(1, "events_1");
    measure(10, "events_10");
    measure(100, "events_100");
    lsched_cluster_destroy(all.copy);
    event_world_close(w);
    return 0;
}
