/*
 * device.h -- what one device has, what of it is free, and what one task takes of it.
 *
 * A device is given whole or in parts; FREE_MILLI and MEM_FREE are what is left. A node with a
 * device that is given in parts with more to count (cores, limits, MIG slices) has a block of
 * SHARED rows, one for each of its devices (device_shared). What equal devices have in common is a
 * DEVCLASS row.
 *
 * FREE_MILLI is unsigned: an import may take more than a device has. What is beyond is kept in the
 * node's FREE alone, which goes negative, and in the use of the tasks; the device reads 0 until
 * enough has been given back (device_refill in device.c). What comes free fills that first, so who
 * asks for later is told less than nothing (device_beyond): read off the tasks, as few nodes have
 * EXCESS.
 */
#ifndef LIBSCHED_DEVICE_H
#define LIBSCHED_DEVICE_H

#include "model/shapes/device_part.h"
#include "model/shapes/placement.h"
#include "model/shapes/device_selector.h"
#include "model/shapes/shape.h"

/* Row of SHARED, NO_ROW if there is nothing to count there. */
static inline uint32_t device_shared(const struct columns *k, uint32_t device) {
    uint32_t node = k->c[C_DEVICE_NODE].u32[device], first = k->c[C_NODE_SHARED_FIRST].u32[node];
    return first == NO_ROW ? NO_ROW : first + (device - k->c[C_NODE_DEVICE_FIRST].u32[node]);
}
/* How much more than all of it is taken: 0 but for imports. O(tasks on the node) where the node has
 * EXCESS. */
int64_t device_beyond(const struct columns *k, uint32_t device);
static inline int64_t device_milli_free(const struct columns *k, uint32_t device,
                                        enum device_when when) {
    int64_t f = k->c[C_DEVICE_FREE_MILLI].u16[device], c = k->c[C_DEVICE_COMING_MILLI].i32[device];
    if (when == DEVICE_EMPTY) return 1000;
    if (when == DEVICE_LATER && f == 0) f -= device_beyond(k, device);
    return when == DEVICE_LATER || (when == DEVICE_NOW && c < 0) ? f + c : f;
}
/* What is free of the device, and what one task takes of it. need: 1, 0 if it may never hold the
 * task (an import may all the same), by mode and size; its model and class are another question. */
struct device_part device_room(const struct columns *k, uint32_t device, enum device_when when);
int device_need(const struct columns *k, uint32_t device, uint32_t shape, struct device_part *need);
/* Could the device take its part of one task, if so much of it were free: mode, model, class, size.
 * Not of MIG. */
int device_could(const struct columns *k, uint32_t device, uint32_t shape,
                 const struct device_part *room);
/* Its model and class: asked for by the task. */
int device_allowed(const struct columns *k, uint32_t device, uint32_t shape);
/* Can it take its part: all that is counted of it. */
int device_takes(const struct columns *k, uint32_t device, uint32_t shape, enum device_when when);
/* The devices of the node that take their part, each for itself, as a mask; it looks no further
 * once it has `most` of them. */
uint32_t devices_taking(const struct columns *k, uint32_t node, uint32_t shape,
                        enum device_when when, uint32_t most);
/* What one task is charged of one device in milli-GPU, and takes of its memory. */
uint32_t device_milli_need(const struct columns *k, uint32_t device, uint32_t shape);
int64_t device_memory_need(const struct columns *k, uint32_t device, uint32_t shape);
/* The least that a task of the shape may be charged of gpu. */
static inline int64_t shape_least_milli(const struct columns *k, uint32_t shape) {
    if (!shape_charge_varies(k, shape)) return k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape];
    uint32_t milli = k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
    return (int64_t)(milli ? milli : 1) * k->c[C_SHAPE_DEVICES].u32[shape];
}
/* What a task that waits counts with, of each device: the share asked for, else what memory and
 * cores come to on the smallest device of the cluster that is allowed; 1000 if there is none. */
struct task_spec;
uint32_t request_nominal_milli(const struct columns *k, const struct task_spec *t);
/* What a task with this hold is charged of gpu in all: by what it takes of each device, which may
 * be more or less than it counted with while it waited. */
int64_t hold_milli(const struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
/* The same of any kind: of others it is what the shape asks for. */
static inline int64_t hold_amount(const struct columns *k, uint32_t node, uint32_t shape,
                                  const struct hold *h, uint32_t kind) {
    return kind == LSCHED_GPU ? hold_milli(k, node, shape, h) : k->c[C_SHAPE_REQ + kind].i64[shape];
}

/* Rows of SHARED for a node whose devices have their classes, if any of them needs it.
 * LSCHED_E_NOMEM. */
int32_t devices_share(struct columns *k, uint32_t node);
/* Take and give back all that the hold says of the node's devices; or change what is expected back
 * (sign 1: more comes) because a task that holds it leaves, or because it is claimed (claim 1).
 * What gives back has left the node's list of tasks already. */
void devices_take(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
void devices_give(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
void devices_coming(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                    int sign, int claim);
/* Will there be less than nothing of one of the devices of the hold. */
int devices_short(const struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);

#endif
