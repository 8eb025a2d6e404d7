/*
 * outrank.h -- tells whether a waiting job is entitled to evict a task that is about to start,
 * where guarantees of whole resource kinds do not decide that. Quotas of resource parts
 * (victim_parts.h), and dominant shares, which have no guarantees, decide it here.
 *
 * put_off.h asks these functions before a start. A waiting job is entitled to evict the task that
 * starts
 *   by a part    if each queue on the waiting job's path below the common ancestor stays, with the
 *                waiting job, within its quota of a resource part in which the job could count, and
 *                the queues of the starting job hold more than their quotas of that part
 *   by shares    if the waiting job had its turn, and its side of the common ancestor would, with
 *                the waiting job, be no larger than the starting job's side is without one of the
 *                tasks that start. A job that has not had its turn comes after the starting job in
 *                the order of shares, and that order is kept.
 * Why a job that has not had its turn does not count: with queue priorities, or where the branches
 * of a tree have another order than the two sides compared alone, `allocate` serves the starting
 * job first although its side is the larger one. Reclaim compares only the sides and may evict the
 * started task afterwards. But putting that start off would give the job of lesser priority the
 * first turn, and the order of shares would have no effect. Both tests are the rules of reclaim
 * (victim_parts_allow, and dominant_allows in victim_rules.c), except that they treat each
 * possibility as a fact. Only the victim search finds out on which node the waiting job would be,
 * and which units of the starting job's side are evicted first. If that search then finds nothing,
 * the start was delayed by one round.
 *
 * Cost: one branch where no queue has a quota of a resource part; O(parts x depth) for a start
 * within its quotas; O(waiting bundles x depth) for a start above them. For dominant shares, a
 * lower bound is kept beside the bundles: the least share that a waiting bundle's side would have.
 * A start whose side has less than that is compared with no bundle. The bound is computed again
 * when all bundles were compared and none was entitled. Placements since then can only make the
 * bound too low.
 */
#ifndef LIBSCHED_OUTRANK_H
#define LIBSCHED_OUTRANK_H

#include "engine/state/cycle_state.h"

/* Scratch memory of one action. */
struct outrank {
    uint8_t guarded[LIMIT_RESOURCE_PARTS]; /* 1 if some queue has a quota of the resource part */
    int any_guarded;
    /* lower bound of the dominant shares of the waiting bundles' sides; INT64_MIN: not known */
    int64_t floor;
};

/* True if the bundle of this row counts as waiting. */
typedef int (*outrank_waits_fn)(const struct lsched_cycle *y, uint32_t bundle);

void outrank_open(const struct lsched_cycle *y, struct outrank *o);
/* outrank_note: called when the bundle begins to wait, or when its need changed. outrank_stopped:
 * called when tasks were stopped, because shares can be smaller then. */
void outrank_note(const struct lsched_cycle *y, struct outrank *o, uint32_t bundle);
void outrank_stopped(struct outrank *o);
/* True if a waiting bundle is entitled to what the job got in the current transaction. The waiting
 * bundles are `units` of the rows below n. Each time that all waiting bundles are read costs
 * `units` work units. If the budget ends the cycle meanwhile, the answer is not known. */
int outrank_asks(struct lsched_cycle *y, struct outrank *o, uint32_t job, uint32_t n,
                 uint32_t units, outrank_waits_fn waits);

#endif
