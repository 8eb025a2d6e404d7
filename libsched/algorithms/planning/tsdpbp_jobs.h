/*
 * tsdpbp_jobs.h -- the steps that the actions ts-dpbp and backfill take for one job: to describe it
 * for the plan, to give it a start, to place it, and to let it wait.
 *
 * A job that the plan cannot express is placed as allocate does, unless this would delay work that
 * is planned already. An item is a job of the plan; its state is one of TS_* (tsdpbp.h).
 */
#ifndef LIBSCHED_TSDPBP_JOBS_H
#define LIBSCHED_TSDPBP_JOBS_H

#include "algorithms/planning/tsdpbp.h"

/* Returns the earliest start of all items that start later than now; FREE_TIMELINE_FOREVER if there
 * is no such item. */
int64_t ts_next_start(const struct ts *t);
/* Makes an item of the current job, behind the last item of the plan, and sets *ask to what the
  * engine says of the job. The caller adds 1 to t->n_items to keep the item. The state of the item
  * is TS_LIMITED if a limit keeps the job out, else TS_ASIDE. Returns 1, or 0 if the plan cannot
  * express the job, or a negative error code. */
int32_t ts_describe(struct ts *t, uint32_t job, lsched_plan_ask *ask, struct ts_item **item);
/* Gives the item the earliest start that delays no job planned before it, and makes its amounts
 * unavailable from then on. Returns 1, or 0 if no such start is known, or a negative error code. */
int32_t ts_schedule(struct ts *t, struct ts_item *item, const lsched_plan_ask *ask);
/* Takes the job out of its bundle, so that the job is parked alone: jobs of the bundle that take
 * less time possibly have a start. Returns 0, or a negative error code. */
int32_t ts_defer_alone(struct ts *t, uint32_t job);
/* Adds the current job to the plan. Returns 1, or 0 if the plan cannot express the job or no start
 * is known, or a negative error code. */
int32_t ts_plan_job(struct ts *t, uint32_t job);
/* Places the current job as allocate does, or parks it. */
int32_t ts_seat_as_allocate(struct ts *t, uint32_t job);
/* Places a job that the plan cannot express, as allocate does. Planned jobs count against limits,
 * too. If a limit keeps the job out, or if it takes room that planned work needs, the job is
 * settled together with the plan; otherwise nothing would wake the job when the plan changes. */
int32_t ts_seat_or_limit(struct ts *t, uint32_t job);
/* Places the current job, whose item starts now, where the item says. If the engine refuses the
 * placement for a reason that the plan does not know, places the job elsewhere or parks it. */
int32_t ts_start_item(struct ts *t, struct ts_item *item);
/* Places the current job as ts_start_item. Returns 1; 0 if the engine refuses the placement, which
 * changes nothing; or a negative code. */
int32_t ts_try_item(struct ts *t, struct ts_item *item);
/* Settles all jobs that are still set aside. The wait reason of each such job becomes its planned
 * start, or the limit that keeps it out. */
int32_t ts_settle(struct ts *t);

#endif
