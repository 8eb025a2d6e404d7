/*
 * stops.h -- marks that say for whom a job was evicted, so that two jobs do not evict each other
 * in turn.
 *
 * When reclaim evicts work for a job of another queue, the evicted job stores the id of that job:
 * the evicted job is *marked*. Reclaim never takes work of one marked job for another marked job
 * (scope_verdict in victim_rules.c). If a marked job preempts another job, that job gets the mark
 * as well. A mark is valid while the job for which it was made waits or runs, and until one of
 * these happens:
 *   - something in the branch that the two jobs do not share ends, fails, is removed, or gets other
 *     quotas: the queue's new entitlement comes from news then, and not from a turn of the exchange
 *   - the orchestrator sets the marked job's priority
 * Why this ends every endless exchange, while the orchestrator changes nothing: marks are only
 * added, so at some time no mark is added any more. From then on, reclaim evicts only marked work
 * and only for jobs without a mark, because any other reclaim would add a mark. Preempt evicts work
 * of lower priority. For a job that is below its minimum, it also evicts tasks of equal priority
 * that another job has beyond that job's own minimum. From then on, it evicts no work of an
 * unmarked job for a marked job either, because that would add a mark. Therefore each eviction
 * takes work that comes later than the job that profits, in one order that no longer changes: by
 * mark, then by priority, then minimums before surplus. The held resources, read along that order,
 * grow with each eviction, and nothing makes them shrink. test_calm_random checks this by
 * computation.
 *
 * Why not forbid the single evictions of such an exchange: each is within the entitlement of its
 * queue. A gang that is evicted whole takes its queue below its entitlement, and to forbid that
 * would let one large gang keep everything. Why not a count of evictions: a job can rightly be
 * evicted any number of times.
 *
 * A mark is two words of the COST row and one number in each queue: O(depth) to write and to
 * read.
 */
#ifndef LIBSCHED_STOPS_H
#define LIBSCHED_STOPS_H

#include "model/jobs/job.h"

/* Marks the job, whose work was reclaimed for `for_job` of another queue. A mark that is still
 * valid is kept. Can return LSCHED_E_NOMEM. */
int32_t stops_mark(struct columns *k, uint32_t job, uint32_t for_job);
/* Copies the mark of the marked job `from` to the job, whose work was preempted for `from` in the
 * same queue. Can return LSCHED_E_NOMEM. */
int32_t stops_pass_on(struct columns *k, uint32_t job, uint32_t from);
/* Returns 1 if the job's mark is valid: the job for which it was evicted is still here, and
 * nothing in its branch has changed. */
int stops_stand(const struct columns *k, uint32_t job);
/* Returns the row of the job for which the job was marked, NO_ROW if it has no valid mark. */
uint32_t stops_for(const struct columns *k, uint32_t job);
/* Removes the job's mark, because the orchestrator set the job's priority. */
void stops_forget(struct columns *k, uint32_t job);

#endif
