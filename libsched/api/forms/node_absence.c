/* node_absence.c -- see node_absence.h. */
#include "api/forms/node_absence.h"

#include "api/door/args.h"
#include "base/limits.h"

int32_t node_absence_check(int64_t leaves, int64_t back, int64_t every, lsched_text name,
                           lsched_error *err) {
    int len = (int)name.len;
    if (leaves < 0 || back < 0 || every < 0 || leaves > LIMIT_TIME_US || back > LIMIT_TIME_US ||
        every > LIMIT_TIME_US)
        return fail(err, LSCHED_E_RANGE,
                    "node '%.*s': a time of its absence is negative or too large; expected 0 to "
                    "%lld us",
                    len, name.ptr, (long long)LIMIT_TIME_US);
    if (back && back <= leaves)
        return fail(err, LSCHED_E_RANGE,
                    "node '%.*s': back_us is %lld and leaves_us is %lld; expected a node that "
                    "leaves before it is back, or back_us 0 if it does not come back",
                    len, name.ptr, (long long)back, (long long)leaves);
    if (every && !back)
        return fail(err, LSCHED_E_RANGE,
                    "node '%.*s': leaves_every_us is set, but the node does not come back; set "
                    "back_us, too",
                    len, name.ptr);
    if (every && every <= back - leaves)
        return fail(err, LSCHED_E_RANGE,
                    "node '%.*s': it leaves every %lld us and is away for %lld us; expected to be "
                    "away for less time than until it leaves again",
                    len, name.ptr, (long long)every, (long long)(back - leaves));
    return LSCHED_OK;
}
