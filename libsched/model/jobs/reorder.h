/*
 * reorder.h -- the order of very many jobs at once, as a refresh of ages brings it.
 *
 * To move jobs one by one costs two searches of a heap each: seconds for a million. Here the new
 * orders are written in place and the heaps are looked at afterwards, once: most need nothing,
 * because jobs of one bundle age alike and keep their places; those that are out of order are built
 * anew. O(jobs), two passes over the rows.
 *
 * Between reorder_set() and reorder_repair() the heaps of jobs and bundles may be out of order:
 * nothing else may touch them. An error in between must end in a rollback.
 */
#ifndef LIBSCHED_REORDER_H
#define LIBSCHED_REORDER_H

#include "model/store/columns.h"

/* undo_room() was called. */
void reorder_set(struct columns *k, uint32_t job, int64_t order);
/* LSCHED_E_NOMEM: the caller rolls back. */
int32_t reorder_repair(struct columns *k);

#endif
