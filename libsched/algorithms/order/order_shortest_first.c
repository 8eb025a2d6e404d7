/*
 * order_shortest_first.c -- the order algorithm "shortest-first": the job with the shortest
 * estimated duration comes first. The algorithm does not read priorities.
 *
 * A job without an estimate comes last, because its duration is unknown. If it came first, owners
 * would gain by giving no estimate. Long jobs can starve behind an endless stream of short jobs;
 * every shortest-first order has this weakness. A key takes O(1); the algorithm has no state.
 */
#include "algorithms/builtin.h"

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
    BUILTIN(ORDER),
    .name = "shortest-first",
    .order = &shortest_ops,
};
