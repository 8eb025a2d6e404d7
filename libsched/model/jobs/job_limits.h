/*
 * job_limits.h -- values of a whole job: its longest run time, whether it is held, and a minimum
 * that a policy set in place of the submitted minimum. host_hold.h has the holds by the
 * orchestrator.
 *
 * A job that has any of these values has a WATCH row; every other job uses four bytes, for the
 * missing row. Running jobs that have a time limit, and held jobs that still run, are in one
 * heap, ordered by the time at which they are due to end. Finding the next due job therefore
 * costs O(1), and a start or an end of a task costs O(log n). A run of a job starts when its
 * first task starts (the least LEAF.SINCE of its leaves), and ends when none of the job's tasks
 * is running or releasing. The run time counts from the start of the run. Invariants: DUE is the
 * start of the run + LIMIT_NOW, and not before SPARED_TO; a WATCH row is in the heap if and only
 * if a task of the job runs and the job has a limit or is held. Why not timers: a timer fires
 * once and is made again only at the next refresh, but these limits must be exact between
 * refreshes, too.
 */
#ifndef LIBSCHED_JOB_LIMITS_H
#define LIBSCHED_JOB_LIMITS_H

#include "model/shapes/work_kind.h"
#include "model/store/heap.h"

/* Flag in JOB.FLAGS, in addition to the flags LSCHED_JOB_*: the hook of the policy in force has not
 * yet been called for the job's minimum. */
#define JOB_MIN_LATE 0x40u

/* Returns the job's WATCH row, and makes the row if the job has none. Returns NO_ROW if out of
 * memory. */
uint32_t job_limits_get(struct columns *k, uint32_t job);
/* Removes the WATCH row of a job that is about to be removed. Before the call, no task of the job
 * runs. */
void job_limits_drop(struct columns *k, uint32_t job);

/* job_limits_began() is called when a task has started, or runs on because its eviction was
 * undone. job_limits_ended() is called when a task of the job does not run any more, or a
 * releasing task is gone. */
void job_limits_began(struct columns *k, uint32_t task);
void job_limits_ended(struct columns *k, uint32_t job);
/* Puts the job's WATCH row where it belongs in the heap, after one of the job's times changed. */
void job_limits_moved(struct columns *k, uint32_t job);
/* Returns the start of the job's current run; 0 if the job does not run. */
int64_t job_since(const struct columns *k, uint32_t job);
/* Returns for how long the job has run at the time `now`, in microseconds; 0 if the job does not
 * run. */
int64_t job_runtime_us(const struct columns *k, uint32_t job, int64_t now);

/* Sets the longest run time of the job, in microseconds, 0 for no limit. Can return
 * LSCHED_E_NOMEM. */
int32_t job_limits_set(struct columns *k, uint32_t job, int64_t limit_now);
static inline int64_t job_limit(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w == NO_ROW ? 0 : k->c[C_WATCH_LIMIT_NOW].i64[w];
}
static inline int64_t job_limit_submitted(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w == NO_ROW ? 0 : k->c[C_WATCH_LIMIT].i64[w];
}
/* Returns the estimate of the job in microseconds, 0 if it has none: as the orchestrator gave it
 * or, if the policy says that it holds without neighbours, the longest one that the table of
 * slow-downs allows (work_kind.h). */
static inline int64_t job_estimate(const struct columns *k, uint32_t job) {
    int64_t us = k->c[C_JOB_DURATION].i64[job];
    int may_be_longer = us > 0 && meta(k, M_CONTENTION);
    return may_be_longer ? work_kind_longest(k, k->c[C_JOB_SHAPE].u32[job], us) : us;
}
/* Returns the expected run time of the job's tasks in microseconds: its estimate or its time limit,
 * whichever is shorter; LSCHED_NEVER_US if neither is known. */
static inline int64_t job_length(const struct columns *k, uint32_t job) {
    int64_t estimate = job_estimate(k, job), limit = job_limit(k, job);
    int64_t length = estimate > 0 ? estimate : LSCHED_NEVER_US;
    return limit > 0 && limit < length ? limit : length;
}
/* Returns the time at which the job is due to end; LSCHED_NEVER_US if the job has no such time. */
int64_t job_due(const struct columns *k, uint32_t job);
/* Returns the WATCH row with the earliest due time, and sets *due to that time. Returns NO_ROW if
 * no job is due at any time. */
uint32_t job_limits_first(const struct columns *k, int64_t *due);
/* Lets the job run at least until `until`, even if its time limit ends earlier. Can return
 * LSCHED_E_NOMEM. */
int32_t job_limits_spare(struct columns *k, uint32_t job, int64_t until);

/* Holds the job: the job does not start again until LSCHED_JOB_SET_AGAIN. Can
 * return LSCHED_E_NOMEM.
 * why: LSCHED_HELD_*.
 * us: for how long the job ran or was idle, in microseconds. */
int32_t job_hold(struct columns *k, uint32_t job, uint8_t why, int64_t us);
/* Ends the hold of a job and lets it be tried again. Can return LSCHED_E_NOMEM. The caller has
 * called undo_room(). */
int32_t job_unhold(struct columns *k, uint32_t job);
static inline uint8_t job_held(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w == NO_ROW ? 0 : k->c[C_WATCH_HELD].u8[w];
}
/* Returns the end of the job's host hold (host_hold.h): LSCHED_NEVER_US for a hold without an end,
 * 0 if the orchestrator does not hold the job. */
static inline int64_t job_host_hold(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w == NO_ROW ? 0 : k->c[C_WATCH_HOST_UNTIL].i64[w];
}
/* 1 if the job is held, by a rule, by the orchestrator or by its gate (gate.h): none of its waiting
 * tasks starts */
static inline int job_is_held_back(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w != NO_ROW && (k->c[C_WATCH_HELD].u8[w] || k->c[C_WATCH_HOST_UNTIL].i64[w] ||
                           k->c[C_WATCH_CLOSED].u8[w]);
}

/* Sets the minimum of a job that has one group and no task rows: the gang needs `min` tasks to
 * start, rounded up to whole task blocks. If `min` is 0, the submitted minimum is restored. Can
 * return LSCHED_E_NOMEM. */
int32_t job_set_minimum(struct columns *k, uint32_t job, uint32_t min);
/* 1 if job_set_minimum() accepts the job */
int job_takes_minimum(const struct columns *k, uint32_t job);
/* 1 if the job's minimum differs from the submitted minimum */
int job_minimum_replaced(const struct columns *k, uint32_t job);
/* Returns the submitted minimum, in tasks: the sum over all groups of the job. */
uint32_t job_minimum_submitted(const struct columns *k, uint32_t job);
void job_minimum_late(struct columns *k, uint32_t job, int late);

/* ---- use of devices, measured by the samples of running tasks ---- */
/* Handles a usage sample of LSCHED_GPU. If the sample exceeds a twentieth of the GPU amount that
 * the task holds, the task counts as busy at the time of the sample. */
void usage_busy(struct columns *k, uint32_t task, uint32_t usage);
/* Returns the used portion of the GPU amount that the job holds, in thousandths; 1000 if the job
 * holds no devices or has no samples. */
int64_t job_gpu_used_milli(const struct columns *k, uint32_t job);
/* Returns for how long the job has been idle, in microseconds; 0 if unknown. */
int64_t job_idle_us(const struct columns *k, uint32_t job, int64_t now);

#endif
