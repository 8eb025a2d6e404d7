/*
 * victim_protect.h -- protection in reclaim: whether the guarantees and fair shares of queues
 * allow the eviction of a unit.
 *
 * Immediately before the eviction, the queues on the unit's side must hold more than they are
 * entitled to (victim_right.h). The job's side must stay within its entitlement (victim_side.h).
 * If the unit holds some of a resource part of which a queue has a quota, part_quota.h decides
 * instead. The rules are in docs/semantics.md, sections 12 (evictions) and 14 (guarantees). Cost:
 * O(depth x kinds x units of the set) for a unit.
 */
#ifndef LIBSCHED_VICTIM_PROTECT_H
#define LIBSCHED_VICTIM_PROTECT_H

#include "engine/rights/victim_state.h"

/* Tests protection, with the chosen eviction units of the set counted as evicted. Returns the
 * ground on which the unit is allowed to be evicted, SIDE_NONE if it is not allowed. */
enum side_ground victim_protect_allow(struct lsched_cycle *cy, const struct victim_unit *u,
                                      const struct victim_set *set);
/* True if the eviction of the unit and of the chosen units of the set leaves a queue on the unit's
 * side with less than its guarantee. */
int victim_protect_cross(const struct lsched_cycle *cy, const struct victim_unit *u,
                         const struct victim_set *set);

#endif
