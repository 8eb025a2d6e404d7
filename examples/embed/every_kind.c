/* every_kind.c -- carries out each kind of decision; changes a waiting job; asks what would help it. */
#include <inttypes.h>
#include <libsched/libsched.h>
#include <stdio.h>

#define GIB (INT64_C(1) << 30)

struct host {
    lsched_cluster *cluster;
    int64_t now_us;
    uint32_t seen; /* kinds of decisions so far, as bits */
};

static int32_t settle(struct host *me, lsched_id decision, lsched_outcome how, lsched_error *err) {
    lsched_settlement s = {.size = sizeof s, .outcome = how, .decision = decision};
    return lsched_settle(me->cluster, &s, 1, sizeof s, NULL, NULL, NULL, err);
}

static int32_t report(struct host *me, lsched_id job, uint32_t task, uint32_t event,
                      lsched_error *err) {
    lsched_task_event e = {.size = sizeof e, .event = event, .job = job, .task_index = task};
    return lsched_tasks_report(me->cluster, &e, 1, sizeof e, NULL, NULL, err);
}

static int32_t carry_out(struct host *me, const lsched_decision *d, lsched_error *err) {
    me->seen |= 1u << d->kind;
    printf("  %s task %" PRIu32 " of %s\n", lsched_decision_kind_name(d->kind), d->task_index,
           lsched_name(me->cluster, d->job, NULL));
    switch (d->kind) {
    case LSCHED_DECIDE_PLACE:
        if (d->recut_mask) /* MIG: create the instance on this device first, then start the task */
            printf("    create the instance at slice %" PRIu64 "\n", d->device_starts & 15);
        return report(me, d->job, d->task_index, LSCHED_EVENT_STARTED, err);
    case LSCHED_DECIDE_NOMINATE: return LSCHED_OK; /* room is kept; a PLACE follows later */
    case LSCHED_DECIDE_EVICT:                      /* stop the task, and report when it is gone */
    case LSCHED_DECIDE_MIGRATE: return report(me, d->job, d->task_index, LSCHED_EVENT_FAILED, err);
    case LSCHED_DECIDE_PAUSE:   /* let it allocate nothing more: its memory stays */
    case LSCHED_DECIDE_SUSPEND: /* move its device memory to the memory of the node */
    case LSCHED_DECIDE_RESUME:  /* let it go on, with its memory back in the device */
        return settle(me, d->id, LSCHED_OUTCOME_CONFIRMED, err);
    default: return settle(me, d->id, LSCHED_OUTCOME_REJECTED, err); /* was not asked for */
    }
}

static int32_t cycle(struct host *me, lsched_error *err) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = me->now_us += 60000000;
    opts.decision_kinds = 1u << LSCHED_DECIDE_PLACE | 1u << LSCHED_DECIDE_PAUSE |
                          1u << LSCHED_DECIDE_RESUME; /* this host cannot stop work */
    lsched_plan *plan = NULL;
    int32_t code = lsched_schedule(me->cluster, &opts, &plan, err);
    for (size_t i = 0; code >= 0 && i < lsched_plan_size(plan); i++) {
        code = carry_out(me, lsched_plan_at(plan, i), err);
    }
    lsched_plan_destroy(plan);
    return code;
}

/* A GPU that tasks share, and one that is cut into MIG instances. */
static int32_t add_nodes(struct host *me, lsched_error *err) {
    lsched_device_desc gpus[2] = {LSCHED_DEVICE_DESC_INIT, LSCHED_DEVICE_DESC_INIT};
    lsched_node_desc nodes[2] = {LSCHED_NODE_DESC_INIT, LSCHED_NODE_DESC_INIT};
    gpus[0].share_mode = LSCHED_SHARING_MPS, gpus[0].memory_overcommit_milli = 2000;
    gpus[1].share_mode = LSCHED_SHARING_MIG;
    nodes[0].name = LSCHED_TEXT("shared"), nodes[1].name = LSCHED_TEXT("cut");
    for (int i = 0; i < 2; i++) {
        gpus[i].model = LSCHED_TEXT("H100-80GB"), gpus[i].memory_bytes = 80 * GIB;
        nodes[i].devices = &gpus[i], nodes[i].n_devices = 1;
    }
    return lsched_nodes_add(me->cluster, nodes, 2, sizeof nodes[0], NULL, NULL, NULL, err);
}

