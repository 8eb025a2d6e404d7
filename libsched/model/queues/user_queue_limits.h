/*
 * user_queue_limits.h -- sets the limits of user queues from the template of the queue above
 * them. The functions are in a file of their own, because queue.c, which changes templates, and
 * user_queue.c, which makes user queues, both call them.
 */
#ifndef LIBSCHED_USER_QUEUE_LIMITS_H
#define LIBSCHED_USER_QUEUE_LIMITS_H

#include "model/store/columns.h"

/* Sets the limits of a new user queue from its parent's template. The caller has called
 * undo_room(). */
void user_queue_inherit(struct columns *k, uint32_t queue);
/* Sets the limits of the user queues below a queue after the queue's template changed. Can return
 * LSCHED_E_NOMEM. */
int32_t user_queues_follow(struct columns *k, uint32_t queue);

#endif
