/* reservations_world.c -- part of world_fill(): see model_world.h. */
#include "model/nodes/absence.h"
#include "model/reservations/reservation.h"
#include "support/model_world.h"

/* A window of research on a node without tasks, every day. */
int32_t reservations_fill(struct model_world *w) {
    const int64_t hour = INT64_C(3600000000);
    struct columns *k = &w->k;
    const struct reservation_spec s = {.name = {"night", 5},
                                       .tag = 7,
                                       .queue = world_queue_named(w, "research"),
                                       .from = 18 * hour,
                                       .until = 20 * hour,
                                       .every = 24 * hour};
    uint32_t r;
    int32_t rc = undo_begin(k);
    if (rc == LSCHED_OK) rc = reservation_new(k, &s, &r);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK) absence_reserve(k, world_node_named(w, "powered"), r);
    if (rc != LSCHED_OK) undo_rollback(k, 0);
    undo_end(k);
    return rc;
}
