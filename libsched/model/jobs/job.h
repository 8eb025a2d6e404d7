/*
 * job.h -- jobs, their leaf groups and their place in bundles.
 *
 * Phases of a job: NEW (the policy was not yet asked to admit the job), REFUSED (the policy did
 * not admit the job), QUEUED (the job is in a bundle), FULL (every task is placed or done),
 * LEAVING (some tasks are neither placed nor done, and the job is in no bundle until its evicted
 * tasks have stopped). A LEAF row counts the tasks of one leaf group. The row exists only while
 * the job has task rows, so a waiting job costs one row. Invariants: PLACED counts the tasks that
 * hold resources; FRESH is the first task index that never had a row; a task below FRESH has a
 * row that is placed, done, or in the leaf's list of tasks that wait again.
 */
#ifndef LIBSCHED_JOB_H
#define LIBSCHED_JOB_H

#include "model/jobs/bundle.h"
#include "model/shapes/leaf.h"
#include "model/shapes/job_states.h"

/* Flag in JOB.FLAGS, in addition to the flags LSCHED_JOB_*: the job was refused because a hook
 * failed, not because the hook rejected the job. */
#define JOB_HOOK_FAILED 0x80u

struct job_spec {
    lsched_text name;
    uint64_t tag;
    uint32_t queue;
    int32_t priority;
    uint32_t flags;
    int64_t submit, duration, deadline, restart, checkpoint;
    int64_t delay, grace, window, backoff; /* less common values, stored in COST */
    /* longest run time in microseconds, stored in WATCH; 0: no limit */
    int64_t limit;
    uint32_t disruptions_max, retries_max;
    const struct bytes *labels; /* canonical form; NULL: no labels */
    const void *shape_bytes;
    size_t shape_n;
};

int32_t job_add(struct columns *k, const struct job_spec *spec, uint32_t *row);
/* Removes a job. The job's task rows must be gone already (tasks_drop_all in task.h). */
void job_remove(struct columns *k, uint32_t job);

/* job_admit() takes the job out of the list of new or refused jobs and puts it into a bundle.
 * job_refuse() moves the job to the list of refused jobs with a reason (a row of STRING that the
 * job then holds). failed: 1 if the hook failed. */
int32_t job_admit(struct columns *k, uint32_t job);
void job_refuse(struct columns *k, uint32_t job, uint32_t reason, int failed);
/* moves a refused job back to the list of new jobs */
void job_ask_again(struct columns *k, uint32_t job);
void job_set_order(struct columns *k, uint32_t job, int64_t order);
/* After the job's tasks changed: sets the job's phase, and moves the job into the bundle that
 * fits it or out of its bundle. */
int32_t job_requeue(struct columns *k, uint32_t job);
/* Puts a queued job that has left its bundle into the bundle that fits it. A held job is parked
 * in a private bundle. */
int32_t job_rejoin(struct columns *k, uint32_t job);
/* Puts a job into a private bundle, so that it can be parked without the equal jobs. */
int32_t job_isolate(struct columns *k, uint32_t job);
/* Parks a queued job of an active bundle in a private bundle until a time. The job counts as
 * tried in this cycle, and equal jobs are not delayed. */
int32_t job_park_alone(struct columns *k, uint32_t job, int64_t until,
                       const struct park_reason *why);

struct job_counts {
    uint32_t placed, running, done;
};
struct job_counts job_count(const struct columns *k, uint32_t job);
uint32_t job_leaf_held(const struct columns *k, uint32_t job, uint32_t group);
/* placed and done tasks of the leaf, without nominated tasks */
uint32_t job_leaf_stands(const struct columns *k, uint32_t job, uint32_t group);
/* Returns 1 if the placed and done tasks, nominated ones included, satisfy the root of the gang
 * tree. */
int job_satisfied(const struct columns *k, uint32_t job);
/* Returns 1 if the placed and done tasks, without the nominated ones, satisfy the root. No task
 * of a gang starts before this holds, however many of its tasks are nominated. */
int job_stands(const struct columns *k, uint32_t job);
/* Returns 1 if the done tasks alone satisfy the root: every running task is then surplus. */
int job_stands_done(const struct columns *k, uint32_t job);
/* Adds to need[kind] what the job needs next: all tasks missing from its minimum, or one more
 * task if the job has its minimum. Where a group needs only some of its children, the children
 * that lack the fewest tasks count. */
void job_next_need(const struct columns *k, uint32_t job, int64_t *need);
/* Sets the number of tasks that each leaf group lacks to reach the job's minimum, by the rule of
 * job_next_need(); 0 for groups that are not leaves. */
void job_lacks(const struct columns *k, uint32_t job, uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX]);
/* Does what job_lacks() does, for the minimum of one group alone. */
void group_lacks(const struct columns *k, uint32_t job, uint32_t group,
                 uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX]);
/* Returns the leaf group of a task index. */
uint32_t job_group_of_task(const struct columns *k, uint32_t job, uint32_t index);
/* Returns the job's COST row and makes the row if there is none; NO_ROW if out of memory. */
uint32_t job_cost(struct columns *k, uint32_t job);

#endif
