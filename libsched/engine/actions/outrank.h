/*
 * outrank.h -- tells whether a waiting job would be entitled to evict a task that is about to
 * start, by quotas of resource parts (part_quota.h) or by dominant shares. put_off.c compares
 * guarantees of whole resource kinds.
 *
 * put_off.c calls these functions before a start. A waiting job would be entitled to evict the
 * task that starts
 *   by a part    if each queue on the waiting job's path below the common ancestor stays, with the
 *                waiting job, within its quota of a resource part in which the job could count, and
 *                the queues of the starting job hold more than their quotas of that part
 *   by shares    if the waiting job has had its turn, and the dominant share of its side with the
 *                waiting job is no larger than the share of the starting job's side without one of
 *                the tasks that start
 * By shares, a job that has not had its turn does not count, because it comes after the starting
 * job in the order of shares.
 *
 * Why a job that has not had its turn does not count: `allocate` can serve the starting job first
 * although its side is the larger one, for example because of queue priorities. Reclaim compares
 * only the two sides and could evict the started task afterwards. But if the start were put off,
 * the other job would get its turn first, and the order of shares would have no effect. Both tests
 * follow the rules of reclaim (part_quota_allow, and dominant_allows in victim_protect.c), but
 * they are already true if reclaim could possibly allow the eviction. Only the victim search knows
 * the node of the waiting job and the units of the starting job's side that are evicted first. If
 * that search finds no victims, the start was delayed by one round in vain.
 *
 * Cost: one branch where no queue has a quota of a resource part; O(parts x depth) for a start
 * within its quotas; O(waiting bundles x depth) for a start above them. For dominant shares, struct
 * outrank keeps a lower bound: if any waiting bundle got its next job, the dominant share of the
 * bundle's side would be at least this bound. If the share of the starting job's side is below this
 * bound, the start is compared with no bundle. The bound is computed again whenever all bundles
 * were compared and none was entitled. Later placements can only make the bound too low.
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
typedef int (*outrank_waits_fn)(const struct lsched_cycle *cy, uint32_t bundle);

void outrank_open(const struct lsched_cycle *cy, struct outrank *o);
/* outrank_note: called when the bundle begins to wait, or when the amounts that it needs have
 * changed.
 * outrank_stopped: called when tasks were stopped, because shares can be smaller then. */
void outrank_note(const struct lsched_cycle *cy, struct outrank *o, uint32_t bundle);
void outrank_stopped(struct outrank *o);
/* True if a waiting bundle would be entitled to evict the tasks of the job that the current
 * transaction placed. n: number of bundle rows. units: number of waiting bundles among them; this
 * many work units are charged each time that all of them are read. If the budget ends the cycle
 * during the call, the result means nothing. */
int outrank_asks(struct lsched_cycle *cy, struct outrank *o, uint32_t job, uint32_t n,
                 uint32_t units, outrank_waits_fn waits);

#endif
