/* task_size.c -- see task_size.h. */
#include "model/resizes/task_size.h"

#include "model/demand/demand.h"

/* Returns the shape with which the tasks of the task's leaf group start. */
static uint32_t base_of(const struct columns *k, uint32_t task) {
    uint32_t leaf = k->c[C_TASK_LEAF].u32[task];
    return leaf_shape(k, k->c[C_TASK_JOB].u32[task], k->c[C_LEAF_GROUP].u32[leaf]);
}

static int32_t sums_make(struct columns *k, uint32_t leaf) {
    if (k->c[C_LEAF_SIZED].u32[leaf]) return LSCHED_OK;
    uint32_t s = row_new(k, T_SIZED);
    if (s == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_SIZED_LEAF, s, leaf);
    set_u32(k, C_LEAF_SIZED, leaf, s + 1);
    return LSCHED_OK;
}

uint32_t task_size_make(struct columns *k, uint32_t task) {
    uint32_t row = task_size_row(k, task), leaf = k->c[C_TASK_LEAF].u32[task];
    if (row != NO_ROW) return row;
    if (undo_room(k) != LSCHED_OK || sums_make(k, leaf) != LSCHED_OK) return NO_ROW;
    uint32_t shape = base_of(k, task);
    row = row_new(k, T_RESIZE);
    if (row == NO_ROW) return NO_ROW;
    for (uint32_t i = 0; i < 3; i++) {
        intern_hold(k, T_SHAPE, shape);
        set_u32(k, C_RESIZE_SHAPE + i, row, shape);
    }
    set_u32(k, C_RESIZE_TASK, row, task);
    SET_NONE(k, row, C_RESIZE_LIMITING);
    set_u32(k, C_TASK_SIZE, task, row + 1);
    add_u32(k, C_SIZED_TASKS, k->c[C_LEAF_SIZED].u32[leaf] - 1, 1);
    return row;
}

void task_size_drop(struct columns *k, uint32_t task) {
    uint32_t row = task_size_row(k, task), leaf = k->c[C_TASK_LEAF].u32[task];
    if (row == NO_ROW) return;
    uint32_t s = k->c[C_LEAF_SIZED].u32[leaf] - 1;
    assert(k->c[C_RESIZE_LIST].u8[row] == 0);
    for (uint32_t i = 0; i < 3; i++) shape_drop(k, k->c[C_RESIZE_SHAPE + i].u32[row]);
    set_u32(k, C_TASK_SIZE, task, 0);
    row_free(k, T_RESIZE, row);
    add_u32(k, C_SIZED_TASKS, s, -1);
    if (k->c[C_SIZED_TASKS].u32[s]) return;
    set_u32(k, C_LEAF_SIZED, leaf, 0);
    row_free(k, T_SIZED, s);
}

void task_size_move(struct columns *k, uint32_t from, uint32_t to) {
    uint32_t row = task_size_row(k, from);
    if (row == NO_ROW) return;
    set_u32(k, C_TASK_SIZE, from, 0);
    set_u32(k, C_TASK_SIZE, to, row + 1);
    set_u32(k, C_RESIZE_TASK, row, to);
}

void task_size_charge(struct columns *k, uint32_t task, int sign) {
    uint32_t row = task_size_row(k, task), base = base_of(k, task),
             s = k->c[C_LEAF_SIZED].u32[k->c[C_TASK_LEAF].u32[task]] - 1;
    uint32_t shape = k->c[C_RESIZE_SHAPE].u32[row],
             queue = k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]];
    for (uint32_t r = 1; r < (uint32_t)meta(k, M_N_KINDS); r++) {
        int64_t more = k->c[C_SHAPE_REQ + r].i64[shape] - k->c[C_SHAPE_REQ + r].i64[base];
        if (r == LSCHED_GPU || more == 0) continue;
        add_i64(k, C_SIZED_MORE + r, s, more * sign);
        demand_add(k, queue, r, more * sign);
    }
}

void task_size_set(struct columns *k, uint32_t column, uint32_t row, uint32_t shape) {
    uint32_t old = k->c[column].u32[row];
    if (old == shape) return;
    intern_hold(k, T_SHAPE, shape);
    set_u32(k, column, row, shape);
    shape_drop(k, old);
}
