/*
 * shape.h -- interned requests of tasks and jobs. A task shape is the request of one task. A job
 * shape is the gang tree with everything that makes two jobs equal to the scheduler (not
 * priority, times, tag, name).
 *
 * The canonical bytes of a job shape describe the whole tree by names. Rows of SHAPE and GROUP
 * are decoded from these bytes once per distinct shape. A job pays four bytes for its shape,
 * however large the tree is.
 */
#ifndef LIBSCHED_SHAPE_H
#define LIBSCHED_SHAPE_H

#include "model/shapes/shape_part.h"
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

/* Request of one task. All lists are sorted by name, the demand by time. */
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
    /* 1: the steps of `demand` are times of the day (daily_demand.h), in order of time */
    uint32_t daily;
    /* Requirements on devices beyond count, share, memory and models; all zero: none. */
    uint32_t cores, isolation, order, link, numa, nics, mig_slices;
    int64_t device_limit;
    lsched_text profile, selector;
    const lsched_text *match, *distinct; /* sorted */
    uint32_t n_match, n_distinct;
    /* tolerations and affinity rules, encoded as node_rules.h says; NULL: none */
    const struct bytes *rules;
};

struct group_spec {
    uint32_t parent, n_children, min, max;
    lsched_text name, topology, required, preferred;
    lsched_text spread; /* leaves: one domain of this level holds at most spread_max tasks */
    uint32_t spread_max;
    /* mode: LSCHED_DOMAINS_*; n_slices: levels of task blocks, the widest first */
    uint32_t mode, n_slices;
    lsched_slice slices[LSCHED_SLICES_MAX];
    struct task_spec task; /* leaves: the shape alternative that is being encoded */
};

/* Bits of SHAPE.PICKY: reasons why devices that fit one by one can be unusable together
 * (device_select.h). */
enum { PICKY_MATCH = 1, PICKY_LINK = 2, PICKY_NUMA = 4, PICKY_NICS = 8, PICKY_CHARGE = 16 };

/* Append canonical bytes. After the bytes of a leaf's group comes shape_encode_leaf(); then, for
 * each alternative, shape_begin_task(), shape_encode_task() and shape_end_task(). */
size_t shape_begin_task(struct bytes *b);
void shape_end_task(struct bytes *b, size_t begin);
void shape_encode_leaf(struct bytes *b, uint32_t n_alternatives);
void shape_encode_task(struct bytes *b, const struct task_spec *t);
/* Appends the head of a job. delay_us: how long the job waits before it evicts others, in
 * microseconds. */
void shape_encode_job(struct bytes *b, uint32_t flags, int64_t delay_us, uint32_t n_groups);
void shape_encode_group(struct bytes *b, const struct group_spec *g);

/* Intern and decode the bytes; the caller gets one hold on the row. LSCHED_E_NOMEM, or
 * LSCHED_E_CORRUPT for bytes that do not decode. */
int32_t shape_get(struct columns *k, const void *bytes, size_t n, uint32_t *row);
void shape_drop(struct columns *k, uint32_t shape);
int32_t jobshape_get(struct columns *k, const void *bytes, size_t n, uint32_t *row);
void jobshape_drop(struct columns *k, uint32_t jobshape);
/* Returns in *row the shape that differs from this one, which has one group, in its minimum
 * alone; the caller gets one hold on the row. Can return LSCHED_E_NOMEM. */
int32_t jobshape_with_minimum(struct columns *k, uint32_t jobshape, uint32_t min, uint32_t *row);

/* Bits of JOBSHAPE.PINNED: reasons why two jobs of the shape can differ once they hold tasks. */
enum { PINNED_REQUIRED = 1, PINNED_SPREAD = 2, PINNED_ALTERNATIVES = 4, PINNED_SLICES = 8 };

/* Return the row in GROUP of group g of a job shape, and the leaf's task shape. */
static inline uint32_t group_row(const struct columns *k, uint32_t jobshape, uint32_t g) {
    return k->c[C_JOBSHAPE_GROUP_FIRST].u32[jobshape] + g;
}
static inline uint32_t group_shape(const struct columns *k, uint32_t jobshape, uint32_t g) {
    return k->c[C_GROUP_SHAPE].u32[group_row(k, jobshape, g)];
}
/* Returns the shape of alternative a of a leaf, by the leaf's row in GROUP. Alternative 0 is
 * GROUP.SHAPE, with which a waiting job is counted. */
static inline uint32_t group_alternative(const struct columns *k, uint32_t row, uint32_t a) {
    if (k->c[C_GROUP_ALTERNATIVES].u32[row] == NO_ROW) return k->c[C_GROUP_SHAPE].u32[row];
    return ((const uint32_t *)text_bytes(k, k->c[C_GROUP_ALTERNATIVES].u32[row]))[a];
}

/* Returns 1 if a leaf of the job shape has several alternatives. */
static inline int jobshape_chooses(const struct columns *k, uint32_t jobshape) {
    return (k->c[C_JOBSHAPE_PINNED].u8[jobshape] & PINNED_ALTERNATIVES) != 0;
}

/* Returns 1 if the shape asks for a share of each device and nothing else of it. Most shapes do,
 * and need no 128-bit divisions. */
static inline int shape_asks_share_alone(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_DEVICE_MILLI].u32[shape] && k->c[C_SHAPE_DEVICE_MEM].i64[shape] == 0 &&
           k->c[C_SHAPE_CORES].u32[shape] == 0 && k->c[C_SHAPE_ISOLATION].u8[shape] == 0 &&
           k->c[C_SHAPE_DEVICE_LIMIT].i64[shape] == 0;
}
/* Returns 1 if the charge of the shape's tasks can differ from device to device. */
int shape_charge_varies(const struct columns *k, uint32_t shape);

#endif
