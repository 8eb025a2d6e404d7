/*
 * philly_cluster.h -- the cluster that the Philly list is replayed on, and its jobs as the library
 * sees them.
 *
 * CPU and memory are not in the list and not modelled. A job that fits on a node is one task; a
 * larger one is a gang of whole nodes, and one task more for what is left over: on nodes of 8, 12
 * GPUs are 8 + 4. Nodes of one GPU make the cluster a pool in which every free GPU is as good as
 * any other. A queue is a VC with its part of the GPUs as quota, or there is one queue without.
 */
#ifndef LSCHED_CLI_PHILLY_CLUSTER_H
#define LSCHED_CLI_PHILLY_CLUSTER_H

#include <stdbool.h>

#include "philly_trace.h"
#include "policy_source.h"

struct philly_setup {
    const struct philly_list *list;
    const struct policy_source *policy;
    int64_t gpus;              /* a multiple of node_gpus */
    uint32_t node_gpus;        /* of each node */
    const int64_t *quota_gpus; /* by VC; NULL: one queue, no quotas */
    bool static_partition;     /* the limit of a queue is its quota; nothing is evicted or moved */
    bool overtake;             /* a job may start before an earlier one of its queue */
    bool known_durations;      /* the policy learns how long a job will run */
    bool verify;               /* every plan goes through the verifier */
    int64_t protect_us;        /* what runs for less is no victim */
    int64_t checkpoint_us;     /* 0: no checkpoints */
    int64_t release_us;        /* from the decision to evict until the GPUs are free */
    int64_t window_us[2];
    /* Called now and then; may be NULL. */
    void (*step)(void *user, uint64_t done, uint64_t total);
    void *user;
};

/* GPUs x nodes of the VC / nodes of all, rounded down; what is left goes one by one to the VCs in
 * the order of their names. A VC without nodes has 0. quota: list->n_vcs entries. */
void philly_quotas(const struct philly_list *list, int64_t gpus, int64_t *quota);
/* Whether the job is left out of the replay: it asks for more than its quota (one queue: than the
 * cluster). */
bool philly_is_dropped(const struct philly_setup *setup, const struct philly_job *job);

uint32_t philly_tasks(const struct philly_setup *setup, const struct philly_job *job);
uint32_t philly_task_gpus(const struct philly_setup *setup, const struct philly_job *job,
                          uint32_t task);

/* Adds policy, nodes and queues; queues: list->n_vcs ids, 0 for a VC that has no queue. */
int32_t philly_cluster_fill(const struct philly_setup *setup, lsched_cluster *cluster,
                            lsched_id *queues, lsched_error *err);

/* A job for lsched_jobs_submit; it points into itself. */
struct philly_request {
    lsched_amount amounts[2];
    lsched_group_desc groups[3];
    char name[32];
    lsched_job_desc desc;
};
void philly_describe(const struct philly_setup *setup, uint32_t job, lsched_id queue,
                     int64_t left_us, struct philly_request *out);

#endif
