/*
 * device_part.h -- what one device of a kind gives to one task, and how much of the device the
 * task is charged.
 *
 * A task asks for a share, for memory, for cores, or for several of these, on each of its
 * devices. The task is charged the largest of the three as a portion of that device, each rounded
 * up to a thousandth. The charge therefore depends on the device. If a task does not ask for
 * memory, it gets memory in proportion to its share. A limit is the memory up to which the task
 * can grow, never more than the device has.
 *
 * The isolation of tasks on one device follows from the mode. MPS caps memory, but only if the
 * limits cannot sum to more than the device has; otherwise a neighbour can take memory that a
 * task counts on. No other mode isolates shares. A task that asks for more isolation than the
 * mode gives has the device alone and is charged the whole device. A task whose share comes to
 * the whole device has the device alone, too. Other tasks cannot use devices in mode WHOLE.
 *
 * The functions are pure, O(1), and use no columns: the model, which keeps the sums, and tests
 * call them. MIG instances are described in mig.h.
 */
#ifndef LIBSCHED_DEVICE_PART_H
#define LIBSCHED_DEVICE_PART_H

#include <libsched/libsched.h>

#define DEVICE_WHOLE 1000u /* thousandths of one device */

struct device_kind {
    int64_t memory; /* bytes, 0: unknown */
    uint32_t cores; /* 0: unknown */
    /* limits can sum to so many thousandths of the memory; 1000: all of it */
    uint32_t overcommit_milli;
    uint8_t mode; /* LSCHED_SHARE_* */
};

/* What a task asks of each of its devices. */
struct device_ask {
    uint32_t milli; /* 0: the share follows from memory and cores */
    uint32_t cores;
    int64_t memory, limit; /* memory 0: in proportion to the share; limit 0: equal to the memory */
    uint8_t isolation;     /* LSCHED_ISOLATE_* */
};

/* What a task takes of one device; also: what is free of one device. */
struct device_part {
    int64_t milli, cores, memory, limit;
};

/* Returns 1, or 0 if no device of the kind can hold the task because it is too small or has
 * another mode. *part is set in both cases, because an import can place the task all the same. A
 * property of the device that is unknown, or smaller than the request, counts as taken
 * completely. */
int device_part_of(const struct device_kind *kind, const struct device_ask *ask,
                   struct device_part *part);
/* Returns what an empty device has. */
struct device_part device_part_all(const struct device_kind *kind);
/* Returns 1 if the need fits into the room. */
static inline int device_part_fits(const struct device_part *part, const struct device_part *room) {
    return part->milli <= room->milli && part->cores <= room->cores &&
           part->memory <= room->memory && part->limit <= room->limit;
}
/* Returns the isolation (LSCHED_ISOLATE_*) that devices of the kind give to shares. */
uint8_t device_isolation(const struct device_kind *kind);

#endif
