/*
 * shape.h -- interned requests of tasks and jobs. A task shape is the request of one task. A job
 * shape is the gang tree with all fields that decide where a job can be placed. Priority, times,
 * tag and name are not in it.
 *
 * The canonical bytes of a job shape describe the whole tree, and use names instead of rows. For
 * each distinct shape, the rows of SHAPE and GROUP are decoded once from these bytes. A job uses
 * four bytes for its shape, however large the tree is.
 */
#ifndef LIBSCHED_SHAPE_H
#define LIBSCHED_SHAPE_H

#include "model/shapes/shape_part.h"
#include "model/shapes/supply_need.h"
#include "model/store/intern.h"

struct amount_spec {
    lsched_text kind;
    int64_t amount;
};

struct selector_spec {
    lsched_text key;
    const lsched_text *values; /* sorted */
    uint32_t n_values;
};

struct demand_spec {
    lsched_text kind;
    int64_t from_us, amount;
};

/* Request of one task. `demand` is sorted by time; all other lists are sorted by name. */
struct task_spec {
    struct amount_spec request[KINDS_MAX];
    uint32_t n_request;
    uint32_t devices, device_milli;
    int64_t device_memory;
    const lsched_text *models;
    uint32_t n_models;
    const struct selector_spec *selectors;
    uint32_t n_selectors;
    const struct demand_spec *demand;
    uint32_t n_demand;
    /* 1: the times in `demand` are times of the day (daily_demand.h) */
    uint32_t daily;
    /* Requirements on devices except number, share, memory and models. If all are zero, the task
     * has none. */
    uint32_t sm_count, isolation, order, link, numa, nics, mig_slices;
    int64_t device_limit;
    lsched_text profile, selector;
    const lsched_text *match, *distinct; /* sorted */
    uint32_t n_match, n_distinct;
    /* tolerations and affinity rules, encoded as node_rules.h says; NULL: none */
    const struct bytes *rules;
    const struct supply_spec *supplies; /* sorted by name */
    uint32_t n_supplies;
    lsched_text work; /* kind of work; empty: the task names none */
};

struct group_spec {
    uint32_t parent, n_children, min, max;
    lsched_text name, topology, required, preferred;
    /* level of a topology spread, for leaf groups: one domain of this level holds at most
     * spread_max tasks */
    lsched_text spread;
    uint32_t spread_max;
    /* most tasks of a leaf group on one node; 0: any number */
    uint32_t node_max;
    /* number of tasks of a leaf group that do not exist yet */
    uint32_t absent;
    /* 1: the size of a leaf group is chosen when the job starts (GROUP.FIXED) */
    uint32_t fixed;
    /* mode: LSCHED_DOMAINS_*; n_slices: number of levels of task blocks in slices[], the widest
     * level first */
    uint32_t mode, n_slices;
    lsched_slice slices[LSCHED_SLICES_MAX];
    /* for leaf groups: the request of the shape alternative that is being encoded */
    struct task_spec task;
};

/* Bits of SHAPE.PICKY: reasons why a task can be unable to take several devices together,
 * although each of them fits (device_select.h). */
enum { PICKY_MATCH = 1, PICKY_LINK = 2, PICKY_NUMA = 4, PICKY_NICS = 8, PICKY_CHARGE = 16 };

/* These functions append canonical bytes to *b. For a leaf group, the caller calls
 * shape_encode_group() and shape_encode_leaf(), and then, for each alternative,
 * shape_begin_task(), shape_encode_task() and shape_end_task(). */
size_t shape_begin_task(struct bytes *b);
void shape_end_task(struct bytes *b, size_t begin);
void shape_encode_leaf(struct bytes *b, uint32_t n_alternatives);
void shape_encode_task(struct bytes *b, const struct task_spec *t);
/* Appends the bytes of a job that precede its groups. delay_us: the time for which the job waits
 * before other jobs can be evicted for it, in microseconds. */
