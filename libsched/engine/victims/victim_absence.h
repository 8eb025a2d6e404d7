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
 * The stop times are read in their order, so that each absence is passed once: in a heap, each node
 * that leaves has the first end of its absence after the work has stopped.
 *
 * Cost: one comparison without absences; O(c log c) for c jobs with costs while no node is back
 * within the longest stop time; else O((c + a + p) log (c + a)) for a nodes that are to leave and p
 * ends of absences within the longest stop time, but of each node at most one for each stop time.
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
