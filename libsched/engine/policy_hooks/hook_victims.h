/*
 * hook_victims.h -- the policy's hook `victim`, which sets the cost of evicting each candidate.
 *
 * Without the hook the caller's own cost is used. After a failure the cycle starts again and evicts
 * nothing, because an eviction that the policy would have forbidden cannot be taken back.
 */
#ifndef LIBSCHED_HOOK_VICTIMS_H
#define LIBSCHED_HOOK_VICTIMS_H

#include "engine/state/cycle_state.h"

#define HOOK_NEVER INT64_MAX /* cost of a candidate that the policy protects from every eviction */

/* True if this cycle can evict; 0 after the hook has failed in it. */
int hook_lets_evict(const struct lsched_cycle *y);
/* True if the policy has the hook and it is on. */
int hook_has_victims(const struct lsched_cycle *y);
/* Sets costs[i] of evicting c[i] so that the job gets room: the policy's number x 2^20, rounded, or
 * HOOK_NEVER. Returns LSCHED_OK or LSCHED_E_NOMEM; any other error means that hook_failed is set
 * and the cycle must end. */
int32_t hook_victims(struct lsched_cycle *y, uint32_t job, const struct policy_candidate *c,
                     uint32_t n, int64_t *costs);

#endif
