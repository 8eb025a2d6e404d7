/*
 * explain_queue.h -- writes the use, guarantee, fair share and limit of the job's queue and of each
 * queue above it.
 */
#ifndef LIBSCHED_EXPLAIN_QUEUE_H
#define LIBSCHED_EXPLAIN_QUEUE_H

#include "engine/exclusions/explain_context.h"

/* Reads into *e the amounts of the job's queue and of each queue above it. Returns LSCHED_OK or an
 * error of the share algorithm, such as LSCHED_E_NOMEM. */
int32_t explain_queue_read(struct explain *e);
/* Writes a line for the job's queue and for each queue above it, in the job's main resource kind.
 * Another kind gets a line only if the job would bring the queue above a bound (guarantee or fair
 * share) in that kind, but not above the same bound in the main kind. */
void explain_queue_all(const struct explain *e);
/* Updates the record of a job that is not allowed to evict others because its queue would pass its
 * fair share (LSCHED_NO_VICTIM_SHARE). The function sets the remaining amount of that fair
 * share. */
void explain_queue_refresh(struct explain *e);
/* True if the queue at path[level] uses more than its guarantee of some kind in kinds[]. *kind is
 * set to the index of that kind in kinds[], 0 if there is none. */
int explain_queue_exceeded(const struct explain *e, uint32_t level, uint32_t *kind);

#endif
