/*
 * cycle_memory.h -- makes room for the rows of a cycle that will place many tasks.
 *
 * A column that grows step by step copies each word about five times, and each step lets the view
 * point at the columns again. Therefore a cycle with many jobs in line estimates how many tasks it
 * can place, and enlarges the tables of tasks, leaves and decisions once. The estimate is at most
 * the number of tasks that fit into the free amounts of all ready nodes. Therefore a full cluster
 * with a million waiting jobs reserves nothing. The estimate decides no plan, and a cycle for which
 * the memory cannot be reserved runs as well.
 */
#ifndef LIBSCHED_CYCLE_MEMORY_H
#define LIBSCHED_CYCLE_MEMORY_H

#include "engine/state/cycle_state.h"

/* Reserves the rows, if at least CYCLE_MEMORY_JOBS jobs are in line. Costs O(bundles + queues),
 * which is at most the number of these jobs and queues. */
#define CYCLE_MEMORY_JOBS 1024u
void cycle_memory_reserve(struct lsched_cycle *cy);

#endif
