/* lives_world.h -- what the world of model_world.h has of proposals with a life: the moves of the
 * gang "moves" expire a minute from now, unless the orchestrator settles them. */
#ifndef LSCHED_TESTS_LIVES_WORLD_H
#define LSCHED_TESTS_LIVES_WORLD_H

#include "support/model_world.h"

int32_t lives_fill(struct model_world *w);

#endif
