/* feed.c -- a host that polls nothing: after each call it reads what the call did beyond what was asked. */
#include <inttypes.h>
#include <libsched/libsched.h>
#include <stdio.h>
#include <string.h>

enum { MEMBERS = 4, TASKS = 16 };

/* What the host does at present. A real host has more: processes, pods, agents. */
struct host {
    lsched_cluster *cluster;
    uint64_t cursor;                           /* in the change feed */
    lsched_id starting[TASKS], running[TASKS]; /* by task: decision; node */
    int64_t now_us;
};

/* Brings the host's own tables in line with one change. */
static void apply(struct host *me, const lsched_change *c) {
    printf("  %s", lsched_change_name(c->kind));
    if (c->task_index != LSCHED_NO_TASK) printf(" task %" PRId64, c->task_index);
    printf(" of %.*s, because of %s in %s\n", (int)c->job_name.len, c->job_name.ptr,
           lsched_because_name(c->because), lsched_call_name(c->call));
    switch (c->kind) {
    case LSCHED_CHANGE_WITHDRAWN: me->starting[c->task_index] = 0; break;
    case LSCHED_CHANGE_LOST: me->running[c->task_index] = 0; break;
    case LSCHED_CHANGE_ENDED: memset(me->running, 0, sizeof me->running); break;
    default: break; /* stale, repaired ...: for people */
    }
}

/* Lists everything: at the start, and when the reader was behind for too long. */
static void list_all(struct host *me) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t jobs = 0;
    memset(me->starting, 0, sizeof me->starting);
    memset(me->running, 0, sizeof me->running);
    for (lsched_id job; (job = lsched_next(me->cluster, LSCHED_KIND_JOB, &jobs)) != 0;) {
        uint64_t tasks = 0;
        while (lsched_tasks_next(me->cluster, job, 0, &tasks, &t, NULL) == 1) {
            if (t.state == LSCHED_TASK_RUNNING) me->running[t.task_index] = t.node;
            if (t.state == LSCHED_TASK_PROPOSED || t.state == LSCHED_TASK_CONFIRMED)
                me->starting[t.task_index] = t.decision;
        }
    }
}

static int32_t read_changes(struct host *me, lsched_error *err) {
    lsched_change change = {.size = sizeof change};
    int32_t code;
    while ((code = lsched_changes_next(me->cluster, &me->cursor, &change, err)) == 1)
        apply(me, &change);
    if (code != LSCHED_E_GONE) return code;
    list_all(me); /* the cursor is at the end of the feed */
    return LSCHED_OK;
}

/* After a cycle, the changes come before the plan: the plan can decide again about a task. */
static int32_t cycle(struct host *me, lsched_error *err) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = me->now_us += 1000000;
    int32_t code = lsched_schedule(me->cluster, &opts, &plan, err);
    if (code >= 0) code = read_changes(me, err);
    for (size_t i = 0; code >= 0 && i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        me->starting[d->task_index] = d->id;
    }
    lsched_plan_destroy(plan);
    return code;
}

static int32_t report(struct host *me, lsched_id job, uint32_t task, uint32_t event,
                      lsched_error *err) {
    lsched_task_event e = {.size = sizeof e, .event = event, .job = job, .task_index = task};
    int32_t code = lsched_tasks_report(me->cluster, &e, 1, sizeof e, NULL, NULL, err);
    if (code < 0) return code;
    me->running[task] = event == LSCHED_EVENT_STARTED;
    me->starting[task] = 0;
    return read_changes(me, err);
}

/* The host's tables against the library, which the loop above never asks. */
static int is_right(struct host *me) {
    struct host listed = *me;
    list_all(&listed);
    for (int i = 0; i < TASKS; i++)
        if (!listed.running[i] != !me->running[i] || listed.starting[i] != me->starting[i])
            return 0;
    return 1;
}

static int32_t describe(lsched_cluster *cluster, lsched_id *job, lsched_error *err) {
    lsched_device_desc gpus = {.size = sizeof gpus, .count = 4, .model = LSCHED_TEXT("H100-80GB")};
    lsched_node_desc nodes[2] = {LSCHED_NODE_DESC_INIT, LSCHED_NODE_DESC_INIT};
    nodes[0].name = LSCHED_TEXT("gpu-1"), nodes[1].name = LSCHED_TEXT("gpu-2");
    for (int i = 0; i < 2; i++) nodes[i].devices = &gpus, nodes[i].n_devices = 1;
    lsched_queue_desc queue = {.size = sizeof queue, .name = LSCHED_TEXT("research")};
    lsched_amount needs = {LSCHED_GPU, 0, 2000};
    lsched_group_desc all = {sizeof all, .max_count = MEMBERS, .request = &needs, .n_request = 1};
    lsched_job_desc gang = LSCHED_JOB_DESC_INIT;
    gang.name = LSCHED_TEXT("train"), gang.queue_name = LSCHED_TEXT("research");
    gang.groups = &all, gang.n_groups = 1;
    int32_t code = lsched_nodes_add(cluster, nodes, 2, sizeof nodes[0], NULL, NULL, NULL, err);
    if (code >= 0)
        code = lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, err);
    if (code >= 0) code = lsched_jobs_submit(cluster, &gang, 1, sizeof gang, NULL, job, NULL, err);
    return code;
}

int main(void) {
    struct host me = {.now_us = INT64_C(1700000000000000)};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id train = 0;
    int32_t code = lsched_cluster_create(NULL, &me.cluster, &err);
    if (code >= 0) code = describe(me.cluster, &train, &err);
    if (code >= 0) code = cycle(&me, &err);
    if (code >= 0) code = report(&me, train, 0, LSCHED_EVENT_STARTED, &err);
    int right = code >= 0 && is_right(&me);
    printf("gpu-2 is lost:\n");
    lsched_id lost = lsched_find(me.cluster, LSCHED_KIND_NODE, LSCHED_TEXT("gpu-2"));
    if (code >= 0) code = lsched_nodes_remove(me.cluster, &lost, 1, NULL, NULL, &err);
    if (code >= 0) code = read_changes(&me, &err);
    right &= code >= 0 && is_right(&me);
    printf("task 0 fails:\n");
    if (code >= 0) code = report(&me, train, 0, LSCHED_EVENT_FAILED, &err);
    right &= code >= 0 && is_right(&me);
    if (code < 0) printf("%s\n", err.message);
    lsched_cluster_destroy(me.cluster);
    return code >= 0 && right ? 0 : 1;
}
