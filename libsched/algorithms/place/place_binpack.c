/*
 * place_binpack.c -- the place algorithm "binpack": fills nodes up, so that whole nodes stay free.
 *
 * The algorithm chooses the node where the fewest GPUs stay idle after the task. If several nodes
 * are equal, the algorithm compares the fractions of the node's own cpu and memory that stay free:
 * the smaller fraction of the two counts, and the node where it is smallest is chosen. GPUs count
 * by number, not as a fraction of the node: a node of 8 GPUs with 3 idle GPUs is more useful for a
 * future 8-GPU task than a node of 4 GPUs with 2 idle GPUs, although its idle fraction is smaller.
 * The same order is used for tasks without GPUs, so these tasks go to nodes without idle GPUs
 * first. A score takes O(1) per node; the algorithm has no state.
 */
#include "algorithms/builtin.h"
#include "algorithms/support/place_room.h"

static int32_t binpack_prepare(void *self, const lsched_view *view) {
    (void)self;
    (void)view;
    return LSCHED_PREPARED_SAME;
}

static int32_t binpack_score(void *self, const lsched_view *view, const lsched_task_shape *task,
                             const uint32_t *nodes, size_t n, int64_t *scores) {
    (void)self;
    for (size_t i = 0; i < n; i++) {
        int64_t gpu_left = place_left(view, task, nodes[i], LSCHED_GPU);
        int64_t part_left = place_least_part_left(view, task, nodes[i]);
        scores[i] = -(gpu_left * (PLACE_WHOLE + 1) + part_left);
    }
    return LSCHED_OK;
}

static const lsched_place_ops binpack_ops = {
    .size = sizeof(lsched_place_ops),
    .prepare = binpack_prepare,
    .score = binpack_score,
};

const lsched_algorithm place_binpack = {
    BUILTIN(PLACE),
    .name = "binpack",
    .place = &binpack_ops,
};
