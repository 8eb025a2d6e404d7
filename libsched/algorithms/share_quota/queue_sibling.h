/*
 * queue_sibling.h -- one queue among its siblings while one resource is divided, and the division
 * by largest remainders that guarantees and fair shares have in common.
 *
 * Amounts are base units, 0 to 2^62; products are 128 bits wide. An array of siblings is in the
 * order that settles ties: time of creation, then name.
 */
#ifndef LIBSCHED_QUEUE_SIBLING_H
#define LIBSCHED_QUEUE_SIBLING_H

#include <libsched/algorithm.h>

__extension__ typedef unsigned __int128 quota_u128;
__extension__ typedef __int128 quota_i128;

#define QUOTA_AMOUNT_MOST ((int64_t)1 << 62)

struct sibling {
    /* given */
    int64_t quota;      /* in force, not above the limit; LSCHED_UNLIMITED: everything there is */
    int64_t limit;      /* or LSCHED_UNLIMITED */
    int64_t need;       /* what it can use: demand, not above the limit */
    int64_t kept_below; /* quota that queues below it do not lend */
    int64_t lend;       /* of its unused guarantee, what siblings may have; LSCHED_UNLIMITED: all */
    int64_t weight;
    int64_t used_ppm; /* decayed use, of the cluster */
    int32_t priority;
    uint32_t uneven; /* it, or a queue below it, asks for parts of devices */
    /* found */
    int64_t guarantee; /* E; LSCHED_UNLIMITED: not accounted */
    int64_t basis;     /* what there is to guarantee to its children */
    int64_t claim;     /* fair share and kept_below: what is divided among its children */
    int64_t kept;      /* guarantee that it does not lend, beyond the claim */
    /* of the division in hand */
    uint64_t share;   /* its part of the sum of shares */
    int64_t want;     /* claim goes no higher */
    int64_t over;     /* dropped to make the claim whole ... */
    quota_u128 parts; /* ... and what was smaller than a unit, in parts of the sum of shares */
};

/* a + b, at most QUOTA_AMOUNT_MOST. */
static inline int64_t quota_add(int64_t a, int64_t b) {
    return a > QUOTA_AMOUNT_MOST - b ? QUOTA_AMOUNT_MOST : a + b;
}

/* Add amount * share / sum to the claim of each of rows[0 .. n), which it reorders: claims are cut
 * to whole steps, and what that leaves goes out in pieces up to the next whole claim, larger
 * remainder first, then the row. Precondition: the shares add up to sum, sum > 0, and
 * (want - claim) * sum > amount * share for each that has a share, so nobody gets more than it
 * wants. Then exactly the amount is given: a row takes at least the remainder it left, because both
 * its next whole claim and its want are farther away. One pass therefore ends it. O(n log n). */
void sibling_deal(struct sibling *all, uint32_t *rows, uint32_t n, int64_t amount, quota_u128 sum,
                  int64_t step);

#endif
