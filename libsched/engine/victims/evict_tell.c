/* evict_tell.c -- see evict_tell.h. */
#include "engine/victims/evict_tell.h"

#include "base/wide.h"
#include "engine/victims/victim_search.h"
#include "engine/waits/refused.h"
#include "model/jobs/bundle.h"

/* True if the reason names a rule. A later action that found no candidate does not replace such a
 * reason. */
static int tells_why(uint32_t code) {
    return code != LSCHED_EVICT_NOT_TRIED && code != LSCHED_EVICT_IMPOSSIBLE &&
           code != LSCHED_EVICT_NO_FIT;
}

/* Returns the first queue by name that is above its fair share, but not by the factor `saturation`
 * of the policy, where the job would take from such queues. NO_ROW if there is none. */
static uint32_t saturated_queue(const lsched_cycle *y) {
    const struct victim_search *h = y->search;
    const struct columns *k = y->k;
    int64_t saturation = cycle_eviction(y)->saturation_milli;
    uint32_t best = NO_ROW;
    if (h->reason != LSCHED_FOR_RECLAIM || !h->has_amounts || saturation <= 1000) return NO_ROW;
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        if (!row_is_live(k, T_QUEUE, q)) continue;
        uint32_t parent = k->c[C_QUEUE_PARENT].u32[q], at = victim_rules_ancestor(y, q);
        if (at == 0 || parent != (at == h->n_path ? NO_ROW : h->path[at])) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t used = k->c[C_QUEUE_USED + r].i64[q], right;
            if (!(h->kinds >> r & 1) || (right = victim_rules_right(y, q, r, 0)) >= used) continue;
            if ((wide_i128)used * 1000 > (wide_i128)right * saturation) continue;
            if (best == NO_ROW ||
                text_compare(k, k->c[C_QUEUE_NAME].u32[q], k->c[C_QUEUE_NAME].u32[best]) < 0)
                best = q;
        }
    }
    return best;
}

void evict_tell(lsched_cycle *y, uint32_t b, uint8_t before) {
    struct columns *k = y->k;
    struct victim_search *h = y->search;
    set_u8(k, C_BUNDLE_EVICT_CODE, b, before);
    if (h->reason == LSCHED_FOR_RECLAIM && !h->both) {
        int owed = h->has_amounts && h->guarantee[0] && h->until != LSCHED_NEVER_US;
        set_u8(k, C_BUNDLE_OWED, b, (uint8_t)owed);
        /* not 0: guarantee_reserve_begin() then counts these bundles */
        if (owed && meta(k, M_OWED) == 0) set_meta(k, M_OWED, 1);
    }
    /* An earlier reclaim refused the job by entitlement. If work of the job's own queue is only
     * too young, that reason is no longer the whole truth and is replaced. */
    int own = before == LSCHED_EVICT_SHARE && h->reason == LSCHED_FOR_PREEMPT &&
              h->until != LSCHED_NEVER_US;
    if (tells_why(before) && !own) return;
    if (h->both && before != LSCHED_EVICT_NOT_TRIED) return;
    uint32_t code = h->why_code;
    uint32_t saturated =
        tells_why(code) && code != LSCHED_EVICT_PROTECTED ? NO_ROW : saturated_queue(y);
    /* if this action found no candidate, the action before it knows more */
    if (before != LSCHED_EVICT_NOT_TRIED && !tells_why(code) && h->why_have == 0 &&
        h->until == LSCHED_NEVER_US) {
        if (saturated != NO_ROW) set_u32(k, C_BUNDLE_EVICT_QUEUE, b, saturated);
        return;
    }
    if (h->until != LSCHED_NEVER_US && (!tells_why(code) || code == LSCHED_EVICT_PROTECTED))
        /* some candidates have not run for long enough */
        code = LSCHED_EVICT_MIN_RUNTIME;
    struct refused by = refused_look_nominations(k, bundle_head(k, b));
    if ((!tells_why(code) || code == LSCHED_EVICT_MIN_RUNTIME) && by.until < h->until) {
        code = LSCHED_EVICT_REFUSED;
        h->until = by.until;
    }
    set_u8(k, C_BUNDLE_EVICT_CODE, b, (uint8_t)code);
    set_u8(k, C_BUNDLE_EVICT_KIND, b, (uint8_t)h->why_kind);
    if (saturated != NO_ROW) h->why_queue = saturated;
    set_u32(k, C_BUNDLE_EVICT_QUEUE, b, h->why_queue);
    set_i64(k, C_BUNDLE_EVICT_NEED, b, h->why_need);
    set_i64(k, C_BUNDLE_EVICT_HAVE, b, h->why_have);
    set_i64(k, C_BUNDLE_UNTIL, b, h->until);
}
