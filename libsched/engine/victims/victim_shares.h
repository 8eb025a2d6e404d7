/*
 * victim_shares.h -- proves from shares alone that no queue may lose work to a waiting job, under
 * a share algorithm without guarantees.
 *
 * Work of a branch may be evicted for a job only if the dominant share of that branch, without the
 * evicted work, is at least the dominant share of the job's side with the job (victim_protect.c).
 * Evictions make the share of a branch smaller. Therefore no work may be evicted if each branch
 * beside the job's path has a smaller share now, with all that it holds, than the job's side would
 * have. In a cluster whose queues have equal shares, this proves the result before any node or
 * task is read. The proof is weaker than the one of victim_bounds.c, which also knows how small
 * the smallest work of each branch is; that one reads all tasks, and is tried after this one.
 *
 * Cost: O(queues x kinds) once per action and after each kept transaction; O(depth) for a job.
 */
#ifndef LIBSCHED_VICTIM_SHARES_H
#define LIBSCHED_VICTIM_SHARES_H

#include "engine/victims/victim_state.h"

/* Adds the share of a child queue to the two largest shares of its parent's children. */
void victim_shares_count(struct victim_dominant *parent, uint32_t queue, int64_t share);
/* True if some branch beside the job's path has a share, according to `dominant` (by parent queue,
 * the last entry for root queues), that is at least the share of the job's side with the job. */
int victim_shares_above(const struct lsched_cycle *cy, const struct victim_dominant *dominant);
/* Returns 0 if shares prove that no work of another queue may be evicted for the current job. If
 * they prove nothing, returns 1. Returns LSCHED_E_NOMEM if memory runs out. */
int32_t victim_shares_may_give(struct lsched_cycle *cy);
void victim_shares_close(struct lsched_cycle *cy);

#endif
