/*
 * node.h -- nodes and their devices.
 *
 * Invariants: FREE[kind] = CAP[kind] - what the tasks on the node hold (those that follow the day:
 * daily_demand.h); FREE[gpu] = sum of FREE_MILLI of its devices minus what an import took beyond
 * (EXCESS); GPU_WHOLE = devices with 1000 milli free. Devices of a node are one block of rows. A
 * node that gained room stands in the GREW list until the next cycle has looked at who waits for
 * it.
 *
 * COMING[kind] = what the tasks that leave the node will give back - what nominated tasks claim;
 * devices likewise; FUTURE counts both sorts, so a node without any is asked for FREE alone. Room
 * now: FREE, and FREE + COMING, so that a claim is never built over. Room later: FREE + COMING.
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

/* All return LSCHED_OK or LSCHED_E_NOMEM / _LIMIT; the caller rolls back. */
int32_t node_add(struct columns *k, const struct node_spec *spec, uint32_t *row);
void node_remove(struct columns *k, uint32_t node); /* no task may be on it */
void node_set_state(struct columns *k, uint32_t node, uint8_t state);
int32_t node_set_capacity(struct columns *k, uint32_t node, uint32_t kind, int64_t amount);
struct node_rules_change {
    int sets_taints, sets_tasks_max;
    const struct bytes *taints; /* canonical bytes; NULL: none */
    uint32_t tasks_max;
};
/* All labels anew, sorted; it may be in other domains then. */
int32_t node_set_labels(struct columns *k, uint32_t node, const lsched_label *labels, uint32_t n);
int32_t node_set_rules(struct columns *k, uint32_t node, const struct node_rules_change *to);

/* Could an empty node of this kind ever hold one task of the shape: capacity, devices, models,
 * selectors. */
int node_able(const struct columns *k, uint32_t node, uint32_t shape);
/* Of that, the labels that the shape selects alone. */
int node_selected(const struct columns *k, uint32_t node, uint32_t shape);
/* Of that, the labels and taints alone. */
int node_welcomes(const struct columns *k, uint32_t node, uint32_t shape);
/* Is there room now; the node must be ready and able. */
int node_fits(const struct columns *k, uint32_t node, uint32_t shape);
/* Is there room for what runs there anyway, whatever claims count on it. */
int node_fits_apart(const struct columns *k, uint32_t node, uint32_t shape);
/* Will there be, when what leaves has left. */
int node_fits_later(const struct columns *k, uint32_t node, uint32_t shape);
/* So many tasks more by the bound on their number alone; below 0 if it was lowered.
 * LSCHED_TASKS_PER_JOB_MAX without one. */
int64_t node_places(const struct columns *k, uint32_t node, enum device_when when);
/* Take and give back what one task holds; of a daily shape (daily_demand.h) day_reserve() comes
 * before, day_review() after. */
void node_take(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
void node_give(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h);
/* What one task holds will come back (sign 1: it leaves), or is claimed (-1); count: how FUTURE
 * changes. */
void node_coming(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h, int sign,
                 int count);

#endif
