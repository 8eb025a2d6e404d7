/*
 * job_limits.h -- limits of a whole job: its longest run time, whether it is held, and
 * a minimum that a policy set in place of the submitted one.
 *
 * A WATCH row exists for jobs that have any of these values; other jobs pay four bytes. Running
 * jobs that have a time limit, and held jobs that still run, are in one heap ordered by the time
 * at which they are due. The next due job therefore costs nothing to find, and a start or an end
 * costs O(log n). The run time of a job counts from the first start of a task since the job last
 * began to run (the least LEAF.SINCE of its leaves); the run ends when none of the job's tasks is
 * running or releasing. Invariants: DUE is that start + LIMIT_NOW, and not before SPARED_TO; a
 * row is in the heap if and only if a task of the job runs and the job has a limit or is held.
 * Why not timers: a timer fires once and is made again at each refresh, and these limits must be
 * exact between refreshes.
 */
#ifndef LIBSCHED_JOB_LIMITS_H
#define LIBSCHED_JOB_LIMITS_H

#include "model/store/heap.h"

/* Flag in JOB.FLAGS, in addition to the flags LSCHED_JOB_*: the hook of the policy in force has not
 * yet been called for the job's minimum. */
#define JOB_MIN_LATE 0x40u

/* the job is about to be removed; none of its tasks runs */
void job_limits_drop(struct columns *k, uint32_t job);

/* job_limits_began(): a task has started, or runs on because its eviction was undone.
 * job_limits_ended(): one of the job's tasks does not run any more, or a releasing task is gone. */
void job_limits_began(struct columns *k, uint32_t task);
void job_limits_ended(struct columns *k, uint32_t job);
/* Moves the job to its place in the heap after one of its times changed. */
void job_limits_moved(struct columns *k, uint32_t job);
/* Returns the time since which the job runs; 0 if the job does not run. */
int64_t job_since(const struct columns *k, uint32_t job);
/* 0 if the job does not run */
int64_t job_runtime_us(const struct columns *k, uint32_t job, int64_t now);

/* Sets how long the job can run, in microseconds, 0 for no limit. Can return LSCHED_E_NOMEM. */
int32_t job_limits_set(struct columns *k, uint32_t job, int64_t limit_now);
static inline int64_t job_limit(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w == NO_ROW ? 0 : k->c[C_WATCH_LIMIT_NOW].i64[w];
}
static inline int64_t job_limit_submitted(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w == NO_ROW ? 0 : k->c[C_WATCH_LIMIT].i64[w];
}
/* Returns when the job is due to end; LSCHED_NEVER_US if it has no such time. */
int64_t job_due(const struct columns *k, uint32_t job);
/* Returns the WATCH row that is due first and sets *due to its time; NO_ROW if there is none. */
uint32_t job_limits_first(const struct columns *k, int64_t *due);
/* Lets the job run at least until `until`, even if its time limit ends earlier. Can return
 * LSCHED_E_NOMEM. */
int32_t job_limits_spare(struct columns *k, uint32_t job, int64_t until);

/* Holds the job: the job does not start again until the orchestrator sets its priority. why:
 * LSCHED_HELD_*. us: how long the job ran or was idle, in microseconds. Can return
 * LSCHED_E_NOMEM. */
int32_t job_hold(struct columns *k, uint32_t job, uint8_t why, int64_t us);
void job_unhold(struct columns *k, uint32_t job); /* ends the hold of a job and wakes its bundle */
static inline uint8_t job_held(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w == NO_ROW ? 0 : k->c[C_WATCH_HELD].u8[w];
}

/* Sets the minimum of a job that has one group and no task rows: the gang needs `min` tasks to
 * start, rounded up to whole task blocks; 0: the submitted minimum. Can return LSCHED_E_NOMEM. */
int32_t job_set_minimum(struct columns *k, uint32_t job, uint32_t min);
/* 1 if job_set_minimum() accepts the job */
int job_takes_minimum(const struct columns *k, uint32_t job);
/* 1 if the minimum differs from the submitted one */
int job_minimum_replaced(const struct columns *k, uint32_t job);
/* Returns the submitted minimum, the sum over all groups. */
uint32_t job_minimum_submitted(const struct columns *k, uint32_t job);
void job_minimum_late(struct columns *k, uint32_t job, int late);

/* ---- use of devices, measured by the samples of running tasks ---- */
/* Handles a sample of LSCHED_GPU: if the sample exceeds a twentieth of what the task holds, the
 * task was busy at the time of the sample. */
void usage_busy(struct columns *k, uint32_t task, uint32_t usage);
/* Returns the used thousandths of the devices that the job holds, 1000 if the job holds none or
 * has no samples. */
int64_t job_gpu_used_milli(const struct columns *k, uint32_t job);
/* microseconds for which the job is idle, 0 if unknown */
int64_t job_idle_us(const struct columns *k, uint32_t job, int64_t now);

#endif
