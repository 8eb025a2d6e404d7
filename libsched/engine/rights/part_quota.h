/*
 * part_quota.h -- decides in reclaim about resource parts with a quota: which work a job is
 * entitled to take and which work is protected. A resource part is a GPU model, a MIG profile or a
 * pool.
 *
 * If the share algorithm has guarantees and some queue has a quota of a resource part, two rules
 * decide about the eviction of work that holds some of this part. They replace the rules for whole
 * resource kinds in victim_protect.c:
 *   entitled   If the job's queue, and each queue above it below the common ancestor, stays within
 *              its quota of the part with the job, then work of other queues can be evicted for
 *              the job, as long as these queues hold more of the part than their quotas.
 *   protected  Work of a queue that holds no more of the part than its quota is not evicted.
 * If the rules for parts and the rules for whole kinds applied side by side, two queues could
 * evict each other's work for ever: one is entitled by its quota of the part, the other by its
 * guarantee of the whole kind. The node and the devices of an eviction unit decide in which
 * resource parts the unit counts. A waiting job counts in the parts of the node on which it is
 * placed. Therefore each leaf group of the job that could be placed on that node is tested. If the
 * eviction unit is a gang, each of its nodes is tested.
 *
 * Cost: one branch while no queue has a quota of a resource part; otherwise O(kinds x depth x
 * tasks of the unit).
 */
#ifndef LIBSCHED_PART_QUOTA_H
#define LIBSCHED_PART_QUOTA_H

#include "engine/rights/victim_right.h"

/* part_quota_open prepares the data once per action and returns LSCHED_OK or LSCHED_E_NOMEM;
 * part_quota_close frees them. */
int32_t part_quota_open(struct lsched_cycle *cy);
void part_quota_close(struct lsched_cycle *cy);
/* Sets guarded[d] to 1 for each resource part d of which some queue has a quota. Returns 1 if
 * there is such a resource part. */
int part_quota_guarded(const struct columns *k, uint8_t *guarded);
/* True if the tasks of at least one leaf group of the job shape can be charged to resource part d
 * on some node. */
int part_quota_could(const struct columns *k, uint32_t jobshape, uint32_t d);
/* True if the queue's quota of resource part d is unlimited, or if `need` more fits into the
 * quota. */
int part_quota_has_room(const struct columns *k, uint32_t d, uint32_t queue, int64_t need);
/* Computes in the present state, for each resource part, how many queues of the job's path stay
 * within their quota with the job. Returns 1 if this number has risen for a part since the last
 * call. */
int part_quota_look(struct lsched_cycle *cy);
/* True if the queues of the job's path below level `at` stay within their quota of resource part d
 * when the chosen eviction units of the set are evicted. */
int part_quota_within(const struct lsched_cycle *cy, uint32_t d, uint32_t at,
                      const struct victim_set *set);
/* True if there is a resource part in which the current job can count, and the job's own queue
 * stays within its quota of that part with the job. */
int part_quota_entitled(const struct lsched_cycle *cy);

/* part_quota_decide: true if the eviction unit holds some of a resource part that has a quota.
 * part_quota_allow: returns the ground on which the quota of a resource part allows the eviction,
 * SIDE_NONE if there is none.
 * part_quota_protect: true if the quota of a resource part forbids the eviction. */
int part_quota_decide(const struct lsched_cycle *cy, const struct victim_unit *u);
enum side_ground part_quota_allow(const struct lsched_cycle *cy, const struct victim_unit *u,
                                  const struct victim_set *set, const struct victim_levels *levels);
int part_quota_protect(const struct lsched_cycle *cy, const struct victim_unit *u,
                       const struct victim_set *set, const struct victim_levels *levels);

/* True if the eviction of the unit leaves some queue of `levels` with less of a resource part than
 * its quota, and the unit holds some of that part. The chosen units of the set count as evicted,
 * too. */
int part_quota_cross(const struct lsched_cycle *cy, const struct victim_unit *u,
                     const struct victim_set *set, const struct victim_levels *levels);
/* Returns how much of resource part d the chosen eviction units of the set hold in the queue and in
 * the queues below it. set: NULL if nothing is chosen. */
int64_t part_quota_given(const struct lsched_cycle *cy, uint32_t queue, uint32_t d,
                         const struct victim_set *set);

#endif
