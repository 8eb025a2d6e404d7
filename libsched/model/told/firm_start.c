/* firm_start.c -- see firm_start.h. */
#include "model/told/firm_start.h"

#include "model/told/change_feed.h"

void firm_start_lose(struct columns *k, uint32_t b, uint32_t because) {
    int is_new = k->c[C_BUNDLE_FIRM].u8[b] == FIRM_START_NEW;
    uint64_t id = k->c[C_BUNDLE_PLAN_NODE].u64[b];
    uint32_t node = (uint32_t)id;
    if (!row_is_live(k, T_NODE, node) || (id >> 32 & 0xFFFFFFFu) != k->c[C_NODE_GEN].u32[node])
        node = NO_ROW;
    set_u8(k, C_BUNDLE_FIRM, b, FIRM_START_NONE);
    if (is_new) return;
    uint32_t why = change_feed_because(k, because);
    change_feed_note_job(k, LSCHED_CHANGE_FIRM_LOST, k->c[C_BUNDLE_HEAP].u32[b], node, 0,
                         k->c[C_BUNDLE_PLAN_AT].i64[b]);
    (void)change_feed_because(k, why);
}

void firm_start_keep(struct columns *k, uint32_t b) {
    if (!firm_start_is(k, b)) return;
    if (firm_start_is_missed(k, b, (int64_t)meta(k, M_SCHEDULED)))
        firm_start_lose(k, b, LSCHED_BECAUSE_BUDGET); /* that cycle left the job in line */
    else
        set_u8(k, C_BUNDLE_FIRM, b, FIRM_START_NONE);
}

int32_t firm_starts_end_cycle(struct columns *k) {
    EACH_LIVE(k, T_BUNDLE, b) {
        if (k->c[C_BUNDLE_FIRM].u8[b] != FIRM_START_NEW) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        set_u8(k, C_BUNDLE_FIRM, b, FIRM_START_SET);
    }
    return LSCHED_OK;
}
