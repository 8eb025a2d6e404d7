/*
 * user_queue_limits.h -- the limits that user queues take from the template of the queue above
 * them, also after the template changes. The functions call neither queue.c, which changes
 * templates, nor user_queue.c, which makes user queues.
 */
#ifndef LIBSCHED_USER_QUEUE_LIMITS_H
#define LIBSCHED_USER_QUEUE_LIMITS_H

#include "model/store/columns.h"

/* Sets the limits of a new user queue from its parent's template. The caller has called
 * undo_room(). */
void user_queue_inherit(struct columns *k, uint32_t queue);
/* Sets the limits of the user queues below a queue after its template changed. Can return
 * LSCHED_E_NOMEM. */
int32_t user_queues_follow(struct columns *k, uint32_t queue);

#endif
