/* hello.c -- the smallest orchestrator: one node with 8 GPUs, two jobs that want all of them,
 * one plan. */
#include <inttypes.h>
#include <libsched/libsched.h>
#include <stdio.h>

int main(void) {
    lsched_device_desc gpus = {.size = sizeof gpus, .count = 8, .model = LSCHED_TEXT("H100-80GB")};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = LSCHED_TEXT("gpu-1"), node.devices = &gpus, node.n_devices = 1;
    lsched_queue_desc queue = {.size = sizeof queue, .name = LSCHED_TEXT("research")};
    lsched_amount needs = {LSCHED_GPU, 0, 4000}; /* milli-GPUs, per task */
    lsched_group_desc pair = {sizeof pair, .max_count = 2, .request = &needs, .n_request = 1};
    lsched_job_desc jobs[] = {LSCHED_JOB_DESC_INIT, LSCHED_JOB_DESC_INIT};
    for (int i = 0; i < 2; i++) {
        jobs[i].name = lsched_cstr(i ? "evaluate" : "train"), jobs[i].priority = i ? 0 : 10;
        jobs[i].queue_name = LSCHED_TEXT("research"), jobs[i].groups = &pair, jobs[i].n_groups = 1;
    }
    lsched_cluster *cluster = NULL;
    lsched_plan *plan = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts now = {.size = sizeof now, .now_us = INT64_C(1700000000000000)};
    if (lsched_cluster_create(NULL, &cluster, &err) < 0 ||
        lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err) < 0 ||
        lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, &err) < 0 ||
        lsched_jobs_submit(cluster, jobs, 2, sizeof jobs[0], NULL, NULL, NULL, &err) < 0 ||
        lsched_schedule(cluster, &now, &plan, &err) < 0) {
        fprintf(stderr, "%s: %s\n", lsched_error_name(err.code), err.message);
        lsched_cluster_destroy(cluster);
        return 1;
    }
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        printf("start task %" PRIu32 " on GPUs 0x%02" PRIx32 "\n", d->task_index, d->device_mask);
    }
    char why[512] = "";
    lsched_id waits = lsched_find(cluster, LSCHED_KIND_JOB, LSCHED_TEXT("evaluate"));
    lsched_explain(cluster, waits, why, sizeof why, NULL, &err);
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(plan, &info, NULL);
    printf("%splan %016" PRIx64 "\n", why, info.plan_hash);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(cluster);
    return 0;
}
