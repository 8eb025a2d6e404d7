/*
 * victim_parts.h -- guarantees of a resource part (a GPU model, a MIG profile or a pool) in
 * reclaim.
 *
 * If the share algorithm has guarantees and some queue has a quota of a resource part, that part
 * alone decides about work in it, instead of the rules for whole resource kinds in victim_rules.c:
 *   entitled   A job that stays within the quota of the resource part, at its queue and all queues
 *              above it below the common ancestor, may take what other queues hold of that part
 *              above their quota.
 *   protected  What a queue holds of a resource part within its quota of it is not taken for any
 *              job.
 * If both measures applied side by side, two queues could evict each other's work for ever, each
 * entitled by its own measure. The place of an eviction unit says in which resource parts the unit
 * counts. The job counts in the parts of the node on which it would be. Therefore the test must
 * hold for each leaf group of the job that could be there, and for each node of a gang that would
 * be evicted.
 *
 * Cost: one branch while no queue has a quota of a resource part; otherwise O(kinds x depth x
 * tasks of the unit).
 */
#ifndef LIBSCHED_VICTIM_PARTS_H
#define LIBSCHED_VICTIM_PARTS_H

#include "engine/victims/victim_search.h"

/* victim_parts_open prepares the data once per action and returns LSCHED_OK or LSCHED_E_NOMEM;
 * victim_parts_close frees them. */
int32_t victim_parts_open(struct lsched_cycle *y);
void victim_parts_close(struct lsched_cycle *y);
/* Computes which resource parts the current job is entitled to in the present state. Returns 1 if
 * the job may have more than at the call before. */
int victim_parts_look(struct lsched_cycle *y);
/* True if the queues of the job's path below level `at` stay within their quota of resource part d
 * when the chosen eviction units of the set are evicted. */
int victim_parts_within(const struct lsched_cycle *y, uint32_t d, uint32_t at,
                        const struct victim_set *set);
/* True if the current job is, at its own queue, within the quota of a resource part that it can
 * count in. */
int victim_parts_entitled(const struct lsched_cycle *y);

/* The levels on the victim's side: from the victim's queue up to `end`, which is the common
 * ancestor. at: place of the common ancestor in the job's path. */
struct victim_levels {
    uint32_t from, end, at;
};
/* victim_parts_decide: true if the eviction unit holds some of a resource part that has a quota.
 * victim_parts_allow: the ground on which such a part allows the eviction. victim_parts_protect:
 * true if such a part forbids it. */
int victim_parts_decide(const struct lsched_cycle *y, const struct victim_unit *u);
enum side_ground victim_parts_allow(const struct lsched_cycle *y, const struct victim_unit *u,
                                    const struct victim_set *set,
                                    const struct victim_levels *levels);
int victim_parts_protect(const struct lsched_cycle *y, const struct victim_unit *u,
                         const struct victim_set *set, const struct victim_levels *levels);

/* True if the queues of the levels include one that holds less of a resource part than its quota
 * once the eviction unit and the chosen units of the set are evicted, and the unit holds some of
 * that part. */
int victim_parts_cross(const struct lsched_cycle *y, const struct victim_unit *u,
                       const struct victim_set *set, const struct victim_levels *levels);

#endif
