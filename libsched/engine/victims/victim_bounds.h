/*
 * victim_bounds.h -- cheap proofs that no victims can help a job, tried before the victim search
 * begins.
 *
 * The first proof compares amounts. It adds up the amounts that are free or come free, and an
 * upper bound of the amounts that can be evicted from each queue. Units of a queue can be evicted
 * only while the queue is above its entitlement. Therefore less than the queue's excess plus its
 * largest unit can be evicted. The same bound holds for the parent queue, with the excess of the
 * parent.
 *
 * The second proof counts places: the number of tasks of a leaf group that each node could hold if
 * everything were evicted that is allowed to be evicted. If all tasks of the leaf group must be in
 * one domain, the proof sums the places of each domain. If the leaf group is spread, the proof
 * limits the places of each domain.
 *
 * The amounts of the first proof and the places of the second one are upper bounds. Therefore no
 * victims can help a job that needs more than these amounts or places. If the cycle is stopped
 * during a proof, nothing is proved.
 *
 * Cost: O(nodes + tasks + queues), with one work unit charged for each task and queue, and for each
 * node whose places are counted. The proofs build
 * no heap and change no state. If shares or entitlements alone prove that no queue may lose work
 * (victim_shares.h, victim_excess.h), or if just the job's own queue could give work and has none
 * that can be evicted, the comparison of amounts costs O(1): the free amounts are kept
 * (idle_amounts.h). Under a share algorithm without guarantees, the amounts that can be evicted
 * from all queues, and the largest dominant shares, are computed only once per action and again
 * after each transaction that is kept.
 */
#ifndef LIBSCHED_VICTIM_BOUNDS_H
#define LIBSCHED_VICTIM_BOUNDS_H

#include "engine/rights/victim_state.h"

/* Tries the proofs. Returns 0 if no set of victims, however large, could make room for the job's
 * minimum; the why_* fields give the reason. Otherwise returns 1, or a negative error code. If
 * cy->spend.stop is set after the call, the result means nothing. */
int32_t victim_bounds_possible(struct lsched_cycle *cy);
void victim_bounds_close(struct lsched_cycle *cy);

#endif
