/*
 * hook_victims.h -- the policy's say on whom to stop: the hook `victim`.
 *
 * Without the hook the caller's own cost holds. A failure closes: the cycle starts again and evicts
 * nobody, because an eviction that the policy would have forbidden cannot be taken back.
 */
#ifndef LIBSCHED_HOOK_VICTIMS_H
#define LIBSCHED_HOOK_VICTIMS_H

#include "engine/state/cycle_state.h"

#define HOOK_NEVER INT64_MAX /* the cost of what the policy does not let anybody take */

/* May this cycle evict anybody? 0 after the hook has failed in it. */
int hook_lets_evict(const struct lsched_cycle *y);
/* Does the policy have a say? */
int hook_has_victims(const struct lsched_cycle *y);
/* costs[i] of stopping c[i] so that the job gets room: the policy's number x 2^20, rounded, or
 * HOOK_NEVER. LSCHED_OK, LSCHED_E_NOMEM, or hook_failed is set and the cycle must end. */
int32_t hook_victims(struct lsched_cycle *y, uint32_t job, const struct policy_candidate *c,
                     uint32_t n, int64_t *costs);

#endif
