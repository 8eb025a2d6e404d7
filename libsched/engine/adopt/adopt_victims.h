/*
 * adopt_victims.h -- the evictions and moves of a decision group that is adopted.
 *
 * The functions use the search for victims (victim_state.h) for its rights alone: which units can
 * stop for the job, and on which ground. The plan says which tasks they are.
 */
#ifndef LIBSCHED_ADOPT_VICTIMS_H
#define LIBSCHED_ADOPT_VICTIMS_H

#include "engine/adopt/adopt_try.h"

/* Opens or keeps the search that the group needs, or closes it if nothing stops. Returns 1, or a
 * negative error code. */
int32_t adopt_victims_open(struct adopt_try *t);
/* Begins the search for the job, in the transaction of the job. way: VICTIM_*. Returns 1, 0
 * with the reason, or a negative error code. */
int32_t adopt_victims_begin(struct adopt_try *t, uint32_t way);
/* Stops the tasks that the decisions of the group before index `end` stop, as far as that was
 * not done. One eviction can make another one legal, therefore the tasks are tried as long as
 * one more stops. Returns as adopt_victims_begin(). Cost: O(tasks x turns); one turn if the
 * order of the plan is legal. */
int32_t adopt_victims_rest(struct adopt_try *t, size_t end);
/* Called when the job has its places: tests the rights again, and gives the moved tasks their new
 * places. Returns as adopt_victims_begin(). */
int32_t adopt_victims_move(struct adopt_try *t);

#endif
