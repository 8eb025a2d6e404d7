/*
 * place_spread.c -- the place algorithm "spread": spreads the load evenly, so that tasks disturb
 * each other, and fail together, as little as possible.
 *
 * A task with GPUs goes to the node where the largest fraction of the GPUs stays idle. A task
 * without GPUs goes to a node without GPUs if possible. If several nodes are equal, the fractions
 * of the node's own cpu and memory that stay free are compared: the smaller fraction of the two
 * counts, and the node where it is largest is chosen. Inside the node, the task gets the devices
 * with the largest free share. Fractions are compared instead of amounts, because a node of 8 GPUs
 * can carry twice the load of a node of 4. A score takes O(1) per node, and choosing devices takes
 * O(devices^2) at worst. The algorithm has no state.
 */
#include "algorithms/builtin.h"
#include "algorithms/support/place_pieces.h"
#include "algorithms/support/place_room.h"

static int32_t spread_prepare(void *self, const lsched_view *view) {
    (void)self;
    (void)view;
    return LSCHED_PREPARED_SAME;
}

static int32_t spread_score(void *self, const lsched_view *view, const lsched_task_shape *task,
                            const uint32_t *nodes, size_t n, int64_t *scores) {
    (void)self;
    for (size_t i = 0; i < n; i++) {
        uint32_t node = nodes[i];
        int64_t first = task->gpu_devices == 0
                            ? view->node_device_count[node] == 0
                            : place_part(place_left(view, task, node, LSCHED_GPU),
                                         view->node_capacity[LSCHED_GPU][node]);
        scores[i] = first * (PLACE_WHOLE + 1) + place_least_part_left(view, task, node);
    }
    return LSCHED_OK;
}

static int32_t spread_devices(void *self, const lsched_view *view, const lsched_task_shape *task,
                              uint32_t node, uint64_t *device_words) {
    (void)self;
    struct place_pieces pieces;
    place_pieces_read(&pieces, view, task, node);
    struct piece_set chosen = place_pieces_loosest(&pieces, task->gpu_devices);
    place_pieces_devices(&pieces, &chosen, device_words);
    return LSCHED_OK;
}

static const lsched_place_ops spread_ops = {
    .size = sizeof(lsched_place_ops),
    .prepare = spread_prepare,
    .score = spread_score,
    .devices = spread_devices,
};

const lsched_algorithm place_spread = {
    BUILTIN(PLACE),
    .name = "spread",
    .place = &spread_ops,
};
