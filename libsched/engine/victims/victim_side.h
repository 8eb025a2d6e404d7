/*
 * victim_side.h -- the job's side in reclaim: the waiting job's queue and the queues above it,
 * below the common ancestor, and what each of them would hold with the job.
 *
 * Work of another branch may be evicted only if, when all is done, every queue of the path below
 * the common ancestor stays within its entitlement. Victims below a queue of the path give back
 * what that queue holds. Therefore the test counts the victims as gone: it is made after victims
 * are chosen, and not before. A job that takes from its own siblings what they borrow, and the
 * rest from other branches, is within its entitlement.
 *
 * A set of victims is allowed if and only if it is allowed in the order of the common ancestors,
 * lowest first: a victim is checked only against the queues below its common ancestor, and only
 * victims with a lower common ancestor change those queues. Therefore a search that always takes
 * what is allowed at present, again and again, misses nothing by not looking ahead. The exception
 * is a gang for which each node has a few victims of siblings and a few of other branches. A gang
 * that finds no places is tried again on credit: victims that give something back to the job's
 * side come first, and when the gang has its places, more work below the queues that are above
 * their entitlement is evicted. That also serves a job whose siblings hold what they borrowed on
 * nodes where it makes no room for the job. The guarantee is put on credit in the same way, if
 * only the guarantee kept an eviction unit from the job and siblings hold enough to bring the
 * job's side within it.
 *
 * The ground on which a unit was evicted is kept with the unit (enum side_ground of
 * victim_search.h). A unit that was taken because the side is within its guarantee needs the
 * victims that brought the side there, for as long as the unit is evicted.
 *
 * Cost: victim_side_look O(depth x kinds). A test costs one branch if the side is within its
 * entitlement without any victims, otherwise O(depth x kinds x units of the set).
 */
#ifndef LIBSCHED_VICTIM_SIDE_H
#define LIBSCHED_VICTIM_SIDE_H

#include "engine/victims/victim_search.h"

/* Brings the data of the job's side up to date with what the job still lacks and what its queues
 * hold. The heap of nodes is dropped if more may be taken than before. */
void victim_side_look(struct lsched_cycle *y);
/* True if the queues of the path below level `at` stay within their entitlement when the chosen
 * eviction units of the set are evicted. */
int victim_side_within(const struct lsched_cycle *y, uint32_t at, const struct victim_set *set);
/* True if the highest queue of the path below level `at` stays within its guarantee when the
 * chosen eviction units of the set are evicted. */
int victim_side_guaranteed(const struct lsched_cycle *y, uint32_t at, const struct victim_set *set);
/* Returns the dominant share of the highest queue of the path below level `at`, with the job and
 * without the chosen eviction units of the set. */
int64_t victim_side_dominant(const struct lsched_cycle *y, uint32_t at,
                             const struct victim_set *set);
/* True if evicting the unit brings a queue of the path that is above its entitlement nearer to
 * it. */
int victim_side_helps(const struct lsched_cycle *y, const struct victim_unit *u);
/* True if sets of victims are sought on credit: the job's side is checked when the job has its
 * places. */
int victim_side_lends(const struct lsched_cycle *y);
/* Returns how far the job's side is above its entitlement when the chosen eviction units of the
 * set are evicted, or above its guarantee if the guarantee is on credit. The amounts are summed
 * over all levels and resource kinds, in thousandths of what the job needs. */
int64_t victim_side_beyond(const struct lsched_cycle *y, const struct victim_set *set);
/* Converts an amount of a resource kind to thousandths of what the job needs of it; 0 for a kind
 * that does not count. */
int64_t victim_side_part(const struct lsched_cycle *y, uint32_t kind, int64_t amount);
/* True if each chosen eviction unit of the set still has the ground on which it was allowed. */
int victim_side_stands(const struct lsched_cycle *y, const struct victim_set *set);

/* Counts a task of the queue that was evicted on this ground (sign 1), or that runs again (sign
 * -1). */
void victim_side_count(struct lsched_cycle *y, uint32_t queue, uint32_t ground, int sign);
/* Called when the job has its places. Returns the lowest queue of the path that is above what the
 * ground of an evicted unit requires; NO_ROW if every ground still holds. Cost: O(depth x (kinds +
 * grounds)), for any number of victims. */
uint32_t victim_side_short(struct lsched_cycle *y);

/* Returns the lowest queue of the path that holds more than its entitlement and more than before
 * the transaction; NO_ROW if there is none. */
uint32_t victim_side_grown(const struct lsched_cycle *y);

#endif
