/*
 * resource_part.h -- quota kinds that are a part of another kind: what of it is on devices of one
 * model, in MIG instances of one profile, on nodes of one pool, or all of these at once.
 *
 * Their numbers follow those of the kinds that have columns. No node has a capacity of them and no
 * task asks for them: what a task holds of them follows from the node and the devices that it was
 * given. A queue has a QAMOUNT row for one only if it has a quota, a limit or use of it; the rows
 * hang in a list from QUEUE.AMOUNTS. Not a column each: there may be 112 kinds, thousands of
 * queues, and few queues that name a model.
 *
 * Invariant: USED of (queue, kind) is the sum, over the tasks that hold something in the queue and
 * below, of derived_held(). A row that is missing says: nothing used, no quota, no limit. Rows stay
 * until their queue goes.
 * Cost: one branch while there is no derived kind; else O(queue depth x rows of a queue) per task
 * that is placed.
 */
#ifndef LIBSCHED_RESOURCE_PART_H
#define LIBSCHED_RESOURCE_PART_H

#include "model/shapes/placement.h"
#include "model/store/intern.h"

/* Rows of DERIVED are never freed, so row and number are the same but for an offset. */
static inline uint32_t derived_count(const struct columns *k) {
    return table_rows(k, T_DERIVED);
}
static inline int kind_is_derived(const struct columns *k, uint32_t kind) {
    return kind >= KINDS_MAX && kind - KINDS_MAX < derived_count(k);
}
/* The text of the name of a kind of either sort; and the kind in whose units it is counted. */
static inline uint32_t kind_name(const struct columns *k, uint32_t kind) {
    return kind >= KINDS_MAX ? k->c[C_DERIVED_NAME].u32[kind - KINDS_MAX]
                             : k->c[C_KIND_NAME].u32[kind];
}
static inline uint32_t kind_base(const struct columns *k, uint32_t kind) {
    return kind >= KINDS_MAX ? k->c[C_DERIVED_BASE].u32[kind - KINDS_MAX] : kind;
}

/* What a kind counts. Empty texts and NO_ROW: any. Model and profile are of LSCHED_GPU only. */
struct derived_spec {
    uint32_t base;
    lsched_text model, profile;
    uint32_t pool; /* row of POOL */
};
/* The number of the kind, new or known with this meaning; what tasks hold already is charged.
 * LSCHED_E_EXISTS if the name means something else, LSCHED_E_LIMIT, LSCHED_E_NOMEM. */
int32_t derived_add(struct columns *k, lsched_text name, const struct derived_spec *spec);

/* Quota and limit of one queue; the row is made if it would say something. LSCHED_E_NOMEM. */
int32_t derived_set(struct columns *k, uint32_t queue, uint32_t kind, int64_t quota, int64_t limit);
/* What the policy says the limit is now; and what was configured. LSCHED_E_NOMEM. */
int32_t derived_set_limit_now(struct columns *k, uint32_t queue, uint32_t kind, int64_t limit);
void derived_limits_as_configured(struct columns *k, uint32_t queue);
struct derived_amount {
    int64_t used, quota, limit; /* as configured */
    int64_t limit_now;
};
struct derived_amount derived_get(const struct columns *k, uint32_t queue, uint32_t kind);
void derived_drop(struct columns *k, uint32_t queue); /* all rows of a queue that goes */

/* What a task of the shape with this hold on the node holds of row `derived`. */
int64_t derived_held(const struct columns *k, uint32_t derived, uint32_t shape, uint32_t node,
                     const struct hold *h);
/* Charge it to the queue and its ancestors, for all kinds. LSCHED_E_NOMEM: rows are made here. */
int32_t derived_take(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                     const struct hold *h);
void derived_give(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                  const struct hold *h);
/* For all that counts on a node, before and after its labels change. LSCHED_E_NOMEM. */
int32_t derived_node_give(struct columns *k, uint32_t node);
int32_t derived_node_take(struct columns *k, uint32_t node);

/* Does a task of the shape count in row `derived` if it is on the node, whatever devices it gets;
 * may it on any, if NO_ROW. */
int derived_could(const struct columns *k, uint32_t derived, uint32_t shape, uint32_t node);

/* ---- limits (resource_part_limits.c) ---- */

/* Kinds of which the queues of a path leave less than one task of a shape may take, and how much
 * they leave. */
struct derived_short {
    uint32_t n;
    struct {
        uint32_t derived; /* row */
        int64_t left;
    } of[LIMIT_DERIVED_KINDS];
};
void derived_find_short(const struct columns *k, uint32_t queue, uint32_t shape,
                        struct derived_short *out);
/* Equal for equal contents in any order; 0 if nothing is short. For keys of caches. */
uint64_t derived_short_hash(const struct derived_short *s);
/* Of the devices in *from those that the limits leave: of a model that is short the tightest, as
 * many as there may be. 0 if the node is out of reach whatever the devices. */
int derived_narrow(const struct columns *k, uint32_t node, uint32_t shape, uint32_t *from,
                   const struct derived_short *s);

struct derived_limit {
    uint32_t queue, kind;
    int64_t left, limit, amount; /* amount: what was asked about */
};
/* Can every queue of the path take what a task holds there: 1; or 0 with the one that cannot,
 * lowest queue first, then by name of the kind. */
int derived_has_room(const struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                     const struct hold *h, struct derived_limit *out);
/* The same of one row of DERIVED. */
int derived_has_room_of(const struct columns *k, uint32_t queue, uint32_t derived, uint32_t shape,
                        uint32_t node, const struct hold *h, struct derived_limit *out);
/* The same for n tasks wherever they are, by the kinds that they are certain to use. */
int derived_certain_room(const struct columns *k, uint32_t queue, uint32_t shape, int64_t n,
                         struct derived_limit *out);
/* Does a task of the shape use the kind wherever it is: the shape allows its model alone. */
int derived_is_certain(const struct columns *k, uint32_t kind, uint32_t shape);

#endif
