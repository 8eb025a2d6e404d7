/* queue_form.h -- reads descriptions and updates of queues. */
#ifndef LIBSCHED_QUEUE_FORM_H
#define LIBSCHED_QUEUE_FORM_H

#include "api/door/args.h"
#include "model/queues/queue.h"

/* Reads a description to *spec, except its name and its parent. A kind that a list does not name
 * gets its default. */
int32_t queue_form_read(const struct columns *k, const lsched_queue_desc *d,
                        struct queue_spec *spec, lsched_error *err);
/* Reads an update of the queue to *spec: the fields that `set` names come from the update, all
 * others are those of the queue. */
int32_t queue_form_update(const struct columns *k, uint32_t queue, const lsched_queue_update *u,
                          struct queue_spec *spec, lsched_error *err);

#endif
