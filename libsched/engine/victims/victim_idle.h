/*
 * victim_idle.h -- the amounts that are free or come free on all ready nodes together.
 *
 * The proofs of victim_bounds.h compare these amounts with what a waiting job needs. Most waiting
 * jobs of an action ask in the same state, because a search that finds nothing leaves no change.
 * Therefore the sum is kept for the action. Invariant: the kept sum is used only if no node has
 * changed since; the log of changed nodes tells this, also for changes that a rollback undid.
 * Cost: O(nodes) after a change of a node, otherwise O(1). Why the sum is not updated by
 * difference: a search that touches nodes costs more than one walk over the nodes.
 */
#ifndef LIBSCHED_VICTIM_IDLE_H
#define LIBSCHED_VICTIM_IDLE_H

#include "engine/victims/victim_state.h"

/* Returns the amounts by resource kind, each at most LSCHED_AMOUNT_MAX. They are valid until the
 * next call. */
const int64_t *victim_idle(struct lsched_cycle *cy);

#endif
