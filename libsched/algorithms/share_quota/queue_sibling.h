/*
 * queue_sibling.h -- the data of one queue while one resource kind is divided among it and its
 * siblings. Also the division by largest remainders, which guarantee.c and water_fill.c use.
 *
 * Amounts are base units from 0 to 2^62, and products have 128 bits. An array of siblings is sorted
 * by time of creation, then by name. If two siblings are equal otherwise, the earlier one in the
 * array comes first.
 */
#ifndef LIBSCHED_QUEUE_SIBLING_H
#define LIBSCHED_QUEUE_SIBLING_H

#include "algorithms/support/algorithm_env.h"

__extension__ typedef unsigned __int128 quota_u128;
__extension__ typedef __int128 quota_i128;

#define QUOTA_AMOUNT_MOST ((int64_t)1 << 62)

struct sibling {
    /* the caller sets these members: */
    /* quota in force, never above the limit; LSCHED_UNLIMITED if the quota has no bound */
    int64_t quota;
    int64_t limit;      /* limit or LSCHED_UNLIMITED */
    int64_t need;       /* amount that the queue can use: the demand, never above the limit */
    int64_t kept_below; /* sum of the guarantees that the queues below this queue do not lend */
    /* amount of the unused guarantee that siblings can use; LSCHED_UNLIMITED: all of it */
    int64_t lend;
    int64_t weight;
    int64_t used_ppm; /* decayed use in millionths of the cluster */
    int32_t priority;
    uint8_t uneven;     /* 1: this queue, or a queue below it, asks for fractions of devices */
    uint8_t dealt;      /* set by water_fill: 1 if the queue got a portion of the last division */
    uint8_t is_changed; /* 1: the queue is in the list of changed siblings (quota_follow.h) */
    uint32_t next;      /* next changed sibling, 1 + index; 0: none */
    int64_t below;      /* inner queue: sum of the needs of its children */
    /* the division sets these members: */
    int64_t guarantee; /* guarantee in force; LSCHED_UNLIMITED if it has no bound */
    int64_t basis;     /* amount from which the guarantees of this queue's children are divided */
    /* fair share plus kept_below; this amount is divided among the queue's children */
    int64_t claim;
    int64_t kept; /* guarantee that the queue itself does not lend; not included in `claim` */
    /* scratch members of the current division: */
    /* numerator of the queue's portion; the denominator is the sum of all siblings' shares */
    uint64_t share;
    int64_t want; /* upper bound of `claim` */
    int64_t over; /* amount that was lost when `claim` was rounded down to whole steps */
    /* numerator of the remainder below one base unit; the denominator is the sum of all shares */
    quota_u128 parts;
};

static inline int64_t quota_smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Returns a + b, or QUOTA_AMOUNT_MOST if the sum is larger. */
static inline int64_t quota_add(int64_t a, int64_t b) {
    return a > QUOTA_AMOUNT_MOST - b ? QUOTA_AMOUNT_MOST : a + b;
}

/* Divides `amount` among the siblings all[rows[0]] to all[rows[n - 1]] in proportion to their
 * shares, and adds the portions to `claim`. `rows` is sorted again. Each new claim is rounded down
 * to whole steps. The amount that the rounding leaves is given out in pieces; each piece raises a
 * claim to the next whole step. The sibling with the largest remainder gets the first piece. Of
 * siblings with equal remainders, the one that comes first in the array gets its piece first.
 *
 * Before the call, the shares add up to `sum`, and sum > 0. Also, (want - claim) * sum > amount *
 * share for each sibling with a share, so no sibling gets more than its `want`. Under these
 * conditions, exactly `amount` is given out. Each sibling can take at least the amount that it lost
 * by rounding, because both its next whole step and its `want` are farther away. Therefore one pass
 * over the remainders is enough. O(n log n). */
void sibling_deal(struct sibling *all, uint32_t *rows, uint32_t n, int64_t amount, quota_u128 sum,
                  int64_t step);

#endif
