/*
 * charge_search.h -- the search for a node when the GPU amount that a task is charged depends on
 * the device.
 *
 * Before a node is known, the limits of the queues are checked with the least amount that a task
 * of the shape can be charged. The functions here check them with the amount that a device on the
 * found node really charges. If a queue refuses that amount, the search is repeated with a bound
 * on the charge (search_key.charge_max). The bound only falls, each time below the last charge
 * that was refused. Therefore there are few searches, and each bound has its own search index. A
 * task with a share of a GPU that requires isolation searches first for nodes where it need not
 * have a whole device. A task shape with the same charge on every device costs one test.
 */
#ifndef LIBSCHED_CHARGE_SEARCH_H
#define LIBSCHED_CHARGE_SEARCH_H

#include "engine/state/cycle_state.h"
#include "model/shapes/placement.h"

struct charge_search {
    uint32_t job, group, shape;
    int varies, limited, found;
    struct diagnosis why; /* limited: the reason for which the queues refused the charge */
};
/* Bracket one search for a node: charge_begin, then one search, repeated as long as charge_go_on
 * returns 1. rc and node: the result of the last search. s->found: 1 if a node was found. */
void charge_begin(struct lsched_cycle *y, struct charge_search *s, uint32_t job, uint32_t group);
int charge_go_on(struct lsched_cycle *y, struct charge_search *s, int32_t rc, uint32_t node);

/* Returns 1 if one more task may be charged for *hold. If only a cheaper set of devices of the
 * node is allowed, the function stores that set in *hold and returns 1. Otherwise 0, with the
 * reason in y->why. */
int charge_allow(struct lsched_cycle *y, uint32_t job, uint32_t group, uint32_t node,
                 struct hold *hold);
/* Returns for how much GPU, in milli-GPUs, room below a limit is needed: the charge that the
 * current job was last refused, or the least charge of the task shape if that is larger. */
int64_t charge_wanted(const struct lsched_cycle *y, uint32_t job, uint32_t group);

#endif
