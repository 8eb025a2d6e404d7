/*
 * explain_work.h -- the lines of an explanation that say which kind of work the placed tasks of a
 * job are by the tables `speeds` and `contention` of the policy, and which numbers of the tables
 * count where they are.
 *
 * What always holds: the numbers are those of the tables in force and of the present neighbours.
 * For a task that was placed by them and whose neighbours are the same, they are those that
 * decided. Cost: O(tasks of the job x their devices x (kinds + models)).
 */
#ifndef LIBSCHED_EXPLAIN_WORK_H
#define LIBSCHED_EXPLAIN_WORK_H

#include "engine/exclusions/explain_context.h"

/* Writes a line for each of the two tables that says something of placed tasks of the job. */
void explain_work(const struct explain *e);

#endif
