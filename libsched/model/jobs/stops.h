/*
 * stops.h -- marks that say for whom a job was evicted, so that two jobs do not evict each other
 * in turn.
 *
 * When reclaim evicts work for a job of another queue, the evicted job stores the id of the job
 * that profits. The evicted job is *marked*. Reclaim never takes work of one marked job for
 * another marked job (scope_verdict in victim_verdict.c). If a marked job preempts another job,
 * the preempted job gets the same mark. A mark is valid while the job for which it was made waits
 * or runs, and until one of these happens:
 *   - in the branch of the marked job, a job or queue ends, fails, is removed, or gets other
 *     quotas. The branch is the highest queue above the marked job that is not also above the
 *     other job, with everything below that queue. A new entitlement of the marked job's queue
 *     then has a cause outside the two jobs' mutual evictions
 *   - the orchestrator sets the marked job's priority
 * Why two jobs cannot evict each other endlessly while the orchestrator changes nothing: marks
 * are only added, therefore at some time the last mark is added. After that time, reclaim evicts
 * only work of marked jobs and only for jobs without a mark, because any other reclaim would add
 * a mark. In general, preempt evicts work of lower priority. For a job that is below its minimum,
 * it also evicts tasks of equal priority that another job has beyond that job's own minimum.
 * After that time, preempt evicts no work of an unmarked job for a marked job, because that would
 * add a mark. Therefore each eviction takes work that comes later than the job that profits, in
 * one order that no longer changes: unmarked jobs before marked jobs, then by priority, then
 * minimums before surplus. If the resources that jobs hold are listed in that order, each
 * eviction makes the list lexicographically greater, and nothing makes it smaller. Therefore the
 * evictions end. test_calm_random checks this by computation.
 *
 * Why not forbid the single evictions of such an exchange: each of them is for a queue within its
 * entitlement. If a large gang is evicted whole, its queue falls below its entitlement; if that
 * were forbidden, one large gang could keep everything. Why not limit the number of evictions of
 * a job: there can be a good reason for each of any number of evictions.
 *
 * A mark occupies two words of the COST row. Each queue has one number for all marks. Writing and
 * reading a mark cost O(depth of the queue).
 */
#ifndef LIBSCHED_STOPS_H
#define LIBSCHED_STOPS_H

#include "model/jobs/job.h"

/* Marks `job`, because its work was reclaimed for `for_job` of another queue. If `job` has a
 * valid mark already, that mark is kept. Can return LSCHED_E_NOMEM. */
int32_t stops_mark(struct columns *k, uint32_t job, uint32_t for_job);
/* Copies the mark of the marked job `from` to `job`, because work of `job` was preempted for
 * `from` in the same queue. Can return LSCHED_E_NOMEM. */
int32_t stops_pass_on(struct columns *k, uint32_t job, uint32_t from);
/* Returns 1 if the job's mark is valid (see the conditions at the top of this file). */
int stops_stand(const struct columns *k, uint32_t job);
/* Returns the row of the other job, for which this job was evicted and marked; NO_ROW if this job
 * has no valid mark. */
uint32_t stops_for(const struct columns *k, uint32_t job);
/* Removes the job's mark, because the orchestrator set the job's priority or lets the job be tried
 * again. */
void stops_forget(struct columns *k, uint32_t job);

#endif
