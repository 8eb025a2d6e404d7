/*
 * verify_neighbours.h -- checks that no task of a plan is placed beside one that the table of
 * slow-downs bars, and says how long a job can run beside those that it lets be there.
 *
 * The file reads the slow-downs themselves and compares two tasks at a time, where the library
 * keeps counts and bits. Tasks that an import put beside each other, and tasks that were there when
 * a table came into force, may exceed the bound: only what a plan places is checked.
 */
#ifndef LIBSCHED_VERIFY_NEIGHBOURS_H
#define LIBSCHED_VERIFY_NEIGHBOURS_H

#include "model/check/check_finding.h"

/* Checks a task that a plan places, or nominates (then tasks that are to leave do not count).
 * O(tasks on the node). */
int32_t verify_neighbours(struct check *c, uint32_t task, int nominated);
/* Returns the estimate of the job in microseconds, 0 if it has none: if the table says that
 * estimates hold without neighbours, with the greatest slow-down that it allows a task of the job
 * with a share of a device. O(groups x alternatives x kinds). */
int64_t verify_neighbours_estimate(const struct columns *k, uint32_t job);

#endif
