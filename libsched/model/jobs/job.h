/*
 * job.h -- jobs, their leaves, their place in bundles.
 *
 * Phases: NEW (not asked yet whether it is admitted), REFUSED (the policy did not admit it), QUEUED
 * (in a bundle), FULL (every task is placed or done), LEAVING (it is not full, and waits in no
 * bundle until its evicted tasks have stopped). A LEAF row counts the tasks of one leaf group; it
 * exists only while the job has task rows, so a job that waits costs one row. Invariants: PLACED =
 * tasks that hold resources; FRESH = first index that never had a row; a task below FRESH has a row
 * or is in the leaf's list of those that wait again.
 */
#ifndef LIBSCHED_JOB_H
#define LIBSCHED_JOB_H

#include "model/jobs/bundle.h"
#include "model/shapes/leaf.h"
#include "model/shapes/job_states.h"

/* Flag beside LSCHED_JOB_*: refused because a hook failed, not because it said no. */
#define JOB_HOOK_FAILED 0x80u

struct job_spec {
    lsched_text name;
    uint64_t tag;
    uint32_t queue;
    int32_t priority;
    uint32_t flags;
    int64_t submit, duration, deadline, restart, checkpoint;
    int64_t delay, grace, window, backoff; /* the rarer ones, as in COST */
    int64_t limit;                         /* how long it may run, as in WATCH; 0: for ever */
    uint32_t disruptions_max, retries_max;
    const struct bytes *labels; /* canonical; NULL: none */
    const void *shape_bytes;
    size_t shape_n;
};

int32_t job_add(struct columns *k, const struct job_spec *spec, uint32_t *row);
/* The job's task rows are gone already (tasks_drop_all in task.h). */
void job_remove(struct columns *k, uint32_t job);

/* Leave the list of new or refused jobs and join a bundle; or become refused for a reason (row of
 * STRING, held by the job). */
int32_t job_admit(struct columns *k, uint32_t job);
void job_refuse(struct columns *k, uint32_t job, uint32_t reason, int failed);
void job_ask_again(struct columns *k, uint32_t job); /* refused: back to the new ones */
void job_set_order(struct columns *k, uint32_t job, int64_t order);
/* After its tasks changed: the right bundle, or none. */
int32_t job_requeue(struct columns *k, uint32_t job);
/* A queued job that has left its bundle: into the right one again. A held one waits in its own,
 * parked. */
int32_t job_rejoin(struct columns *k, uint32_t job);
/* Put a job into a bundle of its own, so that it can be parked without its equals. */
int32_t job_isolate(struct columns *k, uint32_t job);
/* Park a queued job of an active bundle alone until a time: it was tried, and its equals are not
 * held up. */
int32_t job_park_alone(struct columns *k, uint32_t job, int64_t until,
                       const struct park_reason *why);

struct job_counts {
    uint32_t placed, running, done;
};
struct job_counts job_count(const struct columns *k, uint32_t job);
uint32_t job_leaf_held(const struct columns *k, uint32_t job, uint32_t group);
uint32_t job_leaf_stands(const struct columns *k, uint32_t job,
                         uint32_t group); /* without claims */
/* Is the root of the gang tree satisfied by what is placed and done. */
int job_satisfied(const struct columns *k, uint32_t job);
/* The same without its claims: nothing of a gang starts before this holds, whatever it has a claim
 * on. */
int job_stands(const struct columns *k, uint32_t job);
/* True if the root is satisfied by what is done alone: all that runs is more than the gang
 * needs. */
int job_stands_done(const struct columns *k, uint32_t job);
/* What the job needs next, added to need[kind]: all that lacks to its minimum, or one task more.
 * Where a group needs only some of its children: those that lack fewest tasks. */
void job_next_need(const struct columns *k, uint32_t job, int64_t *need);
/* Tasks of each leaf group that lack to the minimum, by the same rule; 0 for groups that are not
 * leaves. */
void job_lacks(const struct columns *k, uint32_t job, uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX]);
/* The same to the minimum of one group alone. */
void group_lacks(const struct columns *k, uint32_t job, uint32_t group,
                 uint32_t lacks[LSCHED_GROUPS_PER_JOB_MAX]);
/* The leaf group of a task index. */
uint32_t job_group_of_task(const struct columns *k, uint32_t job, uint32_t index);
/* COST row, made if absent; NO_ROW if out of memory. */
uint32_t job_cost(struct columns *k, uint32_t job);

#endif
