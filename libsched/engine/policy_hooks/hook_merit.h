/*
 * hook_merit.h -- the merits of nodes: what the tables of a policy about kinds of work prefer,
 * whatever the strategy or the hook `score` says of the nodes.
 *
 * A merit orders the nodes for a task first by the table `speeds` (base/speed_table.h): the speed
 * of the slowest device that the task would take there, or that speed for the price of a device.
 * Values are compared by their first 24 binary digits. Then comes the harm
 * (model/devices/contention.h) of these devices, if the table `contention` avoids any. A search
 * compares merits after the tiers that rules of nodes and jobs give, and before scores; so the
 * strategy chooses among nodes of equal merit. Searches of the room that comes later know no
 * merits, as they know no strategy.
 *
 * Always holds: a merit depends on the shape, the columns of the node and the policy alone. Most
 * shapes have no merits, and their searches pay two comparisons.
 *
 * Cost: O(devices of the node x (kinds of work + models)) for each node that is scored; a step is
 * counted for each device. With `speeds`, each search finds the kind of its tasks by name, in
 * O(kinds).
 *
 * Why not a part of the score: strategies and hooks use all 64 bits, each with a unit of its own.
 */
#ifndef LIBSCHED_HOOK_MERIT_H
#define LIBSCHED_HOOK_MERIT_H

#include "engine/state/cycle_state.h"

/* Returns 1 + the kind of work that the table `speeds` has for tasks of the shape; 0 if the policy
 * says no speed of them. *is_named, if it is not NULL: 1 if the tasks name this kind. */
uint32_t hook_merit_kind(const struct policy *p, const struct columns *k, uint32_t shape,
                         int *is_named);
/* Returns 1 + the model of the device in the table; 0 if the table does not name it. */
uint32_t hook_merit_model(const struct speed_table *t, const struct columns *k, uint32_t device);
/* Returns the speed of a kind on the slowest device of the hold, which has at least one. kind: as
 * hook_merit_kind() returns it. */
uint32_t hook_merit_slowest(const struct lsched_cycle *cy, uint32_t node, uint32_t kind,
                            const struct hold *hold);
/* Returns what a speed on the node is worth: more is better. With `prefer = "price"`, that is the
 * speed for the price of a device. */
int64_t hook_merit_worth(const struct lsched_cycle *cy, uint32_t node, uint32_t milli);
/* Lets the search compare merits, if nodes can differ in them for tasks of the shape. */
void hook_merit_note(const struct lsched_cycle *cy, const struct search_key *key,
                     struct search_scorer *scorer);

#endif
