/*
 * victim_stay.h -- whether a job that starts on a node when victims have stopped surely ends before
 * the node leaves (absences/job_absence.h).
 *
 * The job starts when the last of these is gone: the tasks that are being released on the node, the
 * job's own tasks on other nodes, and the victims. If the job could start before the node leaves, a
 * unit is left out that stops so late that the job would run into the absence. If an absence bars
 * the job without victims, as on a node that is away, all units are candidates, and the set that
 * was chosen decides: the job can start when the node is back.
 *
 * What always holds: a set of units that victim_stay_allows() lets in keeps a start on this node
 * that no absence bars, because the task starts at a time of one of these units. A gang starts when
 * its last room is free, which is known when all its nodes are chosen: nominations_end_in_time()
 * tests that, and the transaction of a gang that would start too late is rolled back.
 * Cost: O(1) for a node without an absence; else O(tasks that are being released) for the node, and
 * O(1) for a unit. Why not to leave out each node that bars the job now: work could not stop early
 * enough for a node that comes back, and a set that stops too late would end the search.
 */
#ifndef LIBSCHED_VICTIM_STAY_H
#define LIBSCHED_VICTIM_STAY_H

#include "engine/rights/victim_state.h"

struct victim_stay {
    uint32_t node;
    int leaves;   /* 1 if the node has an absence */
    int late;     /* 1 if an absence bars the job at the time `from` */
    int64_t from; /* the time at which the job could start without victims */
};

/* Returns what holds for the current job of the search on the node. */
struct victim_stay victim_stay_of(const struct lsched_cycle *cy, uint32_t node);
/* True if the unit can be part of a set of victims on the node. */
int victim_stay_allows(const struct lsched_cycle *cy, const struct victim_stay *s,
                       const struct victim_unit *u);
/* True if no absence bars the job when the chosen units of the set have stopped. */
int victim_stay_holds(const struct lsched_cycle *cy, const struct victim_stay *s,
                      const struct victim_set *set);

#endif
