/*
 * soft_limit.h -- the soft limit of a job: the run time after which it runs on only until another
 * job needs its room.
 *
 * The limit is in COST, so that a job without one costs nothing. Its end follows from the start of
 * the run and is no state: a move, a late report of the start and a clock that is set back move it
 * without further code. Why it is not in the heap of job_limits.h: nothing stops at the end of a
 * soft limit, so a cycle is due then only if a job waits that may evict this work, and the search
 * for victims of that job finds the time. Cost: O(1), and O(leaf groups) for the end.
 */
#ifndef LIBSCHED_SOFT_LIMIT_H
#define LIBSCHED_SOFT_LIMIT_H

#include "model/store/columns.h"

/* Returns the soft limit in microseconds; 0: the job has none. */
static inline int64_t soft_limit(const struct columns *k, uint32_t job) {
    uint32_t cost = k->c[C_JOB_COST].u32[job];
    return cost == NO_ROW ? 0 : k->c[C_COST_SOFT_LIMIT].i64[cost];
}
/* Returns the time at which the soft limit of the job's run is over; LSCHED_NEVER_US if the job has
 * none or does not run. */
int64_t soft_limit_end(const struct columns *k, uint32_t job);
/* Sets the soft limit of a job that exists. Can return LSCHED_E_NOMEM. */
int32_t soft_limit_set(struct columns *k, uint32_t job, int64_t limit);

#endif
