/*
 * order_shortest_first.c -- order "shortest-first": the shortest estimated duration first,
 * priorities are not read.
 *
 * A job without an estimate goes last: it may be of any length, and first would reward saying
 * nothing. Long jobs can starve behind an endless stream of short ones; that is what this order
 * means. O(1) per job, no state.
 */
#include "algorithms/support/share_order.h"

static int32_t shortest_keys(void *self, const lsched_view *view, const uint32_t *jobs, size_t n,
                             int64_t *keys) {
    (void)self;
    for (size_t i = 0; i < n; i++) {
        int64_t duration_us = view->job_duration_us[jobs[i]];
        keys[i] = duration_us > 0 ? duration_us : INT64_MAX;
    }
    return LSCHED_OK;
}

static const lsched_order_ops shortest_ops = {
    .size = sizeof(lsched_order_ops),
    .keys = shortest_keys,
};

const lsched_algorithm order_shortest_first = {
    .size = sizeof(lsched_algorithm),
    .api = LSCHED_ALGORITHM_API,
    .role = LSCHED_ROLE_ORDER,
    .name = "shortest-first",
    .order = &shortest_ops,
};
