/*
 * hook_queues.h -- the policy's hooks about queues: quota, limit, weight and queue_order.
 *
 * The hooks are called once per refresh. Their answers are columns (QUOTA_NOW, LIMIT_NOW,
 * WEIGHT_NOW, PRIORITY_NOW), so all other code reads the values in force and calls no hook. Without
 * a hook the value in force is the configured one. After a failure, quota and limit keep their last
 * answer, because other queues rely on it; weight and queue_order, which only affect the order,
 * fall back to the configured value.
 */
#ifndef LIBSCHED_HOOK_QUEUES_H
#define LIBSCHED_HOOK_QUEUES_H

#include "engine/state/cycle_state.h"

/* Returns LSCHED_OK or LSCHED_E_NOMEM; any other error means that hook_failed is set and the cycle
 * must begin again. */
int32_t hook_queues_refresh(struct lsched_cycle *y);

#endif
