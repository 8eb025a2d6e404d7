/*
 * water_fill.h -- computes the fair shares of sibling queues for one resource kind.
 *
 *   1  Each queue gets min(quota, want) as its `claim`. Its want is the amount that it can use plus
 *      the amount that queues below it keep back. Quotas can add up to more than the total; then
 *      nothing is left for step 3.
 *   2  Each queue keeps back the part of its guarantee that exceeds both its want and its lend
 *      limit.
 *   3  The rest is given out, queue priorities from high to low. A queue that wants no more than
 *      its portion by weight gets its want and leaves. When no further queue leaves, the remaining
 *      queues divide the rest by weight, in whole steps: larger remainder first, then the older
 *      queue, then the name. The next priority gets what the one before does not want.
 *
 * A queue with weight 0 takes no part in step 3, unless `weightless_share` is set. Then, within
 * each priority, the queues of weight 0 evenly divide what the queues with a weight leave. Decayed
 * use changes the weights: with n_i = weight_i / sum and u_i the queue's use as a fraction of the
 * cluster, the portion is max(0, n_i + k (n_i - u_i)). The sum covers only the queues that have not
 * left, so the last division depends only on the use of the queues that still compete. If the
 * portion is 0 for all queues (when they used more than the whole cluster), the plain weights hold.
 *
 * Invariants: claim <= want. While any of the rest is left, no queue with a weight above 0 wants
 * more. If the amounts of step 1 do not exceed the total, then all claims and kept amounts together
 * do not exceed the total. Exactly the rest is given. The computation is exact: without use, no
 * quotient is formed before the last division, which divides integers and gives out their
 * remainders (queue_sibling.h). With use, portions are rounded down to 2^-40.
 *
 * Cost and termination. Without use, rest / sum-of-weights never falls when satisfied queues leave,
 * because each of them leaves with no more than its portion. Therefore, in the order of want /
 * weight, no queue behind the first unsatisfied one can be satisfied: one sort and one pass, O(n
 * log n). With use, the portions depend on which queues remain, so rounds are needed. Each round
 * satisfies at least one queue or is the last: at most n rounds of O(n). Why not rounds that give
 * every queue its portion and then continue with the remainder, as the reference implementation
 * (KAI) does: a queue's fair share would then depend on queues that have left long before.
 */
#ifndef LIBSCHED_WATER_FILL_H
#define LIBSCHED_WATER_FILL_H

#include "algorithms/share_quota/queue_sibling.h"

struct fill_rules {
    int64_t total;
    int64_t step;               /* 1, or a whole device (1000 milli-GPU) */
    int64_t usage_weight_milli; /* k; 0: decayed use does not change weights */
    int weightless_share;       /* 1: queues of weight 0 divide what the others leave */
};

/* Sets `claim` and `kept` of siblings[0 .. n). `rows`: scratch array of n. */
void water_fill(struct sibling *siblings, uint32_t n, const struct fill_rules *rules,
                uint32_t *rows);

/* Returns the part of the queue's guarantee that exceeds its want and that it does not lend to its
 * siblings. */
int64_t water_kept(const struct sibling *s);

#endif
