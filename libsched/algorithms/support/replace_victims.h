/*
 * replace_victims.h -- finds new places for the tasks that an action stopped in its transaction.
 *
 * The jobs are handled one by one, in the order in which their tasks were stopped. If all tasks of
 * a gang were stopped, the gang gets new places for at least its minimum, or for no task. Beyond
 * the minimum, each task or sub-group gets a new place if there is room for it. When the
 * transaction is kept, the tasks that have a new place move, and all other stopped tasks are
 * evicted.
 */
#ifndef LIBSCHED_REPLACE_VICTIMS_H
#define LIBSCHED_REPLACE_VICTIMS_H

#include "algorithms/support/gang_walk.h"

/* Returns 1 if every task that the engine lets move has a new place, 0 if at least one has none, or
 * a negative error code. *jobs: number of jobs with such tasks; it is 0 if the engine lets none of
 * the stopped tasks move, or if none was stopped. jobs: can be NULL. `g` supplies the
 * engine's calls and the memory of the walk; g->job is not read. */
int32_t replace_victims(struct gang *g, uint32_t *jobs);

#endif
