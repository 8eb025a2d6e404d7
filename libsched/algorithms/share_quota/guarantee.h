/*
 * guarantee.h -- computes the guarantees in force of sibling queues: the amounts that each queue
 * can have whatever the other queues demand.
 *
 * Demand does not count. Only the quotas count, and the amount that the parent itself is guaranteed
 * (`basis`):
 *
 *   parent is unlimited                       each queue's guarantee is its quota; an unlimited
 *                                             quota is not accounted, and such a queue can never be
 *                                             above its guarantee
 *   quotas add up to no more than the basis   each queue's guarantee is its quota
 *   quotas add up to more than the basis      quota * basis / sum, exact, largest remainder first
 *   quota is unlimited                        an equal portion of what the other quotas leave, not
 *                                             above the queue's limit
 *
 * Root queues are children of an unlimited parent whose basis is the capacity of the ready nodes,
 * because no queue above them could have promised less. If their quotas add up to more than the
 * cluster has today, the queue that takes the room first has it, and a queue within its guarantee
 * keeps what it has.
 *
 * Invariant: below a parent that is not unlimited, the guarantees add up to no more than the basis.
 * Therefore a parent above its guarantee has a child above its own guarantee: a queue that is
 * allowed to take from the parent always finds a queue to take from. The amount by which a limit
 * cuts down an unlimited quota is given to no other queue, so that guarantees do not depend on the
 * limits of siblings. O(n log n).
 */
#ifndef LIBSCHED_GUARANTEE_H
#define LIBSCHED_GUARANTEE_H

#include "algorithms/share_quota/queue_sibling.h"

/* Sets `guarantee` and `basis` of siblings[0 .. n) from their quotas and limits. `step`: 1, or a
 * whole device (1000 milli-GPU) if the basis and all quotas are whole devices. `rows`: scratch
 * array of n. */
void guarantee_divide(struct sibling *siblings, uint32_t n, int64_t basis, int unlimited_above,
                      int64_t step, uint32_t *rows);

#endif
