/*
 * victim_order.h -- the cheapest eviction unit of all work below a queue of the job's path, on any
 * node. The search uses it to make room below a limit, and when a queue must give back what it
 * uses above its entitlement.
 *
 * For each level of the path there is a heap of units in the order of eviction. An eviction can
 * only move other units back in this order: a unit grows, or its side is less above its
 * entitlement. Therefore the stored position of a unit is a bound: the top is computed again, and
 * sinks if its position is now later. Units that protection refuses are set aside, and are checked
 * again when more may be taken than before. A rollback, or a victim that runs again, can move
 * units forward; then the heaps are dropped. The heaps are scratch memory of one action.
 *
 * Cost: O(tasks) for the first victim of a context and O(log tasks) for each later one. Each
 * refused unit costs as much again whenever an eviction brings the job's side nearer to its
 * entitlement.
 */
#ifndef LIBSCHED_VICTIM_ORDER_H
#define LIBSCHED_VICTIM_ORDER_H

#include "engine/victims/victim_search.h"

/* Finds the cheapest eviction unit that may be evicted. Returns 1 and fills *best, 0 if no unit
 * may be evicted or the cycle was stopped, or LSCHED_E_NOMEM. */
int32_t victim_order_cheapest(struct lsched_cycle *y, uint32_t queue, struct victim_unit *best);
/* Drops the heaps, because something was undone or the context changed. */
void victim_order_drop(struct victim_search *h);
void victim_order_close(struct lsched_cycle *y);

#endif
