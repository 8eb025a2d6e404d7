/*
 * room_without.h -- the room that a node would have if some of its tasks were evicted: amounts,
 * room on each device, and room inside the machine (NUMA nodes, network cards).
 *
 * Room that is nominated to a task counts as taken, and room of releasing tasks counts as free;
 * the same rule applies when a task is nominated. A struct room_without is a copy: the victim
 * search counts single tasks as evicted in it, or as running again. Therefore it can test whether
 * a task fits without any change of state. Cost: O(kinds + devices) for each task, and O(tasks on
 * the node) once if the task shape asks for network cards or a MIG instance. Invariant:
 * room_without_holds() is true if and only if a task of the shape could be nominated to the node if
 * the tasks that count as evicted were gone.
 */
#ifndef LIBSCHED_ROOM_WITHOUT_H
#define LIBSCHED_ROOM_WITHOUT_H

#include "model/shapes/daily_demand.h"
#include "model/devices/device_select_links.h"

/* room_without_of() writes only what the node and the shape need, so that its cost does not depend
 * on the greatest number of devices of a node. */
struct room_without {
    uint32_t shape; /* task shape that is to fit */
    int64_t places; /* number of tasks that the node's bound on tasks allows in addition */
    struct device_part device[LSCHED_DEVICES_PER_NODE_MAX];
    /* set only if the shape asks for a NUMA node or network cards and the node reports them */
    struct inside inside;
    int has_inside;
    /* by device of the node: number of tasks on each memory slice, 4 bits per slice; set only if
     * the shape asks for a MIG instance */
    uint32_t slices[LSCHED_DEVICES_PER_NODE_MAX];
    /* by device of the node: number of tasks beside which a task of the shape may not be. Set only
     * if `barred`, the kinds of work of such tasks, is not 0 (contention.h) */
    uint32_t beside[LSCHED_DEVICES_PER_NODE_MAX];
    uint32_t barred;
    device_set could; /* the devices of which the shape could use each alone */
    /* by resource kind; if no demand is daily, only the first fields of each element are written */
    struct daily_room amount[KINDS_MAX];
};

void room_without_of(const struct columns *k, uint32_t node, uint32_t shape,
                     struct room_without *m);
/* Adds the room that the task holds (sign 1), or subtracts it again (sign -1). */
void room_without_add(const struct columns *k, uint32_t node, uint32_t task, int sign,
                      struct room_without *m);
/* False if the task's devices are too few: then the room without this task, too, does not hold a
 * task of the shape. */
int room_without_could(const struct columns *k, const struct room_without *m, uint32_t task);
/* `from`: the devices of m->could that the task may take. */
int room_without_holds_on(const struct columns *k, uint32_t node, const struct room_without *m,
                          device_set from);
static inline int room_without_holds(const struct columns *k, uint32_t node,
                                     const struct room_without *m) {
    return room_without_holds_on(k, node, m, m->could);
}

#endif
