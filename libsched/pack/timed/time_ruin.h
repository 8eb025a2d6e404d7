/*
 * time_ruin.h -- ruin and recreate for FLEXIBLE problems.
 *
 * A step removes the tasks of two or three bins and inserts them again in another order. From a
 * full bin, it removes only tasks that follow each other in time. About half of the tasks go back
 * to their old bins. Each other task goes to the best bin among the step's bins, or sometimes among
 * all bins. Inserting tasks in a new order at their earliest times closes the gaps of a bin.
 * Exchanging tasks between bins brings the ends of the bins closer together. A step chooses bins
 * that cause cost: a bin that ends after the target, the bin of an item with a high price, a bin
 * for an item that is left out, or a bin with few tasks. Other steps remove a window of time from
 * all bins, because a gang needs free capacity in several bins at the same time.
 *
 * The makespan alone is a poor measure of progress, because a single bin decides it. Therefore the
 * search sets a target a little before the end of the best plan, and adds up the work that lies
 * after the target (time_state.h). Among starts of equal price, it mostly takes the one with the
 * latest end that is not after the target, which keeps long gaps whole. For the problem mig80 and 4
 * million work units, plans were 7 % above the lower bound if the earliest end was taken, and 2 %
 * with this rule.
 *
 * A step is accepted if its plan is not worse than the current plan, or not worse than the plan
 * TIME_HISTORY steps ago (late acceptance, Burke and Bykov 2017). This rule needs no temperature;
 * therefore it does not depend on the scale of prices. After PATIENCE steps without a new best
 * plan, the search begins again from the best plan. It then accepts plans that are worse than the
 * best plan by some quarters of the mean loss of a rejected step. The order in which a step inserts
 * its items is chosen at random; orders that have led to more improvements are more likely. Cost of
 * a step: about STEP_WORK work units, which is some twenty walks over the breakpoints of two bins.
 */
#ifndef LIBSCHED_PACK_TIME_RUIN_H
#define LIBSCHED_PACK_TIME_RUIN_H

#include "pack/timed/time_pack.h"

int time_ruin(struct time_pack *f, struct pack_best *best, struct pack_meter *m,
              const struct pack_value *bound);

#endif
