/*
 * adopt_withdrawn.h -- the nominations that the clone withdrew for a decision group.
 *
 * An action that seeks victims can take the room of a nomination, which stops no work: it
 * withdraws the nomination, and the plan has no decision for that (victim_candidate.h). Such a
 * group finds no room as long as the nomination is here. The plan notes which withdrawals came with
 * a group, but also counts those that an action for running work made after it. Therefore a group
 * is tried without the withdrawals first, and a withdrawal that no rule allows is passed over: what
 * the group lacks then, the placements tell.
 *
 * Cost for a group that found no place, with w withdrawals in the plan: O(log w), and O(1) for each
 * of the group's own withdrawals and each way to test the entitlement, which the budget counts. Why
 * not withdraw them first: an event can have made the room free, and the nomination is then another
 * job's right.
 */
#ifndef LIBSCHED_ADOPT_WITHDRAWN_H
#define LIBSCHED_ADOPT_WITHDRAWN_H

#include "engine/adopt/adopt_try.h"

/* True if the clone withdrew nominations for the group that are still here. Sets the reason for
 * which the group stops work to one that allows these withdrawals, too. False if the cycle stops
 * before. */
int adopt_withdrawn_find(struct adopt_try *t);
/* Called when the search for victims has begun: withdraws the nominations that the rights allow the
 * job to take, if adopt_withdrawn_find() found some. Returns 1 or a negative error code. */
int32_t adopt_withdrawn_take(struct adopt_try *t);

#endif
