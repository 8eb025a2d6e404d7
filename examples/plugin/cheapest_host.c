/* cheapest_host.c -- an orchestrator that brings its own placement: registers the plug-in,
 * names it in its policy, asks for one plan, and prints where each task goes. */
#include <inttypes.h>
#include <stdio.h>

#include "place_cheapest.h"

static const char policy[] = "return { api = 1, name = 'spend-less', placement = 'cheapest',\n"
                             "         params = { idle_hours = 2 } }";

static int32_t print_plan(lsched_cluster *cluster, lsched_error *err) {
    lsched_schedule_opts now = {.size = sizeof now, .now_us = INT64_C(1700000000000000)};
    lsched_plan *plan = NULL;
    int32_t code = lsched_schedule(cluster, &now, &plan, err);
    for (size_t i = 0; plan && i < lsched_plan_size(plan); i++) {
        const lsched_decision *decision = lsched_plan_at(plan, i);
        size_t len;
        const char *node = lsched_name(cluster, decision->node, &len);
        printf("task %" PRIu32 " on %.*s\n", decision->task_index, (int)len, node);
    }
    lsched_plan_destroy(plan);
    return code;
}

int main(void) {
    const lsched_amount four_cores = {LSCHED_CPU, 0, 4000}, core = {LSCHED_CPU, 0, 1000};
    const char *const names[] = {"dear", "cheap", "middle"};
    const int64_t prices[] = {5000000, 1000000, 3000000}; /* micro-units an hour */
    lsched_node_desc nodes[] = {LSCHED_NODE_DESC_INIT, LSCHED_NODE_DESC_INIT,
                                LSCHED_NODE_DESC_INIT};
    for (int i = 0; i < 3; i++) {
        nodes[i].name = lsched_cstr(names[i]);
        nodes[i].capacity = &four_cores, nodes[i].n_capacity = 1;
        nodes[i].price_micro_per_hour = prices[i];
    }
    lsched_queue_desc queue = {.size = sizeof queue, .name = LSCHED_TEXT("all")};
    lsched_group_desc tasks = {
        .size = sizeof tasks, .max_count = 10, .request = &core, .n_request = 1};
    lsched_job_desc job = {.size = sizeof job, .name = LSCHED_TEXT("job")};
    job.queue_name = queue.name;
    job.groups = &tasks, job.n_groups = 1;
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    int failed = lsched_cluster_create(NULL, &cluster, &err) < 0 ||
                 lsched_algorithm_register(cluster, &place_cheapest, &err) < 0 ||
                 lsched_policy_load(cluster, LSCHED_TEXT("spend-less"),
                                    (lsched_text){policy, sizeof policy - 1}, NULL, &err) < 0 ||
                 lsched_nodes_add(cluster, nodes, 3, sizeof nodes[0], NULL, NULL, NULL, &err) < 0 ||
                 lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, &err) < 0 ||
                 lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err) < 0 ||
                 print_plan(cluster, &err) < 0;
    if (failed) fprintf(stderr, "%s: %s\n", lsched_error_name(err.code), err.message);
    lsched_cluster_destroy(cluster);
    return failed;
}
