/*
 * retry.h -- failures of a job: how many there were, how long the job waits after a failure, and
 * which node the job avoids. The values are in the job's COST row, which a job gets when it first
 * fails.
 *
 * All tasks of the job that were placed when a failure happened count as one failure: if the
 * failed members of a gang are reported one by one, only the first report counts. While a job is
 * in backoff, or after it has failed too often, none of its tasks is placed; its running tasks
 * run on. A cycle that reaches a job that must not be placed parks the job in a private bundle.
 * Therefore equal jobs are not delayed, and the report of a failure does not have to move the job
 * between bundles.
 */
#ifndef LIBSCHED_RETRY_H
#define LIBSCHED_RETRY_H

#include "model/jobs/job.h"

/* Counts the failure, at the time `at`, of a task that was on the node since `since`. Can return
 * LSCHED_E_NOMEM. */
int32_t retry_failed(struct columns *k, uint32_t job, uint32_t node, int64_t since, int64_t at);
/* Sets the count of failures to 0 because the orchestrator lets the job be tried again. The job
 * can be tried at once. */
void retry_reset(struct columns *k, uint32_t job);
/* Returns the time before which the job must not be placed. 0: the job can be placed now.
 * LSCHED_NEVER_US: the job has failed too often. */
int64_t retry_until(const struct columns *k, uint32_t job, int64_t now);
/* Parks a queued job of an active bundle if it must not be placed now. Returns 1 if the job was
 * parked, 0 if the job can be placed, or LSCHED_E_NOMEM. */
int32_t retry_park(struct columns *k, uint32_t job, int64_t now);
/* Returns the node where the job failed last; NO_ROW if the job did not fail or the node was
 * removed. */
uint32_t retry_avoids(const struct columns *k, uint32_t job);

#endif
