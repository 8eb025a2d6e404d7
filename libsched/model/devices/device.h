/*
 * device.h -- the amounts that one device has, the amounts that are free, and the amounts that
 * one task takes of the device.
 *
 * A device is given whole to one task, or in shares to several tasks. FREE_MILLI is the number of
 * free thousandths, and MEM_FREE is the number of free bytes. If SMs, memory limits or MIG
 * slices of any device of a node are counted, too, the node has a block of SHARED rows: one row
 * for each device of the node (device_shared). The properties that equal devices have in common
 * are in a DEVCLASS row.
 *
 * FREE_MILLI is unsigned, but an import can take more than a device has. The node's FREE, which
 * becomes negative, and the amounts charged for the tasks include this excess. FREE_MILLI of the
 * device stays 0 until the tasks hold less than the device has (device_refill in device.c). Room
 * that comes free reduces the excess first. Therefore the amount that will be free later can be
 * below zero (device_beyond). The excess is not stored, because few nodes have the flag EXCESS:
 * it is computed from the tasks each time.
 *
 * A device is *closed* if its CLOSED has a bit of enum device_closed: it is cordoned, it
 * failed, or others use it.
 * A closed device takes no task, whatever its tasks hold: FREE_MILLI is 0, and it counts neither in
 * FREE, COMING and GPU_WHOLE of the node nor in the node's capacity. Its other amounts follow its
 * tasks as before, so that they are right when the device opens again. NODE.CLOSED is the number of
 * closed devices; if it is 0, no device is looked at (device_closing.h).
 */
#ifndef LIBSCHED_DEVICE_H
#define LIBSCHED_DEVICE_H

#include "model/shapes/device_part.h"
#include "model/shapes/placement.h"
#include "model/shapes/device_selector.h"
#include "model/shapes/shape.h"

static inline int device_is_closed(const struct columns *k, uint32_t device) {
    return k->c[C_DEVICE_CLOSED].u8[device] != 0;
}
/* Returns the device's row of SHARED, NO_ROW if the node has no such rows. */
static inline uint32_t device_shared(const struct columns *k, uint32_t device) {
    uint32_t node = k->c[C_DEVICE_NODE].u32[device], first = k->c[C_NODE_SHARED_FIRST].u32[node];
    return first == NO_ROW ? NO_ROW : first + (device - k->c[C_NODE_DEVICE_FIRST].u32[node]);
}
/* Returns by how many milli-GPUs the tasks hold more than the whole device; 0 unless an import
 * took too much. For a closed device, returns more than any tasks can give back. Costs O(tasks on
 * the node) if the node has the flag EXCESS. */
int64_t device_beyond(const struct columns *k, uint32_t device);
static inline int64_t device_milli_free(const struct columns *k, uint32_t device,
                                        enum device_when when) {
    int64_t f = k->c[C_DEVICE_FREE_MILLI].u16[device], c = k->c[C_DEVICE_COMING_MILLI].i32[device];
    if (when == DEVICE_EMPTY) return device_is_closed(k, device) ? 0 : 1000;
    if (when == DEVICE_LATER && f == 0) f -= device_beyond(k, device);
    return when == DEVICE_LATER || (when == DEVICE_NOW && c < 0) ? f + c : f;
}
/* device_room() returns the free amounts of the device. device_need() sets *need to the amounts
 * that one task takes of the device, and returns 1. If mode or size of the device forbid the
 * task, device_need() returns 0. It sets *need in this case, too, because an import can place the
 * task on the device anyway. It does not check model and class; see device_allowed(). */
struct device_part device_room(const struct columns *k, uint32_t device, enum device_when when);
int device_need(const struct columns *k, uint32_t device, uint32_t shape, struct device_part *need);
/* Returns 1 if the device can hold the task's share when the amounts `room` are free. Checks
 * mode, model, class and size of the device. Must not be called for devices in mode MIG. */
int device_could(const struct columns *k, uint32_t device, uint32_t shape,
                 const struct device_part *room);
/* Returns 1 if the task allows the device's model and class, and tolerates its taints. */
int device_allowed(const struct columns *k, uint32_t device, uint32_t shape);
/* Returns the devices of the node with a taint of the effect AVOID that the shape does not
 * tolerate: a task takes them only if it finds no others. */
device_set devices_avoided(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns 1 if the tasks of the shape ask for whole devices, and for no part of them by memory,
 * SMs, limit, isolation or MIG profile. Such tasks take every device alike: all of it. */
static inline int devices_asked_whole(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_DEVICE_MILLI].u32[shape] == DEVICE_WHOLE &&
           shape_asks_share_alone(k, shape) && !k->c[C_SHAPE_MIG_SLICES].u8[shape];
}
/* Returns 1 if the device can hold the task's share at the time `when` (now, later, or when the
 * device is empty). Checks every amount of the device that is counted. */
