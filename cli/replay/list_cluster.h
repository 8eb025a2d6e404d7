/*
 * list_cluster.h -- the cluster that a list of jobs is replayed on, and its jobs as the library
 * sees them.
 *
 * CPU and memory are not in the list and not modelled. A job that fits on a node is one task; a
 * larger one is a gang of whole nodes, and one task more for what is left over: on nodes of 8, 12
 * units are 8 + 4. Nodes of one unit make the cluster a pool in which every free one is as good as
 * any other. Queues are those of the list, with their part of the units as quota where the list
 * says what that is, or there is one for all.
 */
#ifndef LSCHED_CLI_LIST_CLUSTER_H
#define LSCHED_CLI_LIST_CLUSTER_H

#include <stdbool.h>

#include "cli/traces/job_list.h"
#include "cli/plan/plan_watch.h"
#include "cli/policy/policy_source.h"

struct list_setup {
    const struct job_list *list;
    const struct policy_source *policy;
    uint32_t kind;              /* of a unit: LSCHED_GPU, or LSCHED_CPU for processors */
    int64_t units;              /* a multiple of node_units */
    uint32_t node_units;        /* of each node */
    const int64_t *quota_units; /* by queue; NULL: no quotas */
    bool one_queue;             /* for all jobs, whatever theirs is called; no quotas */
    bool static_partition;      /* the limit of a queue is its quota; nothing is evicted or moved */
    bool overtake;              /* a job may start before an earlier one of its queue */
    bool known_durations;       /* the policy learns how long a job will run ... */
    bool estimates;             /* ... or what its owner says, where that is known */
    bool may_end_waiting;       /* jobs that wait at the end are no error: they are unfinished */
    bool verify;                /* every plan goes through the verifier */
    int64_t protect_us;         /* what runs for less is no victim */
    int64_t checkpoint_us;      /* 0: no checkpoints */
    int64_t release_us;         /* from the decision to evict until the units are free */
    int64_t window_us[2];
    const struct plan_watch *watch; /* may be NULL */
    /* Called now and then; may be NULL. */
    void (*step)(void *user, uint64_t done, uint64_t total);
    void *user;
};

/* units x nodes of the queue / nodes of all, rounded down; what is left goes one by one to the
 * queues in the order of their names. A queue without nodes has 0. quota: list->n_queues
 * entries. */
void list_quotas(const struct job_list *list, int64_t units, int64_t *quota);
/* Whether the job is left out of the replay: it asks for more than its quota (one queue: than the
 * cluster). */
bool list_is_dropped(const struct list_setup *setup, const struct listed_job *job);

/* Index of the line that the job stands in: one per queue of the cluster, not of the list. */
uint32_t list_line(const struct list_setup *setup, const struct listed_job *job);

uint32_t list_tasks(const struct list_setup *setup, const struct listed_job *job);
uint32_t list_task_units(const struct list_setup *setup, const struct listed_job *job,
                         uint32_t task);

/* Adds policy, nodes and queues; queues: list->n_queues ids, 0 for a queue that has no queue. */
int32_t list_cluster_fill(const struct list_setup *setup, lsched_cluster *cluster,
                          lsched_id *queues, lsched_error *err);

/* A job for lsched_jobs_submit; it points into itself. */
struct list_request {
    lsched_amount amounts[2];
    lsched_group_desc groups[3];
    char name[32];
    lsched_job_desc desc;
};
void list_describe(const struct list_setup *setup, uint32_t job, lsched_id queue, int64_t left_us,
                   struct list_request *out);

#endif
