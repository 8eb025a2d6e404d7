/*
 * retry.h -- failures of a job: how many there were, how long the job waits after a failure, and
 * which node the job avoids. The values are in the job's COST row, which a job gets when it first
 * fails.
 *
 * One failure is counted for all tasks that were placed when it happened: if the members of a
 * gang are reported one by one, only the first report counts. While a job waits out its backoff,
 * or has failed too often, none of its tasks is placed; running tasks run on. A job that must not
 * be placed is parked in a private bundle when a cycle comes to it. Equal jobs are therefore not
 * delayed, and the report of a failure costs nothing more.
 */
#ifndef LIBSCHED_RETRY_H
#define LIBSCHED_RETRY_H

#include "model/jobs/job.h"

/* Counts the failure of a task that was on the node since `since`. Can return LSCHED_E_NOMEM. */
int32_t retry_failed(struct columns *k, uint32_t job, uint32_t node, int64_t since, int64_t at);
/* Sets the count of failures to 0 because the orchestrator has set the job's priority. The job
 * can be tried at once. */
void retry_reset(struct columns *k, uint32_t job);
/* Returns the time before which the job must not be placed: 0 if it can be placed now,
 * LSCHED_NEVER_US if it failed too often. */
int64_t retry_until(const struct columns *k, uint32_t job, int64_t now);
/* Parks a queued job of an active bundle if it must not be placed now. Returns 1 if it was
 * parked, 0 if it can be placed, LSCHED_E_NOMEM. */
int32_t retry_park(struct columns *k, uint32_t job, int64_t now);
/* Returns the node where the job failed last, NO_ROW if there is none or the node is gone. */
uint32_t retry_avoids(const struct columns *k, uint32_t job);

#endif
