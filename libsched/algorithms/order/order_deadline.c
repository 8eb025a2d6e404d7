/*
 * order_deadline.c -- the order algorithm "deadline": the job with the earliest deadline comes
 * first, and jobs without a deadline come last. The algorithm does not read priorities.
 *
 * A job whose deadline has passed keeps its position, because the job is already late. Another
 * reason: the key then does not depend on the current time, so it is computed only once. A key
 * takes O(1); the algorithm has no state.
 */
#include "algorithms/builtin.h"

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
    BUILTIN(ORDER),
    .name = "deadline",
    .order = &deadline_ops,
};
