/*
 * simulation_cluster.h -- makes the cluster on which a list of jobs is replayed, and the job
 * descriptions for the library. A unit is a GPU or a processor.
 *
 * A job asks for units and for no other resource, because the list has no other amounts. A job that
 * fits on one node is one task. A larger job is a gang whose tasks each take a whole node, and the
 * last task takes the remaining units. For example, on nodes of 8 units a job of 12 units has a
 * task of 8 and a task of 4. If each node has one unit, a job of n units has n tasks of one unit,
 * and there is no fragmentation. The cluster has the queues of the list, or one queue for all jobs.
 * If the list says how many nodes each queue has, the queue's portion of the units becomes its
 * quota.
 */
#ifndef LSCHED_CLI_SIMULATION_CLUSTER_H
#define LSCHED_CLI_SIMULATION_CLUSTER_H

#include <stdbool.h>

#include "cli/traces/job_list.h"
#include "cli/plan/plan_watch.h"
#include "cli/policy/policy_source.h"

/* What the priorities of jobs follow during the replay; see job_ranks.h. */
enum job_rank { RANK_NONE, RANK_REMAINING, RANK_REMAINING_SERVICE, RANK_ATTAINED_SERVICE };

struct simulation_setup {
    const struct job_list *list;
    const struct policy_source *policy;
    uint32_t kind; /* resource kind of a unit: LSCHED_GPU for GPUs, LSCHED_CPU for processors */
    int64_t units; /* number of units of the cluster, a multiple of node_units */
    uint32_t node_units;        /* number of units of each node */
    const int64_t *quota_units; /* quota of each queue in units; NULL if queues have no quotas */
    /* true if all jobs are in one queue without a quota, and the queues of the list are ignored */
    bool one_queue;
    /* true if the limit of each queue is its quota, and no task is evicted or moved */
    bool static_partition;
    enum job_rank rank;
    bool overtake;        /* true if a job can start before an earlier job of its queue */
    bool known_durations; /* true if the policy gets the exact run time of each job */
    /* true if the policy gets the owner's estimate of the run time of each job for which the list
     * has an estimate */
    bool estimates;
    /* true if jobs that still wait at the end of the replay count as unfinished; false if they are
     * an error */
    bool may_end_waiting;
    bool verify;        /* true if the verifier checks every plan */
    int64_t protect_us; /* minimum run time: a task that has run for less is not evicted */
    /* time between two checkpoints of a job; 0 if there are no checkpoints */
    int64_t checkpoint_us;
    int64_t release_us; /* time from an eviction decision until the units of the task are free */
    /* start and end of the measured window, as absolute times in microseconds */
    int64_t window_us[2];
    const struct plan_watch *watch; /* functions that observe the cycles; can be NULL */
    /* called from time to time with the number of finished steps and of all steps to show progress;
     * can be NULL */
    void (*step)(void *user, uint64_t done, uint64_t total);
    void *user;
};

/* Writes the quota of each queue to `quota`, which has list->n_queues entries. The quota is units x
 * (nodes of the queue) / (nodes of all queues), rounded down. The units that remain because of the
 * rounding are given to the queues one by one, in the order of the queues' names. A queue without
 * nodes gets a quota of 0. */
void simulation_quotas(const struct job_list *list, int64_t units, int64_t *quota);
/* Returns true if the job asks for more units than its queue's quota or, if queues have no quotas,
 * for more units than the cluster has. The replay leaves such a job out, because it could never
 * start. */
bool simulation_drops(const struct simulation_setup *setup, const struct listed_job *job);

/* Returns the index of the waiting line of the job. The index is that of the job's queue in the
 * list, or 0 for all jobs if setup->one_queue is true. */
uint32_t simulation_line(const struct simulation_setup *setup, const struct listed_job *job);

uint32_t simulation_tasks(const struct simulation_setup *setup, const struct listed_job *job);
uint32_t simulation_task_units(const struct simulation_setup *setup, const struct listed_job *job,
                               uint32_t task);

/* Loads the policy and adds the nodes and the queues to the cluster. Writes the id of each queue of
 * the list to `queues`, which has list->n_queues entries. The id is 0 for a queue with a quota of
 * 0, because the cluster does not get this queue. */
int32_t simulation_cluster_fill(const struct simulation_setup *setup, lsched_cluster *cluster,
                                lsched_id *queues, lsched_error *err);

/* The description of a job for lsched_jobs_submit(). Code must not copy the struct, because its
 * members point to each other. */
struct simulation_request {
    lsched_amount amounts[2];
    lsched_group_desc groups[3];
    char name[32];
    lsched_job_desc desc;
};
void simulation_describe(const struct simulation_setup *setup, uint32_t job, lsched_id queue,
                         int64_t left_us, struct simulation_request *out);

#endif
