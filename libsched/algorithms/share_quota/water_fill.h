/*
 * water_fill.h -- computes the fair shares of sibling queues for one resource kind.
 *
 *   1  Each queue gets min(quota, want) as its `claim`. The want is the amount that the queue can
 *      use plus the amount that the queues below it do not lend. Quotas can add up to more than
 *      the total; then nothing is left for step 3.
 *   2  Each queue keeps the amount of its guarantee that exceeds both its want and its lend limit.
 *   3  The rest is given out by queue priority, the highest priority first. A queue that wants no
 *      more than its portion by weight gets its want and leaves the division. When no further
 *      queue leaves, the remaining queues divide the rest by weight, in whole steps: larger
 *      remainder first, then the older queue, then the name. The queues of the next priority
 *      divide the amount that is then left.
 *
 * A queue with weight 0 takes no part in step 3, unless `weightless_share` is set. If it is set,
 * the queues of weight 0 of each priority divide evenly the amount that the queues with a weight
 * leave. Decayed use changes the weights: the portion is max(0, n_i + k (n_i - u_i)), where n_i =
 * weight_i / sum of weights, and u_i is the queue's decayed use as a fraction of the cluster. The
 * sum covers only the queues that have not left. Therefore the last division depends only on the
 * use of the queues that still compete. If the portions of all queues are 0 (because they used more
 * than the whole cluster), the plain weights count.
 *
 * Invariants: claim <= want. If a part of the rest is not given out, no queue with a weight above 0
 * wants more. If the amounts of step 1 do not exceed the total, all claims and kept amounts
 * together do not exceed the total. Exactly the rest is given out, as long as queues want it.
 * Without decayed use, the computation is exact: the only quotient is that of the last division,
 * which gives out its remainders (queue_sibling.h). With decayed use, portions are rounded down to
 * 2^-40.
 *
 * Cost without decayed use: a few passes over the queues, and O(n log n) in the worst case. A
 * satisfied queue leaves with no more than its portion, so rest / sum of weights never falls.
 * Therefore all queues that a pass finds satisfied leave together; and in the order of want /
 * weight, no queue behind the first unsatisfied queue can be satisfied. Cost with decayed use: at
 * most n rounds of O(n). The portions then depend on which queues remain, and each round satisfies
 * at least one queue or is the last one.
 *
 * The reference implementation (KAI) works differently: each round gives every queue its portion
 * and continues with the remainder. With this method, a queue's fair share would depend on queues
 * that have left the division long before.
 */
#ifndef LIBSCHED_WATER_FILL_H
#define LIBSCHED_WATER_FILL_H

#include "algorithms/share_quota/queue_sibling.h"

/* How the rest was given out. FILL_NONE: nothing was left for step 3. FILL_AMPLE: every queue that
 * takes part in step 3 got its want. FILL_DEALT: some queues divided what was left by weight.
 * FILL_OPAQUE: something else, such as weights that follow decayed use. */
enum fill_mode { FILL_NONE, FILL_AMPLE, FILL_DEALT, FILL_OPAQUE };

/* What water_fill() records of one division, so that quota_follow.h can tell whether a change of
 * one sibling changes the claims of others. */
struct fill_state {
    quota_i128 rest; /* amount that steps 1 and 2 left; negative if they gave too much */
    quota_i128 open; /* what the queues that take part in step 3 want beyond step 1 */
    /* FILL_DEALT: the amount of the last division, the sum of its shares, its step and its rank */
    quota_u128 shares;
    int64_t dealt, step;
    int32_t priority;
    uint8_t weighted; /* 1: the queues of the last division have a weight */
    uint8_t mode;     /* enum fill_mode */
    uint8_t endless;  /* 1: a sibling has a quota without bound, so step 1 depends on the total */
};

struct fill_rules {
    int64_t total;
    int64_t step; /* 1, or a whole device (1000 milli-GPU) */
    /* the k of the formula above, in thousandths; 0: decayed use does not change weights */
    int64_t usage_weight_milli;
    /* 1: queues of weight 0 divide the amount that queues with a weight leave */
    int weightless_share;
};

/* Sets `claim`, `kept`, `want` and `dealt` of siblings[0] to siblings[n - 1], and *state. `rows` is
 * a scratch array of n entries. */
void water_fill(struct sibling *siblings, uint32_t n, const struct fill_rules *rules,
                uint32_t *rows, struct fill_state *state);

/* Does step 1 for one queue: returns min(quota, want). The caller has set `want`. */
int64_t water_first_claim(const struct sibling *s, int64_t total);
/* The weight of a queue in step 3; 1 for a queue of weight 0. */
int64_t water_weight(const struct sibling *s);

/* Returns the amount of the queue's guarantee that exceeds its want and that it does not lend to
 * its siblings. */
int64_t water_kept(const struct sibling *s);

#endif
