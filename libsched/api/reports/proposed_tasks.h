/*
 * proposed_tasks.h -- withdraws proposed placements that stand in the way of a task that the
 * orchestrator reports to run on their node.
 *
 * A proposal is a guess about room, and a running task is a fact. So a proposal never keeps room
 * from a running task. Only proposals that the orchestrator has not settled are withdrawn: a
 * confirmed placement is a fact, too. Cost: O(tasks on the node x devices) for each withdrawal.
 */
#ifndef LIBSCHED_PROPOSED_TASKS_H
#define LIBSCHED_PROPOSED_TASKS_H

#include "model/told/decision.h"
#include "model/shapes/placement.h"

/* Withdraws proposals on the node, the latest first, until no proposal holds what a task of the
 * shape with this hold lacks. The hold must not be taken yet. Each withdrawn decision is reported
 * through `tell`, which can be NULL. Can return LSCHED_E_NOMEM. */
int32_t node_trim_proposals(struct columns *k, uint32_t node, uint32_t shape,
                            const struct hold *hold, int64_t now, withdrawn_fn tell, void *user);

#endif
