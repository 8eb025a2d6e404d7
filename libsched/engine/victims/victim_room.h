/*
 * victim_room.h -- the room that a node would have if some of its tasks were evicted: amounts,
 * room on each device, and room inside the machine (NUMA nodes, network cards).
 *
 * As for a nomination, room that is nominated to a task counts as taken, and room of releasing
 * tasks counts as free. Tasks are taken out and put back one at a time, therefore the victim
 * search can test whether a task fits without any change of state. Cost: O(kinds + devices) for
 * each task, and O(tasks on the node) once if the task shape asks for network cards or a MIG
 * instance. Invariant: a task of the shape fits here if and only if the node could take it later
 * with those tasks gone.
 */
#ifndef LIBSCHED_VICTIM_ROOM_H
#define LIBSCHED_VICTIM_ROOM_H

#include "model/shapes/daily_demand.h"
#include "model/devices/device_select_links.h"

struct victim_room {
    uint32_t shape; /* task shape that is to fit */
    int64_t places; /* number of tasks that the node's bound on tasks still allows */
    struct device_part device[LSCHED_DEVICES_PER_NODE_MAX];
    /* set only if the shape asks for a NUMA node or network cards, and the node has any */
    struct inside inside;
    int has_inside;
    /* MIG: number of tasks on each slice, 4 bits per slice; set only if the shape asks for an
     * instance */
    uint32_t slices[LSCHED_DEVICES_PER_NODE_MAX];
    /* last member: only the first fields of each are written if no demand is daily */
    struct daily_room amount[KINDS_MAX];
};

void victim_room_of(const struct columns *k, uint32_t node, uint32_t shape, struct victim_room *m);
/* Frees what the task holds (sign 1), or takes it again (sign -1). */
void victim_room_add(const struct columns *k, uint32_t node, uint32_t task, int sign,
                     struct victim_room *m);
int victim_room_holds(const struct columns *k, uint32_t node, const struct victim_room *m);

#endif
