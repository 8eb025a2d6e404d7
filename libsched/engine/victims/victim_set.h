/*
 * victim_set.h -- the cheapest set of eviction units of one node that makes room for one task.
 *
 * victim_search.h describes how the set is found. The room of the node is computed with units
 * taken out, without any change of state (room_without.h).
 *
 * What always holds: a set has at most VICTIM_UNITS_MAX units. Of more, those count that hold most
 * of what the job needs. If more tasks than that must leave a place that is for one job at a time,
 * their jobs leave whole. So no number of small tasks protects the room that they do not hold.
 *
 * Cost: the square of the number of units, in steps; VICTIM_UNITS_CHARGED says how that is charged.
 * Why not any number of units: a node with 10,000 tasks would take 10^8 steps for each job.
 */
#ifndef LIBSCHED_VICTIM_SET_H
#define LIBSCHED_VICTIM_SET_H

#include "engine/rights/victim_state.h"

/* Finds the cheapest set of victims on the node for one more task of the shape, and stores it in
 * cy->victims->set. set.key.impossible is 1 if there is no set, or if the cycle was stopped before
 * one was known. Charges one work unit for the node, one for each task on it, and one for each
 * test of a unit. rivals: 1 if the set must have all rivals of the node (victim_rivals.h). */
int32_t victim_set_find(struct lsched_cycle *cy, uint32_t node, uint32_t shape, int rivals);
/* True if cy->victims->set is still the set of the node and the shape, because nothing has changed
 * since it was found. */
int victim_set_is_found(const struct lsched_cycle *cy, uint32_t node, uint32_t shape, int rivals);
/* Asks the policy's hook `victim` about one unit that is chosen outside of a set, and replaces its
 * cost by the answer, as the search for a set does. Returns 1, also without a hook; 0 if the policy
 * protects the unit; or a negative error code. */
int32_t victim_set_ask(struct lsched_cycle *cy, struct victim_unit *unit);
void victim_set_close(struct lsched_cycle *cy);

#endif
