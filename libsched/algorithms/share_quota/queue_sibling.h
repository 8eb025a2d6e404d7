/*
 * queue_sibling.h -- one queue among its siblings while one resource kind is divided, and the
 * division by largest remainders, which guarantees and fair shares have in common.
 *
 * Amounts are base units, 0 to 2^62; products are 128 bits wide. An array of siblings is sorted by
 * time of creation, then by name; this order settles ties.
 */
#ifndef LIBSCHED_QUEUE_SIBLING_H
#define LIBSCHED_QUEUE_SIBLING_H

#include <libsched/algorithm.h>

__extension__ typedef unsigned __int128 quota_u128;
__extension__ typedef __int128 quota_i128;

#define QUOTA_AMOUNT_MOST ((int64_t)1 << 62)

struct sibling {
    /* members that the caller sets: */
    int64_t quota;      /* quota in force, not above the limit; LSCHED_UNLIMITED: all there is */
    int64_t limit;      /* limit or LSCHED_UNLIMITED */
    int64_t need;       /* amount that the queue can use: demand, not above the limit */
    int64_t kept_below; /* quota that the queues below this queue do not lend */
    /* part of the unused guarantee that siblings can use; LSCHED_UNLIMITED: all */
    int64_t lend;
    int64_t weight;
    int64_t used_ppm; /* decayed use in millionths of the cluster */
    int32_t priority;
    uint32_t uneven; /* 1: the queue, or a queue below it, asks for shares of devices */
    /* members that the division sets: */
    int64_t guarantee; /* guarantee E; LSCHED_UNLIMITED: not accounted */
    int64_t basis;     /* amount from which its children's guarantees are divided */
    /* fair share plus kept_below: the amount that is divided among its children */
    int64_t claim;
    int64_t kept; /* guarantee that the queue does not lend, beyond `claim` */
    /* scratch of the current division: */
    uint64_t share;   /* numerator of its portion; the denominator is the sum of all shares */
    int64_t want;     /* upper bound of `claim` */
    int64_t over;     /* amount that rounding `claim` down to whole steps took away */
    quota_u128 parts; /* remainder below one base unit; the denominator is the sum of shares */
};

/* Returns a + b, at most QUOTA_AMOUNT_MOST. */
static inline int64_t quota_add(int64_t a, int64_t b) {
    return a > QUOTA_AMOUNT_MOST - b ? QUOTA_AMOUNT_MOST : a + b;
}

/* Adds amount * share / sum to `claim` of each of rows[0 .. n), and reorders `rows`. The sums are
 * rounded down to whole steps. The amount that the rounding leaves is given out in pieces, each up
 * to the next whole step: larger remainder first, then the sibling that comes first in the array.
 *
 * Precondition: the shares add up to `sum`, sum > 0, and (want - claim) * sum > amount * share for
 * each sibling with a share, so no sibling gets more than its `want`. Then exactly `amount` is
 * given: each sibling can take at least the remainder that it lost by rounding, because both its
 * next whole step and its `want` are farther away. Therefore one pass over the remainders is
 * enough. O(n log n). */
void sibling_deal(struct sibling *all, uint32_t *rows, uint32_t n, int64_t amount, quota_u128 sum,
                  int64_t step);

#endif
