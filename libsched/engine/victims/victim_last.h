/*
 * victim_last.h -- the unit of a transaction that is treated as if it were evicted last.
 *
 * A set of eviction units is allowed if there is an order in which each unit's queue is above its
 * entitlement before the unit is evicted. Therefore the last unit may take its queue below the
 * entitlement. The search takes units in the order of their costs, node by node. If a large unit
 * is taken early and uses up nearly all that the queue has above its entitlement, a small unit
 * would be refused later. A gang would then find no places although all its victims may be
 * evicted. Therefore a unit that protection refuses is checked once more as if the largest unit so
 * far, below the queue that refuses, were evicted after it. The candidates are first the units
 * that were evicted before, then the units chosen on the same node. The other units lose nothing
 * by that: each is evicted while its queue holds more. Units of one job keep their order: only the
 * latest unit of a job is a candidate.
 *
 * The data are scratch memory of one action: a row per unit of the transaction, and for each queue
 * the largest unit below it, computed again after a rollback. Cost: O(depth) for each evicted
 * unit, O(units x depth) after a rollback, and O(depth x kinds + units of the set) for each
 * refused unit. Why the functions do not try all orders: the largest unit is enough whenever only
 * one queue refuses, and tests with random trees found no other case.
 */
#ifndef LIBSCHED_VICTIM_LAST_H
#define LIBSCHED_VICTIM_LAST_H

#include "engine/victims/victim_search.h"

/* Stores in *out which amounts of the eviction unit can be evicted last: of a gang, all except its
 * surplus, which is evicted before. Returns 0 if the unit was not allowed by what its side holds
 * of whole resource kinds. */
int victim_last_of(const struct lsched_cycle *y, const struct victim_unit *u,
                   struct victim_last *out);
void victim_last_close(struct lsched_cycle *y);
/* Records an evicted unit as number h->n_units. Called while the unit still holds its amounts.
 * Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t victim_last_note(struct lsched_cycle *y, const struct victim_unit *u);
/* Removes the eviction unit with this number, because it runs again. */
void victim_last_forget(struct victim_search *h, uint32_t unit);
/* Returns the largest eviction unit below the queue that can be treated as evicted last; NULL if
 * there is none. */
const struct victim_last *victim_last_below(struct lsched_cycle *y, uint32_t queue);

#endif
