/* hook_victims.c -- see hook_victims.h. */
#include "engine/policy_hooks/hook_victims.h"
#include "engine/policy_hooks/hook_call.h"

/* largest cost of a candidate that can be evicted; the sum of many costs fits, because sums of
 * costs are 128 bits wide */
#define COST_MAX INT64_C(4000000000000000000)

enum { VICTIM_BATCH = 256 };

int hook_lets_evict(const struct lsched_cycle *cy) {
    return !(cy->policy.hooks_off & LSCHED_HOOK_VICTIM);
}

int hook_has_victims(const struct lsched_cycle *cy) {
    return hook_on(cy, LSCHED_HOOK_VICTIM);
}

/* Rounds a cost to a multiple of 2^-20 and returns it multiplied by 2^20, like hook_round() does
 * for scores. Therefore the last bit of a double does not change any decision. */
static int64_t quantise_cost(double cost) {
    if (cost == POLICY_NEVER) return HOOK_NEVER;
    double q = cost * 1048576.0 + 0.5;
    return q < (double)COST_MAX ? (int64_t)q : COST_MAX;
}

int32_t hook_victims(struct lsched_cycle *cy, uint32_t job, const struct policy_candidate *c,
                     uint32_t n, int64_t *costs) {
    struct hook_call h;
    hook_begin(cy, &h);
    for (uint32_t i = 0; i < n; i += VICTIM_BATCH) {
        double out[VICTIM_BATCH];
        uint32_t m = n - i < VICTIM_BATCH ? n - i : VICTIM_BATCH;
        int32_t rc = h.ops->victim(h.self, &h.view, job, c + i, m, out, &h.err);
        if (rc != LSCHED_OK) return hook_fail(cy, LSCHED_HOOK_VICTIM, rc, &h.err);
        for (uint32_t j = 0; j < m; j++) costs[i + j] = quantise_cost(out[j]);
    }
    return LSCHED_OK;
}
