/*
 * victim_key.h -- the order in which eviction units are evicted, and the comparison of the costs
 * of two sets of units.
 *
 * Both comparisons look first at whether a queue would be left below its guarantee, then at whether
 * the work is a first victim (first_victim.h), then at the priority, then at the criterion that the
 * policy's `victims` names, then at the cost. Both orders are total, therefore a plan does not
 * depend on the order of rows.
 */
#ifndef LIBSCHED_VICTIM_KEY_H
#define LIBSCHED_VICTIM_KEY_H

#include "engine/rights/victim_state.h"

/* True if the two eviction units are equal in all criteria that victim_key_unit_before() compares
 * before victim_unit.over, the excess of a unit's side above its entitlement. */
int victim_key_unit_ties(const struct lsched_cycle *cy, const struct victim_unit *a,
                         const struct victim_unit *b);
/* True if eviction unit a is evicted before unit b. */
int victim_key_unit_before(const struct lsched_cycle *cy, const struct victim_unit *a,
                           const struct victim_unit *b);
/* Returns the key by which the cost of the chosen eviction units of the set is compared. */
struct victim_key victim_key_of(const struct lsched_cycle *cy, const struct victim_set *set);
/* True if the set with key a costs less than the set with key b. */
int victim_key_before(const struct victim_key *a, const struct victim_key *b);

#endif
