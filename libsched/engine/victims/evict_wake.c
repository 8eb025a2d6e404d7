/* evict_wake.c -- see evict_wake.h. */
#include "engine/victims/evict_wake.h"

#include "engine/waits/pass.h"
#include "engine/waits/refusal_wait.h"
#include "model/devices/resource_part.h"
#include "model/jobs/bundle.h"
#include "model/shapes/shape.h"
#include "model/store/steps.h"

/* True if other devices of the cluster can lack nothing but room for a task of the job, although
 * the queues refuse the amount that it would take on those with room. */
static int has_other_devices(const struct columns *k, uint32_t b) {
    uint32_t shape = k->c[C_BUNDLE_SHAPE].u32[b], kind = k->c[C_BUNDLE_RES].u8[b];
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[shape]; g++) {
        uint32_t s = group_shape(k, shape, g);
        if (s != NO_ROW && (kind_is_part(k, kind) ? !resource_part_is_certain(k, kind, s)
                                                  : shape_charge_varies(k, s)))
            return 1;
    }
    return 0;
}

/* True if the reason is a rule about amounts that refused one choice of the job, an alternative or
 * devices, while another one, which the reason does not name, can lack nothing but room. What
 * refused the others is not stored: a search for victims in vain costs work, but without one the
 * job could wait for ever (as in cure.h). */
static int names_one_choice(const struct columns *k, uint32_t b) {
    uint32_t code = k->c[C_BUNDLE_CODE].u8[b];
    return (code == LSCHED_WAIT_LIMIT || code == LSCHED_WAIT_QUOTA || code == LSCHED_WAIT_LENDING ||
            code == LSCHED_WAIT_ALLOWANCE || code == LSCHED_WAIT_SUPPLY) &&
           (jobshape_chooses(k, k->c[C_BUNDLE_SHAPE].u32[b]) || has_other_devices(k, b));
}

/* True if the reason is a supply, or lending by another queue. The guarantee reserve, which has the
 * same code, names the job's own queue. Moves set nothing free for the job. */
static int waits_for_holders(const struct columns *k, uint32_t b, uint32_t reason) {
    uint32_t code = k->c[C_BUNDLE_CODE].u8[b];
    if (reason == LSCHED_FOR_CONSOLIDATE) return 0;
    return code == LSCHED_WAIT_SUPPLY ||
           (code == LSCHED_WAIT_LENDING &&
            k->c[C_BUNDLE_LIMITING].u32[b] != k->c[C_BUNDLE_QUEUE].u32[b]);
}

int evict_wake_cures(const struct columns *k, uint32_t b, uint32_t reason) {
    uint32_t code = k->c[C_BUNDLE_CODE].u8[b];
    int limit = code == LSCHED_WAIT_LIMIT && k->c[C_BUNDLE_RES].u8[b] < KINDS_MAX &&
                (reason == LSCHED_FOR_PREEMPT ||
                 (reason == LSCHED_FOR_RECLAIM &&
                  k->c[C_BUNDLE_LIMITING].u32[b] != k->c[C_BUNDLE_QUEUE].u32[b]));
    /* LSCHED_WAIT_FILTER is included, because nodes that the policy's filter does not exclude can
     * have work to evict. */
    return code == LSCHED_WAIT_ROOM || code == LSCHED_WAIT_GANG || code == LSCHED_WAIT_TOPOLOGY ||
           code == LSCHED_WAIT_FILTER || code == LSCHED_WAIT_RULES || code == LSCHED_WAIT_PLANNED ||
           code == LSCHED_WAIT_ABSENCE ||
           (code == LSCHED_WAIT_REFUSED && refusal_wait_lets_evict(k, b)) || limit ||
           waits_for_holders(k, b, reason) || names_one_choice(k, b);
}

int evict_wakes(const lsched_cycle *cy, uint32_t reason, uint32_t b, int all) {
    const struct columns *k = cy->k;
    if (!row_is_live(k, T_BUNDLE, b) || k->c[C_BUNDLE_STATE].u8[b] != BUNDLE_PARKED ||
        !evict_wake_cures(k, b, reason) || k->c[C_BUNDLE_LOOKED].u64[b] == pass_mark(cy))
        return 0;
    return all || pass_has_tried(k, b);
}

int evict_wake_any(lsched_cycle *cy, uint32_t reason) {
    const struct columns *k = cy->k;
    uint32_t b = 0, n = table_rows(k, T_BUNDLE);
    /* the pass began in this cycle and has parked no bundle, so it has tried none */
    int tried = meta(k, M_PASS_FROM) < cy->number || k->bundle_touch.next != cy->bundles_from;
    if (!tried && !meta(k, M_PASS_EVERY)) return 0;
    while (b < n && !evict_wakes(cy, reason, b, meta(k, M_PASS_EVERY) != 0)) b++;
    steps_add(k, b);
    return b < n;
}

int32_t evict_wake_all(lsched_cycle *cy) {
    struct columns *k = cy->k;
    struct victim_search *h = cy->victims;
    int32_t n = 0;
    steps_add(k, h->woken.cap);
    int all = meta(k, M_PASS_EVERY) != 0;
    for (uint32_t b = 0; b < h->woken.cap; b++) {
        if (!evict_wakes(cy, h->reason, b, all)) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        h->woken.code[b] = k->c[C_BUNDLE_CODE].u8[b];
        h->woken.list[b] = k->c[C_BUNDLE_LIST].u8[b];
        bundle_wake(k, b);
        n++;
    }
    return n;
}

int evict_wake_was_planned(const lsched_cycle *cy, uint32_t b) {
    const struct victim_woken *w = &cy->victims->woken;
    return b < w->cap && w->code[b] == LSCHED_WAIT_PLANNED;
}

int32_t evict_wake_open(lsched_cycle *cy) {
    struct victim_woken *w = &cy->victims->woken;
    w->cap = table_rows(cy->k, T_BUNDLE);
    w->is_planned = bundles_planned(cy->k) != LSCHED_NEVER_US;
    if (w->cap) w->code = alloc_zero(cy->k->alloc, w->cap * 2ul);
    if (w->cap && !w->code) return LSCHED_E_NOMEM;
    w->list = w->code ? w->code + w->cap : NULL;
    return LSCHED_OK;
}

void evict_wake_close(lsched_cycle *cy) {
    alloc_free(cy->k->alloc, cy->victims->woken.code, cy->victims->woken.cap * 2ul);
}
