/* submit_queue.h -- finds the queue of a submitted job: the queue that the job names, or its
 * sub-queue for the job's group and user. */
#ifndef LIBSCHED_SUBMIT_QUEUE_H
#define LIBSCHED_SUBMIT_QUEUE_H

#include "api/door/args.h"

/* Finds the row of a leaf queue that can take one more job; makes sub-queues if needed.
 * LSCHED_E_NOENT, LSCHED_E_STATE (an inner queue), LSCHED_E_LIMIT (too many jobs), LSCHED_E_INVAL
 * (user, group, or a name that would be too long), LSCHED_E_EXISTS (another queue has the name). */
int32_t submit_queue(struct columns *k, const lsched_job_desc *d, uint32_t *queue,
                     lsched_error *err);

#endif
