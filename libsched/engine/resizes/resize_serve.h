/*
 * resize_serve.h -- the step of a cycle that proposes wanted resizes of running tasks.
 *
 * The step comes before the actions, with any pipeline: room that is free goes to running tasks
 * that want it before it goes to waiting jobs, but never room that a nomination waits for. Wishes
 * are tried in the order of their jobs' priority, the higher one first, then of the requests.
 * A task that gets more of no kind is proposed at once. Another is proposed if its node has the
 * difference free, and if the rules of its queues allow it (queue_rules_allow_more). It gets all
 * that it wants or nothing, and no work is evicted for it. Otherwise, the wish waits for the first
 * rule that refused it (model/resizes/resize_list.h).
 *
 * Each proposal counts against the bound on decisions of the cycle, and each try costs a work unit.
 * If the orchestrator does not ask for RESIZE decisions, nothing is tried. Cost: O(n log n) for n
 * wishes that are awake, and O(queue depth x kinds) for each of them.
 */
#ifndef LIBSCHED_RESIZE_SERVE_H
#define LIBSCHED_RESIZE_SERVE_H

#include "engine/state/cycle_state.h"

/* Tries the wishes that are awake. Can return LSCHED_E_NOMEM. */
int32_t resize_serve(struct lsched_cycle *cy);
/* True if the next cycle would try wishes that are awake, or if an event has come for which wishes
 * wait. */
int resize_serve_is_due(const struct columns *k);
/* True if cycles try wishes, and a wish waits for a rule of its queues, which a refresh can change.
 */
int resize_serve_waits(const struct columns *k);

#endif
