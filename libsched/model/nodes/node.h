/*
 * node.h -- nodes and their devices.
 *
 * Invariants: FREE[kind] = CAP[kind] - what the tasks on the node hold (for daily demand see
 * daily_demand.h); FREE[gpu] = sum of FREE_MILLI of the node's devices minus what an import took
 * beyond them (EXCESS); GPU_WHOLE = devices with 1000 milli-GPUs free. The devices of a node are
 * one block of rows. A node that gained room is in the GREW list until the next cycle has looked
 * at the bundles that wait for room.
 *
 * COMING[kind] = what the node's releasing tasks will give back - what its nominated tasks will
 * take; the devices of the node keep such a sum, too. FUTURE counts releasing and nominated
 * tasks, so for a node without any, FREE alone is read. Room now is what fits both into FREE and
 * into FREE + COMING, so that nominated room is never taken. Room later: FREE + COMING.
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
    struct device_spec devices[LSCHED_DEVICES_PER_NODE_MAX];
    int64_t capacity[KINDS_MAX];
    const lsched_label *labels; /* sorted by key, keys unique */
    uint32_t n_labels;
    int64_t price, power;
    const struct bytes *machine, *taints; /* canonical bytes; NULL: none */
    uint32_t tasks_max;
};

/* Functions that return int32_t return LSCHED_OK, LSCHED_E_NOMEM or LSCHED_E_LIMIT; on error the
 * caller rolls back. */
int32_t node_add(struct columns *k, const struct node_spec *spec, uint32_t *row);
void node_remove(struct columns *k, uint32_t node); /* no task is on the node */
void node_set_state(struct columns *k, uint32_t node, uint8_t state);
int32_t node_set_capacity(struct columns *k, uint32_t node, uint32_t kind, int64_t amount);
struct node_rules_change {
    int sets_taints, sets_tasks_max;
    const struct bytes *taints; /* canonical bytes; NULL: none */
    uint32_t tasks_max;
};
/* Replaces all labels; `labels` is sorted. The node can be in other domains afterwards. */
int32_t node_set_labels(struct columns *k, uint32_t node, const lsched_label *labels, uint32_t n);
int32_t node_set_rules(struct columns *k, uint32_t node, const struct node_rules_change *to);

/* Returns 1 if an empty node of this kind could hold one task of the shape: capacity, devices,
 * models, selectors, taints. */
int node_able(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns 1 if the node has the labels that the shape selects. It checks nothing else of
 * node_able(). */
int node_selected(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns 1 if the node's labels and taints allow the shape. It checks nothing else of
 * node_able(). */
int node_welcomes(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns 1 if the node has room now; the node must be ready and able. */
int node_fits(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns 1 if the node has room now, also where nominated tasks count on it. For tasks that run
 * there already. */
int node_fits_apart(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns 1 if the node will have room after its releasing tasks are gone. */
int node_fits_later(const struct columns *k, uint32_t node, uint32_t shape);
/* Returns how many more tasks the bound on their number allows; below 0 if the bound was lowered.
 * LSCHED_TASKS_PER_JOB_MAX without a bound. */
int64_t node_places(const struct columns *k, uint32_t node, enum device_when when);
/* Take and give back what one task holds. For a task of a daily shape (daily_demand.h),
 * daily_demand_reserve() must be called before and daily_demand_review() after. */
void node_take(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
void node_give(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
/* Adds what one task holds to what is expected to come free (COMING) if sign is 1, subtracts it if
 * sign is -1, and adds `count` to FUTURE, the number of releasing and nominated tasks on the node.
 * Cases (sign, count): (1, 1) the task is releasing; (1, -1) its nomination ends; (-1, 1) it is
 * nominated; (-1, -1) the releasing task is gone or runs again; (-1, 0) the releasing task is
 * stuck. */
void node_coming(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h, int sign,
                 int count);

#endif
