/*
 * guarantee.h -- effective guarantees of siblings: what each may have whatever the others want.
 *
 * Demand does not count, only quotas and what the parent is guaranteed itself (`basis`):
 *   below an unlimited parent                 each has its quota; one that is unlimited keeps no
 *                                             account, and can never be above its guarantee
 *   quotas add up to no more than the basis   each has its quota
 *   they add up to more                       quota * basis / sum, exact, largest remainder first
 *   quota unlimited                           an equal part of what the others leave, not above
 *                                             its limit
 * The roots are children of an unlimited parent whose basis is the capacity of ready nodes: nobody
 * stands above them who could have promised less. What they are promised beyond what the machines
 * of today have goes to whoever got it first, and who is within its own promise keeps it.
 *
 * Invariant: below a parent that keeps account, guarantees add up to no more than the basis. So a
 * parent that holds more than its guarantee has a child that does: whoever may take from the parent
 * finds whom to take from. What a limit cuts off an unlimited quota goes to nobody, which keeps
 * guarantees independent of each other's limits. O(n log n).
 */
#ifndef LIBSCHED_GUARANTEE_H
#define LIBSCHED_GUARANTEE_H

#include "algorithms/share_quota/queue_sibling.h"

/* Sets `guarantee` and `basis` of siblings[0 .. n). Reads quota and limit. `step`: 1, or that of
 * whole devices if the basis and all quotas are whole. `rows`: scratch of n. */
void guarantee_divide(struct sibling *siblings, uint32_t n, int64_t basis, int unlimited_above,
                      int64_t step, uint32_t *rows);

#endif
