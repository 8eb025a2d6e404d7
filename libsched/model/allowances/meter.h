/*
 * meter.h -- what one task costs one allowance: a row of METER for each task that is placed,
 * nominated, runs or was told to stop, and for each allowance on the path of its queue.
 *
 * A row keeps the time from which it is charged, so that a late report charges what it lacks and an
 * end takes back what it did not use, but never more than this row has added. A row keeps the rate
 * that was added to the sums of the allowance, so that the same is subtracted whatever changes.
 * Before the task runs, its row counts in HELD; then in RATE and ENDS. The
 * expected run time is that of the job when the task is placed, or what the allowance assumes for
 * jobs without one. A task that runs longer is expected to run twice as long, then four times, and
 * so on; a heap of expected ends finds such tasks in each cycle. A task that was told to stop
 * counts as before until it is gone, so no work is stopped to save an allowance.
 */
#ifndef LIBSCHED_METER_H
#define LIBSCHED_METER_H

#include "model/allowances/period.h"
#include "model/store/heap.h"

#define METER_RATE_MOST (INT64_C(1) << 36) /* most that one task costs, in micro-units an hour */

/* Returns the rate of a task that holds `gpu` milli-GPUs and else what the shape requests. */
int64_t meter_rate(const struct columns *k, uint32_t allowance, uint32_t shape, int64_t gpu);
/* Returns the time that a task of the job is expected to run; LSCHED_NEVER_US if unknown. */
int64_t meter_length(const struct columns *k, uint32_t allowance, uint32_t job);

/* Makes the row of the task for the allowance. Error: LSCHED_E_NOMEM. */
int32_t meter_make(struct columns *k, uint32_t task, uint32_t allowance);
/* Removes all rows of the allowance. Error: LSCHED_E_NOMEM. */
int32_t meters_drop(struct columns *k, uint32_t allowance);

int32_t meters_placed(struct columns *k, uint32_t task);
void meters_started(struct columns *k, uint32_t task);
int32_t meters_gone(struct columns *k, uint32_t task, int64_t at);
void meters_ended(struct columns *k, uint32_t task);
void meters_moved(struct columns *k, uint32_t from, uint32_t to);
void meters_seated(struct columns *k, uint32_t task);
int64_t meters_since(const struct columns *k, uint32_t task);
int32_t meters_ran(struct columns *k, uint32_t task, int64_t from);
void meters_priced(struct columns *k, uint32_t task);
/* Expects later ends of tasks that have passed theirs at the time `now`. Error: LSCHED_E_NOMEM. */
int32_t meters_overrun(struct columns *k, int64_t now);
/* Moves the times of the rows of the allowance after the clock was set back from `was`. All ends
 * are later than `was`, and move by the same time, so the heap stays in order. The sums of the
 * allowance are wrong until period_back(). Error: LSCHED_E_NOMEM. */
int32_t meters_back(struct columns *k, uint32_t allowance, int64_t was);

#endif
