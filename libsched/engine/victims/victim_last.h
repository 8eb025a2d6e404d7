/*
 * victim_last.h -- which of the units that a transaction stops could go last.
 *
 * A set of units is right if they can go in some order in which each is above its right before it
 * goes, so whoever goes last may cross it. The search takes them in the order of their costs, node
 * by node: where a large unit went early and crossed nearly all, a small one would be refused
 * later, and a gang would find no seats though all of it may be stopped. So a unit that protection
 * refuses is asked once more as if the largest unit so far below the queue that refused went after
 * it: of those that are gone, then of those that are chosen on the same node. That takes nothing
 * from the others: each goes while more is held. Units of one job keep their order: of a job only
 * its latest unit is offered.
 *
 * Scratch of one action: a row per unit of the transaction, and per queue which of them is largest
 * below it; found anew after something was undone. Cost: O(depth) per unit that goes, O(units x
 * depth) after a rollback; a refused question O(depth x kinds + units of the set). Why not all
 * orders: the largest serves wherever one queue refuses, and random trees showed no other case.
 */
#ifndef LIBSCHED_VICTIM_LAST_H
#define LIBSCHED_VICTIM_LAST_H

#include "engine/victims/victim_search.h"

/* What of the unit may be the last to go: of a gang what it holds beyond its surplus, which goes
 * before. 0 if it did not go by what its side holds of whole kinds. */
int hunt_last_of(const struct lsched_cycle *y, const struct hunt_unit *u, struct hunt_last *out);
void hunt_last_close(struct lsched_cycle *y);
/* The unit goes, as number h->n_units; asked while it still holds what it has. LSCHED_E_NOMEM. */
int32_t hunt_last_note(struct lsched_cycle *y, const struct hunt_unit *u);
/* The unit of this number runs on after all. */
void hunt_last_forget(struct hunt *h, uint32_t unit);
/* The largest unit below the queue that may be the last to go, NULL if there is none. */
const struct hunt_last *hunt_last_below(struct lsched_cycle *y, uint32_t queue);

#endif
