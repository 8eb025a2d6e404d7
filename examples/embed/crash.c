/* crash.c -- an orchestrator that saves its state in a file, crashes, and comes back: the file is
 * replaced as a whole, so a crash at any point leaves the old state or the new one; and the ids
 * that were issued after the save do not come again, so a late message about a decision of the
 * lost time hits nobody. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <inttypes.h>
#include <libsched/libsched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOW_US INT64_C(1700000000000000)

/* ---- the file -------------------------------------------------------------------------------- */

static int32_t write_all(void *user, const void *bytes, size_t n) {
    const char *p = bytes;
    for (size_t done = 0; done < n;) {
        ssize_t k = write(*(int *)user, p + done, n - done);
        if (k <= 0) return -1;
        done += (size_t)k;
    }
    return 0;
}

static int32_t replace_file(const char *folder, const char *name, const lsched_cluster *cluster,
                            lsched_error *err) {
    char fresh[256];
    int32_t code = LSCHED_E_STATE;
    int at = open(folder, O_RDONLY | O_DIRECTORY), file = -1;
    snprintf(fresh, sizeof fresh, "%s.tmp", name);
    if (at >= 0) file = openat(at, fresh, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0) code = lsched_cluster_save(cluster, write_all, &file, err);
    if (file >= 0 && fsync(file) != 0) code = LSCHED_E_STATE; /* the bytes, before the name */
    if (file >= 0 && close(file) != 0) code = LSCHED_E_STATE;
    if (code >= 0 && renameat(at, fresh, at, name) != 0) code = LSCHED_E_STATE;
    if (code >= 0 && fsync(at) != 0) code = LSCHED_E_STATE; /* and the name */
    if (at >= 0) close(at);
    return code;
}

static void *read_file(const char *path, size_t *n) {
    struct stat s;
    char *p = NULL;
    int file = open(path, O_RDONLY);
    if (file >= 0 && fstat(file, &s) == 0) p = malloc((size_t)s.st_size);
    for (*n = 0; p && *n < (size_t)s.st_size;) {
        ssize_t k = read(file, p + *n, (size_t)s.st_size - *n);
        if (k <= 0) break;
        *n += (size_t)k;
    }
    if (file >= 0) close(file);
    return p;
}

static int32_t come_back(const void *bytes, size_t n, uint32_t starts, lsched_cluster **cluster,
                         lsched_error *err) {
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.incarnation = starts; /* greater than at any start before */
    return lsched_cluster_load(&opts, bytes, n, cluster, err);
}

/* ---- the cluster ----------------------------------------------------------------------------- */

static int32_t describe(lsched_cluster *cluster, lsched_error *err) {
    lsched_amount cores = {LSCHED_CPU, 0, 1000};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = LSCHED_TEXT("n"), node.capacity = &cores, node.n_capacity = 1;
    lsched_queue_desc queue = {.size = sizeof queue, .name = LSCHED_TEXT("q")};
    int32_t code = lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, err);
    if (code >= 0)
        code = lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, err);
    return code;
}

/* Submit a job of one core and plan: the id of the decision that places it. */
static int32_t place(lsched_cluster *cluster, const char *name, lsched_id *id, lsched_error *err) {
    lsched_amount core = {LSCHED_CPU, 0, 1000};
    lsched_group_desc one = {sizeof one, .request = &core, .n_request = 1};
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = lsched_cstr(name), job.queue_name = LSCHED_TEXT("q"), job.groups = &one,
    job.n_groups = 1;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = NOW_US;
    lsched_plan *plan = NULL;
    int32_t code = lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, err);
    if (code >= 0) code = lsched_schedule(cluster, &opts, &plan, err);
    if (code >= 0 && lsched_plan_size(plan) == 1)
        *id = lsched_plan_at(plan, 0)->id;
    else if (code >= 0)
        code = LSCHED_E_STATE;
    lsched_plan_destroy(plan);
    return code;
}

int main(void) {
    char folder[] = "/tmp/libsched-crash-XXXXXX", path[64];
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id lost = 0, fresh = 0;
    size_t n = 0;
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/state", folder);

    int32_t code = lsched_cluster_create(NULL, &cluster, &err);
    if (code >= 0) code = describe(cluster, &err);
    if (code >= 0) code = replace_file(folder, "state", cluster, &err);
    if (code >= 0) code = place(cluster, "alice", &lost, &err); /* nobody saves this */
    lsched_cluster_destroy(cluster);                            /* kill -9 */
    cluster = NULL;

    void *bytes = code >= 0 ? read_file(path, &n) : NULL;
    if (code >= 0) code = come_back(bytes, n, 1, &cluster, &err);
    if (code >= 0) code = place(cluster, "mallory", &fresh, &err);
    free(bytes);
    if (code >= 0) {
        lsched_outcome no = LSCHED_OUTCOME_REJECTED; /* a late message */
        lsched_settlement answer = {.size = sizeof answer, .outcome = no, .decision = lost};
        int32_t late = lsched_settle(cluster, &answer, 1, sizeof answer, NULL, NULL, NULL, NULL);
        printf("the late answer to alice's decision: %s\n", lsched_error_name(late));
        printf("mallory's decision: %s\n",
               lsched_decision_state(cluster, fresh, NULL) == LSCHED_DECISION_PROPOSED ? "stands"
                                                                                       : "is gone");
        code = late == LSCHED_E_STALE && fresh != lost ? LSCHED_OK : LSCHED_E_STATE;
    }
    if (code < 0) fprintf(stderr, "%s: %s\n", lsched_error_name(code), err.message);
    lsched_cluster_destroy(cluster);
    unlink(path);
    rmdir(folder);
    return code >= 0 ? 0 : 1;
}
