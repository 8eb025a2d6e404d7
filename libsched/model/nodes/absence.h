/*
 * absence.h -- the times at which a node is away, such as "this node leaves at 18:00".
 *
 * An absence is three columns of NODE: LEAVES, BACK and LEAVES_EVERY. The node is away from LEAVES
 * until just before BACK, and again after each LEAVES_EVERY microseconds if that is not 0. BACK 0
 * means that the node never comes back. A node has an absence if LEAVES or BACK is not 0. Nothing
 * changes when the node leaves: absence_bars() compares the run time of a job with the next absence
 * (absences/job_absence.h). When an absence ends, absence_end() tells the cycle that the node
 * gained room; the cycle finds the nodes that are back in engine/state/absence_line.h.
 *
 * Invariants: BACK is 0 or after LEAVES; LEAVES_EVERY is 0 or more than BACK - LEAVES; M_ABSENCES
 * is the number of nodes with an absence; M_ABSENCE_END is not after the first end of an absence
 * that is still to be told, and 0 without absences. Of an absence that repeats, this is an end
 * after the time of the cluster, however long ago the first one was.
 *
 * An absence that is the window of a reservation (reservations/reservation.h) has a holder, whose
 * jobs it does not bar. The functions of this file do not know the holder: absences/job_absence.h
 * asks for it.
 *
 * All functions cost O(1), but absences_time_set() O(nodes).
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
/* The same for an absence with these times. */
int absence_of_times(int64_t leaves, int64_t back, int64_t every, int64_t now,
                     struct absence *next);
/* Replaces the absence of the node, also one that is the window of a reservation. The caller has
 * called undo_room(). */
void absence_set(struct columns *k, uint32_t node, int64_t leaves, int64_t back, int64_t every);
/* Replaces the absence of the node by the window of the reservation. The caller has called
 * undo_room(). */
void absence_reserve(struct columns *k, uint32_t node, uint32_t r);
/* True if work that runs from `now` for `length` (LSCHED_NEVER_US: without a known end) would be on
 * the node while it is away. */
int absence_bars(const struct columns *k, uint32_t node, int64_t now, int64_t length);
static inline int absence_is_set(const struct columns *k, uint32_t node) {
    return k->c[C_NODE_LEAVES].i64[node] || k->c[C_NODE_BACK].i64[node];
}
/* Returns the time in the column (C_NODE_LEAVES, ...) of an absence that is the node's own, and no
 * window of a reservation; else 0. */
static inline int64_t absence_own(const struct columns *k, uint32_t column, uint32_t node) {
    return k->c[C_NODE_RESERVATION].u32[node] == NO_ROW ? k->c[column].i64[node] : 0;
}
/* Lets jobs be tried on the node, an absence of which ended by the time `now`, and forgets its
 * absence if that is over for ever. The caller has called undo_room(). */
void absence_end(struct columns *k, uint32_t node, int64_t now);
/* Sets the first end of an absence after the absences ended that are over. */
void absences_first_end(struct columns *k, int64_t at);
/* Lets jobs be tried on all nodes with an absence, because the clock was set back to `now`. Can
 * return LSCHED_E_NOMEM. */
int32_t absences_time_set(struct columns *k, int64_t now);
/* Returns the first time at which a node is back, LSCHED_NEVER_US if there is none. */
static inline int64_t absences_next(const struct columns *k) {
    return meta(k, M_ABSENCES) ? (int64_t)meta(k, M_ABSENCE_END) : LSCHED_NEVER_US;
}

#endif
