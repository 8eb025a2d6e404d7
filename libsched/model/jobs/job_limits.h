/*
 * job_limits.h -- what ends a job or keeps it from starting, beside its tasks: how long it may run,
 * whether it is held, and which minimum a policy gave it in place of its own.
 *
 * A row exists for jobs that have any of these; others pay four bytes. Jobs that run and have a
 * limit, and held ones that run all the same, stand in one heap by the time when they are due, so
 * the next one costs nothing to find and a start or an end O(log n).
 * How long a job runs is counted from the start of its first task since it last began (LEAF.SINCE,
 * the least of its leaves); it ends when none of its tasks runs or leaves. Invariants: DUE is that
 * time + LIMIT_NOW, not before SPARED_TO; a row is in the heap if and only if something of the job
 * runs and it has a limit or is held.
 * Why not timers: they fire once and are made anew at each refresh; this must be exact between
 * refreshes.
 */
#ifndef LIBSCHED_JOB_LIMITS_H
#define LIBSCHED_JOB_LIMITS_H

#include "model/store/heap.h"

/* The flag beside LSCHED_JOB_*: the policy in force has yet to be asked about the job's minimum. */
#define JOB_MIN_LATE 0x40u

void watch_drop(struct columns *k, uint32_t job); /* the job goes; none of its tasks runs */

/* A task began to run, or runs on after all; and: one of the job's tasks does not run any more, or
 * has left. */
void watch_began(struct columns *k, uint32_t task);
void watch_ended(struct columns *k, uint32_t job);
/* Times of the job were changed: it takes its place among those that are due. */
void watch_moved(struct columns *k, uint32_t job);
/* Since when it runs; 0 if it does not. */
int64_t job_since(const struct columns *k, uint32_t job);
int64_t job_runtime_us(const struct columns *k, uint32_t job, int64_t now); /* 0: it does not run */

/* How long it may run, 0 for ever. LSCHED_E_NOMEM. */
int32_t watch_limit(struct columns *k, uint32_t job, int64_t limit_now);
static inline int64_t job_limit(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w == NO_ROW ? 0 : k->c[C_WATCH_LIMIT_NOW].i64[w];
}
static inline int64_t job_limit_submitted(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w == NO_ROW ? 0 : k->c[C_WATCH_LIMIT].i64[w];
}
/* When it is due to end; LSCHED_NEVER_US. */
int64_t job_due(const struct columns *k, uint32_t job);
/* The first that is due, NO_ROW, and when. */
uint32_t watch_first(const struct columns *k, int64_t *due);
/* It is let run until then, whatever is due before. LSCHED_E_NOMEM. */
int32_t watch_spare(struct columns *k, uint32_t job, int64_t until);

/* LSCHED_HELD_*: it does not start again until the host says so. us: how long it ran, or was idle.
 * LSCHED_E_NOMEM. */
int32_t job_hold(struct columns *k, uint32_t job, uint8_t why, int64_t us);
void job_unhold(struct columns *k, uint32_t job); /* and its bundle wakes */
static inline uint8_t job_held(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w == NO_ROW ? 0 : k->c[C_WATCH_HELD].u8[w];
}

/* A job of one group that has no task rows: its gang needs so many tasks to start, rounded up to
 * whole slices; 0: as submitted. LSCHED_E_NOMEM. */
int32_t job_set_minimum(struct columns *k, uint32_t job, uint32_t min);
int job_takes_minimum(const struct columns *k, uint32_t job);    /* is it such a job */
int job_minimum_replaced(const struct columns *k, uint32_t job); /* it is not as submitted */
/* What it was submitted with, of all groups. */
uint32_t job_minimum_submitted(const struct columns *k, uint32_t job);
void job_minimum_late(struct columns *k, uint32_t job, int late);

/* ---- use of devices, by the samples of its tasks that run ---- */
/* A sample of LSCHED_GPU: when the task was last busy, by more than a twentieth of what it
 * holds. */
void usage_busy(struct columns *k, uint32_t task, uint32_t usage);
/* milli of what it holds, 1000 if it holds none or nothing is known. */
int64_t job_gpu_used_milli(const struct columns *k, uint32_t job);
int64_t job_idle_us(const struct columns *k, uint32_t job, int64_t now); /* 0 if unknown */

#endif
