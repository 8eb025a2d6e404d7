/* arrays_world.h -- part of world_fill() (model_world.h): a job array. */
#ifndef TESTS_ARRAYS_WORLD_H
#define TESTS_ARRAYS_WORLD_H

#include "support/model_world.h"

/* Adds the array "array" of 12 elements: one ended with success, one is over without it, "array#02"
 * waits as a job, and the others have not begun. */
int32_t arrays_fill(struct model_world *w);

#endif
