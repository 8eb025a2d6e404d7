/*
 * place_room.h -- what a task leaves over on a node, as parts of a whole.
 *
 * Parts are integers of PLACE_WHOLE, rounded down; amounts of any size are scaled first, so nothing
 * overflows and a part is exact to about 2^-30. Cost: one division per part.
 */
#ifndef LIBSCHED_PLACE_ROOM_H
#define LIBSCHED_PLACE_ROOM_H

#include <libsched/algorithm.h>

#define PLACE_WHOLE_BITS 30
#define PLACE_WHOLE      ((int64_t)1 << PLACE_WHOLE_BITS)

/* amount / whole, within 0 .. 1; 0 if there is no whole. */
int64_t place_part(int64_t amount, int64_t whole);

/* Free amount of a kind after the task. */
static inline int64_t place_left(const lsched_view *view, const lsched_task_shape *task,
                                 uint32_t node, uint32_t kind) {
    return view->node_free[kind][node] - task->request[kind];
}

/* The part of its own cpu or memory that stays free on the node, whichever is less. */
int64_t place_least_part_left(const lsched_view *view, const lsched_task_shape *task,
                              uint32_t node);

/* The largest capacity of any node: what "how much is left" is measured against when nodes of
 * different size are compared. */
struct place_scale {
    int64_t cpu_milli;
    int64_t gpu_milli;
};
void place_scale_read(struct place_scale *scale, const lsched_view *view);

/* Best fit's measure: cpu and gpu left over, each as a part of the largest node, added: 0 .. 2.
 * Memory does not count, as in the FGD paper: counted, it leaves 7.9 % of the GPUs of openb unused
 * instead of 7.1 %. */
int64_t place_left_over(const struct place_scale *scale, const lsched_view *view,
                        const lsched_task_shape *task, uint32_t node);

#endif
