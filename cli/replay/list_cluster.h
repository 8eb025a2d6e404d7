/*
 * list_cluster.h -- the cluster on which a list of jobs is replayed, and the jobs as the library
 * gets them. A unit is a GPU or a processor.
 *
 * The list has no CPU and no memory, therefore they are not modelled. A job that fits on one node
 * is one task. A larger job is a gang with one task per whole node, and one more task for the
 * rest: on nodes of 8 units a job of 12 units has a task of 8 and a task of 4. With nodes of one
 * unit the cluster is a pool of equal units. The cluster has the queues of the list, or one queue
 * for all jobs. If the list says how large each queue's part of the units is, that part becomes
 * the quota.
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
    uint32_t kind;       /* resource kind of a unit: LSCHED_GPU, or LSCHED_CPU for processors */
    int64_t units;       /* units of the cluster, a multiple of node_units */
    uint32_t node_units; /* units of each node */
    const int64_t *quota_units; /* quota of each queue in units; NULL: no quotas */
    bool one_queue;        /* all jobs are in one queue, whatever queue the list names; no quotas */
    bool static_partition; /* the limit of a queue is its quota, and no task is evicted or moved */
    bool overtake;         /* a job may start before an earlier job of its queue */
    bool known_durations;  /* the policy gets the exact run time of each job */
    /* the policy gets the owner's estimate of the run time where the list has one */
    bool estimates;
    /* jobs that still wait at the end count as unfinished instead of as an error */
    bool may_end_waiting;
    bool verify;           /* the verifier checks every plan */
    int64_t protect_us;    /* tasks that have run for less than this are no victims */
    int64_t checkpoint_us; /* time between checkpoints of a job; 0: no checkpoints */
    int64_t release_us;    /* time from the decision to evict until the units are free */
    int64_t window_us[2];
    const struct plan_watch *watch; /* observes the cycles; may be NULL */
    /* Called every few instants with `done` of `total` steps to show progress; may be NULL. */
    void (*step)(void *user, uint64_t done, uint64_t total);
    void *user;
};

/* Writes the quota of each queue: units x nodes of the queue / nodes of all queues, rounded down.
 * The remaining units are given one by one to the queues in the order of their names. A queue
 * without nodes gets 0. `quota` has list->n_queues entries. */
void list_quotas(const struct job_list *list, int64_t units, int64_t *quota);
/* true if the job is left out of the replay because it asks for more units than its queue's quota
 * or, without quotas, than the cluster has. */
bool list_is_dropped(const struct list_setup *setup, const struct listed_job *job);

/* Returns the index of the waiting line of the job. Each queue of the cluster has one line; if
 * one_queue is set, the list has more queues than the cluster. */
uint32_t list_line(const struct list_setup *setup, const struct listed_job *job);

uint32_t list_tasks(const struct list_setup *setup, const struct listed_job *job);
uint32_t list_task_units(const struct list_setup *setup, const struct listed_job *job,
                         uint32_t task);

/* Adds the policy, the nodes and the queues. `queues` gets list->n_queues ids; the id is 0 for a
 * queue that gets no queue in the cluster. */
int32_t list_cluster_fill(const struct list_setup *setup, lsched_cluster *cluster,
                          lsched_id *queues, lsched_error *err);

/* A job for lsched_jobs_submit(). Its members point to each other, therefore it must not be
 * copied. */
struct list_request {
    lsched_amount amounts[2];
    lsched_group_desc groups[3];
    char name[32];
    lsched_job_desc desc;
};
void list_describe(const struct list_setup *setup, uint32_t job, lsched_id queue, int64_t left_us,
                   struct list_request *out);

#endif
