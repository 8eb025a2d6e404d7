/*
 * victim_order.h -- the cheapest unit of all that run below a queue of the job's path, wherever it
 * runs: who goes for room below a limit, or gives back what a queue is beyond its right.
 *
 * Per level of the path a heap of units in the order in which they go. What goes makes the others
 * go later at most: a unit grows, its side is less above its right. So a stored unit is a bound:
 * the top is asked again, and sinks if it would go later now. Units that protection refuses stand
 * aside, and are asked again when more may be taken than before. What is undone, or runs on after
 * all, may make others go earlier: then the heaps are dropped. They are scratch of one action.
 *
 * Cost: O(tasks) for the first victim of a context, then O(log tasks) for each, and as much for
 * each refused unit where what goes brings the job's side nearer to its right.
 */
#ifndef LIBSCHED_VICTIM_ORDER_H
#define LIBSCHED_VICTIM_ORDER_H

#include "engine/victims/victim_search.h"

/* 1 with *best filled; 0 if nobody may go, or the cycle was stopped; LSCHED_E_NOMEM. */
int32_t hunt_cheapest_below(struct lsched_cycle *y, uint32_t queue, struct hunt_unit *best);
/* Something was undone, or the context is another one. */
void hunt_below_drop(struct hunt *h);
void hunt_below_close(struct lsched_cycle *y);

#endif
