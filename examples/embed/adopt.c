/* adopt.c -- an orchestrator that must not block and keeps its cluster: a second thread plans on a
 * clone while the first one reports events to the original; then the original adopts the plan.
 *
 * What an event has overtaken is dropped, group by group, with a reason. The plan that
 * lsched_adopt() returns is carried out like every other plan. The jobs that were dropped wait in
 * the original, and the next cycle tries them. Compare background.c, which goes on with the clone
 * instead: there, each event has to be told to the clone, too. */
#include <libsched/libsched.h>
#include <pthread.h>
#include <stdio.h>

enum { NODES = 3 };
#define START_US INT64_C(1700000000000000)

struct planner {
    lsched_cluster *clone; /* the thread's until it is joined */
    lsched_plan *plan;
    int32_t code;
    lsched_error err;
};

static void *plan_on_clone(void *argument) {
    struct planner *p = argument;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = START_US;
    p->code = lsched_schedule(p->clone, &opts, &p->plan, &p->err);
    return NULL;
}

static int32_t describe(lsched_cluster *cluster, lsched_id *nodes, lsched_error *err) {
    static const char *const names[NODES] = {"gpu-1", "gpu-2", "gpu-3"};
    static const char *const jobs[NODES] = {"train", "tune", "test"};
    lsched_device_desc gpus = {.size = sizeof gpus, .count = 8, .model = LSCHED_TEXT("H100-80GB")};
    lsched_node_desc node[NODES];
    lsched_job_desc job[NODES];
    lsched_queue_desc queue = {.size = sizeof queue, .name = LSCHED_TEXT("research")};
    lsched_amount needs = {LSCHED_GPU, 0, 8000};
    lsched_group_desc task = {sizeof task, .max_count = 1, .request = &needs, .n_request = 1};
    for (int i = 0; i < NODES; i++) {
        lsched_init(&node[i], sizeof node[i]);
        node[i].name = lsched_cstr(names[i]), node[i].devices = &gpus, node[i].n_devices = 1;
        lsched_init(&job[i], sizeof job[i]);
        job[i].name = lsched_cstr(jobs[i]), job[i].queue_name = LSCHED_TEXT("research");
        job[i].groups = &task, job[i].n_groups = 1;
    }
    int32_t code = lsched_nodes_add(cluster, node, NODES, sizeof node[0], NULL, nodes, NULL, err);
    if (code >= 0)
        code = lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, err);
    if (code >= 0)
        code = lsched_jobs_submit(cluster, job, NODES, sizeof job[0], NULL, NULL, NULL, err);
    return code;
}

static void tell(const lsched_plan *adopted) {
    for (size_t i = 0; i < lsched_adopted_group_size(adopted); i++) {
        const lsched_adopted_group *g = lsched_adopted_group_at(adopted, i);
        printf("group %zu: %s\n", i, lsched_adopt_result_name(g->result));
    }
}

int main(void) {
    lsched_cluster *cluster = NULL;
    lsched_plan *adopted = NULL;
    lsched_id nodes[NODES];
    pthread_t thread;
    struct planner planner = {.err = LSCHED_ERROR_INIT};
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_cluster_create(NULL, &cluster, &err) < 0 || describe(cluster, nodes, &err) < 0 ||
        lsched_cluster_clone(cluster, &planner.clone, &err) < 0 ||
        pthread_create(&thread, NULL, plan_on_clone, &planner) != 0) {
        return 1;
    }
    /* an event while the thread plans: it is reported to the original at once */
    int32_t code = lsched_nodes_remove(cluster, &nodes[1], 1, NULL, NULL, &err);
    pthread_join(thread, NULL);

    if (code >= 0) code = planner.code;
    if (code >= 0) code = lsched_adopt(cluster, planner.plan, NULL, &adopted, &err);
    tell(adopted);
    size_t starts = lsched_plan_size(adopted); /* carry them out and settle them as always */

    lsched_plan_destroy(adopted);
    lsched_plan_destroy(planner.plan);
    lsched_cluster_destroy(planner.clone);
    lsched_cluster_destroy(cluster);
    return code >= 0 && starts == NODES - 1 ? 0 : 1;
}
