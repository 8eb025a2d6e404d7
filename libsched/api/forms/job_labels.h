/*
 * job_labels.h -- the labels of a job, as canonical bytes.
 */
#ifndef LIBSCHED_JOB_LABELS_H
#define LIBSCHED_JOB_LABELS_H

#include "api/door/args.h"
#include "model/store/intern.h"

/* Reads the labels of the job into *b and sets *labels to b, or to NULL if the job has no labels.
 * The caller closes b. */
int32_t job_labels_read(const lsched_job_desc *d, struct bytes *b, const struct bytes **labels,
                        lsched_error *err);

#endif
