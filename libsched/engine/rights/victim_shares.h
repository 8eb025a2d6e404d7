/*
 * victim_shares.h -- proves from shares alone that no queue may lose work to a waiting job, under
 * a share algorithm without guarantees.
 *
 * Work of a branch may be evicted for a job only if the dominant share of that branch, without the
 * evicted work, is at least the dominant share of the job's side with the job (victim_protect.c).
 * Evictions make the share of a branch smaller. Therefore no work may be evicted if each branch
 * beside the job's path, without the smallest amounts of its tasks (lowest_work.h), has a smaller
 * share now than the job's side would have. In a cluster whose queues have equal shares, this
 * proves the result before any node or task is read. The proof is weaker than the one of
 * victim_bounds.c, which also knows which work may be evicted at all; that one reads all tasks, and
 * is tried after this one.
 *
 * Cost: O(queues x kinds) once per action and after each kept transaction; O(depth) for a job.
 */
#ifndef LIBSCHED_VICTIM_SHARES_H
#define LIBSCHED_VICTIM_SHARES_H

#include "engine/rights/victim_state.h"

/* Finds, for each queue, the two largest dominant shares of its child queues. The share of a child
 * queue is computed without the smallest amounts that can be evicted from that child queue. Child
 * queues without work that can be evicted do not count. least: [queue x KINDS_MAX] these amounts in
 * the queue itself, entry [0] 1 if there are any; the queues below a queue are added here. */
void victim_shares_find(const struct lsched_cycle *cy, int64_t *least,
                        struct victim_dominant *dominant);
/* True if some branch beside the job's path has a share, according to `dominant` (by parent queue,
 * the last entry for root queues), that is at least the share of the job's side with the job. */
int victim_shares_above(const struct lsched_cycle *cy, const struct victim_dominant *dominant);
/* Returns 0 if shares prove that no work of another queue may be evicted for the current job, now
 * and when protected work can be stopped. If they prove nothing, returns 1. Returns LSCHED_E_NOMEM
 * if memory runs out. */
int32_t victim_shares_whole_gives(struct lsched_cycle *cy);
/* Does the same, but always returns 1 if searches are cold: a cold search must find out itself. */
int32_t victim_shares_may_give(struct lsched_cycle *cy);
void victim_shares_close(struct lsched_cycle *cy);

#endif
