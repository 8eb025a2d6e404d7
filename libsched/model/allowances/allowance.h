/*
 * allowance.h -- allowances: what the tasks of a queue and of the queues below it may cost in a
 * period.
 *
 * A task costs its *rate*: for each resource kind the price of a unit for an hour, times what the
 * task holds (unit: a core, a GiB, a device, or one of another kind). An allowance in GPU hours is
 * one in which a GPU costs 1 an hour. The rate of a task is rounded up once, to whole micro-units
 * an hour; all sums are rate x microseconds in 128 bits, and exact. So no sum drifts.
 *
 * What has been used at the time t is BASE + RATE x t, where RATE is the sum of the rates of the
 * tasks that run; a start subtracts rate x t from BASE and an end adds it. What the running tasks
 * will use until their expected ends, or until the end of the period if that is earlier, is ENDS -
 * RATE x t, with ENDS the sum of rate x end. HELD is what placed and nominated tasks that do not
 * run yet will use, counted from the time of their placement. Therefore BASE + ENDS + HELD, the
 * *committed* amount, does not change as time passes, and a change costs O(1) for each allowance
 * on the path of the queue. A task starts only if the committed amount with it is at most the
 * amount of
 * the period. meter.h has the rows of single tasks.
 *
 * Periods begin at a time and follow each other without a gap. What is left at the end of a period
 * is added to the next one, up to CARRY; what was used beyond the amount is not subtracted. The
 * change of a period is made by the next change or cycle: O(tasks of the allowance), for any number
 * of periods that have passed. Work that runs across the end of a period is charged to both.
 *
 * A task is charged from its start until it is gone, as reported. Until the report of its start
 * nothing is charged, and until the report of its end the time of the cluster counts; each report
 * corrects BASE for the part of the present period that the report comes late. A task of which only
 * the end is reported is charged from its placement. Periods that have ended are not corrected.
 * Before the clock of the cluster begins, with its first cycle or report, nothing is charged or
 * carried.
 *
 * Invariants: RATE, ENDS and HELD are the sums over the rows of METER of the allowance. While no
 * queue has an allowance, columns.allowances is NULL, and each change of a task costs one test of
 * it. Why a table of functions: a program that never sets an allowance is linked without them.
 */
#ifndef LIBSCHED_ALLOWANCE_H
#define LIBSCHED_ALLOWANCE_H

#include "base/wide.h"
#include "model/store/columns.h"

#define ALLOWANCE_HOUR_US INT64_C(3600000000)

struct allowance_spec {
    int64_t amount, carry, period, start, unknown, grace;
    int64_t price[KINDS_MAX];
    int reset;     /* 1: nothing is used or carried at first */
    uint8_t spent; /* LSCHED_SPENT_* */
};

/* n more tasks of the job, each of the shape and charged `gpu` milli-GPUs. fresh: the decisions
 * that are taken back if these tasks are not placed, so that their tasks are needed, too. */
struct allowance_ask {
    uint32_t job, shape;
    int64_t gpu, n;
    const uint32_t *fresh;
    uint32_t n_fresh;
};

/* Why tasks are not placed: committing them would pass the allowance of the queue. Amounts are
 * micro-units; need is LSCHED_AMOUNT_MAX if it is unknown. at: the time from which the tasks fit if
 * nothing else changes, LSCHED_NEVER_US if there is none. */
struct allowance_lack {
    uint32_t queue;
    int64_t need, have, at;
};

/* An allowance at the time `now`, in micro-units x ALLOWANCE_HOUR_US. end: the end of the period,
 * LSCHED_NEVER_US if the only period has none. projected: what runs and what is placed will use. */
struct allowance_state {
    int64_t start, end, now;
    wide_u128 total, carried, used, projected;
    uint64_t rate;
};

