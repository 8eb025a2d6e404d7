/*
 * allowances.h -- allowances: how much GPU time, or how much money, the tasks of a queue, or of one
 * user of a queue, may use in a period.
 *
 * This header is a part of libsched.h, which includes it and states the rules for structs,
 * batches, errors and threads.
 *
 * An allowance has prices: what one unit of a resource kind costs for an hour, in micro-units.
 * The unit of cpu is a core, of memory a GiB, of gpu a whole device, and of every other kind 1.
 * With the price 1,000,000 for gpu and no other, the allowance is in GPU hours; with prices in a
 * currency, it is money. A task costs what it holds, from its start until it has ended, as the
 * cluster's time advances; it is charged to the allowances of its queue and of all queues above.
 * Placed tasks that do not run yet cost nothing, but their room in the allowance is kept.
 *
 * A task is not placed if its queues would then use more than an allowance by the end of the
 * period: what was used, what running and placed tasks are expected to use, and what this task
 * is expected to use. The job waits with LSCHED_WAIT_ALLOWANCE. What runs when an allowance is
 * spent runs on, is stopped after a grace, or is the first victim, as `spent` says. Rules: docs/semantics.md, 32.
 */
#ifndef LIBSCHED_ALLOWANCES_H
#define LIBSCHED_ALLOWANCES_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_ALLOWANCES_PER_PATH_MAX \
    4 /* queues with an allowance, from a leaf queue to its root */
#define LSCHED_ALLOWANCE_PRICE_MAX 1099511627776 /* 2^40 micro-units for an hour */

enum lsched_allowance_flag {
    LSCHED_ALLOWANCE_RESET = 1 /* what was used in the present period, and what was carried, is 0 */
};

/* What happens to the tasks that run and cost something when the allowance is spent, that is, when
 * as much was used in the period as the amount and what was carried. */
enum lsched_spent {
    LSCHED_SPENT_RUN_ON = 0, /* they run on */
    /* their jobs are stopped grace_us after the first cycle that finds the allowance spent
     * (LSCHED_FOR_ALLOWANCE), and wait */
    LSCHED_SPENT_END = 1,
    /* they run on, and are stopped before other work if a waiting job needs room: all that may be
     * stopped for this job, and that leaves no queue below its guarantee */
    LSCHED_SPENT_FIRST_VICTIM = 2
};

/* The allowance of a queue, or of a user of it. One task costs at most 2^36 micro-units an hour, whatever it holds. */
typedef struct lsched_allowance_desc {
    uint32_t size;
    uint32_t flags;  /* LSCHED_ALLOWANCE_* */
    lsched_id queue; /* id, or 0 and `queue_name` */
    lsched_text queue_name;
    /* micro-units for an hour of one unit, 0 to LSCHED_ALLOWANCE_PRICE_MAX; a kind that is not
     * named costs nothing. What a task costs in an hour is rounded up to whole micro-units for
     * each kind */
    const lsched_amount *price;
    uint32_t n_price;
    uint32_t reserved_zero;
    int64_t amount_micro; /* micro-units for each period: 0 to 2^62; 0: nothing that costs starts */
    int64_t carry_micro;  /* most micro-units that are left and are added to the next period */
    /* length of a period in microseconds; 0: the only period begins now and never ends, so that
     * start_us and carry_micro must be 0 */
    int64_t period_us;
    int64_t start_us; /* a time, past or future, at which a period begins, in microseconds */
    /* how long a job without an estimate and without a time limit is expected to run, in
     * microseconds; 0: until the end of the period, so that in a period without an end no such job
     * starts */
    int64_t unknown_us;
    /* SPENT_END: how long work runs on when the allowance is spent, 0 to 2^61 microseconds; else 0 */
    int64_t grace_us;
    uint32_t spent; /* LSCHED_SPENT_* */
    uint32_t reserved2_zero;
    /* The allowance is not that of the queue, but that of one user, of one group, or of one user of
     * a group: of the sub-queue to which their jobs go (LSCHED_QUEUE_PER_USER, _PER_GROUP). It is
     * made if it does not exist, and stays as long as it has the allowance, and so do the flags of
     * the queue. In a queue with both flags, `user` alone means the jobs of this user without a
     * group. Both empty: of the queue */
    lsched_text user, user_group;
} lsched_allowance_desc;
/* Gives allowances to queues, or sets all terms of those they have. What was used in the present
 * period stays, in micro-units; running tasks are charged from now on. Returns the number of
 * elements that were applied. Errors of an element: LSCHED_E_NOENT (no such queue),
 * LSCHED_E_RANGE, LSCHED_E_INVAL (flags, no price, a carry or a start without a period, `spent`, a
 * grace without LSCHED_SPENT_END, a user or a group whose name is bad, or too long),
 * LSCHED_E_STATE (the queue has no sub-queues of users, or of groups), LSCHED_E_EXISTS (another
 * queue has the name of the sub-queue), LSCHED_E_LIMIT
 * (LSCHED_ALLOWANCES_PER_PATH_MAX). Not thread-safe: one call at a time for each cluster. Cost:
 * O(tasks of the cluster + allowances x depth) for each element. */
