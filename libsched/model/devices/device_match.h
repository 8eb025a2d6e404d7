/*
 * device_match.h -- the match and distinct attributes of a device claim, applied to the devices
 * of one node: says which of them can be together (match_graph.h).
 *
 * An attribute is one of the device's class (device_class.h), or its model, memory, cores or
 * mode, or "numa", the NUMA node from the node's description. The result depends only on the
 * node's class and the shape, so it never changes while the node exists. Cost: O(kinds of classes
 * on the node x attributes), then O(devices^2); only shapes with the bit PICKY_MATCH or
 * PICKY_CHARGE need it.
 */
#ifndef LIBSCHED_DEVICE_MATCH_H
#define LIBSCHED_DEVICE_MATCH_H

#include "model/devices/device.h"
#include "model/devices/match_graph.h"
#include "model/shapes/shape.h"

static inline int device_match_asked(const struct columns *k, uint32_t shape) {
    return (k->c[C_SHAPE_PICKY].u8[shape] & (PICKY_MATCH | PICKY_CHARGE)) != 0;
}
/* Sets *f for a shape that asks for match or distinct, or that takes shares of several devices.
 * The charge of the shares must be the same on each device, because a decision states one share
 * for all. */
void device_match_graph(const struct columns *k, uint32_t node, uint32_t shape,
                        struct match_graph *f);

#endif
