/* job_form.h -- checks a job description completely, and converts it to the canonical bytes of
 * its shape (model/shapes/shape.h). */
#ifndef LIBSCHED_JOB_FORM_H
#define LIBSCHED_JOB_FORM_H

#include "model/queues/queue.h"
#include "model/shapes/shape.h"

int32_t job_form_encode(const struct columns *k, const lsched_job_desc *d, struct bytes *b,
                        lsched_error *err);
/* Appends the canonical bytes of one leaf group's task, for the task mix. */
int32_t job_form_encode_task(const struct columns *k, const lsched_group_desc *g, struct bytes *b,
                             lsched_error *err);

#endif
