/*
 * place_first_fit.c -- the place algorithm "first-fit": chooses the first node in name order that
 * can hold the task.
 *
 * The algorithm ignores sizes, so it is the cheapest one and the yardstick for the others. The
 * algorithm also packs, because the same nodes always come first. O(1) per node, no state.
 */
#include "algorithms/support/place_tables.h"

static int32_t first_fit_prepare(void *self, const lsched_view *view) {
    (void)self;
    (void)view;
    return LSCHED_OK;
}

static int32_t first_fit_score(void *self, const lsched_view *view, const lsched_task_shape *task,
                               const uint32_t *nodes, size_t n, int64_t *scores) {
    (void)self;
    (void)task;
    for (size_t i = 0; i < n; i++) scores[i] = -(int64_t)view->node_name_rank[nodes[i]];
    return LSCHED_OK;
}

static const lsched_place_ops first_fit_ops = {
    .size = sizeof(lsched_place_ops),
    .prepare = first_fit_prepare,
    .score = first_fit_score,
};

const lsched_algorithm place_first_fit = {
    .size = sizeof(lsched_algorithm),
    .api = LSCHED_ALGORITHM_API,
    .role = LSCHED_ROLE_PLACE,
    .name = "first-fit",
    .place = &first_fit_ops,
};
