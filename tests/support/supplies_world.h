/* supplies_world.h -- supplies, their places, and a job that needs them: part of refusals_fill(). */
#ifndef LSCHED_TESTS_SUPPLIES_WORLD_H
#define LSCHED_TESTS_SUPPLIES_WORLD_H

#include "support/model_world.h"

/* Supplies "watts", with a place at the rack of node "powered", and "licence"; a task of job
 * "licensed", which needs both, runs on that node. */
int32_t supplies_fill(struct model_world *w);

#endif
