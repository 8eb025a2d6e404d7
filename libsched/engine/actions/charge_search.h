/*
 * charge_search.h -- the search for a node when the GPU amount that a task is charged depends on
 * the device.
 *
 * Before a node is known, the limits of the queues are checked with the least amount that a task
 * of the shape can be charged. After a node is found, the functions here check the limits again,
 * with the amount that the task is really charged for the devices of that node. If a limit or an
 * allowance refuses this charge, the search is repeated with an upper bound on the charge
 * (search_key.charge_max). After each refusal, the bound is set below the refused charge. Therefore
 * there are few searches.
 * Each value of the bound has a search index of its own. If a task asks for a share of a GPU and
 * requires isolation, the first search finds only nodes where the task does not need a whole
 * device. For a task shape that is charged the same on every device, the functions end after one
 * test.
 */
#ifndef LIBSCHED_CHARGE_SEARCH_H
#define LIBSCHED_CHARGE_SEARCH_H

#include "engine/state/cycle_state.h"
#include "model/shapes/placement.h"

struct charge_search {
    const struct ask *ask;
    int varies, limited, found;
    struct diagnosis why; /* if `limited` is 1: the limit that refused the charge */
};
/* The caller calls charge_begin and then searches for a node. After each search, it calls
 * charge_go_on with the result of the search (rc and node). As long as charge_go_on returns 1, the
 * caller searches again. At the end, s->found is 1 if a node was found. */
void charge_begin(struct lsched_cycle *cy, struct charge_search *s, const struct ask *a);
int charge_go_on(struct lsched_cycle *cy, struct charge_search *s, int32_t rc, uint32_t node);

/* Returns 1 if the queues' limits and entitlements allow the charge of one more task on the
 * devices *hold. If they allow only the charge of a cheaper set of devices of the node, the
 * function stores that set in *hold and returns 1. Otherwise the function returns 0 and stores the
 * reason in cy->turn.why. */
int charge_allow(struct lsched_cycle *cy, const struct ask *a, uint32_t node, struct hold *hold);
/* Returns the GPU amount, in milli-GPUs, that must be free below a limit before the current job
 * can start: the last charge that was refused to the job, or the least charge of the task shape if
 * that is larger. */
int64_t charge_wanted(const struct lsched_cycle *cy, const struct ask *a);

#endif
