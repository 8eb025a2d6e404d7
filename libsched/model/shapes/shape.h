/*
 * shape.h -- what tasks and jobs ask for, interned. A task shape is the request of one task; a job
 * shape is the gang tree with everything that makes two jobs equal to the scheduler (not priority,
 * times, tag, name).
 *
 * A job shape's canonical bytes hold all of it by names; rows of SHAPE and GROUP are decoded from
 * them once per distinct shape. A job pays four bytes for its shape however large the tree is.
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

/* All lists sorted by name (demand by time). */
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
    uint32_t daily; /* 1: the steps are times of the day (daily_demand.h), in order of time */
    /* Devices beyond count, share, memory and models; all zero: nothing is asked. */
    uint32_t cores, isolation, order, link, numa, nics, mig_slices;
    int64_t device_limit;
    lsched_text profile, selector;
    const lsched_text *match, *distinct; /* sorted */
    uint32_t n_match, n_distinct;
    const struct bytes *rules; /* tolerations, affinity: node_rules.h says how; NULL: none */
};

struct group_spec {
    uint32_t parent, n_children, min, max;
    lsched_text name, topology, required, preferred;
    lsched_text spread; /* leaves: one domain of this level holds at most spread_max tasks */
    uint32_t spread_max;
    uint32_t mode, n_slices; /* LSCHED_DOMAINS_*; slices, the widest first */
    lsched_slice slices[LSCHED_SLICES_MAX];
    struct task_spec task; /* leaves: the alternative in hand */
};

/* Bits of SHAPE.PICKY: why devices that fit one by one may not do together (device_select.h). */
enum { PICKY_MATCH = 1, PICKY_LINK = 2, PICKY_NUMA = 4, PICKY_NICS = 8, PICKY_CHARGE = 16 };

/* Append canonical bytes. A leaf's group is followed by shape_encode_leaf(), for each alternative
 * one shape_begin_task(), its bytes, shape_end_task(). */
size_t shape_begin_task(struct bytes *b);
void shape_end_task(struct bytes *b, size_t begin);
void shape_encode_leaf(struct bytes *b, uint32_t n_alternatives);
void shape_encode_task(struct bytes *b, const struct task_spec *t);
/* delay_us: how long it waits before it evicts others. */
void shape_encode_job(struct bytes *b, uint32_t flags, int64_t delay_us, uint32_t n_groups);
void shape_encode_group(struct bytes *b, const struct group_spec *g);

/* Intern and decode; the caller holds one more. LSCHED_E_NOMEM, or LSCHED_E_CORRUPT for bytes that
 * do not decode. */
int32_t shape_get(struct columns *k, const void *bytes, size_t n, uint32_t *row);
void shape_drop(struct columns *k, uint32_t shape);
int32_t jobshape_get(struct columns *k, const void *bytes, size_t n, uint32_t *row);
void jobshape_drop(struct columns *k, uint32_t jobshape);
/* The shape that differs from this one, of one group, in its minimum alone; the caller holds one
 * more. LSCHED_E_NOMEM. */
int32_t jobshape_with_minimum(struct columns *k, uint32_t jobshape, uint32_t min, uint32_t *row);

/* Bits of JOBSHAPE.PINNED: why two jobs of the shape may not be alike once they hold tasks. */
enum { PINNED_REQUIRED = 1, PINNED_SPREAD = 2, PINNED_ALTERNATIVES = 4, PINNED_SLICES = 8 };

/* Row in GROUP of group g of a job shape, and the leaf's task shape. */
static inline uint32_t group_row(const struct columns *k, uint32_t jobshape, uint32_t g) {
    return k->c[C_JOBSHAPE_GROUP_FIRST].u32[jobshape] + g;
}
static inline uint32_t group_shape(const struct columns *k, uint32_t jobshape, uint32_t g) {
    return k->c[C_GROUP_SHAPE].u32[group_row(k, jobshape, g)];
}
/* Alternative a of a leaf, by its row in GROUP; the first is GROUP.SHAPE, what a job counts with
 * while it waits. */
static inline uint32_t group_alternative(const struct columns *k, uint32_t row, uint32_t a) {
    if (k->c[C_GROUP_ALTERNATIVES].u32[row] == NO_ROW) return k->c[C_GROUP_SHAPE].u32[row];
    return ((const uint32_t *)text_bytes(k, k->c[C_GROUP_ALTERNATIVES].u32[row]))[a];
}

/* May a leaf of the job shape choose between alternatives. */
static inline int jobshape_chooses(const struct columns *k, uint32_t jobshape) {
    return (k->c[C_JOBSHAPE_PINNED].u8[jobshape] & PINNED_ALTERNATIVES) != 0;
}

/* A share and nothing else, which is what most ask for: no quotients of 128 bits. */
static inline int shape_asks_share_alone(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_DEVICE_MILLI].u32[shape] && k->c[C_SHAPE_DEVICE_MEM].i64[shape] == 0 &&
           k->c[C_SHAPE_CORES].u32[shape] == 0 && k->c[C_SHAPE_ISOLATION].u8[shape] == 0 &&
           k->c[C_SHAPE_DEVICE_LIMIT].i64[shape] == 0;
}
/* May what tasks of the shape are charged differ from device to device. */
int shape_charge_varies(const struct columns *k, uint32_t shape);

#endif
