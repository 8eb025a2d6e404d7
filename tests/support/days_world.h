/* days_world.h -- a node that carries tasks whose demand follows the day: part of world_fill(), and
 * for tests of such tasks. */
#ifndef LSCHED_TESTS_DAYS_WORLD_H
#define LSCHED_TESTS_DAYS_WORLD_H

#include "support/model_world.h"

/* Node "sunny" of 10 cores; job "curves" with one task that runs, one that leaves and claims a
 * place there again, one that leaves for "flat", and one that is proposed; job "flat" beside it. */
int32_t days_fill(struct model_world *w);

#endif
