/*
 * derived.h -- quota kinds that are a part of another kind: milli-GPU on devices of one model.
 *
 * Their numbers follow those of the kinds that have columns. No node has a capacity of them and no
 * task asks for them: what a task holds of them follows from the devices that it was given. A queue
 * has a QAMOUNT row for one only if it has a quota, a limit or use of it; the rows hang in a list
 * from QUEUE.AMOUNTS. Not a column each: there may be 112 kinds, thousands of queues, and few
 * queues that name a model.
 *
 * Invariant: USED of (queue, kind) is the sum, over the tasks that hold something in the queue and
 * below, of their share of each of their devices of that model. A row that is missing says: nothing
 * used, no quota, no limit. Rows stay until their queue goes.
 * Cost: one branch while there is no derived kind; else O(queue depth x rows of a queue) per task
 * that is placed.
 */
#ifndef LIBSCHED_DERIVED_H
#define LIBSCHED_DERIVED_H

#include "model/hold.h"
#include "model/intern.h"

/* Rows of DERIVED are never freed, so row and number are the same but for an offset. */
static inline uint32_t derived_count(const struct columns *k) {
    return table_rows(k, T_DERIVED);
}
static inline int kind_is_derived(const struct columns *k, uint32_t kind) {
    return kind >= KINDS_MAX && kind - KINDS_MAX < derived_count(k);
}
/* The text of the name of a kind of either sort. */
static inline uint32_t kind_name(const struct columns *k, uint32_t kind) {
    return kind >= KINDS_MAX ? k->c[C_DERIVED_NAME].u32[kind - KINDS_MAX]
                             : k->c[C_KIND_NAME].u32[kind];
}

/* The number of the kind, new or known with this model; what tasks hold already is charged.
 * LSCHED_E_EXISTS if the name means something else, LSCHED_E_LIMIT, LSCHED_E_NOMEM. */
int32_t derived_add(struct columns *k, lsched_text name, lsched_text model);

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

/* Charge what one task takes of the devices in mask to the queue and its ancestors.
 * LSCHED_E_NOMEM: rows are made here. */
int32_t derived_take(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                     const struct hold *h);
void derived_give(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                  const struct hold *h);

/* ---- limits ---- */

/* Models of which the queues of a path leave fewer devices than one task of a shape takes, and
 * how many they leave. */
struct derived_short {
    uint32_t n;
    struct {
        uint32_t model; /* row of STRING */
        uint32_t devices;
    } of[LIMIT_DERIVED_KINDS];
};
void derived_find_short(const struct columns *k, uint32_t queue, uint32_t shape,
                        struct derived_short *out);
/* Equal for equal contents in any order; 0 if nothing is short. For keys of caches. */
uint64_t derived_short_hash(const struct columns *k, const struct derived_short *s);
/* Of the devices in `from` those that the limits leave: of a model that is short the tightest, as many as it may be. */
uint32_t derived_narrow(const struct columns *k, uint32_t node, uint32_t from,
                        const struct derived_short *s);

struct derived_limit {
    uint32_t queue, kind;
    int64_t left, limit;
};
/* Can every queue of the path take `milli` more on the model: 1; or 0 with the one that cannot,
 * lowest queue first, then by name of the kind. */
int derived_has_room(const struct columns *k, uint32_t queue, uint32_t model, int64_t milli,
                     struct derived_limit *out);
/* The same for one task on these very devices. */
int derived_mask_has_room(const struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                          const struct hold *h, struct derived_limit *out);
/* The only model that a shape allows, NO_ROW if it allows several or takes no device. */
uint32_t derived_only_model(const struct columns *k, uint32_t shape);

#endif
