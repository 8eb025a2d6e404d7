/*
 * order_priority.c -- the order algorithm "priority", the default: the job with the higher priority
 * comes first; jobs of equal priority are ordered by submission time, then name.
 *
 * The key is the negated priority. The key cannot overflow, because priorities have 32 bits and
 * keys 64. A key takes O(1); the algorithm has no state.
 */
#include "algorithms/builtin.h"

static int32_t priority_keys(void *self, const lsched_view *view, const uint32_t *jobs, size_t n,
                             int64_t *keys) {
    (void)self;
    for (size_t i = 0; i < n; i++) keys[i] = -(int64_t)view->job_priority[jobs[i]];
    return LSCHED_OK;
}

static const lsched_order_ops priority_ops = {
    .size = sizeof(lsched_order_ops),
    .keys = priority_keys,
};

const lsched_algorithm order_priority = {
    BUILTIN(ORDER),
    .name = "priority",
    .order = &priority_ops,
};
