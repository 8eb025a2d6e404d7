/* soft_limit_form.c -- see soft_limit_form.h. */
#include "api/calls/soft_limit_form.h"

#include "base/call_args.h"
#include "base/units.h"

int32_t soft_limit_form_check(lsched_text name, uint32_t flags, int64_t soft, int64_t limit,
                              lsched_error *err) {
    char early[32], late[32];
    if (soft == 0) return LSCHED_OK;
    if (flags & LSCHED_JOB_NON_PREEMPTIBLE)
        return fail(err, LSCHED_E_INVAL,
                    "job '%.*s': a soft_limit_us, but the job must not be stopped for others",
                    (int)name.len, name.ptr);
    if (limit == 0 || soft < limit) return LSCHED_OK;
    units_format(UNITS_DURATION_US, soft, early, sizeof early);
    units_format(UNITS_DURATION_US, limit, late, sizeof late);
    return fail(
        err, LSCHED_E_INVAL,
        "job '%.*s': its soft_limit_us of %s is not below its time_limit_us of %s, at which "
        "it is stopped anyway",
        (int)name.len, name.ptr, early, late);
}
