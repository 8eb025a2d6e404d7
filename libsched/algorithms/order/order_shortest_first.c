/*
 * order_shortest_first.c -- the order algorithm "shortest-first": the job with the shortest
 * estimated duration goes first. Priorities are not read.
 *
 * A job without an estimate goes last: its length is unknown, and if it went first, owners would
 * gain by giving no estimate. Long jobs can starve behind an endless stream of short ones; this is
 * inherent in the order. O(1) per job, no state.
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
