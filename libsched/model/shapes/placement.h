/*
 * placement.h -- what one task holds inside its node: devices, for MIG the first slice on each
 * device, network cards, NUMA nodes. device_select() chooses a hold; TASK.{MASK, STARTS, NICS,
 * NUMA, RECUT} store it, and are zero while the task has no place. The hold and the task's shape
 * together say all that node_take() takes.
 */
#ifndef LIBSCHED_PLACEMENT_H
#define LIBSCHED_PLACEMENT_H

#include "model/store/columns.h"

/* Which free amount is meant. NOW: what is free now, less what nominated tasks count on. LATER:
 * what is free after releasing tasks are gone and nominated tasks are placed. APART: what is free
 * now, whatever nominated tasks count on. EMPTY: what an empty node or device has. */
enum device_when { DEVICE_NOW, DEVICE_LATER, DEVICE_APART, DEVICE_EMPTY };

struct hold {
    uint64_t starts; /* MIG: device i's first memory slice in bits 4i to 4i + 3 */
    uint32_t mask;   /* devices of the node, bit i = device i */
    uint16_t nics;
    uint8_t numa; /* NUMA nodes to which the task is pinned; 0: none */
    /* MIG: devices of the mask whose instance the orchestrator has still to make */
    uint16_t recut;
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
