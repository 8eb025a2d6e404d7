/*
 * small_host.c -- a host that needs only `allocate` and `reclaim`: two queues with quotas, one of
 * which takes its GPUs back. It prints the hash of its plans.
 *
 * check_parts.sh links it with a library that has all parts and with one that has only the core, and
 * compares the hashes and the size of the program.
 */
#include <inttypes.h>
#include <libsched/libsched.h>
#include <stdio.h>
#include <string.h>

static const char policy[] =
    "return { api = 1, fair_share = 'quota', pipeline = { 'allocate', 'reclaim' } }";

static int fail(const lsched_error *err) {
    fprintf(stderr, "%s: %s\n", lsched_error_name(err->code), err->message);
    return 1;
}

static int32_t submit(lsched_cluster *cluster, const char *queue, int from, int n,
                      lsched_error *err) {
    lsched_amount needs = {LSCHED_GPU, 0, 2000};
    lsched_group_desc group = {.size = sizeof group, .request = &needs, .n_request = 1};
    int32_t rc = LSCHED_OK;
    for (int i = from; i < from + n && rc >= 0; i++) {
        char name[16];
        int len = snprintf(name, sizeof name, "job-%d", i);
        lsched_job_desc job = {.size = sizeof job, .groups = &group, .n_groups = 1};
        job.name = (lsched_text){name, (uint64_t)len};
        job.queue_name = (lsched_text){queue, strlen(queue)};
        rc = lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, err);
    }
    return rc;
}

/* Runs a cycle and carries it out: tasks start at once, and evicted tasks stop at once. */
static int32_t cycle(lsched_cluster *cluster, int64_t now_us, uint64_t *hash, lsched_error *err) {
    lsched_schedule_opts opts = {.size = sizeof opts, .now_us = now_us};
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    int32_t rc = lsched_schedule(cluster, &opts, &plan, err);
    if (rc < 0) return rc;
    lsched_plan_get(plan, &info, NULL);
    *hash = *hash * 31 + info.plan_hash;
    for (size_t i = 0; i < lsched_plan_size(plan) && rc >= 0; i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_task_event event = {.size = sizeof event, .job = d->job};
        event.task_index = d->task_index;
        event.event = d->kind == LSCHED_DECIDE_PLACE ? LSCHED_EVENT_STARTED : LSCHED_EVENT_FAILED;
        if (d->kind != LSCHED_DECIDE_NOMINATE)
            rc = lsched_tasks_report(cluster, &event, 1, sizeof event, NULL, NULL, err);
    }
    lsched_plan_destroy(plan);
    return rc;
}

int main(void) {
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_device_desc gpus = {.size = sizeof gpus, .count = 8, .model = {"H100-80GB", 9}};
    lsched_node_desc node = {.size = sizeof node, .name = {"gpu-1", 5}};
    lsched_amount quota = {LSCHED_GPU, 0, 4000};
    lsched_queue_desc queues[2] = {{.size = sizeof queues[0], .name = {"a", 1}},
                                   {.size = sizeof queues[0], .name = {"b", 1}}};
    uint64_t hash = 0;
    node.devices = &gpus, node.n_devices = 1;
    for (int i = 0; i < 2; i++) queues[i].quota = &quota, queues[i].n_quota = 1;
    if (lsched_cluster_create(NULL, &cluster, &err) < 0 ||
        lsched_policy_load(cluster, LSCHED_TEXT("small"), (lsched_text){policy, sizeof policy - 1},
                           NULL, &err) < 0 ||
        lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err) < 0 ||
        lsched_queues_add(cluster, queues, 2, sizeof queues[0], NULL, NULL, NULL, &err) < 0 ||
        submit(cluster, "a", 0, 5, &err) < 0 || cycle(cluster, 1000000, &hash, &err) < 0 ||
        submit(cluster, "b", 5, 2, &err) < 0)
        return fail(&err);
    for (int64_t now_us = 2000000; now_us < 8000000; now_us += 1000000)
        if (cycle(cluster, now_us, &hash, &err) < 0) return fail(&err);
    lsched_cluster_destroy(cluster);
    printf("%016" PRIx64 "\n", hash);
    return 0;
}
