/*
 * task_size.h -- the size of a task that was resized where it runs: the rows of RESIZE, and the
 * sums of a leaf group that follow from them.
 *
 * A task starts with the amounts that its leaf group requests. A row of RESIZE says that a running
 * or releasing task has others, or is to get others. It has three task shapes:
 *   REAL   what the task has
 *   WANT   what the orchestrator wants it to have; equal to REAL if it wants nothing
 *   SHAPE  what its node and its queues are charged: REAL, or while a RESIZE decision is open, the
 *          larger amount of REAL and WANT for each kind
 * task_shape() returns SHAPE. Therefore all code that charges, gives back, or looks at a task reads
 * the amounts of the resized task, and only sums over the tasks of a leaf group need more: a row of
 * SIZED has, for each kind, the sum of the differences between what the leaf's placed tasks are
 * charged and what the leaf group requests.
 *
 * The size belongs to the processes of the task: it moves to the releasing row of an evicted task,
 * and ends with them. A task that starts again has the amounts of its leaf group.
 *
 * Invariants: a row exists if and only if REAL or WANT differs from the shape of the leaf group.
 * The three shapes differ from it in amounts alone. Why not a shape in each row of TASK: few tasks
 * are ever resized. Cost: O(kinds) for each change, and O(1) in task_shape().
 */
#ifndef LIBSCHED_TASK_SIZE_H
#define LIBSCHED_TASK_SIZE_H

#include "model/shapes/leaf.h"

/* Returns the row of RESIZE of the task, NO_ROW if the task has the size of its leaf group. */
static inline uint32_t task_size_row(const struct columns *k, uint32_t task) {
    return k->c[C_TASK_SIZE].u32[task] - 1; /* 0 becomes NO_ROW */
}
/* True if the row's task is to get other amounts than it has. */
static inline int task_size_wants(const struct columns *k, uint32_t row) {
    return k->c[C_RESIZE_WANT].u32[row] != k->c[C_RESIZE_REAL].u32[row];
}
/* Returns the difference between what the charged tasks of the leaf have of the kind and what the
 * leaf group requests for them; 0 for gpu. */
static inline int64_t leaf_size_more(const struct columns *k, uint32_t leaf, uint32_t kind) {
    uint32_t sized = k->c[C_LEAF_SIZED].u32[leaf];
    return sized ? k->c[C_SIZED_MORE + kind].i64[sized - 1] : 0;
}
/* Returns the row of RESIZE of a running task. If it has none, makes one in which all three shapes
 * are that of the leaf group. Returns NO_ROW if out of memory. */
uint32_t task_size_make(struct columns *k, uint32_t task);
/* Removes the row, which is in no list. All amounts of the task are given back, or it has the shape
 * of its leaf group again. */
void task_size_drop(struct columns *k, uint32_t task);
/* Gives the size of row `from` to row `to` of the same leaf; nothing if `from` has none. */
void task_size_move(struct columns *k, uint32_t from, uint32_t to);
/* Adds the difference between the task's amounts and those of its leaf group to the sums of the
 * leaf and to the demand of its queue (sign 1), or subtracts it (sign -1). task_charge() calls it
 * for a task with a size. */
void task_size_charge(struct columns *k, uint32_t task, int sign);
/* Sets one of the three shapes of a row. The row becomes a holder of the shape, and gives the old
 * one up. column: C_RESIZE_SHAPE, _REAL or _WANT. */
void task_size_set(struct columns *k, uint32_t column, uint32_t row, uint32_t shape);

#endif
