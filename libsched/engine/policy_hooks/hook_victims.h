/*
 * hook_victims.h -- calls the policy's hook `victim`, which returns the cost of evicting each
 * candidate.
 *
 * If the policy has no such hook, the caller uses a cost of its own. If the hook fails, the cycle
 * begins again and evicts nothing, because the policy could have forbidden any of the evictions
 * and an eviction cannot be undone.
 */
#ifndef LIBSCHED_HOOK_VICTIMS_H
#define LIBSCHED_HOOK_VICTIMS_H

#include "engine/state/cycle_state.h"

#define HOOK_NEVER INT64_MAX /* cost of a candidate that the policy protects from every eviction */

/* True if this cycle is allowed to evict tasks: the hook `victim` has not failed in this cycle. */
int hook_lets_evict(const struct lsched_cycle *cy);
/* True if the policy has the hook `victim` and no failure has turned the hook off in this cycle. */
int hook_has_victims(const struct lsched_cycle *cy);
/* Sets costs[i] to the cost of evicting the candidate c[i] for the job. The cost is the number
 * that the hook returns, multiplied by 2^20 and rounded, or HOOK_NEVER. Returns LSCHED_OK or
 * LSCHED_E_NOMEM. Any other error means that the hook has failed, hook_failed is set, and the
 * cycle must end. */
int32_t hook_victims(struct lsched_cycle *cy, uint32_t job, const struct policy_candidate *c,
                     uint32_t n, int64_t *costs);

#endif
