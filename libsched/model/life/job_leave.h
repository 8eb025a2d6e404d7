/*
 * job_leave.h -- removes a job that has not ended: a call removes it, or it can never start.
 *
 * An array goes with all of its elements. The counter of removed jobs counts each element.
 */
#ifndef LIBSCHED_JOB_LEAVE_H
#define LIBSCHED_JOB_LEAVE_H

#include "model/arrays/array.h"
#include "model/told/decision.h"

/* Removes the job with its tasks. Each withdrawn decision is reported through `tell`. Can return
 * LSCHED_E_NOMEM. Cost: O(tasks), and of an array O(elements that have begun, also those that are
 * over). */
int32_t job_leave(struct columns *k, uint32_t job, withdrawn_fn tell, void *user);

#endif
