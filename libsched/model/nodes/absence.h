/*
 * absence.h -- the times at which a node is away, such as "this node leaves at 18:00".
 *
 * An absence is three columns of NODE: LEAVES, BACK and LEAVES_EVERY. The node is away from LEAVES
 * until just before BACK, and again after each LEAVES_EVERY microseconds if that is not 0. BACK 0
 * means that the node never comes back. A node has an absence if LEAVES or BACK is not 0. Nothing
 * changes when the node leaves: absence_bars() compares the run time of a job with the next absence
 * (absences/job_absence.h). When an absence ends, absences_end() tells the cycle that the node
 * gained room.
 *
 * Invariants: BACK is 0 or after LEAVES; LEAVES_EVERY is 0 or more than BACK - LEAVES; M_ABSENCES
 * is the number of nodes with an absence; M_ABSENCE_END is not after the first end of an absence,
 * and 0 without absences.
 *
 * absence_bars() costs O(1). absences_end() costs O(nodes) when an absence has ended, else O(1).
 * absences_time_set() costs O(nodes).
 * The times are those of a calendar: an operator who sets the clock does not move them.
 * Why not a cordon at the time LEAVES: work that starts before would run into the absence.
 */
#ifndef LIBSCHED_ABSENCE_H
#define LIBSCHED_ABSENCE_H

#include "model/store/columns.h"

struct absence {
    int64_t leaves, back; /* back: LSCHED_NEVER_US if the node does not come back */
};

/* True if the node is away now or later. Sets *next to the absence that ends next. */
int absence_next(const struct columns *k, uint32_t node, int64_t now, struct absence *next);
/* Replaces the absence of the node. The caller has called undo_room(). */
void absence_set(struct columns *k, uint32_t node, int64_t leaves, int64_t back, int64_t every);
/* True if work that runs from `now` for `length` (LSCHED_NEVER_US: without a known end) would be on
 * the node while it is away. */
int absence_bars(const struct columns *k, uint32_t node, int64_t now, int64_t length);
/* Lets jobs be tried on the nodes that are back, and forgets absences that are over for ever. Can
 * return LSCHED_E_NOMEM. */
int32_t absences_end(struct columns *k, int64_t now);
/* Lets jobs be tried on all nodes with an absence, because the clock was set back to `now`. Can
 * return LSCHED_E_NOMEM. */
int32_t absences_time_set(struct columns *k, int64_t now);
/* Returns the first time at which a node is back, LSCHED_NEVER_US if there is none. */
static inline int64_t absences_next(const struct columns *k) {
    return meta(k, M_ABSENCES) ? (int64_t)meta(k, M_ABSENCE_END) : LSCHED_NEVER_US;
}

#endif