void shape_encode_job(struct bytes *b, uint32_t flags, int64_t delay_us, uint32_t n_groups);
void shape_encode_group(struct bytes *b, const struct group_spec *g);

/* shape_get() and jobshape_get() intern and decode the bytes and set *row. The caller becomes a
 * holder of the row. They can return LSCHED_E_NOMEM, or LSCHED_E_CORRUPT if the bytes cannot be
 * decoded. shape_drop() and jobshape_drop() remove one holder. jobshape_drop_records() returns the
 * most undo records that jobshape_drop() writes, for undo_room_for(). */
int32_t shape_get(struct columns *k, const void *bytes, size_t n, uint32_t *row);
void shape_drop(struct columns *k, uint32_t shape);
int32_t jobshape_get(struct columns *k, const void *bytes, size_t n, uint32_t *row);
void jobshape_drop(struct columns *k, uint32_t jobshape);
size_t jobshape_drop_records(const struct columns *k, uint32_t jobshape);
/* Sets *row to the job shape that is equal to `jobshape` except for its minimum, and makes that
 * shape if it is new. `jobshape` must have exactly one group. The caller becomes a holder of the
 * row. Can return LSCHED_E_NOMEM. */
int32_t jobshape_with_minimum(struct columns *k, uint32_t jobshape, uint32_t min, uint32_t *row);

/* Numbers of tasks of a group. For an inner group, only `min` is read.
 *   min, max   as submitted
 *   members    number of tasks that exist; max or more: all
 *   size       number of tasks that was chosen at the start; 0: none. Read if GROUP.FIXED is set */
struct group_sizes {
    uint32_t min, max, members, size;
};
/* Writes the numbers of all groups of the job shape to counts[]. */
void jobshape_counts(const struct columns *k, uint32_t jobshape,
                     struct group_sizes counts[LSCHED_GROUPS_PER_JOB_MAX]);
/* Sets *row to the job shape that is equal to `jobshape` except for the numbers counts[g] of each
 * group g, and makes that shape if it is new. The caller becomes a holder of the row. Can return
 * LSCHED_E_NOMEM. */
int32_t jobshape_with_counts(struct columns *k, uint32_t jobshape, const struct group_sizes *counts,
                             uint32_t *row);
/* Returns the least number of tasks with which the gang is satisfied, by the minimums as
 * submitted, whatever sizes are chosen. */
uint32_t jobshape_least(const struct columns *k, uint32_t jobshape);

/* Bits of JOBSHAPE.PINNED: reasons why two jobs of the shape can differ after their first tasks
 * are placed. */
enum {
    PINNED_REQUIRED = 1,
    PINNED_SPREAD = 2,
    PINNED_ALTERNATIVES = 4,
    PINNED_SLICES = 8,
    PINNED_MEMBERS = 16,
    PINNED_FIXED = 32,
    PINNED_EXCLUSIVE = 64, /* a leaf group has an exclusive level */
};

/* group_row() returns the GROUP row of group g of a job shape; group_shape() returns the task
 * shape of leaf group g. */
static inline uint32_t group_row(const struct columns *k, uint32_t jobshape, uint32_t g) {
    return k->c[C_JOBSHAPE_GROUP_FIRST].u32[jobshape] + g;
}
static inline uint32_t group_shape(const struct columns *k, uint32_t jobshape, uint32_t g) {
    return k->c[C_GROUP_SHAPE].u32[group_row(k, jobshape, g)];
}
/* Returns the task shape of alternative a of a leaf group. row: the GROUP row of the leaf group.
 * Alternative 0 is GROUP.SHAPE; a waiting job is counted with it. */
static inline uint32_t group_alternative(const struct columns *k, uint32_t row, uint32_t a) {
    if (k->c[C_GROUP_ALTERNATIVES].u32[row] == NO_ROW) return k->c[C_GROUP_SHAPE].u32[row];
    return ((const uint32_t *)text_bytes(k, k->c[C_GROUP_ALTERNATIVES].u32[row]))[a];
}

