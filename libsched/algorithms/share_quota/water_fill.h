/*
 * water_fill.h -- fair shares of siblings in one resource.
 *
 *   1  each claims min(quota, want), where want is what it can use and what queues below it keep
 *      back; quotas may add up to more than there is, then nothing is left for 2
 *   2  each keeps back what of its guarantee neither it wants nor its lend limit offers
 *   3  the rest, queue priorities from high to low: who wants no more than its part by weight gets
 *      what it wants and leaves; when nobody does, those who stay divide what is left by weight,
 *      in whole steps, larger remainder first, then the older queue, then the name. The next
 *      priority gets what the one before does not want
 *
 * Weight 0 is no part in 3, unless `weightless_share` is set: then queues of weight 0 divide evenly
 * what those of their priority that have a weight leave. Decayed use bends weights: with n_i =
 * weight_i / sum and u_i its use as a part of the cluster, the part is max(0, n_i + k (n_i - u_i)),
 * over those who stay, so the last division is in proportion to the use of those who compete. If
 * that is 0 for all (use of more than the whole cluster), plain weights hold.
 *
 * Invariants: claim <= want; nobody whose weight is not 0 wants more while rest is left; if claims
 * of 1 do not exceed the total, all claims and what is kept back do not; exactly the rest is given.
 * Exact: without use no quotient is formed before the last division, which is one of integers with
 * its remainders dealt (queue_sibling.h). With use, parts are rounded down to 2^-40.
 *
 * Cost and end. Without use rest / sum-of-weights never falls as the satisfied leave (each left
 * with no more than its part), so in the order of want / weight nobody behind the first unsatisfied
 * can be satisfied: one sort and one pass, O(n log n). With use parts change with who stays, so
 * rounds are needed; each satisfies at least one or is the last: at most n rounds of O(n). Not
 * rounds that give everybody its part and then go on with the remainder, as the reference does:
 * what a queue gets would then depend on parts it had next to queues that have long left.
 */
#ifndef LIBSCHED_WATER_FILL_H
#define LIBSCHED_WATER_FILL_H

#include "algorithms/share_quota/queue_sibling.h"

struct fill_rules {
    int64_t total;
    int64_t step;               /* 1, or that of whole devices */
    int64_t usage_weight_milli; /* k; 0: use does not bend */
    int weightless_share;       /* queues of weight 0 have parts of what the others leave */
};

/* Sets `claim` and `kept` of siblings[0 .. n). `rows`: scratch of n. */
void water_fill(struct sibling *siblings, uint32_t n, const struct fill_rules *rules,
                uint32_t *rows);

/* What of its guarantee it keeps from its siblings beyond what it wants. */
int64_t water_kept(const struct sibling *s);

#endif
