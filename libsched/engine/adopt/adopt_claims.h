/*
 * adopt_claims.h -- the groups of a clone's plan whose room belongs to jobs that the clone did not
 * know.
 *
 * A job that arrived after the clone was made can rank before the job of a group. In a cycle of
 * the cluster it would be tried first. Therefore the plan is tried once as a rehearsal, with each
 * of these jobs in its turn: before a group is tried, the jobs that rank before its job look for
 * free room as the action allocate does. A group that fails there and not without them is dropped.
 * Then the rehearsal is rolled back. The jobs themselves get no place: the next cycle tries them.
 *
 * Why not a comparison of amounts: whether a job can use a room depends on all rules of places,
 * and on what the groups before it took. Cost: nothing but a look at each job if no job has
 * arrived; otherwise a second walk, one try of each such job, and O(queues) to compute shares
 * again.
 */
#ifndef LIBSCHED_ADOPT_CLAIMS_H
#define LIBSCHED_ADOPT_CLAIMS_H

#include "engine/adopt/adopt_walk.h"

/* Sets adoption.claimed for each group. Error: LSCHED_E_NOMEM, or what a call returned. */
int32_t adopt_claims(lsched_cycle *cy, const lsched_act *act);

#endif
