/*
 * placement.h -- what one task holds inside its node: devices, for MIG the first slice on each,
 * network cards, NUMA nodes. Chosen by pick_hold(), kept in TASK.{MASK, STARTS, NICS, NUMA, RECUT},
 * zero while the task has no place. With the task's shape it says all that node_take() takes.
 */
#ifndef LIBSCHED_PLACEMENT_H
#define LIBSCHED_PLACEMENT_H

#include "model/store/columns.h"

/* What of a device can be taken: now, or when what leaves has left. Of what is free now, less where
 * claims count on it; APART: whatever claims count on. EMPTY: nobody is on it. */
enum device_when { DEVICE_NOW, DEVICE_LATER, DEVICE_APART, DEVICE_EMPTY };

struct hold {
    uint64_t starts; /* MIG: device i's first memory slice in bits 4i to 4i + 3 */
    uint32_t mask;   /* devices of the node, bit i = device i */
    uint16_t nics;
    uint8_t numa;   /* NUMA nodes that it is pinned to; 0: none */
    uint16_t recut; /* MIG: devices of the mask whose instance the host has yet to make */
};

static inline struct hold task_hold(const struct columns *k, uint32_t task) {
    return (struct hold){k->c[C_TASK_STARTS].u64[task], k->c[C_TASK_MASK].u16[task],
                         k->c[C_TASK_NICS].u16[task], k->c[C_TASK_NUMA].u8[task],
                         k->c[C_TASK_RECUT].u16[task]};
}
static inline void task_set_hold(struct columns *k, uint32_t task, const struct hold *h) {
    set_u64(k, C_TASK_STARTS, task, h->starts);
    set_u16(k, C_TASK_MASK, task, (uint16_t)h->mask);
    set_u16(k, C_TASK_NICS, task, h->nics);
    set_u8(k, C_TASK_NUMA, task, h->numa);
    set_u16(k, C_TASK_RECUT, task, h->recut);
}
static inline int hold_equals(const struct hold *a, const struct hold *b) {
    return a->mask == b->mask && a->starts == b->starts && a->nics == b->nics && a->numa == b->numa;
}

#endif
