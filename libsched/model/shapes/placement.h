/*
 * placement.h -- a *hold*: the devices of its node that one task holds, the first memory slice of
 * its MIG instance on each device, its network cards and its NUMA nodes. device_select() chooses
 * a hold. TASK.{MASK, STARTS, NICS, NUMA, RECUT} store it; they are zero while the task has no
 * node. The amounts that node_take() takes from the node follow from the hold and the task's
 * shape.
 */
#ifndef LIBSCHED_PLACEMENT_H
#define LIBSCHED_PLACEMENT_H

#include "model/store/columns.h"

/* Which free amount is meant:
 *   DEVICE_NOW: free now and not needed by nominated tasks
 *   DEVICE_LATER: free after releasing tasks are gone and nominated tasks are placed
 *   DEVICE_APART: free now, including what nominated tasks need
 *   DEVICE_EMPTY: all that the node or device has */
enum device_when { DEVICE_NOW, DEVICE_LATER, DEVICE_APART, DEVICE_EMPTY };

/* Bits of DEVICE.CLOSED: why a device takes no task (device.h). */
enum device_closed { DEVICE_CORDONED = 1, DEVICE_FAILED = 2, DEVICE_FOREIGN = 4 };

struct hold {
    uint64_t starts; /* MIG: device i's first memory slice in bits 4i to 4i + 3 */
    uint32_t mask;   /* mask of devices, bit i for device i of the node */
    uint16_t nics;
    uint8_t numa; /* mask of the NUMA nodes to which the task is pinned; 0: none */
    /* MIG: devices of the mask whose instance the orchestrator has still to make */
    uint16_t recut;
};

static inline struct hold task_hold(const struct columns *k, uint32_t task) {
    return (struct hold){k->c[C_TASK_STARTS].u64[task], k->c[C_TASK_MASK].u16[task],
                         k->c[C_TASK_NICS].u16[task], k->c[C_TASK_NUMA].u8[task],
                         k->c[C_TASK_RECUT].u16[task]};
}
static inline void task_set_hold(struct columns *k, uint32_t task, const struct hold *h) {
    int fresh = row_is_fresh(k, T_TASK, task);
    fill_u64(k, fresh, C_TASK_STARTS, task, h->starts);
    fill_u16(k, fresh, C_TASK_MASK, task, (uint16_t)h->mask);
    fill_u16(k, fresh, C_TASK_NICS, task, h->nics);
    fill_u8(k, fresh, C_TASK_NUMA, task, h->numa);
    fill_u16(k, fresh, C_TASK_RECUT, task, h->recut);
}
static inline int hold_equals(const struct hold *a, const struct hold *b) {
    return a->mask == b->mask && a->starts == b->starts && a->nics == b->nics && a->numa == b->numa;
}

#endif
