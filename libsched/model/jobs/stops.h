/*
 * stops.h -- for whom a job was stopped, so that two jobs do not stop each other in turn.
 *
 * When work of a job is stopped for a job of another queue (reclaim), that is written with the job
 * whose work it was: the job is *marked*. Of two marked jobs none has the other's work reclaimed
 * (scope_verdict in victim_rules.c). The mark goes on to whom a marked job preempts. It stands
 * while the job for which it was made waits or runs, and until
 *   - something of the branch that the two do not share ends, fails, is taken out, or gets other
 *     rights: what the queue then has a right to is news, and no turn of a swing
 *   - the host sets the marked job's priority
 * Why that ends every swing, in a state that the host leaves alone: marks are only added, so at
 * some time none is. From then on reclaim stops only marked work, for jobs without a mark, as it
 * would add a mark else; and preempting stops work of lower priority, or of equal priority what is
 * above a minimum for what is below one, and of no job without a mark for a marked one. So each
 * eviction stops what stands behind whom it is for in one order that does not change any more: by
 * mark, priority, and minimums before surplus. What is held, read along that order, rises with each
 * eviction, and nothing makes it fall. test_calm_random computes it.
 *
 * Why not forbid what each turn of a swing does: each acts within its own right. A gang that goes
 * whole takes its queue below its right; to forbid that lets one large gang keep everything.
 * Why not a count of turns: a job may be stopped, with right, any number of times.
 *
 * A mark is two words of the COST row, and a number in each queue: O(depth) to write and to read.
 */
#ifndef LIBSCHED_STOPS_H
#define LIBSCHED_STOPS_H

#include "model/jobs/job.h"

/* Work of the job was stopped for another of another queue. An earlier mark that stands is kept.
 * LSCHED_E_NOMEM. */
int32_t stops_mark(struct columns *k, uint32_t job, uint32_t for_job);
/* Work of the job was stopped for a marked one of its own queue: its mark goes on.
 * LSCHED_E_NOMEM. */
int32_t stops_pass_on(struct columns *k, uint32_t job, uint32_t from);
/* True if the job is marked: it was stopped for one that is still here, and nothing is new in its
 * branch. */
int stops_stand(const struct columns *k, uint32_t job);
/* The row of the job for which it was marked, NO_ROW if no mark stands. */
uint32_t stops_for(const struct columns *k, uint32_t job);
/* The host speaks for the job. */
void stops_forget(struct columns *k, uint32_t job);

#endif
