/*
 * leaf.h -- finds the leaf row of a job's group and the task shape of its tasks.
 *
 * A job keeps one leaf row for each leaf group of its gang tree. A leaf names the alternative
 * that the job tries or has taken, and that alternative decides the shape of the leaf's tasks.
 * O(groups of the job) to find a leaf, O(1) otherwise.
 */
#ifndef LIBSCHED_LEAF_H
#define LIBSCHED_LEAF_H

#include "model/shapes/shape.h"

/* LEAF row, NO_ROW if there is none */
uint32_t job_leaf(const struct columns *k, uint32_t job, uint32_t group);
/* alternative in force, 0 without a leaf row */
uint8_t job_alternative(const struct columns *k, uint32_t job, uint32_t group);
/* Returns the task shape of a leaf: the alternative in force while the leaf holds or releases
 * something, else the first one. All placed and releasing tasks of a leaf have the same shape,
 * because LEAF.ALTERNATIVE changes only while there are none. */
uint32_t leaf_shape(const struct columns *k, uint32_t job, uint32_t group);
/* Returns the shape of a task. */
uint32_t task_shape(const struct columns *k, uint32_t task);

#endif
