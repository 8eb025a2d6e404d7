/*
 * order_fifo.c -- the order algorithm "fifo": the job that was submitted first comes first. The
 * algorithm does not read priorities.
 *
 * All keys are equal, so the engine compares submission times, then names. A key takes O(1); the
 * algorithm has no state.
 */
#include "algorithms/builtin.h"

static int32_t fifo_keys(void *self, const lsched_view *view, const uint32_t *jobs, size_t n,
                         int64_t *keys) {
    (void)self;
    (void)view;
    (void)jobs;
    for (size_t i = 0; i < n; i++) keys[i] = 0;
    return LSCHED_OK;
}

static const lsched_order_ops order_fifo_ops = {
    .size = sizeof(lsched_order_ops),
    .keys = fifo_keys,
};

const lsched_algorithm order_fifo = {
    BUILTIN(ORDER),
    .name = "fifo",
    .order = &order_fifo_ops,
};
