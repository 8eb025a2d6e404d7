/*
 * resource_part.h -- resource parts: quota kinds that count a subset of another kind. The subset
 * is given by a device model, by a MIG profile, by a pool of nodes, or by several of these
 * together.
 *
 * The numbers of resource parts follow the numbers of the kinds that have columns. No node has a
 * capacity of a resource part, and no task requests one: the amount of a resource part that a
 * task holds follows from its node and its devices. A queue has a QAMOUNT row for a resource part
 * only if the queue has a quota or a limit for it or uses it; the rows are in a list that begins
 * at QUEUE.AMOUNTS. Why not a column for each resource part: there can be 112 kinds and thousands
 * of queues, and few queues have quotas for a model.
 *
 * Invariant: USED of (queue, kind) is the sum of resource_part_held() over the placed and
 * nominated tasks of the queue and of the queues below. A missing row means that the queue uses
 * nothing of the resource part and has no quota and no limit for it. Rows stay until their queue
 * is removed. Cost: one branch if the cluster has no resource part; otherwise O(queue depth x
 * rows of a queue) for each task that is placed.
 */
#ifndef LIBSCHED_RESOURCE_PART_H
#define LIBSCHED_RESOURCE_PART_H

#include "model/shapes/placement.h"
#include "model/store/intern.h"

/* Returns the number of resource parts. Rows of DERIVED are never freed. Therefore the kind
 * number of a resource part is its row plus KINDS_MAX. */
static inline uint32_t resource_part_count(const struct columns *k) {
    return table_rows(k, T_DERIVED);
}
static inline int kind_is_part(const struct columns *k, uint32_t kind) {
    return kind >= KINDS_MAX && kind - KINDS_MAX < resource_part_count(k);
}
/* kind_name() returns the name of a plain kind or a resource part, as a row of STRING.
 * kind_base() returns the plain kind in whose base units amounts of the kind are counted. */
static inline uint32_t kind_name(const struct columns *k, uint32_t kind) {
    return kind >= KINDS_MAX ? k->c[C_DERIVED_NAME].u32[kind - KINDS_MAX]
                             : k->c[C_KIND_NAME].u32[kind];
}
static inline uint32_t kind_base(const struct columns *k, uint32_t kind) {
    return kind >= KINDS_MAX ? k->c[C_DERIVED_BASE].u32[kind - KINDS_MAX] : kind;
}

/* What a resource part counts. An empty text or NO_ROW means that the property does not matter.
 * Only resource parts of LSCHED_GPU can have a model and a profile. */
struct resource_part_spec {
    uint32_t base;
    lsched_text model, profile;
    uint32_t pool; /* row of POOL */
};
/* Returns the kind number of the resource part. If the name is new, the function makes the
 * resource part and charges the tasks that already hold amounts of it. Returns LSCHED_E_EXISTS if
 * the name belongs to something with another meaning, or LSCHED_E_LIMIT or LSCHED_E_NOMEM. */
int32_t resource_part_add(struct columns *k, lsched_text name,
                          const struct resource_part_spec *spec);

/* Sets the quota and the limit of one queue for the resource part `kind`. A QAMOUNT row is made
 * if the values are not the defaults. Can return LSCHED_E_NOMEM. */
int32_t resource_part_set(struct columns *k, uint32_t queue, uint32_t kind, int64_t quota,
                          int64_t limit);
/* resource_part_set_limit_now() sets the limit in force, which a policy can choose at each
 * refresh. It can return LSCHED_E_NOMEM. resource_part_limits_as_configured() sets the limits in
 * force of the queue back to the configured limits. */
int32_t resource_part_set_limit_now(struct columns *k, uint32_t queue, uint32_t kind,
                                    int64_t limit);
void resource_part_limits_as_configured(struct columns *k, uint32_t queue);
struct resource_part_amount {
    int64_t used, quota, limit; /* quota, limit: as configured */
    int64_t limit_now;
};
struct resource_part_amount resource_part_get(const struct columns *k, uint32_t queue,
                                              uint32_t kind);
