/*
 * victim_order.h -- finds the cheapest eviction unit of all work below a queue, on any node. The
 * victim search uses it to make room below a limit, to set free what lend limits keep from the job
 * or what supplies lack for it, and to bring a queue of the path back within its entitlement.
 *
 * Each level of the path has a heap of units in the order of eviction. An eviction can only move
 * other units to later positions in this order: it can make a unit larger, or it can bring the
 * queues below the unit's level nearer to their entitlements. Therefore the stored position of a
 * unit is never too late. The top unit is computed again before it is used, and sinks if its
 * position is now later. Units that protection refuses are kept outside the heap. They return to
 * the heap when the job's side allows more evictions than before. A rollback, or a victim that runs
 * again, can move units to earlier positions. Therefore the heaps are dropped then. The heaps are
 * scratch memory of one action.
 *
 * Cost: O(tasks) for the first victim of a context and O(log tasks) for each later one. Each
 * refused unit costs O(log tasks) again whenever an eviction brings the job's side nearer to its
 * entitlement.
 */
#ifndef LIBSCHED_VICTIM_ORDER_H
#define LIBSCHED_VICTIM_ORDER_H

#include "engine/rights/victim_state.h"

/* Finds the cheapest of the eviction units that are wanted and allowed to be evicted. Returns 1 and
 * fills *best, 0 if no unit is allowed or the cycle was stopped, or LSCHED_E_NOMEM. */
int32_t victim_order_cheapest(struct lsched_cycle *cy, const struct victim_wanted *of,
                              struct victim_unit *best);
/* Drops the heaps. Called if an eviction was undone or the context changed. */
void victim_order_drop(struct victim_search *h);
void victim_order_close(struct lsched_cycle *cy);

#endif
