/*
 * job_counts.h -- how many tasks of its gang tree a job has placed, and how many it lacks to
 * reach its minimum.
 *
 * The functions here change nothing. They read the counters of the job's LEAF rows. Cost:
 * O(groups of the job). A group that needs only some of its children costs O(children) for each
 * child that it needs.
 */
#ifndef LIBSCHED_JOB_COUNTS_H
#define LIBSCHED_JOB_COUNTS_H

#include "model/shapes/leaf.h"

struct job_counts {
    uint32_t placed, running, done;
};
struct job_counts job_count(const struct columns *k, uint32_t job);
uint32_t job_leaf_held(const struct columns *k, uint32_t job, uint32_t group);
/* number of placed and done tasks of the leaf group, without the nominated tasks */
uint32_t job_leaf_stands(const struct columns *k, uint32_t job, uint32_t group);
/* Returns 1 if the placed, nominated and done tasks together satisfy the root of the gang tree. */
int job_satisfied(const struct columns *k, uint32_t job);
/* Returns 1 if the placed and done tasks, without the nominated ones, satisfy the root of the
 * gang tree. As long as the function returns 0, no task of the gang starts, even if nominated
 * tasks would complete the minimum. */
int job_stands(const struct columns *k, uint32_t job);
/* Returns 1 if the done tasks alone satisfy the root of the gang tree. In that case every running
 * task is surplus. */
int job_stands_done(const struct columns *k, uint32_t job);
/* Adds to need[kind] the amounts that the job needs next: those of all tasks missing from its
 * minimum, or those of one more task if the job has its minimum. If a group needs only some of
 * its children, only the missing tasks of the children that lack the fewest tasks count. */
void job_next_need(const struct columns *k, uint32_t job, int64_t *need);
/* As job_next_need(), but GPUs whose charge depends on the device count with the least charge that
 * the cluster has for them (shape_cheapest_milli). The nominal amounts of job_next_need() are what
 * a job asks for, and so its queue's demand. A test that could refuse the job before the devices
 * are known uses these amounts, and the devices are tested with their charge later. */
void job_least_need(const struct columns *k, uint32_t job, int64_t *need);
/* Sets lacks[g], for each leaf group g, to the number of tasks that the group lacks to reach the
 * job's minimum, by the rule of job_next_need(). For groups that are not leaves, lacks[g] is 0. */
void job_lacks(const struct columns *k, uint32_t job, uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX]);
/* Does what job_lacks() does, but for the minimum of one group and the groups below it. */
void group_lacks(const struct columns *k, uint32_t job, uint32_t group,
                 uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX]);

#endif
