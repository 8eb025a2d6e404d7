/*
 * job_cost.h -- the row of COST with the less common values of a job: the cost of losing its
 * work, the time that it takes to stop, its failures, its refusals.
 *
 * A job that has none of these values has no COST row, so that most jobs use no memory for these
 * columns.
 */
#ifndef LIBSCHED_JOB_COST_H
#define LIBSCHED_JOB_COST_H

#include "model/store/columns.h"

/* Returns the job's COST row, and makes the row if the job has none. Returns NO_ROW if out of
 * memory. */
uint32_t job_cost(struct columns *k, uint32_t job);
/* Marks the job as a stale gang since the time `since`, or clears the mark (LSCHED_NEVER_US). A job
 * without a COST row has no mark. */
void job_set_stale(struct columns *k, uint32_t job, int64_t since);
/* True if the job's disruption budget allows one more disruption now. */
int job_cost_disruptions_left(const struct columns *k, uint32_t job, int64_t now);
/* Returns the end of the present window of the disruption budget; LSCHED_NEVER_US: it has none. */
int64_t job_cost_window_end(const struct columns *k, uint32_t job);
/* Returns the end of the grace time that follows the orchestrator's refusal to stop the job; 0 if
 * the grace time is over or the orchestrator did not refuse. */
int64_t job_cost_refused_until(const struct columns *k, uint32_t job, int64_t now, int64_t grace);
/* Returns the time that a task of the job takes to stop; `otherwise` if the job has no time of its
 * own. */
static inline int64_t job_cost_release(const struct columns *k, uint32_t job, int64_t otherwise) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    int64_t own = cost == NO_ROW ? 0 : k->c[C_COST_RELEASE].i64[cost];
    return own ? own : otherwise;
}
/* Returns the longest time that a task of the job may take to write a checkpoint when it is asked;
 * 0 if the job cannot write one then. */
static inline int64_t job_cost_checkpoint_wait(const struct columns *k, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    return cost == NO_ROW ? 0 : k->c[C_COST_CHECKPOINT_WAIT].i64[cost];
}

#endif
