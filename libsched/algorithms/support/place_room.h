/*
 * place_room.h -- the amounts that stay free on a node after a task is placed there, as fractions.
 *
 * Fractions are integers between 0 and PLACE_WHOLE, rounded down. Large amounts are shifted right
 * before the division, so that nothing overflows. A fraction is exact to about 2^-30. Cost: one
 * division per fraction.
 */
#ifndef LIBSCHED_PLACE_ROOM_H
#define LIBSCHED_PLACE_ROOM_H

#include <libsched/algorithm.h>

#define PLACE_WHOLE_BITS 30
#define PLACE_WHOLE      ((int64_t)1 << PLACE_WHOLE_BITS)

/* Returns amount / whole as a fraction from 0 to PLACE_WHOLE. Returns 0 if `whole` is not
 * positive. */
int64_t place_part(int64_t amount, int64_t whole);

/* Returns the free amount of a resource kind on the node after the task is placed there. */
static inline int64_t place_left(const lsched_view *view, const lsched_task_shape *task,
                                 uint32_t node, uint32_t kind) {
    return view->node_free[kind][node] - task->request[kind];
}

/* Returns the smaller one of two fractions: the cpu and the memory that stay free on the node after
 * the task is placed, each divided by the node's own capacity. */
int64_t place_least_part_left(const lsched_view *view, const lsched_task_shape *task,
                              uint32_t node);

/* Largest capacity of any node. Algorithms that compare nodes of different size divide the amounts
 * that stay free by this capacity. */
struct place_scale {
    int64_t cpu_milli;
    int64_t gpu_milli;
};
/* Reads the capacities of all nodes. Returns 1 if the scale is what it was. */
int place_scale_read(struct place_scale *scale, const lsched_view *view);

/* Returns the measure of best fit: the sum of two fractions, from 0 to 2 * PLACE_WHOLE. The
 * fractions are the cpu and the gpu amount that stay free on the node after the task is placed,
 * each divided by the largest capacity of any node. Memory does not count, as in the FGD paper:
 * with memory in the sum, 7.9 % of the GPUs of the openb trace stay unused instead of 7.1 %. */
int64_t place_left_over(const struct place_scale *scale, const lsched_view *view,
                        const lsched_task_shape *task, uint32_t node);

#endif
