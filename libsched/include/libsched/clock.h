/*
 * clock.h -- the latest time of a cluster: how far reports can be ahead of it, and how the
 * orchestrator sets it.
 *
 * libsched.h includes this header and states the rules; orchestrators include libsched.h.
 */
#ifndef LIBSCHED_CLOCK_H
#define LIBSCHED_CLOCK_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The time of a report must not be later than the latest cycle by more than this; else the call
 * returns LSCHED_E_TIME. Then run a cycle first, or call lsched_clock_set. Before the first cycle
 * there is no bound, so run a cycle or call lsched_clock_set before the first report. If a task
 * event before the first cycle had a wrong time, such as one in nanoseconds, the first cycle finds
 * it: its now_us is earlier by more than this bound, and it returns LSCHED_E_TIME. lsched_clock_set
 * takes the wrong time back. A task event within the bound moves the latest time of the cluster, and
 * a cycle with an earlier now_us does not move it back. Usage and imports do not move it. The bound
 * is longer than the time for which an orchestrator does nothing, and shorter than the error that a
 * wrong unit or a wrong clock causes. */
#define LSCHED_REPORT_AHEAD_DAYS 30
#define LSCHED_REPORT_AHEAD_US   2592000000000 /* 30 days */

/* Sets the latest time of the cluster to now_us, which can be later or earlier. Call it if the
 * cluster was given a wrong time, or before reports if the orchestrator was stopped for weeks.
 * Cycles and reports continue from now_us. If the clock goes forward, what was to
 * happen until now_us happens at once or in the next cycle, as if the time had passed. If it goes
 * back, past events with a time later than now_us get the time now_us, and future times keep their
 * distance to the latest time. The next cycle tries all jobs again that wait for a time. The
 * call is recorded like every change. LSCHED_E_RANGE: now_us is not from 0 to 2^61. */
LSCHED_API int32_t lsched_clock_set(lsched_cluster *cluster, int64_t now_us, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
