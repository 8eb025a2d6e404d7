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
 * Invariant: USED of (queue, kind) is the sum of resource_part_held() over the tasks that hold
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
static inline uint32_t resource_part_count(const struct columns *k) {
    return table_rows(k, T_DERIVED);
}
static inline int kind_is_part(const struct columns *k, uint32_t kind) {
    return kind >= KINDS_MAX && kind - KINDS_MAX < resource_part_count(k);
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
struct resource_part_spec {
    uint32_t base;
    lsched_text model, profile;
    uint32_t pool; /* row of POOL */
};
/* Returns the index of the resource part, which is new or known with this meaning. A new one is
 * charged for what tasks already hold. LSCHED_E_EXISTS if the name means something else,
 * LSCHED_E_LIMIT, LSCHED_E_NOMEM. */
int32_t resource_part_add(struct columns *k, lsched_text name,
                          const struct resource_part_spec *spec);

/* Sets quota and limit of one queue. A row is made if the values are not the defaults. Can return
 * LSCHED_E_NOMEM. */
int32_t resource_part_set(struct columns *k, uint32_t queue, uint32_t kind, int64_t quota,
                          int64_t limit);
/* resource_part_set_limit_now() sets the limit that the policy gives now. Can return
 * LSCHED_E_NOMEM. resource_part_limits_as_configured() restores the configured limits of the
 * queue. */
int32_t resource_part_set_limit_now(struct columns *k, uint32_t queue, uint32_t kind,
                                    int64_t limit);
void resource_part_limits_as_configured(struct columns *k, uint32_t queue);
struct resource_part_amount {
    int64_t used, quota, limit; /* as configured */
    int64_t limit_now;
};
struct resource_part_amount resource_part_get(const struct columns *k, uint32_t queue,
                                              uint32_t kind);
/* removes all rows of a queue that is about to be removed */
void resource_part_drop(struct columns *k, uint32_t queue);

/* Returns what a task of the shape with this hold on the node holds of the resource part in row
 * `part`. */
int64_t resource_part_held(const struct columns *k, uint32_t part, uint32_t shape, uint32_t node,
                           const struct hold *h);
/* Charge a task to the queue and its ancestors for all resource parts, or give it back.
 * resource_part_take() can return LSCHED_E_NOMEM, because it makes rows. */
int32_t resource_part_take(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                           const struct hold *h);
void resource_part_give(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                        const struct hold *h);
/* Give back and charge again everything on a node, before and after its labels change. Can return
 * LSCHED_E_NOMEM. */
int32_t resource_part_node_give(struct columns *k, uint32_t node);
int32_t resource_part_node_take(struct columns *k, uint32_t node);

/* Returns 1 if a task of the shape can count in row `part` on the node, whatever devices it
 * gets. node NO_ROW: on any node. */
int resource_part_could(const struct columns *k, uint32_t part, uint32_t shape, uint32_t node);

/* ---- limits (resource_part_limits.c) ---- */

/* Resource parts with limits that leave less than one task of a shape can take, and the amounts
 * that they leave. The limits are those of a queue and of the queues above it. */
struct resource_part_short {
    uint32_t n;
    struct {
        uint32_t part; /* row of DERIVED */
        int64_t left;
    } of[LIMIT_RESOURCE_PARTS];
};
void resource_part_find_short(const struct columns *k, uint32_t queue, uint32_t shape,
                              struct resource_part_short *out);
/* Returns a hash that is equal for equal contents in any order; 0 if nothing is short. Used in
 * keys of caches. */
uint64_t resource_part_short_hash(const struct resource_part_short *s);
/* Removes devices from *from until the remaining devices obey the limits. For a model that is
 * short it keeps as many devices as the limit allows, those with the least free share. Returns 0
 * if the limits exclude the node whatever devices are taken. */
int resource_part_narrow(const struct columns *k, uint32_t node, uint32_t shape, uint32_t *from,
                         const struct resource_part_short *s);

struct resource_part_limit {
    uint32_t queue, kind;
    int64_t left, limit, amount; /* amount: what was requested */
};
/* Returns 1 if every queue from this one upwards has room for what the task holds there.
 * Otherwise returns 0 and sets *out to the limit that has no room: of the lowest queue, then of
 * the first kind by name. */
int resource_part_has_room(const struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                           const struct hold *h, struct resource_part_limit *out);
/* Does what resource_part_has_room() does, for one row of DERIVED. */
int resource_part_has_room_of(const struct columns *k, uint32_t queue, uint32_t part,
                              uint32_t shape, uint32_t node, const struct hold *h,
                              struct resource_part_limit *out);
/* Does what resource_part_has_room() does, for n tasks on any nodes. It checks only the resource
 * parts that the tasks are certain to use. */
int resource_part_certain_room(const struct columns *k, uint32_t queue, uint32_t shape, int64_t n,
                               struct resource_part_limit *out);
/* Returns 1 if a task of the shape uses the kind on every node, because the shape allows that
 * model alone. */
int resource_part_is_certain(const struct columns *k, uint32_t kind, uint32_t shape);

#endif
