/*
 * outrank.h -- order by right where guarantees of whole kinds do not say who has it: by quotas of
 * parts of a kind (victim_parts.h), and by dominant shares, of a share without guarantees.
 *
 * put_off.h asks here whether a job that waits might have work stopped that is about to start:
 *   by a part    it stays within the quota of a part that it could count in, at each queue of its
 *                path below the common ancestor, and the start's queues hold more than theirs
 *   by shares    it had its turn, and its side of the common ancestor would be no larger with it
 *                than the start's side is without a task of the start. Who has yet to have its turn
 *                stands behind the start by the order of shares, which is to be kept
 * Why not those in line, too: with priorities of queues, or where branches of a tree stand in
 * another order than the two sides by themselves, `allocate` serves the start first though its side
 * is the larger. Reclaim asks for the sides alone and may take from it afterwards; but to put the
 * start off would give the lesser priority the first turn, and the order of shares would mean
 * nothing.
 * Both are the rules of reclaim (hunt_parts_allow, dominant_allows in victim_rules.c), with what
 * may be as what is: on which node the job would be, and what of the start's side goes first, is
 * found by the search. An answer that is true in vain costs the start a round.
 *
 * Cost: a branch where no queue has a quota of a part; O(parts x depth) for a start that is within
 * them; O(bundles that wait x depth) for one above. By shares a bound stands beside the bundles:
 * below the least share that any of them would have nobody is asked. It is found anew when all were
 * asked in vain; what is placed since only makes it too low.
 */
#ifndef LIBSCHED_OUTRANK_H
#define LIBSCHED_OUTRANK_H

#include "engine/state/cycle_state.h"

/* Scratch of one action. */
struct outrank {
    uint8_t guarded[LIMIT_DERIVED_KINDS]; /* some queue has a quota of the part */
    int any_guarded;
    int64_t floor; /* no bundle that waits would make a side smaller; INT64_MIN: not known */
};

/* True if the bundle at the place counts as waiting. */
typedef int (*outrank_waits_fn)(const struct lsched_cycle *y, uint32_t bundle);

void outrank_open(const struct lsched_cycle *y, struct outrank *o);
/* The bundle waits now, or needs something else; work was stopped, so shares may be smaller. */
void outrank_note(const struct lsched_cycle *y, struct outrank *o, uint32_t bundle);
void outrank_stopped(struct outrank *o);
/* True if one of the bundles below n that wait, `units` of them, has the better right to what the
 * job got in the transaction in hand. Each look at all of them is charged; if the cycle is cut the
 * answer is not known. */
int outrank_asks(struct lsched_cycle *y, struct outrank *o, uint32_t job, uint32_t n,
                 uint32_t units, outrank_waits_fn waits);

#endif
