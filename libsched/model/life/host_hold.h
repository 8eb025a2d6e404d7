/*
 * host_hold.h -- host holds: the orchestrator takes a job out of scheduling until a time, or until
 * it releases the job.
 *
 * A held job keeps its row, its running tasks and its confirmed placements; no other task of it
 * starts. A job that is queued waits in a private bundle that is parked with the code HOST_HOLD
 * until the end of the hold; a job that is not queued is parked so when it is queued again. The
 * hold is independent of the hold because of a time limit or idleness (job_limits.h): a job can
 * have both, and waits for both to end. host_end.h has the columns.
 *
 * Why not a time in the past in place of a removed hold: every reader would need the time, and a
 * clock that is set back would hold the job again.
 */
#ifndef LIBSCHED_HOST_HOLD_H
#define LIBSCHED_HOST_HOLD_H

#include "model/store/intern.h"

/* Holds the job until the time `until`, LSCHED_NEVER_US for a hold without an end. If the job is
 * held already, it gets the new end and the new reason. Withdraws the proposals and nominations of
 * the job; a proposed move of one of its tasks is undone. Can return LSCHED_E_NOMEM. Cost: O(tasks
 * of the job), and O(open decisions of the group) for each proposed move. */
int32_t host_hold_begin(struct columns *k, uint32_t job, int64_t until, lsched_text reason);
/* 1 if the job is held until this time for this reason */
int host_hold_is(const struct columns *k, uint32_t job, int64_t until, lsched_text reason);
/* Returns the reason of the job's hold; empty if there is none. */
lsched_text host_hold_reason(const struct columns *k, uint32_t job);
/* Ends the hold of a held job: the job waits for its turn again. Can return LSCHED_E_NOMEM. Cost:
 * O(log n). */
int32_t host_hold_end(struct columns *k, uint32_t job);
/* Puts a job of which a hold has changed into the bundle that fits it, and says that its running
 * tasks can be moved from now on, or cannot any more. Can return LSCHED_E_NOMEM. */
int32_t host_hold_rejoin(struct columns *k, uint32_t job);
/* Ends all holds whose time has come, and notes each in the change feed. Can return
 * LSCHED_E_NOMEM. */
int32_t host_holds_end(struct columns *k, int64_t now);
/* Keeps the distance of all ends to the present time after the clock was set from `was` to `now`,
 * and parks the jobs that a new clock woke. Can return LSCHED_E_NOMEM. */
int32_t host_holds_move(struct columns *k, int64_t was, int64_t now);

#endif
