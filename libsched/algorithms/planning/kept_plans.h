/*
 * kept_plans.h -- a cycle begins with the plan of the cycle before, for the action backfill with
 * the parameter backfill_keep.
 *
 * A plan that each cycle makes anew can give a job a later start although work ended early: a job
 * before it takes other room than it had (Graham's anomaly of list scheduling). Here, the jobs that
 * had a planned start first get exactly that start on that node again, before any job starts or
 * gets another start. Then the plan is compressed: one after the other, in the order of the line,
 * each of these jobs gets the earliest start that delays none of the others. A job's old place is
 * free for itself, so its start is never later. This always holds for a job that is kept.
 *
 * A job is not kept, and is planned anew after the kept ones, if
 *   - its old place has no room for it any more: work outlasts its estimate, a node was lost or
 *     closed, or another action or the orchestrator used the room
 *   - the job itself changed, or a limit of its queue keeps it out
 *   - it is a gang, because a bundle has the name of one node only, or a MIG instance
 *   - KEPT_PLANS_LOOK jobs without an old start come before it in the line
 *   - the work budget of the cycle ended before.
 *
 * The old start is that of the bundle's columns (plan_ask), so a clone and a loaded cluster keep
 * the same plan. Cost: that of a reservation for each kept job, and O(1) for each job that is
 * passed.
 *
 * Why the jobs that are passed are bounded: each of them leaves the bundle that it shares with jobs
 * that ask for the same, and these bundles spare a look at each job that waits.
 */
#ifndef LIBSCHED_KEPT_PLANS_H
#define LIBSCHED_KEPT_PLANS_H

#include "algorithms/planning/tsdpbp.h"

#define KEPT_PLANS_LOOK 64u

struct kept_plans {
    /* jobs without an old start that next_job returned. They are set aside: the action takes them
     * with plan_take, in this order, before it calls next_job */
    uint32_t passed[KEPT_PLANS_LOOK], n_passed;
};

/* Keeps the old plan, and starts the kept jobs whose turn has come. The other kept jobs are items
 * in the state TS_PLANNED. The cycle may have no other item before. Returns 0 or a negative error
 * code. */
int32_t kept_plans_take(struct kept_plans *k, struct ts *t);

#endif