/* Removes all QAMOUNT rows of a queue that is about to be removed. */
void resource_part_drop(struct columns *k, uint32_t queue);

/* Returns the amount of the resource part in row `part` that a task of the shape holds if it has
 * this hold on the node. */
int64_t resource_part_held(const struct columns *k, uint32_t part, uint32_t shape, uint32_t node,
                           const struct hold *h);
/* resource_part_take() charges the queue and the queues above for all resource parts that the
 * task holds; resource_part_give() reverses this. resource_part_take() can return LSCHED_E_NOMEM,
 * because it makes rows. */
int32_t resource_part_take(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                           const struct hold *h);
void resource_part_give(struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                        const struct hold *h);
/* resource_part_node_give() reverses the charges of all tasks on a node, before the node's labels
 * change. resource_part_node_take() charges the tasks again, after the change. Both can return
 * LSCHED_E_NOMEM. */
int32_t resource_part_node_give(struct columns *k, uint32_t node);
int32_t resource_part_node_take(struct columns *k, uint32_t node);

/* Returns 1 if a task of the shape could hold an amount of the resource part in row `part` with
 * any devices of the node. node NO_ROW: with any devices of any node. */
int resource_part_could(const struct columns *k, uint32_t part, uint32_t shape, uint32_t node);

/* ---- limits (resource_part_limits.c) ---- */

/* Resource parts of which the limits of a queue, or of a queue above it, leave less than one task
 * of a shape can take, with the amounts that the limits leave. */
struct resource_part_short {
    uint32_t n;
    struct {
        uint32_t part; /* row of DERIVED */
        int64_t left;
    } of[LIMIT_RESOURCE_PARTS];
};
void resource_part_find_short(const struct columns *k, uint32_t queue, uint32_t shape,
                              struct resource_part_short *out);
/* Returns a hash of *s that does not depend on the order of its resource parts; 0 if *s has no
 * resource part. The hash is used in keys of caches. */
uint64_t resource_part_short_hash(const struct resource_part_short *s);
/* Removes devices from the mask *from until the remaining devices obey the limits. If a limit on
 * a model leaves too little, the function keeps as many devices of the model as the limit allows:
 * those with the least free share. Returns 0 if the limits exclude the node, whatever devices the
 * task takes. */
int resource_part_narrow(const struct columns *k, uint32_t node, uint32_t shape, device_set *from,
                         const struct resource_part_short *s);
/* Returns the devices of the mask `from` with the least charge for a task of the shape: as many as
 * it takes, if their charges sum to at most `left`, otherwise fewer. */
device_set resource_part_cheapest(const struct columns *k, uint32_t node, uint32_t shape,
                                  device_set from, int64_t left);

struct resource_part_limit {
    uint32_t queue, kind;
    int64_t left, limit, amount; /* amount: the amount that the task would hold */
};
/* Returns 1 if the queue and every queue above it have room below their limits for the amounts of
 * a task with this hold. Otherwise returns 0 and sets *out to the exceeded limit. If several
 * limits are exceeded, *out is the one of the lowest queue, and within that queue the one of the
 * first kind by name. */
int resource_part_has_room(const struct columns *k, uint32_t queue, uint32_t shape, uint32_t node,
                           const struct hold *h, struct resource_part_limit *out);
/* Does what resource_part_has_room() does, but checks only the resource part in row `part`. */
int resource_part_has_room_of(const struct columns *k, uint32_t queue, uint32_t part,
                              uint32_t shape, uint32_t node, const struct hold *h,
                              struct resource_part_limit *out);
/* Does what resource_part_has_room() does, for n tasks on any nodes. It checks only the resource
 * parts that the tasks use on every node. */
int resource_part_certain_room(const struct columns *k, uint32_t queue, uint32_t shape, int64_t n,
                               struct resource_part_limit *out);
/* Returns 1 if a task of the shape uses the kind on every node, because the shape allows only
 * devices of the kind's model. */
int resource_part_is_certain(const struct columns *k, uint32_t kind, uint32_t shape);

#endif
