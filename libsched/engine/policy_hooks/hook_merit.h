/*
 * hook_merit.h -- the merits of nodes: what the tables of a policy prefer, whatever the strategy or
 * the hook `score` says of the nodes.
 *
 * The merit of a node for a task is minus the harm (model/devices/contention.h) of the devices that
 * the task would take there. A search compares merits after the tiers that rules of nodes and jobs
 * give, and before scores; so the strategy chooses among nodes of equal merit. Searches of the room
 * that comes later know no merits, as they know no strategy.
 *
 * Always holds: a merit depends on the shape, the columns of the node and the policy alone. Most
 * shapes have no merits, and their searches pay one comparison.
 *
 * Cost: O(devices of the node x kinds of work) for each node that is scored; a step is counted for
 * each device.
 *
 * Why not a part of the score: strategies and hooks use all 64 bits, each with a unit of its own.
 */
#ifndef LIBSCHED_HOOK_MERIT_H
#define LIBSCHED_HOOK_MERIT_H

#include "engine/state/cycle_state.h"

/* Lets the search compare merits, if nodes can differ in them for tasks of the shape. */
void hook_merit_note(const struct lsched_cycle *cy, const struct search_key *key,
                     struct search_scorer *scorer);

#endif