static int32_t submit(struct host *me, const char *name, lsched_device_request *wish, lsched_id *id,
                      lsched_error *err) {
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    group.device_requests = wish, group.n_device_requests = 1;
    job.name = lsched_cstr(name), job.queue_name = LSCHED_TEXT("research");
    job.groups = &group, job.n_groups = 1;
    return lsched_jobs_submit(me->cluster, &job, 1, sizeof job, NULL, id, NULL, err);
}

static int32_t ask(struct host *me, lsched_id job, lsched_error *err) {
    lsched_offer offer = LSCHED_OFFER_INIT;
    lsched_waiting why = {.size = sizeof why};
    lsched_would_start_answer answer = LSCHED_WOULD_START_ANSWER_INIT;
    answer.waiting = &why, answer.offer = &offer;
    int32_t code = lsched_would_start(me->cluster, job, NULL, NULL, &answer, err);
    if (code < 0) return code;
    printf("starts now: %s; because of: %s; this would help: %s\n",
           answer.start == LSCHED_START_NOW ? "yes" : "no", lsched_wait_name(answer.code),
           lsched_offer_name(offer.change));
    return LSCHED_OK;
}

static int32_t shrink(struct host *me, lsched_id job, lsched_error *err) {
    lsched_device_request less = LSCHED_DEVICE_REQUEST_INIT;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_update update = LSCHED_JOB_UPDATE_INIT;
    less.mig_profile = LSCHED_TEXT("1g.10gb");
    group.device_requests = &less, group.n_device_requests = 1;
    update.job = job;
    update.set = LSCHED_JOB_SET_GROUPS | LSCHED_JOB_SET_PRIORITY; /* all other fields stay */
    update.groups = &group, update.n_groups = 1, update.priority = 10;
    return lsched_jobs_update(me->cluster, &update, 1, sizeof update, NULL, NULL, err);
}

static int32_t run(struct host *me, lsched_error *err) {
    lsched_queue_desc queue = {.size = sizeof queue, .name = LSCHED_TEXT("research")};
    lsched_device_request part = LSCHED_DEVICE_REQUEST_INIT, cut = LSCHED_DEVICE_REQUEST_INIT;
    lsched_collision pressure = {.size = sizeof pressure, .node_name = LSCHED_TEXT("shared")};
    lsched_id first, second, third, waits;
    part.memory_bytes = 20 * GIB, part.memory_limit_bytes = 80 * GIB;
    cut.mig_profile = LSCHED_TEXT("4g.40gb");
    int32_t code = lsched_cluster_create(NULL, &me->cluster, err);
    if (code >= 0) code = add_nodes(me, err);
    if (code >= 0)
        code = lsched_queues_add(me->cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, err);
    if (code >= 0) code = submit(me, "first", &part, &first, err);
    if (code >= 0) code = submit(me, "second", &part, &second, err);
    if (code >= 0) code = submit(me, "half", &cut, &third, err);
    if (code >= 0) code = cycle(me, err);
    cut.mig_profile = LSCHED_TEXT("7g.80gb");
    if (code >= 0) code = submit(me, "whole", &cut, &waits, err);
    if (code >= 0) code = cycle(me, err);
    if (code >= 0) code = ask(me, waits, err);
    if (code >= 0) code = shrink(me, waits, err);
    if (code >= 0) code = cycle(me, err);
    printf("the memory of the shared GPU runs out:\n");
    if (code >= 0)
        code =
            lsched_collisions_report(me->cluster, &pressure, 1, sizeof pressure, NULL, NULL, err);
    if (code >= 0) code = cycle(me, err);
    printf("first ends:\n");
    if (code >= 0) code = report(me, first, 0, LSCHED_EVENT_ENDED, err);
    return code >= 0 ? cycle(me, err) : code;
}

int main(void) {
    struct host me = {.now_us = INT64_C(1700000000000000)};
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t code = run(&me, &err);
    if (code < 0) printf("%s: %s\n", lsched_error_name(code), err.message);
    lsched_cluster_destroy(me.cluster);
    const uint32_t all =
        1u << LSCHED_DECIDE_PLACE | 1u << LSCHED_DECIDE_PAUSE | 1u << LSCHED_DECIDE_RESUME;
    return code >= 0 && me.seen == all ? 0 : 1;
}
