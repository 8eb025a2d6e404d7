/*
 * hook_queues.h -- calls the policy's hooks about queues (`quota`, `limit`, `weight` and
 * `queue_order`), and keeps their answers and the times until which the answers are valid.
 *
 * The hooks are called once per refresh. The answers are stored in columns (QUOTA_NOW, LIMIT_NOW,
 * WEIGHT_NOW, PRIORITY_NOW). All other code reads these columns and calls no hook. If the policy
 * has no hook for a value, the column holds the configured value. After a failure of the hook
 * `quota` or `limit`, the column keeps the latest answer, because other queues rely on this
 * answer. After a failure of the hook `weight` or `queue_order`, the column holds the configured
 * value, because these hooks affect only the order of queues.
 */
#ifndef LIBSCHED_HOOK_QUEUES_H
#define LIBSCHED_HOOK_QUEUES_H

#include "engine/state/cycle_state.h"

/* Calls the hooks about queues for all queues and stores the answers. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. Any other error means that a hook has failed, hook_failed is set, and the cycle
 * must begin again. */
int32_t hook_queues_refresh(struct lsched_cycle *cy);

#endif
