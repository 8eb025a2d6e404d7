/*
 * place_room.c -- see place_room.h. The only state is struct place_scale, which the operation
 * `prepare` of a place algorithm fills.
 */
#include "algorithms/support/place_room.h"

int64_t place_part(int64_t amount, int64_t whole) {
    if (amount <= 0 || whole <= 0) return 0;
    if (amount >= whole) return PLACE_WHOLE;
    while (whole >> (62 - PLACE_WHOLE_BITS)) {
        amount >>= 1;
        whole >>= 1;
    }
    return (amount << PLACE_WHOLE_BITS) / whole;
}

int64_t place_least_part_left(const lsched_view *view, const lsched_task_shape *task,
                              uint32_t node) {
    const uint32_t kinds[2] = {LSCHED_CPU, LSCHED_MEMORY};
    int64_t least = PLACE_WHOLE;
    for (int i = 0; i < 2; i++) {
        int64_t capacity = view->node_capacity[kinds[i]][node];
        /* the node does not declare this kind, so the kind does not count */
        if (capacity == 0) continue;
        int64_t part = place_part(place_left(view, task, node, kinds[i]), capacity);
        if (part < least) least = part;
    }
    return least;
}

int place_scale_read(struct place_scale *scale, const lsched_view *view) {
    const struct place_scale was = *scale;
    scale->cpu_milli = scale->gpu_milli = 0;
    for (uint32_t node = 0; node < view->n_nodes; node++) {
        if (!view->node_live[node]) continue;
        int64_t cpu = view->node_capacity[LSCHED_CPU][node];
        int64_t gpu = view->node_capacity[LSCHED_GPU][node];
        if (cpu > scale->cpu_milli) scale->cpu_milli = cpu;
        if (gpu > scale->gpu_milli) scale->gpu_milli = gpu;
    }
    return scale->cpu_milli == was.cpu_milli && scale->gpu_milli == was.gpu_milli;
}

int64_t place_left_over(const struct place_scale *scale, const lsched_view *view,
                        const lsched_task_shape *task, uint32_t node) {
    return place_part(place_left(view, task, node, LSCHED_CPU), scale->cpu_milli) +
           place_part(place_left(view, task, node, LSCHED_GPU), scale->gpu_milli);
}
