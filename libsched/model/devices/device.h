/*
 * device.h -- what one device has, how much of it is free, and what one task takes of it.
 *
 * A device is given to one task whole or to several tasks in shares; FREE_MILLI and MEM_FREE are
 * the free thousandths and the free bytes. If a shared device of a node has more to count (cores,
 * memory limits, MIG slices), the node has a block of SHARED rows, one row for each of its
 * devices (device_shared). The properties that equal devices have in common are in a DEVCLASS
 * row.
 *
 * FREE_MILLI is unsigned, but an import can take more than a device has. Only the node's FREE,
 * which becomes negative, and the use of the tasks include this excess; FREE_MILLI of the device
 * stays 0 until enough has been given back (device_refill in device.c). Room that comes free
 * reduces the excess first, so the amount that is free later can be below zero (device_beyond).
 * The excess is computed from the tasks each time, because few nodes have EXCESS.
 */
#ifndef LIBSCHED_DEVICE_H
#define LIBSCHED_DEVICE_H

#include "model/shapes/device_part.h"
#include "model/shapes/placement.h"
#include "model/shapes/device_selector.h"
#include "model/shapes/shape.h"

/* Returns the device's row of SHARED, NO_ROW if the node has no such rows. */
static inline uint32_t device_shared(const struct columns *k, uint32_t device) {
    uint32_t node = k->c[C_DEVICE_NODE].u32[device], first = k->c[C_NODE_SHARED_FIRST].u32[node];
    return first == NO_ROW ? NO_ROW : first + (device - k->c[C_NODE_DEVICE_FIRST].u32[node]);
}
/* Returns the milli-GPUs that are taken beyond the whole device: 0 unless an import took too
 * much. O(tasks on the node) if the node has EXCESS. */
int64_t device_beyond(const struct columns *k, uint32_t device);
static inline int64_t device_milli_free(const struct columns *k, uint32_t device,
                                        enum device_when when) {
    int64_t f = k->c[C_DEVICE_FREE_MILLI].u16[device], c = k->c[C_DEVICE_COMING_MILLI].i32[device];
    if (when == DEVICE_EMPTY) return 1000;
    if (when == DEVICE_LATER && f == 0) f -= device_beyond(k, device);
    return when == DEVICE_LATER || (when == DEVICE_NOW && c < 0) ? f + c : f;
}
/* device_room() returns what is free of the device. device_need() sets *need to what one task
 * takes of the device. It returns 1, or 0 if mode or size of the device forbid the task; *need is
 * set in both cases, because an import can place the task all the same. Model and class are not
 * checked here; see device_allowed(). */
struct device_part device_room(const struct columns *k, uint32_t device, enum device_when when);
int device_need(const struct columns *k, uint32_t device, uint32_t shape, struct device_part *need);
/* Returns 1 if the device can hold the task's share when `room` is free: checks mode, model,
 * class and size. Not for MIG. */
int device_could(const struct columns *k, uint32_t device, uint32_t shape,
                 const struct device_part *room);
/* Returns 1 if the task allows the device's model and class. */
int device_allowed(const struct columns *k, uint32_t device, uint32_t shape);
/* Returns 1 if the device can hold the task's share now or at the time `when`; checks everything
 * that is counted. */
int device_takes(const struct columns *k, uint32_t device, uint32_t shape, enum device_when when);
/* Returns the mask of the node's devices that can each hold the task's share. The search stops
 * when `most` devices are found. */
uint32_t devices_taking(const struct columns *k, uint32_t node, uint32_t shape,
                        enum device_when when, uint32_t most);
/* Return what one task is charged of one device in milli-GPUs, and the bytes of memory that it
 * takes. */
uint32_t device_milli_need(const struct columns *k, uint32_t device, uint32_t shape);
int64_t device_memory_need(const struct columns *k, uint32_t device, uint32_t shape);
/* Returns the least amount of gpu that a task of the shape can be charged, in milli-GPUs. */
static inline int64_t shape_least_milli(const struct columns *k, uint32_t shape) {
    if (!shape_charge_varies(k, shape)) return k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape];
    uint32_t milli = k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
    return (int64_t)(milli ? milli : 1) * k->c[C_SHAPE_DEVICES].u32[shape];
}
/* Returns the milli-GPUs per device with which a waiting task is counted: the requested share;
 * without one, what its memory and cores need on the smallest allowed device of the cluster; 1000
 * if there is no such device. */
struct task_spec;
uint32_t request_nominal_milli(const struct columns *k, const struct task_spec *t);
/* Returns the milli-GPUs that a task with this hold is charged in all. The sum over the devices
 * can be more or less than the amount with which the task was counted while it waited. */
int64_t hold_milli(const struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
/* Returns the amount of any resource kind that a task with this hold is charged. For other kinds
 * than gpu it is the request of the shape. */
static inline int64_t hold_amount(const struct columns *k, uint32_t node, uint32_t shape,
                                  const struct hold *h, uint32_t kind) {
    return kind == LSCHED_GPU ? hold_milli(k, node, shape, h) : k->c[C_SHAPE_REQ + kind].i64[shape];
}

/* Makes the SHARED rows of a node, after its devices have their classes, if a device needs one.
 * Can return LSCHED_E_NOMEM. */
int32_t devices_share(struct columns *k, uint32_t node);
/* devices_take() and devices_give() take and give back the node's devices as the hold says.
 * devices_coming() changes the room that is expected to come free by what the hold says. sign 1:
 * more room will come free, -1: less. claim: 1 if a nomination begins or ends, 0 if a releasing
 * task begins or ends. A task that gives back has left the node's list of tasks already. */
void devices_take(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
void devices_give(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
void devices_coming(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                    int sign, int claim);
/* Returns 1 if the amount of some device of the hold that will be free is below zero. */
int devices_short(const struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);

#endif
