/* job_form.h -- converts a job description to the canonical bytes of its shape
 * (model/shapes/shape.h), and makes every check. */
#ifndef LIBSCHED_JOB_FORM_H
#define LIBSCHED_JOB_FORM_H

#include "model/queues/queue.h"
#include "model/shapes/shape.h"

int32_t job_form_encode(const struct columns *k, const lsched_job_desc *d, struct bytes *b,
                        lsched_error *err);
/* Encodes one leaf, for the task mix. */
int32_t job_form_encode_task(const struct columns *k, const lsched_group_desc *g, struct bytes *b,
                             lsched_error *err);

#endif
