/*
 * placement.h -- a *hold*: the devices of its node that one task holds, the first memory slice of
 * its MIG instance on each device, its network cards and its NUMA nodes. device_select() chooses
 * a hold. TASK.{MASK, STARTS, NICS, NUMA, RECUT} store it; they are zero while the task has no
 * node. The amounts that node_take() takes from the node follow from the hold and the task's
 * shape.
 *
 * TASK.MASK has the devices 0 to 63. TASK.STARTS has the memory slices of a task with a MIG
 * profile, and the devices 64 to 127 of any other task: an instance is always on one of the first
 * devices of a node (DEVICE_MIG_INDEXES), so a task needs one of the two only.
 */
#ifndef LIBSCHED_PLACEMENT_H
#define LIBSCHED_PLACEMENT_H

#include "base/device_set.h"
#include "model/store/columns.h"

/* Which free amount is meant:
 *   DEVICE_NOW: free now and not needed by nominated tasks
 *   DEVICE_LATER: free after releasing tasks are gone and nominated tasks are placed
 *   DEVICE_APART: free now, including what nominated tasks need
 *   DEVICE_EMPTY: all that the node or device has */
enum device_when { DEVICE_NOW, DEVICE_LATER, DEVICE_APART, DEVICE_EMPTY };

/* Bits of DEVICE.CLOSED: why a device takes no task (device.h). */
enum device_closed { DEVICE_CORDONED = 1, DEVICE_FAILED = 2, DEVICE_FOREIGN = 4 };

/* number of first devices of a node that can be in mode MIG: hold.starts has 4 bits for each */
#define DEVICE_MIG_INDEXES ((uint32_t)LSCHED_MIG_INDEXES_MAX)

struct hold {
    device_set mask;
    uint64_t starts; /* MIG: device i's first memory slice in bits 4i to 4i + 3 */
    uint16_t nics;
    uint8_t numa; /* mask of the NUMA nodes to which the task is pinned; 0: none */
    /* MIG: devices of the mask whose instance the orchestrator has still to make */
    uint16_t recut;
};

/* Returns 1 if STARTS of the task has memory slices, 0 if it has devices. */
int task_has_starts(const struct columns *k, uint32_t task);
/* Returns the devices that a task holds. */
static inline device_set task_device_set(const struct columns *k, uint32_t task) {
    uint64_t low = k->c[C_TASK_MASK].u64[task], more = k->c[C_TASK_STARTS].u64[task];
    return more && !task_has_starts(k, task) ? device_set_of_words(low, more) : low;
}
static inline struct hold task_hold(const struct columns *k, uint32_t task) {
    struct hold h = {.mask = k->c[C_TASK_MASK].u64[task],
                     .nics = k->c[C_TASK_NICS].u16[task],
                     .numa = k->c[C_TASK_NUMA].u8[task],
                     .recut = k->c[C_TASK_RECUT].u16[task]};
    uint64_t more = k->c[C_TASK_STARTS].u64[task];
    if (more == 0) return h;
    if (task_has_starts(k, task))
        h.starts = more;
    else
        h.mask = device_set_of_words(device_set_low(h.mask), more);
    return h;
}
static inline void task_set_hold(struct columns *k, uint32_t task, const struct hold *h) {
    int fresh = row_is_fresh(k, T_TASK, task);
    uint64_t high = device_set_high(h->mask);
    assert(high == 0 || h->starts == 0);
    fill_u64(k, fresh, C_TASK_STARTS, task, h->starts | high);
    fill_u64(k, fresh, C_TASK_MASK, task, device_set_low(h->mask));
    fill_u16(k, fresh, C_TASK_NICS, task, h->nics);
    fill_u8(k, fresh, C_TASK_NUMA, task, h->numa);
    fill_u16(k, fresh, C_TASK_RECUT, task, h->recut);
}
static inline int hold_equals(const struct hold *a, const struct hold *b) {
    return a->mask == b->mask && a->starts == b->starts && a->nics == b->nics && a->numa == b->numa;
}

#endif
