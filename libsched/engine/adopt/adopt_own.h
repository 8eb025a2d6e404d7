/*
 * adopt_own.h -- decision groups of a clone's plan that follow from the state of the cluster:
 * drains, time limits, idle jobs, stale gangs, memory pressure, resizes, warnings, and evictions
 * that follow a checkpoint.
 *
 * The cluster must decide these in its present state: a task that was idle in the clone can be in
 * use again. So the walk does not carry the decisions over. The cycle makes its own before the walk
 * (pressure, resizes, warnings, checkpoints), or the walk runs the action of the policy that makes
 * them (drain, evict-overdue, evict-idle, evict-stale-gangs), where the plan has the first group of
 * that action. The groups of one run are next to each other in the plan, so a group of the same
 * action behind other groups comes from another run, in a later round of the clone's cycle: the
 * action runs again. Then the group is looked for among the decisions of this cycle: it counts as
 * adopted if each of its decisions was made here, too.
 *
 * Why not leave such groups to the next cycle: an orchestrator that plans on clones alone would
 * never drain a node. Cost: that of the actions, which search for no victims, as often as they ran
 * in the clone at most, and one look at each decision that the cycle has made, because both lists
 * have the same order.
 */
#ifndef LIBSCHED_ADOPT_OWN_H
#define LIBSCHED_ADOPT_OWN_H

#include "engine/adopt/adopt_try.h"

/* True if the cluster's own state decides the group. */
int adopt_own_is(const struct lsched_plan *from, const lsched_adopted_group *g);
/* Runs the action that makes the group, if it is an action and the groups before this one are not
 * of it. Looks for the decisions of the group. Returns 1 if all were made here, 0 with the reason,
 * or an error. */
int32_t adopt_own_group(struct adopt_try *t);

#endif
