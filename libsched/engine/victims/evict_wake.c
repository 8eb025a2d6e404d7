/* evict_wake.c -- see evict_wake.h. */
#include "engine/victims/evict_wake.h"

#include "engine/waits/pass.h"
#include "engine/waits/refused.h"
#include "model/store/steps.h"

int evict_wake_cures(const struct columns *k, uint32_t b, uint32_t reason) {
    uint32_t code = k->c[C_BUNDLE_CODE].u8[b];
    int limit = code == LSCHED_WAIT_LIMIT && k->c[C_BUNDLE_RES].u8[b] < KINDS_MAX &&
                (reason == LSCHED_FOR_PREEMPT ||
                 (reason == LSCHED_FOR_RECLAIM &&
                  k->c[C_BUNDLE_LIMITING].u32[b] != k->c[C_BUNDLE_QUEUE].u32[b]));
    /* LSCHED_WAIT_FILTER is included: other nodes, which the policy's filter keeps, can have work
     * to evict. */
    return code == LSCHED_WAIT_ROOM || code == LSCHED_WAIT_GANG || code == LSCHED_WAIT_TOPOLOGY ||
           code == LSCHED_WAIT_FILTER || code == LSCHED_WAIT_RULES || code == LSCHED_WAIT_PLANNED ||
           (code == LSCHED_WAIT_REFUSED && refused_lets_evict(k, b)) || limit;
}

/* True if the bundle is parked because no room was found, victims can help it, and this stage has
 * not tried it yet. Without `all`, the bundle must also have been tried in this pass. */
static int wakes_for_eviction(const lsched_cycle *y, uint32_t reason, uint32_t b, int all) {
    const struct columns *k = y->k;
    if (!row_is_live(k, T_BUNDLE, b) || k->c[C_BUNDLE_STATE].u8[b] != BUNDLE_PARKED ||
        !evict_wake_cures(k, b, reason) || k->c[C_BUNDLE_LOOKED].u64[b] == pass_mark(y))
        return 0;
    return all || pass_has_tried(k, b);
}

int evict_wake_any(lsched_cycle *y, uint32_t reason) {
    const struct columns *k = y->k;
    uint32_t b = 0, n = table_rows(k, T_BUNDLE);
    while (b < n && !wakes_for_eviction(y, reason, b, meta(k, M_PASS_EVERY) != 0)) b++;
    steps_add(k, b);
    return b < n;
}

int32_t evict_wake_all(lsched_cycle *y) {
    struct columns *k = y->k;
    struct victim_search *h = y->search;
    int32_t n = 0;
    steps_add(k, h->cap_woken);
    int all = meta(k, M_PASS_EVERY) != 0;
    for (uint32_t b = 0; b < h->cap_woken; b++) {
        if (!wakes_for_eviction(y, h->reason, b, all)) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        h->woken_code[b] = k->c[C_BUNDLE_CODE].u8[b];
        h->woken_list[b] = k->c[C_BUNDLE_LIST].u8[b];
        bundle_wake(k, b);
        n++;
    }
    return n;
}
