/*
 * victim_last.h -- the unit of a transaction that is treated as if it were evicted last.
 *
 * A set of eviction units is allowed if the units can be evicted in an order in which each unit's
 * queue is above its entitlement immediately before the unit is evicted. Therefore the unit that
 * is evicted last is allowed to take its queue below the entitlement. But the search chooses units
 * in the order of their costs, node by node. A large unit that is chosen early can use up nearly
 * all that its queue has above the entitlement. A small unit of that queue would then be refused,
 * and a gang would find no places although all its victims together are allowed. Therefore a unit
 * that is refused because a queue protects it is checked a second time, as if the largest unit
 * chosen so far below that queue were evicted after it. The largest unit is sought first among the
 * units that the transaction evicted before, then among the units chosen on the same node. All
 * other units stay allowed, because with the largest unit evicted last their queue holds more at
 * each earlier eviction. Units of one job keep their order: only the latest unit of a job can be
 * treated as last.
 *
 * The data are scratch memory of one action: a row per unit of the transaction, and for each queue
 * the largest unit below it, computed again after a rollback. Cost: O(depth) for each evicted
 * unit, O(units x depth) after a rollback, and O(depth x kinds + units of the set) for each
 * refused unit. Why the functions do not try all orders: it is enough to try the largest unit as
 * the last one whenever only one queue refuses, and tests with random trees found no case that
 * needs more.
 */
#ifndef LIBSCHED_VICTIM_LAST_H
#define LIBSCHED_VICTIM_LAST_H

#include "engine/rights/victim_state.h"

/* Stores in *out the amounts of the eviction unit that can be treated as evicted last. For a
 * group, these are its amounts without its surplus, because the surplus is evicted before the
 * group. Returns 0 if the unit is a nomination, or if its ground is neither SIDE_SHARE nor
 * SIDE_GUARANTEE. */
int victim_last_of(const struct lsched_cycle *cy, const struct victim_unit *u,
                   struct victim_last *out);
void victim_last_close(struct lsched_cycle *cy);
/* Records the evicted unit, whose number is h->n_units. Before the call, the caller has increased
 * h->n_units, and the unit still holds its amounts. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t victim_last_note(struct lsched_cycle *cy, const struct victim_unit *u);
/* Removes the record of the eviction unit with this number, because its tasks run again. */
void victim_last_forget(struct victim_search *h, uint32_t unit);
/* Returns the largest eviction unit below the queue that can be treated as evicted last; NULL if
 * there is none. */
const struct victim_last *victim_last_below(struct lsched_cycle *cy, uint32_t queue);

#endif
