/* gates_world.h -- part of world_fill() (model_world.h): jobs that wait for a begin or for others. */
#ifndef TESTS_GATES_WORLD_H
#define TESTS_GATES_WORLD_H

#include "support/model_world.h"

/* Adds jobs whose names begin with "gate-": one that waits for its begin and expires, one that waits
 * for the success of another, one of which a dependency is met, one of which it never is, because
 * the other job is gone, and one that has not been told of the end of another. */
int32_t gates_fill(struct model_world *w);

#endif
