/*
 * reorder.h -- sets the order keys of very many jobs at once, when a refresh changes the ages of
 * all jobs.
 *
 * To move jobs one by one costs two heap operations each: seconds for a million jobs. Here the
 * new order keys are written in place, and each heap is checked once afterwards. Most heaps need
 * no change, because jobs of one bundle age alike and keep their places; a heap that is out of
 * order is built again. O(jobs), two passes over the rows.
 *
 * Between reorder_set() and reorder_repair() the heaps of jobs and bundles can be out of order,
 * and no other code is allowed to use them. After an error in between, the caller must roll back.
 */
#ifndef LIBSCHED_REORDER_H
#define LIBSCHED_REORDER_H

#include "model/store/columns.h"

/* Writes the job's order key alone. The caller has called undo_room(). */
void reorder_set(struct columns *k, uint32_t job, int64_t order);
/* Rebuilds the heaps that are out of order. After LSCHED_E_NOMEM the caller rolls back. */
int32_t reorder_repair(struct columns *k);

#endif
