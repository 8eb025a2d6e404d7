/* restart.c -- an orchestrator that comes back: either from a saved state, or by telling a new
 * cluster what runs already.
 *
 * Both ways end with the same cluster in meaning. Saved bytes also keep what nobody outside
 * knows: ids, open decisions, what is parked. */
#include <inttypes.h>
#include <libsched/libsched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START_US INT64_C(1700000000000000)

struct bytes {
    char *p;
    size_t n, room;
};

/* Where saved bytes go. Non-zero ends the save. */
static int32_t append(void *user, const void *bytes, size_t n) {
    struct bytes *to = user;
    if (to->room - to->n < n) {
        size_t room = 2 * to->room + n;
        char *p = realloc(to->p, room);
        if (!p) return -1;
        to->p = p, to->room = room;
    }
    memcpy(to->p + to->n, bytes, n);
    to->n += n;
    return 0;
}

/* One node, one queue, one job of two tasks. */
static int32_t describe(lsched_cluster *cluster, lsched_error *err) {
    lsched_device_desc gpus = {.size = sizeof gpus, .count = 8, .model = LSCHED_TEXT("H100-80GB")};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = LSCHED_TEXT("gpu-1"), node.devices = &gpus, node.n_devices = 1;
    lsched_queue_desc queue = {.size = sizeof queue, .name = LSCHED_TEXT("research")};
    lsched_amount needs = {LSCHED_GPU, 0, 4000};
    lsched_group_desc pair = {sizeof pair, .max_count = 2, .request = &needs, .n_request = 1};
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = LSCHED_TEXT("train"), job.queue_name = LSCHED_TEXT("research");
    job.groups = &pair, job.n_groups = 1, job.submit_us = START_US;
    int32_t code = lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, err);
    if (code >= 0)
        code = lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, err);
    if (code >= 0) code = lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, err);
    return code;
}

/* What the orchestrator knows to be running, by names: its own database, or what its node
 * agents say. */
static int32_t import(lsched_cluster *cluster, lsched_error *err) {
    lsched_task_import tasks[2];
    for (uint32_t i = 0; i < 2; i++) {
        tasks[i] = (lsched_task_import)LSCHED_TASK_IMPORT_INIT;
        tasks[i].job_name = LSCHED_TEXT("train"), tasks[i].task_index = i;
        tasks[i].node_name = LSCHED_TEXT("gpu-1");
        tasks[i].device_mask = i ? 0xf0 : 0x0f;
        tasks[i].start_us = START_US;
    }
    return lsched_tasks_import(cluster, tasks, 2, sizeof tasks[0], NULL, NULL, err);
}

static int32_t save_and_load(const lsched_cluster *cluster, lsched_cluster **loaded,
                             lsched_error *err) {
    struct bytes file = {NULL, 0, 0};
    int32_t code = lsched_cluster_save(cluster, append, &file, err);
    if (code >= 0) code = lsched_cluster_load(NULL, file.p, file.n, loaded, err);
    free(file.p);
    return code;
}

int main(void) {
    lsched_cluster *cluster = NULL, *loaded = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t code = lsched_cluster_create(NULL, &cluster, &err);
    if (code >= 0) code = describe(cluster, &err);
    if (code >= 0) code = import(cluster, &err);
    if (code >= 0) code = save_and_load(cluster, &loaded, &err);
    if (code < 0) fprintf(stderr, "%s: %s\n", lsched_error_name(code), err.message);

    uint64_t was = 0, is = 1;
    if (code >= 0) {
        lsched_cluster_hash(cluster, LSCHED_HASH_IMAGE, &was, NULL);
        lsched_cluster_hash(loaded, LSCHED_HASH_IMAGE, &is, NULL);
        printf("image %s\n", was == is ? "the same" : "another");
        code = lsched_verify(loaded, NULL, &err);
    }
    lsched_cluster_destroy(cluster);
    lsched_cluster_destroy(loaded);
    return code >= 0 && was == is ? 0 : 1;
}
