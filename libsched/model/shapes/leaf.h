/*
 * leaf.h -- finds the LEAF row of a leaf group of a job, and the task shape of the group's tasks.
 *
 * A job has one LEAF row for each leaf group of its gang tree that has task rows.
 * LEAF.ALTERNATIVE is the shape alternative that the job tries or has taken for the group; it
 * decides the shape of the group's tasks. Finding a LEAF row costs O(groups of the job);
 * everything else costs O(1).
 */
#ifndef LIBSCHED_LEAF_H
#define LIBSCHED_LEAF_H

#include "model/shapes/shape.h"

/* Returns the LEAF row of the group, NO_ROW if there is none. */
static inline uint32_t job_leaf(const struct columns *k, uint32_t job, uint32_t group) {
    uint32_t l = k->c[C_JOB_LEAVES].u32[job];
    while (l != NO_ROW && k->c[C_LEAF_GROUP].u32[l] != group) l = k->c[C_LEAF_NEXT].u32[l];
    return l;
}
/* Returns the shape alternative in force for the group; 0 if the group has no LEAF row. */
uint8_t job_alternative(const struct columns *k, uint32_t job, uint32_t group);
/* Returns the task shape of a leaf group. It is the shape of the alternative in force if the
 * group has a LEAF row, else of the first alternative. All placed and releasing tasks of a leaf
 * start with this shape, because LEAF.ALTERNATIVE changes only while the leaf has no such tasks. */
static inline uint32_t leaf_shape(const struct columns *k, uint32_t job, uint32_t group) {
    uint32_t row = group_row(k, k->c[C_JOB_SHAPE].u32[job], group);
    if (k->c[C_GROUP_ALTERNATIVES].u32[row] == NO_ROW) return k->c[C_GROUP_SHAPE].u32[row];
    uint32_t leaf = job_leaf(k, job, group);
    return group_alternative(k, row, leaf == NO_ROW ? 0 : k->c[C_LEAF_ALTERNATIVE].u8[leaf]);
}
/* Returns the index of the leaf group to which the task with this index belongs, NO_ROW if the
 * job has no such task. */
uint32_t job_group_of_task(const struct columns *k, uint32_t job, uint32_t index);
/* Returns the task shape of a task row: what the task is charged. It is the shape of its leaf
 * group, unless the task was resized where it runs (model/resizes/task_size.h). */
static inline uint32_t task_shape(const struct columns *k, uint32_t task) {
    uint32_t size = k->c[C_TASK_SIZE].u32[task];
    if (size) return k->c[C_RESIZE_SHAPE].u32[size - 1];
    uint32_t job = k->c[C_TASK_JOB].u32[task], leaf = k->c[C_TASK_LEAF].u32[task];
    return group_alternative(k,
                             group_row(k, k->c[C_JOB_SHAPE].u32[job], k->c[C_LEAF_GROUP].u32[leaf]),
                             k->c[C_LEAF_ALTERNATIVE].u8[leaf]);
}

#endif
