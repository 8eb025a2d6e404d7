/*
 * share_fifo.c -- the share algorithm "fifo": serves queues in a strict order. A queue is served
 * only if no queue before it has a job that can be placed now.
 *
 * The order is queue priority (higher first), then time of creation, then name. The algorithm does
 * not read the use and the weights of queues. The algorithm orders queues, not jobs: jobs of
 * different queues are not merged by submission time. To merge jobs by submission time, put them
 * into one queue. An update takes O(1); the algorithm has no state.
 */
#include "algorithms/builtin.h"

static int32_t fifo_begin(void *self, const lsched_view *view) {
    (void)self;
    (void)view;
    return LSCHED_OK;
}

static int32_t fifo_update(void *self, const lsched_view *view, uint32_t queue, uint32_t active,
                           uint32_t best_child, const int64_t *want, lsched_share_key *key) {
    (void)want;
    (void)self;
    (void)active;
    (void)best_child;
    key->word[0] = -(int64_t)view->queue_priority[queue];
    /* the keys of queues with equal priority are equal, so the engine compares creation times, then
     * names */
    key->word[1] = 0;
    return LSCHED_OK;
}

static const lsched_share_ops share_fifo_ops = {
    .size = sizeof(lsched_share_ops),
    .local_keys = 1,
    .begin = fifo_begin,
    .update = fifo_update,
};

const lsched_algorithm share_fifo = {
    BUILTIN(SHARE),
    .name = "fifo",
    .share = &share_fifo_ops,
};
