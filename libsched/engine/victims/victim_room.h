/*
 * victim_room.h -- what would be free of a node if some of its tasks went: of its kinds, on each
 * device, inside it.
 *
 * Claims count as taken and what leaves as gone, as for a nomination. Tasks are taken out and put
 * back one at a time, so that a search for victims asks "does it fit now" without touching the
 * state. Cost: O(kinds + devices) each, and O(tasks on the node) at opening if the shape asks for
 * network cards or a MIG instance. Invariant: a task of the shape fits here iff the same node would
 * take it later with those tasks gone.
 */
#ifndef LIBSCHED_VICTIM_ROOM_H
#define LIBSCHED_VICTIM_ROOM_H

#include "model/shapes/daily_demand.h"
#include "model/devices/device_select_links.h"

struct room {
    uint32_t shape; /* who asks */
    int64_t places; /* more tasks, by the bound on their number */
    struct device_part device[LSCHED_DEVICES_PER_NODE_MAX];
    struct inside
        inside; /* only if the shape asks for a NUMA node or cards, and the node has any */
    int has_inside;
    uint32_t slices[LSCHED_DEVICES_PER_NODE_MAX]; /* MIG: tasks on each slice, a nibble; only if the
                                                     shape asks for an instance */
    struct day_room amount[KINDS_MAX]; /* last: only its heads are written where nothing is daily */
};

void room_of(const struct columns *k, uint32_t node, uint32_t shape, struct room *m);
/* What the task holds comes free (sign 1), or is taken again (-1). */
void room_add(const struct columns *k, uint32_t node, uint32_t task, int sign, struct room *m);
int room_holds(const struct columns *k, uint32_t node, const struct room *m);

#endif
