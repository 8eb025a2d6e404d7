/*
 * clock.h -- the time of a cluster: how far reports can be ahead of it, and how an operator sets
 * it.
 *
 * libsched.h includes this header and states the rules; orchestrators include libsched.h.
 */
#ifndef LIBSCHED_CLOCK_H
#define LIBSCHED_CLOCK_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A report whose time is later than the latest cycle by more than this is LSCHED_E_TIME. The bound
 * is longer than orchestrators are idle, and shorter than the error that a wrong unit or clock
 * causes. After LSCHED_E_TIME, run a cycle first, or call lsched_clock_set. */
#define LSCHED_REPORT_AHEAD_DAYS 30
#define LSCHED_REPORT_AHEAD_US   (LSCHED_REPORT_AHEAD_DAYS * INT64_C(86400000000))

/* Sets the latest time of the cluster, forwards or backwards: after the cluster was given a wrong
 * time, or before reports if the orchestrator was stopped for weeks. Cycles and reports continue
 * from now_us. Past events that would be later than now_us count as events at now_us. Future times
 * keep their distance to the latest time. The next cycle tries all jobs again that wait for a time.
 * The call is recorded like every change. */
LSCHED_API int32_t lsched_clock_set(lsched_cluster *cluster, int64_t now_us, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
