/*
 * victim_side.h -- the job's side in reclaim: the waiting job's queue and the queues above it,
 * below the common ancestor, and the amounts that each of these queues would hold with the job.
 *
 * Work of another branch of the queue tree is allowed to be evicted only if every queue of the
 * job's path below the common ancestor is within its entitlement after the job has started and all
 * victims are gone. Victims below a queue of the path lower the use of that queue. Therefore the
 * test is made after victims are chosen, and counts them as gone. For example, a job is within its
 * entitlement if it takes what its sibling queues borrow, and the remaining amount from other
 * branches.
 *
 * A set of victims is allowed if and only if its victims are allowed one after another in the
 * order of their common ancestors with the job, the lowest ancestor first. The reason: a victim is
 * checked only against the queues below its common ancestor, and only victims with a lower common
 * ancestor change the use of those queues. Therefore the search needs no look ahead: it chooses a
 * victim that is allowed at present, and repeats this.
 *
 * The exception is a gang for which each node has a few victims of sibling queues and a few of
 * other branches. A gang that finds no places is tried again on credit: victims that lower the use
 * of the job's side come first, and the test of the side is delayed. When the gang has its places,
 * more work is evicted below those queues of the path that are above their entitlement. A search on
 * credit also helps a job whose sibling queues hold borrowed amounts on nodes that are of no use to
 * the job. The guarantee is tested on credit, too, if an eviction unit was refused only because of
 * it and evictions in sibling queues could bring the job's side within it.
 *
 * The ground on which a unit was evicted is kept with the unit (enum side_ground of
 * victim_state.h). If a unit was evicted on the ground that the side is within its guarantee, the
 * victims that brought the side within its guarantee must stay evicted, too.
 *
 * Cost: victim_side_look O(depth x kinds). A test costs one branch if the side is within its
 * entitlement without any victims, otherwise O(depth x kinds x units of the set).
 */
#ifndef LIBSCHED_VICTIM_SIDE_H
#define LIBSCHED_VICTIM_SIDE_H

#include "engine/rights/victim_state.h"

/* Computes the data of the job's side again from the amounts that the job still lacks and its
 * queues hold. The heap of nodes is dropped if the side allows more evictions than before. */
void victim_side_look(struct lsched_cycle *cy);
/* True if the queues of the path below level `at` stay within their entitlement when the chosen
 * eviction units of the set are evicted. */
int victim_side_within(const struct lsched_cycle *cy, uint32_t at, const struct victim_set *set);
/* True if the highest queue of the path below level `at` stays within its guarantee when the
 * chosen eviction units of the set are evicted. */
int victim_side_guaranteed(const struct lsched_cycle *cy, uint32_t at,
                           const struct victim_set *set);
/* True if the job's own queue stays within its guarantee without any victims. */
int victim_side_own_guarantee(const struct lsched_cycle *cy);
/* Returns the dominant share of the highest queue of the path below level `at`, with the job and
 * without the chosen eviction units of the set. */
int64_t victim_side_dominant(const struct lsched_cycle *cy, uint32_t at,
                             const struct victim_set *set);
/* True if the eviction of the unit lowers the use of a queue of the path that is above its
 * entitlement or its guarantee. */
int victim_side_helps(const struct lsched_cycle *cy, const struct victim_unit *u);
/* Returns how far the job's side would be above its entitlement (above its guarantee, if the
 * guarantee is on credit) after the chosen eviction units of the set are evicted. The amounts are
 * summed over all levels and resource kinds, in thousandths of what the job needs. */
int64_t victim_side_beyond(const struct lsched_cycle *cy, const struct victim_set *set);
/* Converts an amount of a resource kind to thousandths of what the job needs of it; 0 for a kind
 * that does not count. */
int64_t victim_side_part(const struct lsched_cycle *cy, uint32_t kind, int64_t amount);
/* Returns the sum of the amounts that the eviction unit holds, each in thousandths of what the job
 * needs of that resource kind. */
int64_t victim_side_unit_part(const struct lsched_cycle *cy, const struct victim_unit *u);
/* True if the ground on which each chosen eviction unit of the set was allowed still holds. */
int victim_side_stands(const struct lsched_cycle *cy, const struct victim_set *set);

/* Counts a task of the queue that was evicted on this ground (sign 1), or stops counting it
 * because it runs again (sign -1). */
void victim_side_count(struct lsched_cycle *cy, uint32_t queue, uint32_t ground, int sign);
/* Tests the grounds of all evicted units, after the job has its places. Returns the lowest queue
 * of the path that is above the entitlement, guarantee or quota that one of the grounds requires.
 * Returns NO_ROW if every ground still holds. Cost: O(depth x (kinds + grounds)), for any number
 * of victims. */
uint32_t victim_side_short(struct lsched_cycle *cy);

/* Returns the lowest queue of the path that holds more than its entitlement, and also more than
 * when the job's turn began; NO_ROW if there is none. */
uint32_t victim_side_grown(const struct lsched_cycle *cy);

#endif
