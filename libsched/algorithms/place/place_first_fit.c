/*
 * place_first_fit.c -- the place algorithm "first-fit": chooses the first node in name order that
 * can hold the task.
 *
 * The algorithm ignores amounts. Therefore it is the cheapest place algorithm, and other algorithms
 * are compared with it. The algorithm packs tasks together, because the same nodes always come
 * first. A score takes O(1) per node; the algorithm has no state.
 */
#include <string.h>

#include "algorithms/builtin.h"

static int32_t first_fit_prepare(void *self, const lsched_view *view) {
    (void)self;
    (void)view;
    return LSCHED_PREPARED_SAME;
}

/* All scores are equal: of equal nodes, the engine takes the one whose name sorts first. */
static int32_t first_fit_score(void *self, const lsched_view *view, const lsched_task_shape *task,
                               const uint32_t *nodes, size_t n, int64_t *scores) {
    (void)self;
    (void)view;
    (void)task;
    (void)nodes;
    memset(scores, 0, n * sizeof *scores);
    return LSCHED_OK;
}

static const lsched_place_ops first_fit_ops = {
    .size = sizeof(lsched_place_ops),
    .prepare = first_fit_prepare,
    .score = first_fit_score,
};

const lsched_algorithm place_first_fit = {
    BUILTIN(PLACE),
    .name = "first-fit",
    .place = &first_fit_ops,
};
