/* dependency_circle.h -- refuses dependencies with which a job would wait for itself. A file of its
 * own, so that a program that updates no job does not link it. */
#ifndef LIBSCHED_DEPENDENCY_CIRCLE_H
#define LIBSCHED_DEPENDENCY_CIRCLE_H

#include "api/dependencies/dependency_form.h"

/* Checks what the form has read for a job that exists. Errors: LSCHED_E_CYCLE, LSCHED_E_NOMEM. */
int32_t dependency_circle_check(const struct columns *k, const struct dependency_form *f,
                                uint32_t job, lsched_error *err);

#endif
