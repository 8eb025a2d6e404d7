/*
 * victim_absence.h -- the time at which a search for victims can succeed because a node is back.
 *
 * Work that is stopped now makes room later: when it has written its checkpoint and has stopped.
 * An absence (nodes/absence.h) bars a job at that later time. So a search can find victims before
 * the node is back: as early as the node is back when the stopped work is gone. For each node that
 * is away or leaves, and each time that some job takes to stop, victim_absence_next() computes the
 * time at which this begins, and takes the first one after now.
 *
 * What always holds: no search of a later cycle with the same stop times succeeds before this time
 * only because time has passed and a node is back. The time can be too early, because it holds for
 * all jobs and not only for those that can be victims: then a cycle decides nothing and names the
 * next time.
 *
 * Cost: one comparison without absences; else O(costs log costs + nodes x different stop times).
 * Why not the time at which a node is back: the work could have been told to stop before, so that a
 * job would start later than it could. Why not the greatest stop time alone: when it has passed,
 * the job can still be waiting for work that stops sooner.
 */
#ifndef LIBSCHED_VICTIM_ABSENCE_H
#define LIBSCHED_VICTIM_ABSENCE_H

#include "engine/rights/victim_state.h"

/* Sets cy->victims->back. Called when the search is opened. Error: LSCHED_E_NOMEM. */
int32_t victim_absence_next(struct lsched_cycle *cy);

#endif
