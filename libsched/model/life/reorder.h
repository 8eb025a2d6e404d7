/*
 * reorder.h -- sets the order keys of very many jobs at once, when a refresh changes the ages of
 * all jobs.
 *
 * Moving jobs one by one needs two heap operations for each job: seconds for a million jobs. The
 * functions here write all new order keys first, and check each heap once afterwards. Most heaps
 * need no change, because the order keys of all jobs of a bundle change by the same amount. A
 * heap that is out of order is built again. Cost: O(jobs), two passes over the rows.
 *
 * Between reorder_set() and reorder_repair() the heaps of jobs and bundles can be out of order,
 * and no other code is allowed to use them. If an error occurs between the two calls, the caller
 * must roll back.
 */
#ifndef LIBSCHED_REORDER_H
#define LIBSCHED_REORDER_H

#include "model/store/columns.h"

/* Writes the job's order key and changes no heap. The caller has called undo_room(). */
void reorder_set(struct columns *k, uint32_t job, int64_t order);
/* Rebuilds the heaps that are out of order. If it returns LSCHED_E_NOMEM, the caller must roll
 * back. */
int32_t reorder_repair(struct columns *k);

#endif
