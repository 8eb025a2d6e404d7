/* resize_running.c -- gives a task that runs more cores: asks for them, carries the decision out,
 * and settles it. */
#include <inttypes.h>
#include <libsched/libsched.h>
#include <stdio.h>

static const lsched_amount cores = {LSCHED_CPU, 0, 16000}, two = {LSCHED_CPU, 0, 2000};

/* A cluster with one node of 16 cores, on which a task of the job runs with two of them. */
static int32_t make(lsched_cluster *cluster, lsched_id *job, lsched_error *err) {
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc web = LSCHED_JOB_DESC_INIT;
    lsched_task_import runs = LSCHED_TASK_IMPORT_INIT;
    node.name = LSCHED_TEXT("n"), node.capacity = &cores, node.n_capacity = 1;
    queue.name = LSCHED_TEXT("q");
    group.request = &two, group.n_request = 1, group.max_count = 1;
    web.name = LSCHED_TEXT("web"), web.queue_name = LSCHED_TEXT("q");
    web.groups = &group, web.n_groups = 1;
    runs.job_name = LSCHED_TEXT("web"), runs.node_name = LSCHED_TEXT("n");
    int32_t rc = lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, err);
    if (rc >= 0) rc = lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, err);
    if (rc >= 0) rc = lsched_jobs_submit(cluster, &web, 1, sizeof web, NULL, job, NULL, err);
    if (rc >= 0) rc = lsched_tasks_import(cluster, &runs, 1, sizeof runs, NULL, NULL, err);
    return rc;
}

/* Carries out the decisions of one cycle. Returns the number of tasks that were resized. */
static int32_t cycle(lsched_cluster *cluster, lsched_error *err) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = INT64_C(1700000000000000);
    opts.decision_kinds = LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_RESIZE;
    lsched_plan *plan = NULL;
    int32_t rc = lsched_schedule(cluster, &opts, &plan, err), resized = 0;
    for (size_t i = 0; rc >= 0 && i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind != LSCHED_DECIDE_RESIZE) continue;
        printf("task %" PRIu32 " gets %" PRId64 " milli-cores\n", d->task_index,
               lsched_resize_amount(cluster, d->job, d->task_index, LSCHED_CPU,
                                    LSCHED_RESIZE_AMOUNT_WANTS, err));
        lsched_settlement done = LSCHED_SETTLEMENT_INIT;
        done.decision = d->id, done.outcome = LSCHED_OUTCOME_CONFIRMED;
        rc = lsched_settle(cluster, &done, 1, sizeof done, NULL, NULL, NULL, err);
        resized++;
    }
    lsched_plan_destroy(plan);
    return rc < 0 ? rc : resized;
}

int main(void) {
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id job = 0;
    int32_t rc = lsched_cluster_create(NULL, &cluster, &err);
    if (rc >= 0) rc = make(cluster, &job, &err);
    if (rc >= 0) {
        lsched_amount more = {LSCHED_CPU, 0, 8000};
        lsched_task_resize wish = LSCHED_TASK_RESIZE_INIT;
        wish.job = job, wish.task_index = 0, wish.request = &more, wish.n_request = 1;
        rc = lsched_tasks_resize(cluster, &wish, 1, sizeof wish, NULL, NULL, &err);
    }
    if (rc >= 0) rc = cycle(cluster, &err);
    if (rc < 0) fprintf(stderr, "%s: %s\n", lsched_error_name(rc), err.message);
    lsched_cluster_destroy(cluster);
    return rc == 1 ? 0 : 1;
}