/* True if the number of tasks of the leaf group in one domain or on one node is limited. row: the
 * GROUP row of the leaf group. */
static inline int group_is_spread(const struct columns *k, uint32_t row) {
    return k->c[C_GROUP_SPREAD].u32[row] != NO_ROW || k->c[C_GROUP_NODE_MAX].u32[row] > 0;
}

/* Returns the number of tasks of the leaf group that exist, in whole task blocks. row: the GROUP
 * row of the leaf group. */
static inline uint32_t group_members(const struct columns *k, uint32_t row) {
    uint32_t n = k->c[C_GROUP_MEMBERS].u32[row], max = k->c[C_GROUP_MAX].u32[row];
    if (n > max) n = max;
    return k->c[C_GROUP_N_SLICES].u8[row] ? n - n % k->c[C_GROUP_SLICE_TASKS0].u32[row] : n;
}
/* True if not all tasks of the job exist. */
static inline int jobshape_is_partial(const struct columns *k, uint32_t jobshape) {
    return (k->c[C_JOBSHAPE_PINNED].u8[jobshape] & PINNED_MEMBERS) != 0;
}

/* Returns the number of indexes that tasks of the job can have. It does not depend on chosen
 * sizes. */
static inline uint32_t jobshape_indexes(const struct columns *k, uint32_t jobshape) {
    return k->c[C_JOBSHAPE_INDEXES].u32[jobshape];
}

/* True if the size of a leaf group of the job is chosen when the job starts. */
static inline int jobshape_is_fixed(const struct columns *k, uint32_t jobshape) {
    return (k->c[C_JOBSHAPE_PINNED].u8[jobshape] & PINNED_FIXED) != 0;
}
/* True if the size of the leaf group is chosen at its start, and has not been chosen. row: the
 * GROUP row of the leaf group. */
static inline int group_is_open(const struct columns *k, uint32_t row) {
    return k->c[C_GROUP_FIXED].u8[row] && k->c[C_GROUP_SIZE].u32[row] == 0;
}

/* Returns 1 if any leaf group of the job shape has several alternatives. */
static inline int jobshape_chooses(const struct columns *k, uint32_t jobshape) {
    return (k->c[C_JOBSHAPE_PINNED].u8[jobshape] & PINNED_ALTERNATIVES) != 0;
}

/* Returns the topology level that the group requires. If the group requires none, returns the
 * level of the closest group above that requires one, or NO_ROW. Sets *tree to the topology of
 * that group. */
static inline uint32_t jobshape_required_level(const struct columns *k, uint32_t jobshape,
                                               uint32_t group, uint32_t *tree) {
    for (uint32_t g = group;; g = k->c[C_GROUP_PARENT].u32[group_row(k, jobshape, g)]) {
        uint32_t row = group_row(k, jobshape, g), level = k->c[C_GROUP_REQUIRED].u32[row];
        *tree = k->c[C_GROUP_TOPOLOGY].u32[row];
        if (level != NO_ROW || g == 0) return level;
    }
}

/* Returns 1 if the shape asks for a share of each device, and for no memory, SMs, limit or
 * isolation. Most shapes do, and computing their charge needs no 128-bit divisions. */
static inline int shape_asks_share_alone(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_DEVICE_MILLI].u32[shape] && k->c[C_SHAPE_DEVICE_MEM].i64[shape] == 0 &&
           k->c[C_SHAPE_SM_COUNT].u32[shape] == 0 && k->c[C_SHAPE_ISOLATION].u8[shape] == 0 &&
           k->c[C_SHAPE_DEVICE_LIMIT].i64[shape] == 0;
}
/* Returns 1 if the charge of the shape's tasks can differ from device to device. */
int shape_charge_varies(const struct columns *k, uint32_t shape);

#endif
