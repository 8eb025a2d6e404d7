/*
 * guarantee.h -- computes the guarantees in force of sibling queues: the amounts that each queue
 * can have, no matter how much the other queues demand.
 *
 * The result depends only on the quotas and on the amount that the parent is guaranteed (the
 * `basis`), not on demand:
 *
 *   parent is unlimited                       each queue's guarantee is its quota. An unlimited
 *                                             quota gives an unlimited guarantee, so such a queue
 *                                             is never above its guarantee
 *   quotas add up to no more than the basis   each queue's guarantee is its quota
 *   quotas add up to more than the basis      quota * basis / sum of quotas, exact; remainders go
 *                                             to the queues with the largest remainders
 *   quota is unlimited                        an equal portion of the amount that the other quotas
 *                                             leave, but not more than the queue's limit
 *
 * Root queues have no parent. They are computed like children of an unlimited parent whose basis is
 * the capacity of the ready nodes. Their quotas can add up to more than the cluster has. In this
 * case, the queue that uses the room first keeps it, because a queue within its guarantee cannot be
 * reclaimed from.
 *
 * Invariant: below a parent that is not unlimited, the guarantees add up to no more than the basis.
 * Therefore a parent above its guarantee always has a child above its own guarantee. If a queue is
 * allowed to reclaim from the parent, it thus finds a child to reclaim from. If a limit reduces the
 * portion of an unlimited quota, no other queue gets the difference, so that guarantees do not
 * depend on the limits of siblings. O(n log n).
 */
#ifndef LIBSCHED_GUARANTEE_H
#define LIBSCHED_GUARANTEE_H

#include "algorithms/share_quota/queue_sibling.h"

/* Sets `guarantee` and `basis` of siblings[0] to siblings[n - 1] from their quotas and limits.
 * unlimited_above is 1 if the parent is unlimited. `step` is the unit in which amounts are divided:
 * 1, or 1000 (a whole device) if the basis and all quotas are multiples of 1000 milli-GPU. `rows`
 * is a scratch array of n entries. */
void guarantee_divide(struct sibling *siblings, uint32_t n, int64_t basis, int unlimited_above,
                      int64_t step, uint32_t *rows);

#endif
