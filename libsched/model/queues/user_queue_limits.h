/*
 * user_queue_limits.h -- what the sub-queues of users and groups have from the queue that they are
 * below: its template of limits. It follows when the template changes. Calls neither queue.c, which
 * changes templates, nor user_queue.c, which makes sub-queues.
 */
#ifndef LIBSCHED_USER_QUEUE_LIMITS_H
#define LIBSCHED_USER_QUEUE_LIMITS_H

#include "model/store/columns.h"

/* A new sub-queue takes what its parent's template says. Needs undo_room(). */
void user_queue_inherit(struct columns *k, uint32_t queue);
/* The queue's template changed: its sub-queues follow. LSCHED_E_NOMEM. */
int32_t user_queues_follow(struct columns *k, uint32_t queue);

#endif
