/*
 * device_match.h -- the match and distinct attributes of a device claim, applied to the devices
 * of one node: which devices one task can take together (match_graph.h).
 *
 * An attribute is an attribute of the device's class (device_class.h), or the model, memory,
 * SMs or mode of the device, or "numa": the device's NUMA node in the node's description. The
 * result depends only on the node's class and the shape. Therefore the result never changes while
 * the node exists. Cost: O(different device classes on the node x attributes), then O(devices^2).
 * Only shapes with the bit PICKY_MATCH or PICKY_CHARGE need the computation.
 */
#ifndef LIBSCHED_DEVICE_MATCH_H
#define LIBSCHED_DEVICE_MATCH_H

#include "model/devices/device.h"
#include "model/devices/match_graph.h"
#include "model/shapes/shape.h"

static inline int device_match_asked(const struct columns *k, uint32_t shape) {
    return (k->c[C_SHAPE_PICKY].u8[shape] & (PICKY_MATCH | PICKY_CHARGE)) != 0;
}
/* True if the choice of devices for a task of the shape is a search in the graph. */
static inline int device_match_searched(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_DEVICES].u32[shape] > 1 && device_match_asked(k, shape);
}
/* Sets *f, for a shape that asks for match or distinct attributes or takes shares of several
 * devices, to the graph of the node's devices that one task can take together. If the task takes
 * shares of several devices, each device must have the same charge, because a decision has one
 * share for all devices. */
void device_match_graph(const struct columns *k, uint32_t node, uint32_t shape,
                        struct match_graph *f);

#endif
