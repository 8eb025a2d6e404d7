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
/* Goes down from *queue to its user queue for the group, for the user, or for the user in the
 * group, and makes it if needed: a queue with user queues of groups and no user given stops at that
 * of the group. Stays at *queue if both texts are empty. Errors:
 *   LSCHED_E_STATE: the queue has no user queues of users, or of groups, and one is given
 *   LSCHED_E_INVAL, LSCHED_E_EXISTS: as for submit_queue() */
int32_t submit_queue_below(struct columns *k, lsched_text user, lsched_text group, uint32_t *queue,
                           lsched_error *err);

#endif
