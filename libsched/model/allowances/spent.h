/*
 * spent.h -- an allowance that is spent, and from when on its work is stopped.
 *
 * An allowance is spent when as much was used in the period as the amount and what was carried. The
 * first cycle that finds it so writes its time to SPENT_AT and, with LSCHED_SPENT_END, the end of
 * the grace to STOP_AT. The grace counts from that cycle and not from the exact time at which all
 * was used, for two reasons: nobody could be told before that cycle, and a late report, which
 * corrects what was used, cannot shorten the grace. next_wake names the exact time, so that a host
 * which follows it sees no difference. New terms with LSCHED_SPENT_END after terms without it begin
 * anew: the next cycle finds the allowance spent, so that the work gets the whole grace.
 *
 * Always holds: while an allowance with LSCHED_SPENT_END is spent as a cycle found it, and a task
 * that costs something has a place below its queue and can be stopped, STOP_AT is not 0. So each
 * event that can give such a task to the allowance (a placement, the report of a start, an import,
 * an eviction that the host refused, a new price) calls spent_again(). The end of the period, new
 * terms under which less is used than the amount, and a late report that gives back so much, clear
 * both columns.
 *
 * With LSCHED_SPENT_FIRST_VICTIM, a change of SPENT_AT changes the order in which work is evicted,
 * and so a search that has found no victims is made again.
 *
 * Cost: O(1) for each allowance and cycle, and for each change of a task. Why not a heap of the
 * times at which allowances will be spent: each start and end of a task moves this time, at each
 * allowance on its path, and the cycle looks at each allowance anyway to begin its period.
 */
#ifndef LIBSCHED_SPENT_H
#define LIBSCHED_SPENT_H

#include "model/allowances/period.h"

/* Sets what happens when the allowance is spent. Called when the other terms are set, and before
 * its rows are made. */
void spent_set(struct columns *k, uint32_t allowance, uint8_t policy, int64_t grace);
/* Notes whether the allowance is spent now. Its period has been settled. */
void spent_note(struct columns *k, uint32_t allowance);
/* A task has a row of the allowance that it had not before. */
void spent_again(struct columns *k, uint32_t allowance);
/* Moves the times of the allowance back by the same time as the clock. */
void spent_back(struct columns *k, uint32_t allowance, int64_t by);
/* Returns the time from which on `total` is used if what runs runs on, `now` if it is used already,
 * LSCHED_NEVER_US if that is not before the end. */
int64_t spent_time(const struct allowance_state *s);
/* See allowance_ops. They cost O(allowances), O(1), and O(depth of the queue). */
int64_t spent_next(const struct columns *k);
int64_t spent_stops(const struct columns *k, uint32_t allowance);
int spent_goes_first(const struct columns *k, uint32_t queue);

#endif
