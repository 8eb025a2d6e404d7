/*
 * job_ranks.h -- priorities that follow the work of jobs, for the preemptive schedulers of the
 * literature: the shortest remaining time first (SRTF), the smallest remaining service first (SRSF,
 * remaining time x units), and the least attained service first (LAS).
 *
 * The library compares the submitted priorities of jobs when it preempts. Therefore the replay
 * gives each job a new priority before the cycles of an instant, as an orchestrator with estimates
 * would: minus the seconds of the rank. Jobs of equal rank keep the order of submission. Cost:
 * O(jobs in the cluster) for each instant, and one update for each job whose rank has changed.
 */
#ifndef LSCHED_CLI_JOB_RANKS_H
#define LSCHED_CLI_JOB_RANKS_H

#include "cli/replay/job_runs.h"

struct job_ranks {
    uint32_t *jobs; /* owned by this struct; the jobs that are in the cluster */
    int32_t *given; /* owned by this struct; by job of the list: the priority that it has */
    size_t n, capacity;
    lsched_job_update *updates; /* owned by this struct */
    size_t n_updates, updates_capacity;
};

void job_ranks_begin(struct job_ranks *ranks, const struct simulation_setup *setup);
void job_ranks_end(struct job_ranks *ranks);
/* Must be called after a job was submitted, with priority 0. */
void job_ranks_add(struct job_ranks *ranks, uint32_t job);
/* Gives the jobs in the cluster the priorities of their ranks at the present time. Does nothing if
 * setup->rank is RANK_NONE. Returns 0 or a negative error code. */
int32_t job_ranks_update(struct job_ranks *ranks, const struct job_runs *runs,
                         lsched_cluster *cluster, lsched_error *err);

#endif
