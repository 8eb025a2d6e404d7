/* soft_limit_form.h -- checks the soft limit of a job against what else is said of the job. */
#ifndef LIBSCHED_SOFT_LIMIT_FORM_H
#define LIBSCHED_SOFT_LIMIT_FORM_H

#include <libsched/libsched.h>

/* Refuses a soft limit without effect: of a job that must not be stopped for others, and one that
 * is not below the time limit, at which the job is stopped anyway. Returns LSCHED_OK or
 * LSCHED_E_INVAL.
 * flags: LSCHED_JOB_*. limit: the time limit, 0 for none. */
int32_t soft_limit_form_check(lsched_text name, uint32_t flags, int64_t soft, int64_t limit,
                              lsched_error *err);

#endif
