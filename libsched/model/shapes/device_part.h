/*
 * device_part.h -- the amounts that one device gives to one task, and the share of the device
 * with which the task is charged.
 *
 * A task asks for a share, for memory, for SMs, or for several of these, on each of its
 * devices. Each of the three is converted to a portion of the device and rounded up to a
 * thousandth. The task is charged with the largest of these portions. Therefore the charge
 * depends on the device. If a task does not ask for memory, it gets memory in proportion to its
 * share. The memory limit is the amount of memory up to which the task can grow. It never exceeds
 * the memory of the device.
 *
 * The isolation of tasks on one device follows from the device's sharing mode. MPS isolates
 * memory, but only if the limits of the tasks cannot sum to more than the device's memory.
 * Otherwise another task can take memory that a task was promised. No other mode isolates shares.
 * A task that asks for more isolation than the mode gives has the device alone and is charged
 * with the whole device. A task with a computed share of 1000 has the device alone, too. A device
 * in mode WHOLE takes only tasks that have it alone.
 *
 * The functions are pure, cost O(1) and use no columns. MIG instances are described in mig.h.
 */
#ifndef LIBSCHED_DEVICE_PART_H
#define LIBSCHED_DEVICE_PART_H

#include <libsched/libsched.h>

#define DEVICE_WHOLE 1000u /* thousandths of one device */

struct device_kind {
    int64_t memory;    /* bytes, 0: unknown */
    uint32_t sm_count; /* 0: unknown */
    /* largest sum of the tasks' memory limits, in thousandths of the device's memory; 1000:
     * limits cannot exceed the memory */
    uint32_t overcommit_milli;
    uint8_t mode; /* LSCHED_SHARING_* */
};

/* The request of a task for each of its devices. */
struct device_ask {
    uint32_t milli; /* 0: the share follows from memory and SMs */
    uint32_t sm_count;
    /* bytes; memory 0: in proportion to the share; limit 0: equal to the memory */
    int64_t memory, limit;
    uint8_t isolation; /* LSCHED_ISOLATE_* */
};

/* The amounts that a task takes of one device, or the amounts of one device that are free. */
struct device_part {
    int64_t milli, sm_count, memory, limit;
};

/* Sets *part to the amounts that the task takes of a device of the kind. Returns 1, or 0 if a
 * device of the kind cannot hold the task because of its size or mode. *part is set in both
 * cases, because an import can place the task on the device anyway. If a property of the device
 * is unknown or smaller than the request, the task takes all of it. */
int device_part_of(const struct device_kind *kind, const struct device_ask *ask,
                   struct device_part *part);
/* Returns the amounts of an empty device. */
struct device_part device_part_all(const struct device_kind *kind);
/* Returns 1 if the amounts `part` fit into the free amounts `room`. */
static inline int device_part_fits(const struct device_part *part, const struct device_part *room) {
    return part->milli <= room->milli && part->sm_count <= room->sm_count &&
           part->memory <= room->memory && part->limit <= room->limit;
}
/* Returns the isolation (LSCHED_ISOLATE_*) that tasks with shares have from each other on a
 * device of the kind. */
uint8_t device_isolation(const struct device_kind *kind);

#endif
