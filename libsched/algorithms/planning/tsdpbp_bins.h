/*
 * tsdpbp_bins.h -- reads the free amounts of nodes over time, and chooses nodes for planned jobs.
 *
 * The engine says which amounts are free now. A running task or a nomination with a known end makes
 * its amounts available again at this end. Plans use whole devices only. Therefore a device counts
 * as free when all work on it has ended. If the devices of a node differ in model or memory, or
 * include a MIG device, the node counts as one without whole devices.
 */
#ifndef LIBSCHED_TSDPBP_BINS_H
#define LIBSCHED_TSDPBP_BINS_H

#include "algorithms/planning/tsdpbp.h"

/* Brings the bins of all nodes up to date; does nothing if they are so in this cycle. The bin of a
 * node has the node's row as its number. */
int32_t ts_build(struct ts *t);
/* Reads a node again from the engine, and makes the amounts of planned work on the node unavailable
 * again. Returns 1, or 0 if the planned work does not fit there any more, or a negative error
 * code. */
int32_t ts_renew(struct ts *t, uint32_t node);
/* Returns the map of the timeline that says on which bins the job can run, or a negative error
 * code. */
int32_t ts_able(struct ts *t, uint32_t job, const lsched_plan_ask *ask);
/* Drops the maps if they are many. No item that is still to be scheduled may have one. */
int32_t ts_able_clear_many(struct ts *t);
/* Sets *need to the amounts of one task. Returns 0 if the task asks for a resource kind that has no
 * column in the timeline. */
int ts_need(const struct ts *t, const lsched_task_shape *task, struct free_timeline_amount *need);
/* Chooses the bins of an item. Before the call, a search has found that the item fits at its start.
 * The node on which the job was planned before comes first if it holds all tasks, then the bins
 * with the least room. */
int32_t ts_choose(struct ts *t, struct ts_item *item);
/* Gives the item the node on which it was planned before, if that node holds all its tasks from the
 * item's start on. A node that holds some of them would split a gang for which another node has
 * room. Returns 1 if the item has its node, else 0, or LSCHED_E_NOMEM. */
int32_t ts_choose_before(struct ts *t, struct ts_item *item);
/* Sets *amount to what the holder has of the node, with the number of its devices. */
void ts_holder_amounts(const struct ts *t, const lsched_holder *h,
                       struct free_timeline_amount *amount);
/* Makes the amounts of an item unavailable `times` times, on nodes and on MIG devices; -1 makes
 * them available again. */
int32_t ts_take(struct ts *t, const struct ts_item *item, int64_t times);
#endif
