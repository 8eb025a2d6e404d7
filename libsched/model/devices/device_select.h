/*
 * device_select.h -- which devices of a node one task takes, and what else inside it: a hold
 * (placement.h).
 *
 * Stages over a mask of devices that can take their part one by one (device_takes): queues' limits
 * on models leave some out (derived_narrow); attributes that must be alike or differ
 * (match_graph.c); links, NUMA nodes and network cards (device_select_links.c); else the tightest,
 * lowest first. A function of the node's columns and the shape alone, so that scores of a shape may
 * be kept.
 * Invariant: node_fits() says yes iff pick_hold() finds something. Where devices that fit one by
 * one may not do together, the shape has PICKY bits and node_fits() asks all of this.
 */
#ifndef LIBSCHED_DEVICE_SELECT_H
#define LIBSCHED_DEVICE_SELECT_H

#include "model/devices/resource_part.h"
#include "model/devices/device.h"
#include "model/shapes/shape.h"

/* 1 and *hold, or 0. The node has room in its other kinds. limits: models of which queues leave
 * few; NULL: none. A task without devices gets an empty mask. */
int pick_hold(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
              const struct derived_short *limits, struct hold *hold);
/* The same where the devices that count least go before others, as far as they do together: for who
 * may not be charged more. */
int pick_cheapest(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                  const struct derived_short *limits, struct hold *hold);
/* The rest of a hold for devices that somebody else chose (a placement, an import): 1, or 0 if they
 * do not do. */
int pick_rest(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
              struct hold *hold);
/* May the task take exactly this. */
int pick_allows(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                const struct hold *hold);

/* Is the choice of devices not the placement's: what must go together, whole devices where links
 * are known, and where the task says in which order, is chosen here. */
static inline int pick_is_ours(const struct columns *k, uint32_t node, uint32_t shape) {
    return k->c[C_SHAPE_PICKY].u8[shape] || k->c[C_SHAPE_MIG_SLICES].u8[shape] ||
           k->c[C_SHAPE_ORDER].u8[shape] != LSCHED_DEVICES_AS_PLACED ||
           (k->c[C_CLASS_MACHINE].u32[k->c[C_NODE_CLASS].u32[node]] != NO_ROW &&
            ((k->c[C_SHAPE_DEVICE_MILLI].u32[shape] == 1000 && !shape_charge_varies(k, shape)) ||
             k->c[C_SHAPE_NUMA].u8[shape]));
}

#endif