int device_takes(const struct columns *k, uint32_t device, uint32_t shape, enum device_when when);
/* Returns the set of the node's devices that can each hold the task's share at the time `when`.
 * The search stops when `most` devices are found. */
device_set devices_taking(const struct columns *k, uint32_t node, uint32_t shape,
                          enum device_when when, uint32_t most);
/* Returns the number of the node's devices that can each hold the task's share at the time `when`.
 * For tasks that ask for whole devices of any model, costs O(1) on most nodes. */
uint32_t devices_count(const struct columns *k, uint32_t node, uint32_t shape,
                       enum device_when when);
/* Returns 1 if at least `need` devices of the node can each hold the task's share at the time
 * `when`. For tasks that ask for whole devices of any model, costs O(1) on most nodes. */
int devices_suffice(const struct columns *k, uint32_t node, uint32_t shape, enum device_when when,
                    uint32_t need);
/* device_milli_need() returns the milli-GPUs of one device with which one task is charged.
 * device_memory_need() returns the bytes of the device's memory that the task takes. */
uint32_t device_milli_need(const struct columns *k, uint32_t device, uint32_t shape);
int64_t device_memory_need(const struct columns *k, uint32_t device, uint32_t shape);
/* Returns the least number of milli-GPUs with which a task of the shape can be charged on any
 * node. */
static inline int64_t shape_least_milli(const struct columns *k, uint32_t shape) {
    if (!shape_charge_varies(k, shape)) return k->c[C_SHAPE_REQ + LSCHED_GPU].i64[shape];
    uint32_t milli = k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
    return (int64_t)(milli ? milli : 1) * k->c[C_SHAPE_DEVICES].u32[shape];
}
/* Returns the least number of milli-GPUs with which a task of the shape can be charged on devices
 * that the cluster has now; shape_least_milli() if none of them can hold it. Cost: O(device
 * classes) if the charge depends on the device. */
int64_t shape_cheapest_milli(const struct columns *k, uint32_t shape);
/* Returns the milli-GPUs per device with which a waiting task is counted: the share that the task
 * requests. If the task requests no share, the function returns the share that the requested
 * memory and SMs need on the smallest allowed device of the cluster, or 1000 if the cluster has
 * no allowed device. */
struct task_spec;
uint32_t request_nominal_milli(const struct columns *k, const struct task_spec *t);
/* Returns the milli-GPUs with which a task with this hold is charged, as the sum over its
 * devices. The sum can differ from the amount with which the task was counted while it waited. */
int64_t hold_milli(const struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
/* Returns the amount of a resource kind with which a task with this hold is charged. For each
 * kind except gpu, this is the amount that the shape requests. */
static inline int64_t hold_amount(const struct columns *k, uint32_t node, uint32_t shape,
                                  const struct hold *h, uint32_t kind) {
    return kind == LSCHED_GPU ? hold_milli(k, node, shape, h) : k->c[C_SHAPE_REQ + kind].i64[shape];
}

/* Returns the milli-GPUs with which a task with this hold is charged on devices that are not
 * closed. The node's FREE and COMING count these milli-GPUs only. */
int64_t hold_open_milli(const struct columns *k, uint32_t node, uint32_t shape,
                        const struct hold *h);
/* Returns the milli-GPUs of the device that tasks hold, releasing tasks included. The sum can
 * exceed 1000 after an import took too much. index: index of the device in the node. Cost: O(tasks
 * on the node). */
uint32_t device_used(const struct columns *k, uint32_t node, uint32_t device, uint32_t index);

/* Makes the SHARED rows of a node if any of its devices needs one. Before the call, the devices
 * must have their classes. Can return LSCHED_E_NOMEM. */
int32_t devices_share(struct columns *k, uint32_t node);
/* devices_take() takes the amounts of the hold from the node's devices, and devices_give() gives
 * them back. Before devices_give() is called, the task must have left the node's list of tasks.
 * devices_coming() changes the amounts that are expected to come free by the amounts of the hold.
 * sign: 1 if more will come free, -1 if less. claim: 1 if a nomination begins or ends, 0 if a
 * releasing row is made or removed. */
void devices_take(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
void devices_give(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
void devices_coming(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                    int sign, int claim);
/* Returns 1 if a device of the hold will have a free amount below zero when all releasing and
 * nominated tasks are counted, or a task beside which one of the shape may not be. */
int devices_short(const struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);

#endif