struct allowance_ops {
    /* A task was placed or nominated, or runs as an import. Error: LSCHED_E_NOMEM. */
    int32_t (*placed)(struct columns *k, uint32_t task);
    void (*started)(struct columns *k, uint32_t task);
    /* Is called before the end of the task, which was gone at the time `at`, not after now. Error:
     * LSCHED_E_NOMEM. */
    int32_t (*gone)(struct columns *k, uint32_t task, int64_t at);
    /* The task holds nothing any more. */
    void (*ended)(struct columns *k, uint32_t task);
    /* The row `to` stands for the task from now on: it was evicted, or its eviction was undone. */
    void (*moved)(struct columns *k, uint32_t from, uint32_t to);
    /* A nominated task was placed: its time counts from now on. */
    void (*seated)(struct columns *k, uint32_t task);
    /* Returns the time from which a placed task can be charged, INT64_MIN if nothing charges it. */
    int64_t (*since)(const struct columns *k, uint32_t task);
    /* The task, which runs, has run since the time `from`. Error: LSCHED_E_NOMEM. */
    int32_t (*ran)(struct columns *k, uint32_t task, int64_t from);
    /* What the task is charged has changed. */
    void (*priced)(struct columns *k, uint32_t task);
    /* Called at the begin of a cycle: begins new periods, and expects a later end of tasks that
     * have passed their estimates. Error: LSCHED_E_NOMEM. */
    int32_t (*cycle)(struct columns *k);
    /* True if all allowances on the path allow what is asked. Otherwise fills *lack. */
    int (*allow)(const struct columns *k, const struct allowance_ask *ask,
                 struct allowance_lack *lack);
    /* Returns the first time at which a cycle is due because an allowance will be spent or because
     * the grace of one ends, LSCHED_NEVER_US if there is none. */
    int64_t (*spends)(const struct columns *k);
    /* Returns the time at which a cycle stops the work of the allowance if what runs runs on,
     * LSCHED_NEVER_US if none does in the present period. */
    int64_t (*stops)(const struct columns *k, uint32_t allowance);
    /* True if the tasks of the queue are to be stopped before other work. */
    int (*goes_first)(const struct columns *k, uint32_t queue);
    /* The clock was set from `was` to an earlier time: what was used stays used, the period is the
     * one that contains the new time, and expected ends come sooner by the same time. Error:
     * LSCHED_E_NOMEM. */
    int32_t (*clock_back)(struct columns *k, int64_t was);
};
extern const struct allowance_ops allowance_ops;

/* Row of ALLOWANCE of the queue; NO_ROW if it has none. */
static inline uint32_t allowance_of(const struct columns *k, uint32_t queue) {
    return k->c[C_QUEUE_ALLOWANCE].u32[queue] - 1; /* 0 becomes NO_ROW */
}
/* True if an allowance on the path of the queue is spent, and its work is the first victim. */
static inline int allowance_goes_first(const struct columns *k, uint32_t queue) {
    return k->allowances && k->allowances->goes_first(k, queue);
}
/* Frees the row, which no task has rows for. With the last one, no time is left at which a job can
 * start that waits for an allowance. Inline, for programs without allowances that remove queues. */
static inline void allowance_row_free(struct columns *k, uint32_t allowance) {
    row_free(k, T_ALLOWANCE, allowance);
    if (table_live(k, T_ALLOWANCE) == 0) set_meta(k, M_ALLOWANCE_NEXT, 0);
}
/* Gives the queue an allowance, or sets all terms of the one it has. What was used in the present
 * period stays. Cost: O(tasks of the cluster). Error: LSCHED_E_NOMEM. */
int32_t allowance_set(struct columns *k, uint32_t queue, const struct allowance_spec *spec);
/* Takes the allowance from the queue. Error: LSCHED_E_NOMEM. */
int32_t allowance_remove(struct columns *k, uint32_t queue);
/* Cost: O(tasks of the allowance). */
struct allowance_state allowance_now(const struct columns *k, uint32_t allowance);
/* Number of allowances on the path from the queue to its root. */
uint32_t allowance_depth(const struct columns *k, uint32_t queue);

#endif
