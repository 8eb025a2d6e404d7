/*
 * hook_queues.h -- what the policy says of queues: the hooks quota, limit, weight and queue_order.
 *
 * They are asked once per refresh; their answers are columns (QUOTA_NOW, LIMIT_NOW, WEIGHT_NOW,
 * PRIORITY_NOW), so everything else reads what is in force and never asks. Without a hook that is
 * what was configured. After a failure quota and limit keep their last answer, as others rely on
 * it; weight and queue_order, which only order, fall back.
 */
#ifndef LIBSCHED_HOOK_QUEUES_H
#define LIBSCHED_HOOK_QUEUES_H

#include "engine/state/cycle_state.h"

/* LSCHED_OK, LSCHED_E_NOMEM, or hook_failed is set and the cycle must begin again. */
int32_t hook_queues_refresh(struct lsched_cycle *y);

#endif
