/*
 * replace_victims.h -- finds new places for the tasks that an action stopped in its transaction.
 *
 * The jobs are handled one by one, in the order in which their tasks were stopped. A gang of which
 * all tasks were stopped restarts with at least its minimum, or not at all. Beyond its minimum,
 * each task (or sub-group) for which there is room is placed separately. When the transaction is
 * kept, the tasks that have a new place move, and the others are evicted.
 */
#ifndef LIBSCHED_REPLACE_VICTIMS_H
#define LIBSCHED_REPLACE_VICTIMS_H

#include "algorithms/support/gang_walk.h"

/* Returns 1 if every stopped task has a new place, 0 if some task has none, or an error. `g`
 * supplies the engine's calls and the memory of the walk; its job is not used. */
int32_t replace_victims(struct gang *g);

#endif
