/*
 * reservation.h -- reservations: nodes that only the jobs of one queue may use in a window of time.
 *
 * A reservation is a row of RESERVATION with its name, its holder, which is a queue with all queues
 * below it, and its window: from FROM until just before UNTIL, and again after each EVERY
 * microseconds if that is not 0. Its nodes name it in NODE.RESERVATION, and have the window as
 * their absence (nodes/absence.h), which bars all jobs but those of the holder: a reservation is an
 * absence with a holder. Therefore all that knows absences knows reservations.
 *
 * Invariants: NODES counts the nodes, and is at least 1: the row is freed with the last node;
 * QUEUE.RESERVATIONS counts the reservations of a holder. No two rows have one name, but within a
 * call that replaces a reservation.
 *
 * Cost: O(reservations) to find a name; O(depth) for the other functions, and for a queue that
 * holds a reservation O(reservations x depth) for reservation_held(). Why not a list of holders at
 * each node: a node would have a second set of rules beside its absence, and each reader of
 * absences would have to ask both.
 */
#ifndef LIBSCHED_RESERVATION_H
#define LIBSCHED_RESERVATION_H

#include "model/store/columns.h"

struct reservation_spec {
    lsched_text name;
    uint64_t tag;
    uint32_t queue;
    int64_t from, until, every;
};

/* Returns the row of the reservation with the name, NO_ROW if there is none. */
uint32_t reservation_find(const struct columns *k, lsched_text name);
/* Makes a reservation, which has no node yet. Errors: LSCHED_E_NOMEM. */
int32_t reservation_new(struct columns *k, const struct reservation_spec *spec, uint32_t *row);
/* Takes the node out of its reservation, if it is in one, and into another, NO_ROW for none. Ends a
 * reservation that has no node left. The caller has called undo_room(), and sets the absence. */
void reservation_move(struct columns *k, uint32_t node, uint32_t to);
int reservation_admits_any(const struct columns *k, uint32_t node, uint32_t queue);
/* True if a reservation of the node has this queue, or a queue above it, as its holder. */
static inline int reservation_admits(const struct columns *k, uint32_t node, uint32_t queue) {
    return table_live(k, T_RESERVATION) && reservation_admits_any(k, node, queue);
}
int reservation_is_held_any(const struct columns *k, uint32_t queue);
/* True if the queue or one above it holds a reservation. */
static inline int reservation_is_held(const struct columns *k, uint32_t queue) {
    return table_live(k, T_RESERVATION) && reservation_is_held_any(k, queue);
}
/* Returns a hash of the set of reservations that admit the queue; 0: none does. */
uint64_t reservation_held(const struct columns *k, uint32_t queue);

#endif
