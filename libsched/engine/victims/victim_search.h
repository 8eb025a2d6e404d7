/*
 * victim_search.h -- the search for victims: which tasks to evict so that a waiting job fits.
 *
 * An *eviction unit* is a set of tasks that are evicted together. If a leaf group runs more tasks
 * than its minimum, each of its tasks is a unit. Otherwise the unit of a task is the smallest
 * group around the task that the parent group can spare, or the whole gang if there is no such
 * group. An eviction unit is *allowed* if the verdict on its job permits the eviction and the unit
 * is not protected. The verdict depends on the scope of the action, the kind of the job, its
 * minimum run time and its disruption budget. The policy's hook `victim` can forbid a unit, too.
 * Only reclaim knows protection: the unit's queue, and the queues above it below the common
 * ancestor with the current job, must hold more than they are entitled to.
 *
 * For one task and one node, victim_set_find() finds the cheapest set of allowed units of that
 * node that makes enough room. The function chooses the cheapest units first, until the task fits.
 * Then it puts back each unit that is not needed. If a chosen unit is a group and the tasks that
 * this group can spare make enough room, only these tasks stay chosen. If the set has more than
 * one unit, or if no set was found, the function also tries each unit alone and keeps the better
 * result. If there is still no set, it chooses the units in reverse order, the most expensive
 * first.
 *
 * A heap orders the nodes by the cost of their sets. An eviction can only forbid further
 * evictions, therefore a stored cost is a lower bound. The cost of the top node is computed again
 * before that node is used, and the cost of each changed node is computed again. Therefore one
 * more victim costs a few evaluations, not a scan of all nodes. If evictions are undone, costs can
 * fall: the heap is then built again.
 *
 * All data here are scratch memory of one action in one cycle. Cost: O(nodes + tasks) for a
 * context; for each victim O(log nodes) and a few evaluations. Other schedulers add victims in the
 * order of the queues until the job fits. This search does not, because that evicts work on nodes
 * where the job is not placed.
 */
#ifndef LIBSCHED_VICTIM_SEARCH_H
#define LIBSCHED_VICTIM_SEARCH_H

#include "engine/rights/victim_state.h"

int32_t victim_search_open(struct lsched_cycle *cy, uint32_t reason);
/* Opens a search that serves no waiting job, for an action that only frees nodes. Tasks that this
 * action moves can also get room that becomes free later. */
int32_t victim_search_open_for_none(struct lsched_cycle *cy, uint32_t reason);
void victim_search_close(struct lsched_cycle *cy);
/* Prepares the context of the current job. The call is cheap if the previous job had the same
 * context. */
void victim_search_begin_job(struct lsched_cycle *cy, uint32_t job);
/* Updates the amounts that the current job needs. Called when the action has chosen another
 * alternative of a task, because that can ask for other amounts. */
void victim_search_need_again(struct lsched_cycle *cy);

#endif
