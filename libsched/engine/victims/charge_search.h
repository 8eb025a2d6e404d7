/*
 * charge_search.h -- what a task may be charged where that depends on the device.
 *
 * Before a node is known the queues are asked with the least that a task of the shape may count;
 * this asks with what it would really count. A search goes on with a bound on the charge
 * (search_key.charge_max) as long as the best node is one where the queues say no: the bound only
 * falls, from one charge that some device has to the next, so there are few searches, and each has
 * its index. A part that wants to be kept apart looks first where it need not have a device alone.
 * Shapes whose charge is the same everywhere pay one test.
 */
#ifndef LIBSCHED_CHARGE_SEARCH_H
#define LIBSCHED_CHARGE_SEARCH_H

#include "engine/state/cycle_state.h"
#include "model/shapes/placement.h"

struct charge_search {
    uint32_t job, group, shape;
    int varies, limited, found;
    struct diagnosis why; /* limited: what the queues said */
};
/* One search for a node: begin, look, and look again while go_on() says so; rc and node: what was
 * found. The result is in found. */
void charges_begin(struct lsched_cycle *y, struct charge_search *s, uint32_t job, uint32_t group);
int charges_go_on(struct lsched_cycle *y, struct charge_search *s, int32_t rc, uint32_t node);

/* May one more task take this: 1, perhaps on other devices of the node that count less; or 0 with
 * y->why. */
int charges_allow(struct lsched_cycle *y, uint32_t job, uint32_t group, uint32_t node,
                  struct hold *hold);
/* With how much gpu room below a limit is to be asked for: what the job in hand was refused, at
 * least. */
int64_t charges_wanted(const struct lsched_cycle *y, uint32_t job, uint32_t group);

#endif