LSCHED_API int32_t lsched_allowances_set(lsched_cluster *cluster,
                                         const lsched_allowance_desc *allowances, size_t n,
                                         size_t elem_size, const lsched_batch_opts *opts,
                                         int32_t *status, lsched_error *err);
/* Takes the allowances from queues. Returns the number of elements that were applied. IDEMPOTENT: a
 * queue without an allowance is LSCHED_UNCHANGED; otherwise it is LSCHED_E_NOENT. Not thread-safe:
 * one call at a time for each cluster. Cost: O(tasks of the allowance) for each element. */
LSCHED_API int32_t lsched_allowances_remove(lsched_cluster *cluster, const lsched_id *queues,
                                            size_t n, const lsched_batch_opts *opts,
                                            int32_t *status, lsched_error *err);

/* An allowance at the cluster's time. Amounts are in micro-units; a sum above 2^62 is 2^62. */
typedef struct lsched_allowance_info {
    uint32_t size;
    uint32_t reserved_zero;
    lsched_id queue;
    int64_t amount_micro;  /* of each period, in micro-units */
    int64_t carry_micro;   /* most that is carried, in micro-units */
    int64_t carried_micro; /* carried into the present period, in micro-units, rounded down */
    int64_t used_micro;    /* used in the present period, in micro-units, rounded up */
    /* what running and placed tasks are expected to use until the end of the period, in
     * micro-units, rounded up. A task that runs longer than expected is expected to run twice as
     * long */
    int64_t projected_micro;
    /* amount + carried - used - projected, in micro-units, rounded down; below 0: what runs is
     * expected to use more than the allowance, and nothing that costs starts */
    int64_t left_micro;
    int64_t rate_micro;      /* what the running tasks cost at present, in micro-units an hour */
    int64_t period_us;       /* length of a period in microseconds; 0: the only period */
    int64_t period_start_us; /* in microseconds */
    int64_t period_end_us;   /* in microseconds; LSCHED_NEVER_US: the only period */
    /* time in microseconds at which all is used if the tasks that run now run on, and no others
     * start; LSCHED_NEVER_US: not in this period. Not after the cluster's time: it is spent */
    int64_t exhausted_at_us;
    int64_t unknown_us; /* as in lsched_allowance_desc, in microseconds */
    int64_t grace_us;   /* as in lsched_allowance_desc, in microseconds */
    /* time in microseconds of the first cycle of the period that found the allowance spent;
     * LSCHED_NEVER_US: it is not spent, or no cycle has found it so */
    int64_t spent_since_us;
    /* time in microseconds from which a cycle stops the work, LSCHED_NEVER_US: no cycle will */
    int64_t stop_at_us;
    uint32_t spent; /* LSCHED_SPENT_* */
    uint32_t reserved2_zero;
} lsched_allowance_info;
/* Writes the allowance of a queue to *out. LSCHED_E_NOENT: it has none. Else the errors of every
 * call. Cost: O(tasks of the allowance). */
LSCHED_API int32_t lsched_allowance_get(const lsched_cluster *cluster, lsched_id queue,
                                        lsched_allowance_info *out, lsched_error *err);
/* Writes the next allowance to *out, in no particular order, and returns 1; 0 at the end. Before
 * the first call, set *cursor to 0. Errors: those of every call. */
LSCHED_API int32_t lsched_allowances_next(const lsched_cluster *cluster, uint64_t *cursor,
                                          lsched_allowance_info *out, lsched_error *err);
/* Reports the price of a kind in the allowance of a queue, in micro-units for an hour of one unit.
 * LSCHED_E_NOENT: the queue has no allowance; LSCHED_E_KEY: unknown kind; LSCHED_E_UNSUPPORTED: a
 * resource part. */
LSCHED_API int32_t lsched_allowance_price(const lsched_cluster *cluster, lsched_id queue,
                                          uint32_t kind, int64_t *price_micro, lsched_error *err);

/* clang-format off */
#define LSCHED_ALLOWANCE_DESC_INIT LSCHED_INIT(lsched_allowance_desc)
#define LSCHED_ALLOWANCE_INFO_INIT LSCHED_INIT(lsched_allowance_info)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
