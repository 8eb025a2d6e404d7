/*
 * order_deadline.c -- order "deadline": the earliest deadline first, jobs without one last;
 * priorities are not read.
 *
 * A deadline that has passed still goes first: the job is late already, and the key must not depend
 * on now, so that keys are computed once and not at each refresh. O(1) per job, no state.
 */
#include "algorithms/support/share_order.h"

static int32_t deadline_keys(void *self, const lsched_view *view, const uint32_t *jobs, size_t n,
                             int64_t *keys) {
    (void)self;
    for (size_t i = 0; i < n; i++) {
        int64_t deadline_us = view->job_deadline_us[jobs[i]];
        keys[i] = deadline_us > 0 ? deadline_us : INT64_MAX;
    }
    return LSCHED_OK;
}

static const lsched_order_ops deadline_ops = {
    .size = sizeof(lsched_order_ops),
    .keys = deadline_keys,
};

const lsched_algorithm order_deadline = {
    .size = sizeof(lsched_algorithm),
    .api = LSCHED_ALGORITHM_API,
    .role = LSCHED_ROLE_ORDER,
    .name = "deadline",
    .order = &deadline_ops,
};
