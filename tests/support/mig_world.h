/* mig_world.h -- a node whose devices are cut into MIG instances, and tasks on them: part of
 * world_fill(). */
#ifndef LSCHED_TESTS_MIG_WORLD_H
#define LSCHED_TESTS_MIG_WORLD_H

#include "support/model_world.h"

/* Node "cut" with two H100: job "slices" has two 3g that run and one that leaves and claims a place
 * on the other device, job "slots" two 1g, job "slivers" waits. */
int32_t mig_fill(struct model_world *w);

#endif
