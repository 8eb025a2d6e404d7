/* background.c -- an orchestrator that must not block: plan on a clone in a second thread, keep
 * events until it is done, bring the clone up to date with them and go on with it.
 *
 * A clone has the same ids, so what happened meanwhile is told to it in the same words. A
 * decision that an event has overtaken (its node is gone) is stale by then, and settling it
 * says so. While the thread plans, the old cluster answers questions as before. */
#include <libsched/libsched.h>
#include <pthread.h>
#include <stdio.h>

enum { NODES = 3 };
#define START_US INT64_C(1700000000000000)

struct planner {
    lsched_cluster *clone; /* the thread's until it is joined */
    lsched_plan *plan;
    int64_t now_us;
    int32_t code;
    lsched_error err;
};

static void *plan_on_clone(void *argument) {
    struct planner *p = argument;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = p->now_us;
    p->code = lsched_schedule(p->clone, &opts, &p->plan, &p->err);
    return NULL;
}

static int32_t describe(lsched_cluster *cluster, lsched_id *nodes, lsched_error *err) {
    static const char *const names[NODES] = {"gpu-1", "gpu-2", "gpu-3"};
    lsched_device_desc gpus = {.size = sizeof gpus, .count = 8, .model = LSCHED_TEXT("H100-80GB")};
    lsched_node_desc node[NODES];
    for (int i = 0; i < NODES; i++) {
        lsched_init(&node[i], sizeof node[i]);
        node[i].name = lsched_cstr(names[i]), node[i].devices = &gpus, node[i].n_devices = 1;
    }
    lsched_queue_desc queue = {.size = sizeof queue, .name = LSCHED_TEXT("research")};
    lsched_amount needs = {LSCHED_GPU, 0, 8000};
    lsched_group_desc tasks = {sizeof tasks, .max_count = 3, .min_count = LSCHED_MIN_NONE,
                               .request = &needs, .n_request = 1};
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = LSCHED_TEXT("sweep"), job.queue_name = LSCHED_TEXT("research");
    job.groups = &tasks, job.n_groups = 1;
    int32_t code = lsched_nodes_add(cluster, node, NODES, sizeof node[0], NULL, nodes, NULL, err);
    if (code >= 0)
        code = lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, err);
    if (code >= 0) code = lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, err);
    return code;
}

/* Settle one by one: a decision that went stale is skipped, the others hold. */
static int carry_out(lsched_cluster *cluster, const lsched_plan *plan) {
    int confirmed = 0;
    lsched_error err = LSCHED_ERROR_INIT;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        lsched_settlement answer = {.size = sizeof answer, .outcome = how, .decision = d->id};
        int32_t code = lsched_settle(cluster, &answer, 1, sizeof answer, NULL, NULL, NULL, &err);
        printf("task %u: %s\n", (unsigned)d->task_index, code < 0 ? err.message : "confirmed");
        confirmed += code >= 0;
    }
    return confirmed;
}

int main(void) {
    lsched_cluster *cluster = NULL;
    lsched_id nodes[NODES];
    pthread_t thread;
    struct planner planner = {.now_us = START_US, .err = LSCHED_ERROR_INIT};
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_cluster_create(NULL, &cluster, &err) < 0 || describe(cluster, nodes, &err) < 0 ||
        lsched_cluster_clone(cluster, &planner.clone, &err) < 0 ||
        pthread_create(&thread, NULL, plan_on_clone, &planner) != 0) {
        return 1;
    }
    lsched_id lost = nodes[1]; /* an event while the thread plans: the orchestrator keeps it */
    pthread_join(thread, NULL);

    int32_t code = planner.code;
    if (code >= 0) code = lsched_nodes_remove(planner.clone, &lost, 1, NULL, NULL, &err);
    lsched_cluster *old = cluster; /* its memory serves the next clone */
    cluster = planner.clone;
    int confirmed = code >= 0 ? carry_out(cluster, planner.plan) : 0;

    lsched_plan_destroy(planner.plan);
    lsched_cluster_destroy(old);
    lsched_cluster_destroy(cluster);
    return confirmed == NODES - 1 ? 0 : 1;
}
