/*
 * device_select.h -- chooses the devices, the NUMA node and the network cards that one task takes
 * on a node: a hold (placement.h).
 *
 * The choice starts with the mask of devices that can each hold the task's share (device_takes),
 * and narrows it in stages: first by the queues' limits on models (resource_part_narrow), then by
 * attributes that must be equal or different (match_graph.c), then by links, NUMA nodes and
 * network cards (device_select_links.c). If links do not matter, the last stage takes the devices
 * with the least free share; ties are decided by the lowest index. The result depends only on the
 * node's columns and the shape, so that the scores of a shape can be cached. Invariant:
 * node_fits() returns 1 if and only if device_select() finds a hold. If it is possible that each
 * device fits but that one task cannot take them together, the shape has PICKY bits, and
 * node_fits() runs all stages.
 */
#ifndef LIBSCHED_DEVICE_SELECT_H
#define LIBSCHED_DEVICE_SELECT_H

#include "model/devices/resource_part.h"
#include "model/devices/device.h"
#include "model/shapes/shape.h"

/* Sets *hold and returns 1, or returns 0 if no choice fits. Before the call, the caller has
 * checked that the node has room in all resource kinds except gpu. limits: resource parts of
 * which the limits leave less than the task can take; NULL: none. A task without devices gets an
 * empty mask. */
int device_select(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                  const struct resource_part_short *limits, struct hold *hold);
/* Does what device_select() does, but tries first only the devices with the least charge for the
 * task. If no choice fits, it adds the devices with the next higher charge, and so on. It is used
 * for a job of a queue that has little room below its limits. */
int device_select_cheapest(const struct columns *k, uint32_t node, uint32_t shape,
                           enum device_when when, const struct resource_part_short *limits,
                           struct hold *hold);
/* Completes a hold whose devices the caller has chosen (for a placement or an import). Returns 1,
 * or 0 if these devices are not suitable. */
int device_select_rest(const struct columns *k, uint32_t node, uint32_t shape,
                       enum device_when when, struct hold *hold);
/* Returns 1 if the task can take exactly this hold. */
int device_select_allows(const struct columns *k, uint32_t node, uint32_t shape,
                         enum device_when when, const struct hold *hold);

/* Returns 1 if device_select() chooses the devices, 0 if the place algorithm can choose them.
 * device_select() chooses if the devices must satisfy a condition together, if the task takes MIG
 * instances, if it takes whole devices of a node with known links, if it states an order of
 * devices, or if the table of slow-downs has its kind of work. */
static inline int device_select_is_ours(const struct columns *k, uint32_t node, uint32_t shape) {
    return k->c[C_SHAPE_PICKY].u8[shape] || k->c[C_SHAPE_MIG_SLICES].u8[shape] ||
           k->c[C_SHAPE_WORK].u8[shape] ||
           k->c[C_SHAPE_ORDER].u8[shape] != LSCHED_DEVICE_ORDER_AS_PLACED ||
           (k->c[C_CLASS_MACHINE].u32[k->c[C_NODE_CLASS].u32[node]] != NO_ROW &&
            ((k->c[C_SHAPE_DEVICE_MILLI].u32[shape] == 1000 && !shape_charge_varies(k, shape)) ||
             k->c[C_SHAPE_NUMA].u8[shape]));
}

#endif
