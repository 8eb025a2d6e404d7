/*
 * victim_excess.h -- proves from entitlements alone that no queue may lose work to a waiting job,
 * under a share algorithm with guarantees.
 *
 * Work of a branch beside the job's path may be evicted only while the branch holds more than its
 * guarantee of a resource kind that counts, or more than its entitlement if the job's side is above
 * its own guarantee (victim_protect.c). If no branch is above, the amounts that victim_bounds.c
 * would add up from all tasks are 0. Most clusters are in this state most of the time, therefore
 * this proof comes first. Work of branches that may lose none does not count as work that can be
 * evicted later, either, however young it is: its age is not what protects it.
 *
 * Cost: O(queues x kinds) once per action and after each kept transaction; O(depth x kinds) for a
 * job. Why not the queues of the job's path alone: their parents can have any number of children.
 */
#ifndef LIBSCHED_VICTIM_EXCESS_H
#define LIBSCHED_VICTIM_EXCESS_H

#include "engine/rights/victim_state.h"

/* Returns 1 if no work of other queues may be evicted for the current job, with the rights that
 * its side has now. In that case, also sets victim_search.may_guarantee as the sum over all queues
 * would. If it proves nothing, returns 0. Returns LSCHED_E_NOMEM if memory runs out. If
 * cy->spend.stop is set after the call, the result means nothing. */
int32_t victim_excess_none(struct lsched_cycle *cy);
/* True if the eviction of the amounts `below`, which are held below the path's queue at this level,
 * could bring that queue within its entitlement (with guarantee_only, its guarantee). */
int victim_excess_curable(const struct lsched_cycle *cy, uint32_t level, int guarantee_only,
                          const int64_t *below);
void victim_excess_close(struct lsched_cycle *cy);

#endif
