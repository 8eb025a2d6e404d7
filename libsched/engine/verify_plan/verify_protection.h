/*
 * verify_protection.h -- checks whether guarantees and quotas of resource parts allow the evictions
 * of a decision group.
 *
 * A set of eviction units is allowed if there is an order with this property: before each eviction,
 * the queue of the evicted unit is above its guarantee. The last eviction can take the queue below
 * its guarantee. A task that moves is charged before the decision group and after it.
 */
#ifndef LIBSCHED_VERIFY_PROTECTION_H
#define LIBSCHED_VERIFY_PROTECTION_H

#include "engine/verify_plan/verify_replay.h"

/* Stores for each evicted task of the group the resource parts that entitle the job to evict the
 * task. At the time of the call, the scratch arrays hold the state after the group. Therefore the
 * job's queues are checked without the victims, and with moved tasks on their new nodes. */
void verify_protection_note(const struct replay *y, size_t first, size_t end);
/* Checks that the evictions of the group have an allowed order: before a unit is evicted, its queue
 * must be above its guarantee. The function builds this order from its end. In each step, it
 * charges a unit again that can have been evicted last. This step is never wrong, because it only
 * raises the use of queues, and more use allows more evictions. Units of one job are evicted in the
 * order of the plan. */
int32_t verify_protection_check(struct replay *y, size_t first, size_t end);

#endif
