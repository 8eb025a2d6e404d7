/*
 * fit_ruin.h -- ruin and recreate for FIXED problems, in rounds of three kinds. A step of a round
 * removes some items from their bins (ruin) and puts them back in another order (recreate).
 *
 * Close: a round begins from the best plan and empties bins until the price is below that of the
 * best plan. It begins with the bins that have the least load for the price that emptying them
 * saves. The items of these bins form the pool. A step takes an item of the pool and removes the
 * items that overlap it from 1 to 4 bins. Then it places all of these items again, in one of
 * several orders, which it chooses at random. Each item goes to the bin in which it fits most
 * tightly, or to the fullest bin. The price always stays below that of the best plan. Each failure
 * to place an item raises the penalty of the item (its grudge). A step is kept if the total penalty
 * of the pool does not grow, or grows only a little. Therefore items that are hard to place
 * displace easy ones. When the plan leaves out no more weight than the best plan and costs less, it
 * becomes the best plan, and the next round begins. Simulated annealing of the number of bins is
 * not used: most steps do not change that number, but they change the penalties.
 *
 * Fill: the same steps as in a close round, at any price, for a plan that leaves items out.
 *
 * Tune: for plans with more prices than the open prices of bins. A step is kept if the price does
 * not grow, or grows by less than a threshold (the heat), which falls to zero within the round. The
 * next round begins from the best plan.
 *
 * An item that had no bin before the step cannot fit in a bin that the step has not changed.
 * Therefore such an item is checked against few bins. Cost of a step: one
 * check for each pair of a moved item and a bin, which takes a few microseconds for some tens of
 * bins.
 */
#ifndef LIBSCHED_PACK_FIT_RUIN_H
#define LIBSCHED_PACK_FIT_RUIN_H

#include "pack/fit/fit_state.h"

int fit_ruin(struct fit *f, struct pack_best *best, struct pack_meter *m,
             const struct pack_value *bound);

#endif
