/*
 * job_sizes.h -- the numbers of tasks of a job that has tasks: sizes that are chosen at the start,
 * and the exchange of the job's shape for one with other numbers.
 *
 * A leaf group with GROUP.FIXED has no size while it waits (it is open). The transaction that
 * starts it places as many tasks as fit; their number becomes the group's size, which is its
 * minimum and its maximum from then on. Therefore no rule of gangs, victims, growth or demand knows
 * chosen sizes: the job has the shape of a rigid gang. Imported tasks choose the size, too, and a
 * further import can raise it. A job keeps its sizes until no task of it is placed, done or
 * releasing; then its groups are open again.
 *
 * Why the size is part of the shape and no column of the job: jobs of one bundle need equal
 * answers, and a running gang of three tasks is not equal to a job that waits for two to four.
 */
#ifndef LIBSCHED_JOB_SIZES_H
#define LIBSCHED_JOB_SIZES_H

#include "model/shapes/shape.h"

/* As job_sizes_settle(), for a job that has a group with GROUP.FIXED. */
int32_t job_sizes_choose(struct columns *k, uint32_t job);
/* Chooses the sizes of the open groups that have tasks, raises sizes that imports exceed, and opens
 * all groups of a job without tasks. Does not requeue the job. Can return LSCHED_E_NOMEM. Cost:
 * O(1) if no group has GROUP.FIXED, else O(groups x leaf groups with tasks), and the bytes of the
 * shape if a size changes. The function is inline because each decision asks it. */
static inline int32_t job_sizes_settle(struct columns *k, uint32_t job) {
    return jobshape_is_fixed(k, k->c[C_JOB_SHAPE].u32[job]) ? job_sizes_choose(k, job) : LSCHED_OK;
}
/* Sets the job's shape, and checks the total request of its tasks. On LSCHED_E_RANGE the caller
 * rolls back. The caller's hold of `shape` becomes the job's. */
int32_t job_sizes_take_shape(struct columns *k, uint32_t job, uint32_t shape);
/* Exchanges the job's shape for one that differs only in numbers of tasks, and keeps the sums of
 * its queues and its bundle up to date. The index of tasks is the caller's concern: it changes only
 * if the number of indexes does (task_is_indexed). */
int32_t job_sizes_reshape(struct columns *k, uint32_t job, uint32_t shape);

#endif
