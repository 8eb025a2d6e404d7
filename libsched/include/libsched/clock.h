/*
 * clock.h -- the time of a cluster: how far reports may be ahead of it, and how an operator sets it. Included by libsched.h, whose head
 * states the rules; hosts include that.
 */
#ifndef LIBSCHED_CLOCK_H
#define LIBSCHED_CLOCK_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* No report may speak of a time so long after the latest cycle: LSCHED_E_TIME. It is longer than hosts are idle, and shorter than
 * what a wrong unit or clock makes of a time. Run a cycle first, or call lsched_clock_set. */
#define LSCHED_REPORT_AHEAD_DAYS 30
#define LSCHED_REPORT_AHEAD_US   (LSCHED_REPORT_AHEAD_DAYS * INT64_C(86400000000))

/* Set the latest time of the cluster, also backwards: after a wrong clock was believed, or for reports after a host slept for weeks.
 * Cycles and reports go on from there. What has happened later than that counts as happened then, what is expected later
 * keeps its distance, and the next cycle asks all that waits for a time again. Recorded like every change. */
LSCHED_API int32_t lsched_clock_set(lsched_cluster *cluster, int64_t now_us, lsched_error *err);

#ifdef __cplusplus
}
#endif
#endif
