/*
 * job_change.h -- changes of a job that exists: its queue, its labels, its groups, its numbers of
 * tasks, its time limit.
 *
 * Everything that decides in which bundle a job waits changes while the job is outside of its
 * queue: job_change_leave() takes it out, and job_change_enter() puts it back as a new job, which
 * the policy admits again in the next cycle. The row, its id, its COST row and its submission
 * time stay. Why the job is new afterwards and not moved to another bundle: the hooks of a policy
 * read the changed fields, and admission is the one place where they are called for a job. Only
 * numbers of tasks can change while the job has tasks; the job then stays where it is. Cost: O(log
 * n) each, and O(groups of the job); O(tasks of the job) if the job becomes so large, or so
 * small, that its tasks are indexed in another way.
 */
#ifndef LIBSCHED_JOB_CHANGE_H
#define LIBSCHED_JOB_CHANGE_H

#include "model/jobs/job.h"
#include "model/shapes/shape.h"

/* True if no task of the job is placed, nominated or releasing. */
int job_change_is_free(const struct columns *k, uint32_t job);

/* Takes a job that job_change_is_free() out of its queue. Until job_change_enter(), the job is in
 * no list, and its queue and shape can change. Both can return LSCHED_E_NOMEM. */
int32_t job_change_leave(struct columns *k, uint32_t job);
int32_t job_change_enter(struct columns *k, uint32_t job);

/* Sets the shape of a job that has left its queue and has no task rows. Can return LSCHED_E_NOMEM,
 * or LSCHED_E_RANGE if the tasks together request more than 2^62 of a kind. */
int32_t job_change_shape(struct columns *k, uint32_t job, const void *bytes, size_t n);
/* Sets the labels of a job that has left its queue. labels: NULL for none. */
int32_t job_change_labels(struct columns *k, uint32_t job, const struct bytes *labels);
/* Sets the numbers of tasks of every group, counts[g] for group g. A job without task rows must
 * have left its queue; a job with task rows must not have left it. If the policy has set the
 * minimum of a job with task rows, counts[0].min becomes that minimum. Can return LSCHED_E_NOMEM,
 * or LSCHED_E_RANGE as job_change_shape() does. */
int32_t job_change_counts(struct columns *k, uint32_t job, struct group_sizes *counts);
/* Ends the running tasks of the job as done, withdraws everything else, and removes the job. Can
 * return LSCHED_E_NOMEM. */
int32_t job_change_complete(struct columns *k, uint32_t job);
/* Sets the longest run time that the orchestrator gives the job. */
int32_t job_change_limit(struct columns *k, uint32_t job, int64_t limit);

#endif
