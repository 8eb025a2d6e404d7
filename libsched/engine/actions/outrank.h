/*
 * outrank.h -- entitlement where guarantees of whole kinds do not decide it: by quotas of parts of
 * a kind (victim_parts.h), and by dominant shares, which have no guarantees.
 *
 * put_off.h asks here whether a waiting job might be entitled to evict a task that is about to
 * start:
 *   by a part    with the waiting job, every queue of its path below the common ancestor stays
 *                within its quota of a part that the job could count in, and the queues of the
 *                starting job hold more than their quotas
 *   by shares    the waiting job had its turn, and its side of the common ancestor would be no
 *                larger with it than the starting job's side is without one of the tasks that
 *                start. A job that has yet to have its turn stands behind the starting job by the
 *                order of shares, and that order is kept
 * Why a job without its turn does not count: with priorities of queues, or where the branches of a
 * tree stand in another order than the two sides by themselves, `allocate` serves the starting job
 * first although its side is the larger. Reclaim compares only the sides and may evict the started
 * task afterwards; but to put the start off would give the lesser priority the first turn, and the
 * order of shares would mean nothing.
 * Both are the rules of reclaim (hunt_parts_allow, dominant_allows in victim_rules.c), with every
 * possibility taken as a fact: the search for victims finds on which node the job would be, and
 * what of the starting job's side goes first. If the search then finds nothing, the start has
 * waited for one round.
 *
 * Cost: one branch where no queue has a quota of a part; O(parts x depth) for a start within its
 * quotas; O(waiting bundles x depth) for a start above them. For dominant shares a lower bound is
 * kept beside the bundles: the least share that any of them would have. A start whose side has less
 * asks no bundle. The bound is computed anew when all bundles were asked in vain; placements since
 * then only make it too low.
 */
#ifndef LIBSCHED_OUTRANK_H
#define LIBSCHED_OUTRANK_H

#include "engine/state/cycle_state.h"

/* Scratch memory of one action. */
struct outrank {
    uint8_t guarded[LIMIT_DERIVED_KINDS]; /* some queue has a quota of the part */
    int any_guarded;
    int64_t floor; /* no bundle that waits would make a side smaller; INT64_MIN: not known */
};

/* True if the bundle at the place counts as waiting. */
typedef int (*outrank_waits_fn)(const struct lsched_cycle *y, uint32_t bundle);

void outrank_open(const struct lsched_cycle *y, struct outrank *o);
/* outrank_note: the bundle waits now, or what it needs changed. outrank_stopped: tasks were
 * stopped, so shares may be smaller. */
void outrank_note(const struct lsched_cycle *y, struct outrank *o, uint32_t bundle);
void outrank_stopped(struct outrank *o);
/* True if one of the waiting bundles, which are `units` of the bundles with a place below n, is
 * entitled to what the job got in the current transaction. Each look at all waiting bundles is
 * charged; if the budget ends the cycle meanwhile, the answer is not known. */
int outrank_asks(struct lsched_cycle *y, struct outrank *o, uint32_t job, uint32_t n,
                 uint32_t units, outrank_waits_fn waits);

#endif
