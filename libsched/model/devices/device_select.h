/*
 * device_select.h -- chooses which devices of a node one task takes, and its NUMA node and
 * network cards: a hold (placement.h).
 *
 * The choice starts with the mask of devices that can each hold the task's share (device_takes),
 * and narrows it in stages: limits of queues on models remove some (resource_part_narrow);
 * attributes that must be alike or different (match_graph.c); links, NUMA nodes and network cards
 * (device_select_links.c); otherwise the devices with the least free share, lowest index first.
 * The result depends only on the node's columns and the shape, so that the scores of a shape can
 * be cached. Invariant: node_fits() returns 1 if and only if device_select() finds a hold. If
 * devices that fit one by one can be unusable together, the shape has PICKY bits and node_fits()
 * runs all stages.
 */
#ifndef LIBSCHED_DEVICE_SELECT_H
#define LIBSCHED_DEVICE_SELECT_H

#include "model/devices/resource_part.h"
#include "model/devices/device.h"
#include "model/shapes/shape.h"

/* Sets *hold and returns 1, or returns 0 if no choice fits. The node has room in the other
 * resource kinds. limits: resource parts with limits that leave less than the task can take;
 * NULL: none. A task without devices gets an empty mask. */
int device_select(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                  const struct resource_part_short *limits, struct hold *hold);
/* Does what device_select() does, but tries first with only the devices of the least charge, then
 * also with those of the next charge, and so on, until a choice fits. Used for a job whose queue
 * has little room left below its limits. */
int device_select_cheapest(const struct columns *k, uint32_t node, uint32_t shape,
                           enum device_when when, const struct resource_part_short *limits,
                           struct hold *hold);
/* Completes a hold whose devices the caller chose (a placement, an import). Returns 1, or 0 if
 * these devices are not suitable. */
int device_select_rest(const struct columns *k, uint32_t node, uint32_t shape,
                       enum device_when when, struct hold *hold);
/* Returns 1 if the task can take exactly this hold. */
int device_select_allows(const struct columns *k, uint32_t node, uint32_t shape,
                         enum device_when when, const struct hold *hold);

/* Returns 1 if the devices are chosen here and not by the place algorithm. The devices are chosen
 * here if they must go together, if they are whole devices of a node with known links, or if the
 * task states an order of devices. */
static inline int device_select_is_ours(const struct columns *k, uint32_t node, uint32_t shape) {
    return k->c[C_SHAPE_PICKY].u8[shape] || k->c[C_SHAPE_MIG_SLICES].u8[shape] ||
           k->c[C_SHAPE_ORDER].u8[shape] != LSCHED_DEVICES_AS_PLACED ||
           (k->c[C_CLASS_MACHINE].u32[k->c[C_NODE_CLASS].u32[node]] != NO_ROW &&
            ((k->c[C_SHAPE_DEVICE_MILLI].u32[shape] == 1000 && !shape_charge_varies(k, shape)) ||
             k->c[C_SHAPE_NUMA].u8[shape]));
}

#endif
