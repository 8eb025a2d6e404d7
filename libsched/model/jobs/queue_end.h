/*
 * queue_end.h -- what has to be forgotten before a queue is removed.
 *
 * Parked bundles and refusals name queues. They forget the queue first; queue_remove() then removes
 * the row. The sub-queues that the library made for users and groups go with their parent, or when
 * nobody needs them any more. O(bundles) for each queue that a host removes, O(bundles) once for
 * all sub-queues of a sweep.
 */
#ifndef LIBSCHED_QUEUE_END_H
#define LIBSCHED_QUEUE_END_H

#include "model/queues/user_queue.h"

/* Nothing that waits refers to the queue any more: before it is removed. LSCHED_E_NOMEM. */
int32_t queue_forget(struct columns *k, uint32_t queue);
/* Remove those that nobody needs. LSCHED_E_NOMEM. */
int32_t user_queues_sweep(struct columns *k);
/* The queue, which has no jobs, is about to go: its sub-queues go first. LSCHED_E_NOMEM. */
int32_t user_queues_drop(struct columns *k, uint32_t queue);

#endif
