/*
 * array_form.h -- reads whether the caller's job is an array, an element of one, or neither, and
 * says what is wrong in it.
 */
#ifndef LIBSCHED_ARRAY_FORM_H
#define LIBSCHED_ARRAY_FORM_H

#include "model/arrays/array.h"

/* Sets *spec. A job with the name of an element that has begun, of an array that exists, becomes
 * this element: so a description of an array is submitted again. Errors: LSCHED_E_INVAL,
 * LSCHED_E_LIMIT, LSCHED_E_EXISTS (the name of an element). Cost: O(1), but O(elements) if jobs
 * exist whose names end as those of elements do. */
int32_t array_form_read(const struct columns *k, const lsched_job_desc *d, struct array_spec *spec,
                        lsched_error *err);
/* Checks a job that was changed, if it is an array: its elements need tasks that exist,
 * and its queue must accept so many jobs. */
int32_t array_form_check(const struct columns *k, uint32_t job, lsched_error *err);
/* Checks a job that was added, and lets an array wait for the end of its elements if all of them
 * have begun. */
int32_t array_form_added(struct columns *k, uint32_t job, lsched_error *err);
/* Returns LSCHED_E_STATE if the job is an array of which nothing is left to change. */
int32_t array_form_changes(const struct columns *k, uint32_t job, lsched_error *err);
/* Returns LSCHED_OK if the job is no array, otherwise LSCHED_E_STATE with what is refused. */
int32_t array_form_refuse(const struct columns *k, uint32_t job, const char *what,
                          lsched_error *err);

#endif
