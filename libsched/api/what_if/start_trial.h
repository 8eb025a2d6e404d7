/*
 * start_trial.h -- one trial of lsched_would_start(): the next cycle, after the job was submitted
 * if it is only described, and after a change if one is tried. Everything is undone afterwards.
 * The cycle can remove the job: then its id is not live, and its row says nothing. An array is
 * asked for its next element, which exists in the trial alone if the cycle begins it.
 */
#ifndef LIBSCHED_START_TRIAL_H
#define LIBSCHED_START_TRIAL_H

#include "engine/cycle/speculation.h"
#include "engine/plan/plan.h"

/* One question, and what answers it. */
struct start_question {
    struct lsched_cluster *c;
    lsched_id job; /* 0: the job is described by `desc` */
    const lsched_job_desc *desc;
    uint32_t flags, tries_max;
    uint64_t salt; /* the salt of the cluster's ids, which is 0 during the question */
    lsched_schedule_opts schedule;
    lsched_error *err;
    lsched_would_start_answer answer;
    lsched_waiting waiting;
    /* of the job before the cycle of the latest trial, because the cycle can remove the job */
    lsched_id queue;
    int64_t expires; /* 0: it does not expire */
};

/* Runs the trial in the open speculation and calls `read` before it is undone. job: id of the job
 * in the trial, which can be gone; if the cycle has begun the next element of an array, that of the
 * element. change: NULL, or the change that is tried; `object` 0 stands for the job. Returns
 * LSCHED_OK, LSCHED_E_INTERRUPTED, the result of `read`, or an error of the calls, with its text in
 * err. */
typedef int32_t (*start_trial_fn)(void *user, lsched_id job, lsched_plan *plan);
int32_t start_trial_run(struct start_question *q, struct speculation *s, const lsched_offer *change,
                        start_trial_fn read, void *user, lsched_error *err);

#endif
