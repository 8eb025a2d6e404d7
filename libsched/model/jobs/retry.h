/*
 * retry.h -- what becomes of a job when its tasks fail: how often, how long it waits then, and
 * which node it would rather not see again. In the job's COST row, which a job gets when it first
 * fails.
 *
 * A failure is counted once for all tasks that stood when it happened: of a gang whose members are
 * reported one by one, the first counts. While a job waits out its backoff, or has failed too
 * often, none of its tasks is placed; what runs, runs on.
 * It is parked when its turn comes, in a bundle of its own, so equal jobs are not held up and a
 * report costs nothing more.
 */
#ifndef LIBSCHED_RETRY_H
#define LIBSCHED_RETRY_H

#include "model/jobs/job.h"

/* A task failed on a node, where it was since `since`. LSCHED_E_NOMEM. */
int32_t retry_failed(struct columns *k, uint32_t job, uint32_t node, int64_t since, int64_t at);
/* The count begins anew, and the job may be tried at once. */
void retry_reset(struct columns *k, uint32_t job);
/* May not be placed before this: 0 if it may now, LSCHED_NEVER_US if it failed too often. */
int64_t retry_until(const struct columns *k, uint32_t job, int64_t now);
/* Park a queued job of an active bundle if it may not be placed now: 1, 0 if it may,
 * LSCHED_E_NOMEM. */
int32_t retry_park(struct columns *k, uint32_t job, int64_t now);
/* The node where it failed last, NO_ROW if there is none or it is gone. */
uint32_t retry_avoids(const struct columns *k, uint32_t job);

#endif
