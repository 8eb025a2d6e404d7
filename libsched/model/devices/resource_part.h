/*
 * resource_part.h -- resource parts: quota kinds that count a subset of another kind. The subset
 * is what is on devices of one model, in MIG instances of one profile, on nodes of one pool, or
 * all of these at once.
 *
 * The numbers of resource parts follow those of the kinds that have columns. No node has a
 * capacity of a resource part and no task asks for one: what a task holds of it follows from its
 * node and its devices. A queue has a QAMOUNT row for a resource part only if it has a quota, a
 * limit or use of it; the rows are in a list from QUEUE.AMOUNTS. Why not a column each: there can
 * be 112 kinds and thousands of queues, and few queues name a model.
 *
 * Invariant: USED of (queue, kind) is the sum of derived_held() over the tasks that hold
 * something in the queue and below. A missing row means: nothing used, no quota, no limit. Rows
 * stay until their queue is removed. Cost: one branch while there is no resource part; else
 * O(queue depth x rows of a queue) per task that is placed.
 */
#ifndef LIBSCHED_RESOURCE_PART_H
#define LIBSCHED_RESOURCE_PART_H

#include "model/shapes/placement.h"
#include "model/store/intern.h"

/* Returns the number of resource parts. Rows of DERIVED are never freed, so a row and its kind
 * number differ only by an offset. */
static inline uint32_t derived_count(const struct columns *k) {
    return table_rows(k, T_DERIVED);
}
static inline int kind_is_derived(const struct columns *k, uint32_t kind) {
    return kind >= KINDS_MAX && kind - KINDS_MAX < derived_count(k);
}
/* kind_name() returns the name of a plain kind or resource part, as a text. kind_base() returns
 * the kind in whose base units it is counted. */
static inline uint32_t kind_name(const struct columns *k, uint32_t kind) {
    return kind >= KINDS_MAX ? k->c[C_DERIVED_NAME].u32[kind - KINDS_MAX]
                             : k->c[C_KIND_NAME].u32[kind];
}
static inline uint32_t kind_base(const struct columns *k, uint32_t kind) {
    return kind >= KINDS_MAX ? k->c[C_DERIVED_BASE].u32[kind - KINDS_MAX] : kind;
}

/* What a resource part counts. An empty text and NO_ROW mean any. Only resource parts of
 * LSCHED_GPU have a model and a profile. */
struct derived_spec {
    uint32_t base;
    lsched_text model, profile;
    uint32_t pool; /* row of POOL */
};
/* Returns the number of the resource part, which is new or known with this meaning. A new one is
 * charged for what tasks already hold. LSCHED_E_EXISTS if the name means something else,
 * LSCHED_E_LIMIT, LSCHED_E_NOMEM. */
int32_t derived_add(struct columns *k, lsched_text name, const struct derived_spec *spec);

/* Sets quota and limit of one queue. A row is made if the values are not the defaults. Can return
 * LSCHED_E_NOMEM. */
int32_t derived_set(struct columns *k, uint32_t queue, uint32_t kind, int64_t quota, int64_t limit);
/* derived_set_limit_now() sets the limit that the policy gives now. Can return LSCHED_E_NOMEM.
 * derived_limits_as_configured() restores the configured limits of the queue. */
int32_t derived_set_limit_now(struct columns *k, uint32_t queue, uint32_t kind, int64_t limit);
void derived_limits_as_configured(struct columns *k, uint32_t queue);
struct derived_amount {
    int64_t used, quota, limit; /* as configured */
    int64_t limit_now;
};
struct derived_amount derived_get(const struct columns *k, uint32_t queue, uint32_t kind);
/* removes all rows of a queue that is about to be removed */
void derived_drop(struct columns *k, uint32_t queue);

/* Returns what a task of the shape with this hold on the node holds of the resource part in row
 * `derived`. */
int64_t derived_held(const struct columns *k, uint32_t derived, uint32_t shape, uint32_t node,
                     const struct hold *h);
/* Charge a task to the queue and its ancestors for all resource parts, or give it back.
 * derived_take() can return LSCHED_E_NOMEM, because it makes rows. */
int32_t derived_take(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                     const struct hold *h);
void derived_give(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                  const struct hold *h);
/* Give back and charge again everything on a node, before and after its labels change. Can return
 * LSCHED_E_NOMEM. */
int32_t derived_node_give(struct columns *k, uint32_t node);
int32_t derived_node_take(struct columns *k, uint32_t node);

/* Returns 1 if a task of the shape can count in row `derived` on the node, whatever devices it
 * gets. node NO_ROW: on any node. */
int derived_could(const struct columns *k, uint32_t derived, uint32_t shape, uint32_t node);

/* ---- limits (resource_part_limits.c) ---- */

/* Resource parts with limits that leave less than one task of a shape can take, and the amounts
 * that they leave. The limits are those of a queue and of the queues above it. */
struct derived_short {
    uint32_t n;
    struct {
        uint32_t derived; /* row of DERIVED */
        int64_t left;
    } of[LIMIT_DERIVED_KINDS];
};
void derived_find_short(const struct columns *k, uint32_t queue, uint32_t shape,
                        struct derived_short *out);
/* Returns a hash that is equal for equal contents in any order; 0 if nothing is short. Used in
 * keys of caches. */
uint64_t derived_short_hash(const struct derived_short *s);
/* Removes devices from *from until the remaining devices obey the limits. For a model that is
 * short it keeps as many devices as the limit allows, those with the least free share. Returns 0
 * if the limits exclude the node whatever devices are taken. */
int derived_narrow(const struct columns *k, uint32_t node, uint32_t shape, uint32_t *from,
                   const struct derived_short *s);

struct derived_limit {
    uint32_t queue, kind;
    int64_t left, limit, amount; /* amount: what was requested */
};
/* Returns 1 if every queue from this one upwards has room for what the task holds there.
 * Otherwise returns 0 and sets *out to the limit that has no room: of the lowest queue, then of
 * the first kind by name. */
int derived_has_room(const struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                     const struct hold *h, struct derived_limit *out);
/* Does what derived_has_room() does, for one row of DERIVED. */
int derived_has_room_of(const struct columns *k, uint32_t queue, uint32_t derived, uint32_t shape,
                        uint32_t node, const struct hold *h, struct derived_limit *out);
/* Does what derived_has_room() does, for n tasks on any nodes. It checks only the resource parts
 * that the tasks are certain to use. */
int derived_certain_room(const struct columns *k, uint32_t queue, uint32_t shape, int64_t n,
                         struct derived_limit *out);
/* Returns 1 if a task of the shape uses the kind on every node, because the shape allows that
 * model alone. */
int derived_is_certain(const struct columns *k, uint32_t kind, uint32_t shape);

#endif
