/*
 * victim_right.h -- the entitlements of queues, which the victim search compares with the amounts
 * that the queues hold.
 *
 * E(q, r) is the effective guarantee of queue q for resource kind r, and F(q, r) the fair share,
 * both from the share algorithm; the entitlement is R = max(E, F). A resource kind counts only if
 * the current job needs it and some queue has a guarantee of it. If all needed kinds counted, a
 * guarantee of GPUs would protect nothing: without a guarantee of CPU cores, every queue is above
 * its guarantee of cores, which is 0. All kinds that the job needs count only if no queue has a
 * guarantee of any of them.
 *
 * Cost: O(depth) to find levels; O(kinds) and one pass over the chosen units of a set to compare.
 */
#ifndef LIBSCHED_VICTIM_RIGHT_H
#define LIBSCHED_VICTIM_RIGHT_H

#include "engine/rights/victim_state.h"

/* The queues on the victim's side that protection tests, as a path of the queue tree.
 * from: the lowest queue to test: the victim's queue, or `top` if the policy does not protect the
 * whole path
 * top: the highest queue to test, the child of `end` above or equal to the victim's queue
 * end: the common ancestor of the victim and the job, which is not tested; NO_ROW if there is none
 * at: level of the common ancestor in the job's path; 0 if the job's own queue is the ancestor */
struct victim_levels {
    uint32_t from, top, end, at;
};

/* victim_right_open counts, once per action, the amounts that are held by work that has not
 * started. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t victim_right_open(struct lsched_cycle *cy);
void victim_right_close(struct lsched_cycle *cy);
/* Returns the queue's entitlement to the resource kind; with guarantee_only, its guarantee. */
int64_t victim_right(const struct lsched_cycle *cy, uint32_t queue, uint32_t kind,
                     int guarantee_only);
/* True if the action seeks victims of reclaim and of preempt together, and `queue` is the current
 * job's own queue. */
int victim_right_is_own(const struct lsched_cycle *cy, uint32_t queue);
/* Returns the common ancestor of the job and the victim, as a level in the job's path. Returns
 * n_path if no queue is above both of them. */
uint32_t victim_right_ancestor(const struct lsched_cycle *cy, uint32_t victim_queue);
struct victim_levels victim_right_levels(const struct lsched_cycle *cy, uint32_t victim_queue);
/* Returns the amount of the resource kind that the chosen eviction units of the set hold in the
 * queue and in the queues below it. */
int64_t victim_right_given(const struct lsched_cycle *cy, uint32_t queue, uint32_t kind,
                           const struct victim_set *set);
/* Returns those of `kinds`, one bit each, of which the queue holds more than its entitlement (with
 * guarantee_only, its guarantee). less: amounts that count as evicted, NULL for none. */
uint32_t victim_right_kinds_above(const struct lsched_cycle *cy, uint32_t queue, int guarantee_only,
                                  uint32_t kinds, const int64_t *less);
/* Returns minus the queue's excess above its entitlement, in 64ths of the cluster, with the chosen
 * eviction units of the set counted as evicted. At equal cost, work of the side with the largest
 * excess is evicted first. */
int32_t victim_right_over(const struct lsched_cycle *cy, uint32_t top,
                          const struct victim_set *set);
/* Returns the queue's dominant share divided by its weight: use / cluster total x 1000 / weight,
 * as a fixed-point number with 30 fractional bits. more: amounts to add to the use, or NULL. The
 * chosen units of `set` and the unit `without` (either can be NULL) count as evicted. */
int64_t victim_right_dominant(const struct lsched_cycle *cy, uint32_t queue, const int64_t *more,
                              const struct victim_set *set, const struct victim_unit *without);
/* Returns the resource kinds, one bit each, of which some queue has a quota. Cost: O(queues x
 * kinds). */
uint32_t victim_right_guaranteed_kinds(const struct columns *k);
/* Returns the resource kinds that count: those of `needed` that are in `guaranteed`, or all of
 * `needed` if none is in `guaranteed`. */
static inline uint32_t victim_right_kinds(uint32_t guaranteed, uint32_t needed) {
    return guaranteed & needed ? guaranteed & needed : needed;
}
/* True if the open decision places or nominates a task that has not started and cannot be
 * evicted. */
int victim_right_is_pending(const struct columns *k, uint32_t decision);

/* True if the job's queue and the queues above it stay within their entitlements when the task is
 * charged `gpu` milli-GPUs; within their guarantees, if work stopped because of these. Tested only
 * in reclaim. An earlier test counted the least charge that the task can have; the real charge can
 * be larger. */
int victim_right_keeps(const struct lsched_cycle *cy, int64_t gpu);

#endif
