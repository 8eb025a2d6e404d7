/*
 * task_row.h -- the rows of tasks: the lists that they are in, how a row is found, and the
 * amounts that a task is charged.
 *
 * A row is in one of three lists of its leaf: placed, nominated and done tasks; tasks that wait
 * again; releasing rows. A row that holds resources is also in the list of its node. In jobs with
 * many tasks, a row is found through the index T_IX_TASK. In a small job, a walk through the
 * leaf's list is faster.
 */
#ifndef LIBSCHED_TASK_ROW_H
#define LIBSCHED_TASK_ROW_H

#include "model/shapes/leaf.h"
#include "model/shapes/placement.h"

/* Makes a row with no node, no decision and no usage samples. Returns NO_ROW if out of memory.
 * state: LSCHED_TASK_NONE or LSCHED_TASK_RELEASING; every row begins in one of these states. */
uint32_t task_row_make(struct columns *k, uint32_t job, uint32_t leaf, uint32_t index,
                       uint8_t state);
void task_row_drop(struct columns *k, uint32_t task);

/* True if the tasks of the job are in the index. For a small job, a walk through the leaf's list
 * is faster than a lookup in the index. */
int task_is_indexed(const struct columns *k, uint32_t job);

/* Returns the amount of a kind with which a placed or nominated task is charged; for gpu, 0 if
 * the task holds no device. */
int64_t task_amount(const struct columns *k, uint32_t task, uint32_t kind);
/* Returns the amount of a kind with which all placed and nominated tasks of a leaf together are
 * charged. */
int64_t leaf_amount(const struct columns *k, uint32_t leaf, uint32_t kind);
/* task row, in any state except RELEASING; NO_ROW if there is none */
uint32_t task_find(const struct columns *k, uint32_t job, uint32_t index);
/* Returns the releasing row of the job's task with this index, NO_ROW if there is none. */
uint32_t releasing_find(const struct columns *k, uint32_t job, uint32_t index);
/* Records a change of all tasks of the job in the log of tasks. Cost: O(tasks). */
void task_touch_all(struct columns *k, uint32_t job);
/* number of the job's releasing rows */
uint32_t job_releasing(const struct columns *k, uint32_t job);

/* Adds the amounts that the task holds to the use of its leaf, its queue and all queues above
 * (sign 1), or subtracts them (sign -1). Must be called between nonpreemptible_use_begin() and
 * nonpreemptible_use_end(), while the task has its node. It does not charge resource parts; the
 * caller charges them. */
void task_charge(struct columns *k, uint32_t task, int sign);

/* Is called when a task begins to run: notes the time from which it must leave its node or its
 * devices, which the last cycle cannot know. Cost: O(1) while no node drains or stops work. */
void task_row_runs(struct columns *k, uint32_t task);

/* Removes the usage samples of a task that does not run any more. */
void task_usage_drop(struct columns *k, uint32_t task);

/* column: C_LEAF_TASK_FIRST, _AGAIN_FIRST or _LEAVING_FIRST */
void task_leaf_link(struct columns *k, uint32_t task, uint32_t column);
void task_leaf_unlink(struct columns *k, uint32_t task, uint32_t column);
void task_node_link(struct columns *k, uint32_t task, uint32_t node);
void task_node_unlink(struct columns *k, uint32_t task);

/* True if the row is a task that runs or is nominated: work that an eviction can take away. */
static inline int task_row_is_running_work(const struct columns *k, uint32_t t) {
    if (t >= table_rows(k, T_TASK) || !row_is_live(k, T_TASK, t)) return 0;
    uint8_t state = k->c[C_TASK_STATE].u8[t];
    return state == LSCHED_TASK_RUNNING || state == LSCHED_TASK_NOMINATED;
}

#endif
