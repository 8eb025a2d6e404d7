/*
 * queue_end.h -- clears the references to a queue before the queue is removed.
 *
 * Parked bundles and refusals name queues. The functions here remove these references first;
 * queue_end() then removes the row. The user queues that the library made are removed with
 * their parent, or when they are not needed any more. Cost: O(bundles) for each queue that the
 * orchestrator removes, and O(bundles) in total for all user queues that one sweep removes.
 */
#ifndef LIBSCHED_QUEUE_END_H
#define LIBSCHED_QUEUE_END_H

#include "model/queues/user_queue.h"

/* Clears every reference of bundles and refusals to the queue, before the queue is removed. Can
 * return LSCHED_E_NOMEM. */
int32_t queue_forget(struct columns *k, uint32_t queue);
/* Removes the queue with its allowance, after queue_forget(). It must have no jobs and no
 * children. */
void queue_end(struct columns *k, uint32_t queue);
/* Removes the user queues that are not needed any more. Can return LSCHED_E_NOMEM. */
int32_t user_queues_sweep(struct columns *k);
/* Removes the user queues below a queue that has no jobs and is about to be removed. Can return
 * LSCHED_E_NOMEM. */
int32_t user_queues_drop(struct columns *k, uint32_t queue);

#endif
