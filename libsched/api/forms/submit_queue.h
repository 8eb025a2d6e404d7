/* submit_queue.h -- finds the queue of a submitted job: the queue that the job names, or the user
 * queue below it for the job's group and user. */
#ifndef LIBSCHED_SUBMIT_QUEUE_H
#define LIBSCHED_SUBMIT_QUEUE_H

#include "api/door/args.h"

/* Sets *queue to the row of a leaf queue that can take one more job; makes user queues if needed.
 * Errors:
 *   LSCHED_E_NOENT: the queue does not exist
 *   LSCHED_E_STATE: the queue is not a leaf
 *   LSCHED_E_LIMIT: too many jobs
 *   LSCHED_E_INVAL: user or group is invalid, or the queue's name would be too long
 *   LSCHED_E_EXISTS: another queue has the name of the user queue */
int32_t submit_queue(struct columns *k, const lsched_job_desc *d, uint32_t *queue,
                     lsched_error *err);

#endif
