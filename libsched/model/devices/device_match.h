/*
 * device_match.h -- match and distinct attributes of a claim, on the devices of one node: which of
 * them may be together (match_graph.h).
 *
 * An attribute is one of the device's class (device_class.h), its model, memory, cores or mode, or
 * "numa", the NUMA node that the inside of the node says. A function of the node's class and the
 * shape: it never changes while the node is there. Cost: O(kinds of classes on the node x
 * attributes), then O(devices^2); only shapes with the bit PICKY_MATCH or PICKY_CHARGE ask.
 */
#ifndef LIBSCHED_DEVICE_MATCH_H
#define LIBSCHED_DEVICE_MATCH_H

#include "model/devices/device.h"
#include "model/devices/match_graph.h"
#include "model/shapes/shape.h"

static inline int claim_matches(const struct columns *k, uint32_t shape) {
    return (k->c[C_SHAPE_PICKY].u8[shape] & (PICKY_MATCH | PICKY_CHARGE)) != 0;
}
/* The shape asks for match or distinct, or has parts of several devices: these count the same on
 * each of them, so that a decision says one share for all. */
void claim_friends(const struct columns *k, uint32_t node, uint32_t shape, struct friends *f);

#endif
