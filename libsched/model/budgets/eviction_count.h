/*
 * eviction_count.h -- counts evictions for the disruption budgets of jobs (disruptions_max) and for
 * the policy's number of evictions per hour (per_hour), and gives back what did not happen.
 *
 * An eviction counts from the cycle that proposes it, so that two cycles cannot exceed a budget
 * together. It stops counting if the task runs on: because the orchestrator rejects or revokes the
 * eviction, because a later cycle withdraws it, or because the proposal expires. All evictions of
 * one decision group are one disruption of their job. The disruption *took place* when the first of
 * these tasks is gone; it is given back when the last of them runs on and none is gone.
 *
 * The open decision of each eviction remembers for what it counts (DECISION.COUNTS, DECISION.HOUR).
 * Therefore an eviction that is undone takes away what it added, and nothing else. An open eviction
 * counts for its job only in the window in which it was proposed, and in one hour only: when the
 * next window or hour begins, the number begins anew. A move does not count in the hour. If it
 * loses its new place, it is an eviction, and counts from then on.
 *
 * Invariants: COST.DISRUPTIONS is at least the number of decision groups with open evictions of the
 * job that count for the job. EVICTED_HOUR is at least the number of open evictions whose
 * DECISION.HOUR is the hour EVICTED_SINCE. COST.WINDOW_TAKEN is the time of the earliest disruption
 * of the window that took place, LSCHED_NEVER_US if there is none. Why it is necessary: if the
 * disruption that began the window is given back, the window begins with the earliest one that is
 * left.
 *
 * Cost: O(releasing tasks of the job) for the first event of a disruption and for one given back,
 * else O(1). Why not one number of open evictions for each job: tasks of a job can be evicted in
 * several groups, and each group needs a number of its own.
 */
#ifndef LIBSCHED_EVICTION_COUNT_H
#define LIBSCHED_EVICTION_COUNT_H

#include "model/store/columns.h"

/* Bits of DECISION.COUNTS. The eviction is part of a disruption of its job if one of the first two
 * is set: WHOLE if the disruption left no task of the job placed, PART if it left some. MOVE marks
 * a move that counts in the hour when it loses its new place. DECISION.HOUR is 1 more than the
 * number of the hour in which the eviction counts, 0 if it counts in none. */
enum { EVICTION_COUNT_WHOLE = 1, EVICTION_COUNT_PART = 2, EVICTION_COUNT_MOVE = 4 };

/* Counts one disruption of the job with the COST row `cost`: all its open evictions of the decision
 * group of `eviction`. Does nothing if that disruption counts already. whole: 1 if nothing of the
 * job is placed. Can return LSCHED_E_NOMEM. */
int32_t eviction_count_job(struct columns *k, uint32_t cost, uint32_t eviction, int64_t now,
                           int whole);
/* Counts the eviction with the open decision d in the hour of `now`, or notes that it moves. Can
 * return LSCHED_E_NOMEM. */
int32_t eviction_count_hour(struct columns *k, uint32_t d, int64_t now);
/* The move with the open decision d has lost its new place. */
void eviction_count_move_ended(struct columns *k, uint32_t d);
/* Returns the time at which the next hour begins. */
int64_t eviction_count_next_hour(int64_t now);
/* Returns the number of evictions that count in the hour of `now`. */
uint64_t eviction_count_in_hour(const struct columns *k, int64_t now);
/* The job ends, and with it its moves. They do not become evictions. Can return LSCHED_E_NOMEM. */
int32_t eviction_count_job_ends(struct columns *k, uint32_t job);
/* The evicted task is gone. To be called while the releasing row still has its decision. Can return
 * LSCHED_E_NOMEM. */
int32_t eviction_count_gone(struct columns *k, uint32_t releasing);
/* The evicted task runs on: gives back what its eviction counts. To be called while the releasing
 * row still has its decision. Can return LSCHED_E_NOMEM. */
int32_t eviction_count_undone(struct columns *k, uint32_t releasing);
/* To be called when the time is set to `now`. Can return LSCHED_E_NOMEM. */
int32_t eviction_count_time_set(struct columns *k, int64_t now);

#endif
