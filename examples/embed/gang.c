/* gang.c -- rejecting a member of a gang takes its siblings back, and the report says which. */
#include <inttypes.h>
#include <libsched/libsched.h>
#include <stdio.h>

enum { MEMBERS = 4 };

static int32_t describe(lsched_cluster *cluster, lsched_error *err) {
    lsched_device_desc gpus = {.size = sizeof gpus, .count = 8, .model = LSCHED_TEXT("H100-80GB")};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = LSCHED_TEXT("gpu-1"), node.devices = &gpus, node.n_devices = 1;
    lsched_queue_desc queue = {.size = sizeof queue, .name = LSCHED_TEXT("research")};
    lsched_amount needs = {LSCHED_GPU, 0, 2000};
    lsched_group_desc all = {sizeof all, .max_count = MEMBERS, .request = &needs, .n_request = 1};
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = LSCHED_TEXT("train"), job.queue_name = LSCHED_TEXT("research");
    job.groups = &all, job.n_groups = 1;
    int32_t code = lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, err);
    if (code >= 0)
        code = lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, err);
    if (code >= 0) code = lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, err);
    return code;
}

/* Reject the first decision of the plan; returns how many others were withdrawn. */
static int64_t reject_one(lsched_cluster *cluster, const lsched_plan *plan, lsched_error *err) {
    const lsched_decision *first = lsched_plan_at(plan, 0);
    lsched_outcome how = LSCHED_OUTCOME_REJECTED;
    lsched_id withdrawn[MEMBERS];
    lsched_settle_report report = LSCHED_SETTLE_REPORT_INIT;
    report.withdrawn = withdrawn, report.withdrawn_capacity = MEMBERS;
    lsched_settlement answer = {.size = sizeof answer, .outcome = how, .decision = first->id};
    int32_t code = lsched_settle(cluster, &answer, 1, sizeof answer, NULL, &report, NULL, err);
    return code < 0 ? code : (int64_t)report.n_withdrawn;
}

int main(void) {
    lsched_cluster *cluster = NULL;
    lsched_plan *plan = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = INT64_C(1700000000000000);
    int64_t withdrawn = -1;
    if (lsched_cluster_create(NULL, &cluster, &err) >= 0 && describe(cluster, &err) >= 0 &&
        lsched_schedule(cluster, &opts, &plan, &err) >= 0 && lsched_plan_size(plan) == MEMBERS) {
        withdrawn = reject_one(cluster, plan, &err);
    }
    lsched_cluster_stats stats = {.size = sizeof stats};
    lsched_cluster_stats_get(cluster, &stats, NULL);
    printf("1 rejected, %" PRId64 " withdrawn, %" PRIu64 " open\n", withdrawn,
           stats.decisions_open);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(cluster);
    return withdrawn == MEMBERS - 1 && stats.decisions_open == 0 ? 0 : 1;
}
