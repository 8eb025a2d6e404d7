/*
 * node.h -- adds, updates and removes nodes and their devices, and writes their amounts FREE
 * (free now) and COMING (free when releasing tasks are gone).
 *
 * Invariants: FREE[kind] = CAP[kind] - FOREIGN[kind] - what the tasks on the node hold
 * (for daily demand see daily_demand.h); FREE[gpu] = sum of FREE_MILLI of the node's devices -
 * the milli-GPUs that imports took in excess of the devices (EXCESS); GPU_WHOLE = number of
 * devices with 1000 free milli-GPUs. Closed devices (device.h) count in none of the three. The
 * devices of a node are one block of rows. A node that gained room is in the GREW list until the
 * next cycle has tried the bundles that wait for room.
 *
 * COMING[kind] = the amounts that the node's releasing tasks will give back - the amounts that
 * its nominated tasks will take; each device has such a sum, too. FUTURE is the number of
 * releasing and nominated tasks. If it is 0, only FREE is read. A task has room now if it fits
 * into FREE and into FREE + COMING, so that room of nominations is never taken. A task has room
 * later if it fits into FREE + COMING.
 */
#ifndef LIBSCHED_NODE_H
#define LIBSCHED_NODE_H

#include "model/devices/device.h"
#include "model/news/grown_nodes.h"
#include "model/shapes/node_label.h"
#include "model/shapes/device_class.h"

struct node_spec {
    lsched_text name;
    uint64_t tag;
    uint8_t state;
    uint32_t n_devices;
    device_set closed; /* the devices that are closed (device.h) */
    /* [n_devices] rows of TAINTS + 1, as in DEVICE.TAINTS; NULL: no device has taints */
    const uint32_t *device_taints;
    int64_t capacity[KINDS_MAX];
    const lsched_label *labels; /* sorted by key; no key occurs twice */
    uint32_t n_labels;
    int64_t price, power;
    int64_t leaves, back, leaves_every;   /* absence.h */
    const struct bytes *machine, *taints; /* canonical bytes; NULL: none */
    uint32_t tasks_max;
    struct device_spec devices[LSCHED_DEVICES_PER_NODE_MAX]; /* n_devices of them are set */
};
/* Sets all members to 0, except the devices. */
static inline void node_spec_clear(struct node_spec *spec) {
    memset(spec, 0, offsetof(struct node_spec, devices));
}

/* Functions that return int32_t return LSCHED_OK, LSCHED_E_NOMEM or LSCHED_E_LIMIT; after an
 * error the caller must roll back. */
int32_t node_add(struct columns *k, const struct node_spec *spec, uint32_t *row);
/* Before the call, no task is on the node. Can return LSCHED_E_NOMEM. */
int32_t node_remove(struct columns *k, uint32_t node);
void node_set_state(struct columns *k, uint32_t node, uint8_t state);
int32_t node_set_capacity(struct columns *k, uint32_t node, uint32_t kind, int64_t amount);
/* Sets the amount of a kind, except gpu, that others use on the node. */
int32_t node_set_foreign(struct columns *k, uint32_t node, uint32_t kind, int64_t amount);
struct node_rules_change {
    int sets_taints, sets_tasks_max;
    const struct bytes *taints; /* canonical bytes; NULL: none */
    uint32_t tasks_max;
};
/* Replaces all labels of the node. labels: sorted by key. Afterwards the node can be in other
 * domains and pools. */
int32_t node_set_labels(struct columns *k, uint32_t node, const lsched_label *labels, uint32_t n);
int32_t node_set_rules(struct columns *k, uint32_t node, const struct node_rules_change *to);
/* Replaces all taints of a device of the node. taints: canonical bytes; NULL: none. */
int32_t node_set_device_taints(struct columns *k, uint32_t node, uint32_t index,
                               const struct bytes *taints);

/* Returns 1 if the node could hold one task of the shape if the node were empty. Checks capacity,
 * devices, models, selectors, affinity to labels and taints. */
int node_able(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns 1 if the node has the labels that the shape's selectors ask for. This is one of the
 * checks of node_able(). */
int node_selected(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns 1 if the node's labels and taints allow the shape. These are some of the checks of
 * node_able(). */
int node_welcomes(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns 1 if one more task of the shape fits on the node now. The caller has checked that the
 * node is ready and that node_able() returns 1. */
int node_fits(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns 1 if one more task of the shape fits into the amounts that are free now, even if
 * nominated tasks need them. It is used for tasks that already run on the node. */
int node_fits_apart(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns 1 if one more task of the shape will fit on the node after its releasing tasks are gone
 * and its nominated tasks are placed. */
int node_fits_later(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns how many more tasks the node's bound on the number of its tasks allows; below 0 if the
 * bound was lowered below the number of tasks. Returns LSCHED_TASKS_PER_JOB_MAX if the node has
 * no bound. */
int64_t node_places(const struct columns *k, uint32_t node, enum device_when when);
/* node_take() takes the amounts and devices of one task; node_give() gives them back. For a task
 * of a daily shape (daily_demand.h), the caller must call daily_demand_reserve() before and
 * daily_demand_review() after each of these functions. */
void node_take(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
void node_give(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
/* Changes what a running task takes of the node's amounts by more[kind], for all kinds but gpu. The
 * task is not daily and is pinned to no NUMA node. */
void node_resize(struct columns *k, uint32_t node, const int64_t more[KINDS_MAX]);
/* Adds the amounts of one task to COMING (sign 1) or subtracts them (sign -1), and adds `count`
 * to FUTURE. Cases (sign, count):
 *   (1, 1): the task becomes releasing
 *   (1, -1): the nomination of the task ends
 *   (-1, 1): the task is nominated
 *   (-1, -1): the releasing task is gone, or runs on because its eviction is undone
 *   (-1, 0): the releasing task is overdue (stuck) */
void node_coming(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h, int sign,
                 int count);

#endif
