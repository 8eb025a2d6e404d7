/* evict_tell.c -- see evict_tell.h. */
#include "engine/victims/evict_tell.h"

#include "base/wide.h"
#include "engine/rights/victim_right.h"
#include "engine/waits/refusal_wait.h"
#include "model/jobs/bundle.h"

/* True if the reason code names a rule, such as the minimum run time. If a later action finds no
 * candidate, it does not replace such a reason. */
static int tells_why(uint32_t code) {
    return code != LSCHED_NO_VICTIM_NOT_TRIED && code != LSCHED_NO_VICTIM_IMPOSSIBLE &&
           code != LSCHED_NO_VICTIM_NO_FIT;
}

/* Looks at the queues from which reclaim could take for the job, and finds those that are above
 * their entitlement, but not by the policy's factor `saturation`. Returns the queue among these
 * whose name sorts first, NO_ROW if no queue is found. */
static uint32_t saturated_queue(const lsched_cycle *cy) {
    const struct victim_search *h = cy->victims;
    const struct columns *k = cy->k;
    int64_t saturation = cycle_eviction(cy)->saturation_milli;
    uint32_t best = NO_ROW;
    if (h->reason != LSCHED_FOR_RECLAIM || !h->has_amounts || saturation <= 1000) return NO_ROW;
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        if (!row_is_live(k, T_QUEUE, q)) continue;
        uint32_t parent = k->c[C_QUEUE_PARENT].u32[q], at = victim_right_ancestor(cy, q);
        if (at == 0 || parent != (at == h->n_path ? NO_ROW : h->path[at])) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t used = k->c[C_QUEUE_USED + r].i64[q], right;
            if (!(h->kinds >> r & 1) || (right = victim_right(cy, q, r, 0)) >= used) continue;
            if ((wide_i128)used * 1000 > (wide_i128)right * saturation) continue;
            if (best == NO_ROW ||
                text_compare(k, k->c[C_QUEUE_NAME].u32[q], k->c[C_QUEUE_NAME].u32[best]) < 0)
                best = q;
        }
    }
    return best;
}

/* Records whether the bundle needs a guarantee reserve: its queue is within its guarantee, and at
 * a known time (h->until) work can be evicted for it that is still protected now. */
static void tell_owed(lsched_cycle *cy, uint32_t b) {
    const struct victim_search *h = cy->victims;
    if (h->reason != LSCHED_FOR_RECLAIM || h->both) return;
    int owed = h->has_amounts && h->guarantee[0] && h->until != LSCHED_NEVER_US;
    set_u8(cy->k, C_BUNDLE_OWED, b, (uint8_t)owed);
    /* guarantee_reserve_begin() counts the bundles only if M_OWED is not 0 */
    if (owed && meta(cy->k, M_OWED) == 0) set_meta(cy->k, M_OWED, 1);
}

/* True if the bundle keeps the reason of an earlier action. There is one exception: reclaim
 * recorded LSCHED_NO_VICTIM_SHARE, because the queue's entitlement allows no more, and now preempt
 * finds work of the job's own queue that can be evicted at a known later time. */
static int keeps_reason(const struct victim_search *h, uint8_t before) {
    int own = before == LSCHED_NO_VICTIM_SHARE && h->reason == LSCHED_FOR_PREEMPT &&
              h->until != LSCHED_NEVER_US;
    return (tells_why(before) && !own) || (h->both && before != LSCHED_NO_VICTIM_NOT_TRIED);
}

/* Returns the reason of the current action. If the job only has to wait for a known time, the
 * reason is LSCHED_NO_VICTIM_MIN_RUNTIME (candidates have not run for long enough) or
 * LSCHED_NO_VICTIM_REFUSED (nodes refused the job a short while ago). */
static uint32_t code_by_time(lsched_cycle *cy, uint32_t b) {
    struct victim_search *h = cy->victims;
    uint32_t code = h->why_code;
    if (h->until != LSCHED_NEVER_US && (!tells_why(code) || code == LSCHED_NO_VICTIM_PROTECTED))
        code = LSCHED_NO_VICTIM_MIN_RUNTIME;
    struct refusal_wait by = refusal_wait_of_nominations(cy->k, bundle_head(cy->k, b));
    if ((tells_why(code) && code != LSCHED_NO_VICTIM_MIN_RUNTIME) || by.until >= h->until)
        return code;
    h->until = by.until;
    return LSCHED_NO_VICTIM_REFUSED;
}

void evict_tell(lsched_cycle *cy, uint32_t b, uint8_t before) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    set_u8(k, C_BUNDLE_EVICT_CODE, b, before);
    tell_owed(cy, b);
    if (keeps_reason(h, before)) return;
    int names_rule = tells_why(h->why_code);
    uint32_t saturated =
        names_rule && h->why_code != LSCHED_NO_VICTIM_PROTECTED ? NO_ROW : saturated_queue(cy);
    /* if this action found no candidate, the reason of the earlier action says more */
    if (before != LSCHED_NO_VICTIM_NOT_TRIED && !names_rule && h->why_have == 0 &&
        h->until == LSCHED_NEVER_US) {
        if (saturated != NO_ROW) set_u32(k, C_BUNDLE_EVICT_QUEUE, b, saturated);
        return;
    }
    set_u8(k, C_BUNDLE_EVICT_CODE, b, (uint8_t)code_by_time(cy, b));
    set_u8(k, C_BUNDLE_EVICT_KIND, b, (uint8_t)h->why_kind);
    if (saturated != NO_ROW) h->why_queue = saturated;
    set_u32(k, C_BUNDLE_EVICT_QUEUE, b, h->why_queue);
    set_i64(k, C_BUNDLE_EVICT_NEED, b, h->why_need);
    set_i64(k, C_BUNDLE_EVICT_HAVE, b, h->why_have);
    set_i64(k, C_BUNDLE_UNTIL, b, h->until);
}
