/*
 * job_phase.h -- the phases of a job, and which bundle a job is in.
 *
 * Phases of a job: NEW (the policy was not yet asked to admit the job), REFUSED (the policy did
 * not admit the job), QUEUED (the job is in a bundle), FULL (every task is placed or done),
 * RELEASING (some tasks are neither placed nor done, but the job is in no bundle until its
 * evicted tasks have stopped), ARRAY (all elements of the array have begun). Only a refused job has
 * a reason (JOB.REASON). A job counts as pending in its queues in every phase except FULL; an array
 * counts as its elements that have not begun.
 */
#ifndef LIBSCHED_JOB_PHASE_H
#define LIBSCHED_JOB_PHASE_H

#include "model/jobs/bundle.h"
#include "model/queues/nonpreemptible_use.h"
#include "model/shapes/job_states.h"

/* Flag in JOB.FLAGS, in addition to the flags LSCHED_JOB_*: the job was refused because a hook
 * failed, not because the hook rejected the job. */
#define JOB_HOOK_FAILED 0x80u

/* job_phase_begin() gives a job that has just been added the phase NEW. job_phase_end() takes a
 * job that is about to be removed out of its list or bundle. */
void job_phase_begin(struct columns *k, uint32_t job);
void job_phase_end(struct columns *k, uint32_t job);

/* job_admit() takes the job out of the list of new or refused jobs and puts it into a bundle. For
 * `batch` see demand_admit().
 * job_refuse() moves the job to the list of refused jobs and stores the reason (a row of STRING).
 * The job becomes a holder of that row. failed: 1 if the hook failed. */
int32_t job_admit(struct columns *k, uint32_t job, struct demand_batch *batch);
void job_refuse(struct columns *k, uint32_t job, uint32_t reason, int failed);
/* moves a refused job back to the list of new jobs */
void job_ask_again(struct columns *k, uint32_t job);
/* Sets the job's phase after its tasks changed, and moves the job into the bundle that fits it,
 * or out of its bundle. */
int32_t job_requeue(struct columns *k, uint32_t job);
/* Lets a queued array of an active bundle stand for one element less. The caller adds the job of
 * this element in its place. Can return LSCHED_E_NOMEM. */
int32_t job_array_next(struct columns *k, uint32_t job);
/* Takes an array, all elements of which have begun, out of its list or bundle. */
void job_array_all_begun(struct columns *k, uint32_t job);
/* Puts a queued job that has left its bundle into the bundle that fits it. A held job is parked
 * in a private bundle. */
int32_t job_rejoin(struct columns *k, uint32_t job);
/* If no task of the queued job can be placed before more of its tasks exist (members.h), parks its
 * bundle and returns 1; otherwise returns 0. The caller has called undo_room(). */
int job_park_members(struct columns *k, uint32_t job);
/* Puts a job into a private bundle, so that the job can be parked while equal jobs stay active. */
int32_t job_isolate(struct columns *k, uint32_t job);
/* Parks a queued job of an active bundle in a private bundle until the time `until`. The job
 * counts as tried in this cycle, and equal jobs are not delayed. */
int32_t job_park_alone(struct columns *k, uint32_t job, int64_t until,
                       const struct park_reason *why);

#endif
