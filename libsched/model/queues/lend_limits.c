/* lend_limits.c -- see lend_limits.h. */
#include "model/queues/lend_limits.h"

#include "model/news/queue_news.h"
#include "model/store/blocks.h"

static wide_u128 below_of(const struct columns *k, uint32_t queue, uint32_t kind) {
    if (queue == NO_ROW)
        return (wide_u128)meta(k, M_ROOTS_HI + kind) << 64 | meta(k, M_ROOTS_LO + kind);
    return (wide_u128)k->c[C_QUEUE_BELOW_HI + kind].u64[queue] << 64 |
           k->c[C_QUEUE_BELOW_LO + kind].u64[queue];
}

static void below_add(struct columns *k, uint32_t queue, uint32_t kind, int64_t d) {
    wide_u128 v = below_of(k, queue, kind);
    v = d < 0 ? v - (uint64_t)-d : v + (uint64_t)d;
    if (queue == NO_ROW) {
        set_meta(k, M_ROOTS_LO + kind, (uint64_t)v);
        set_meta(k, M_ROOTS_HI + kind, (uint64_t)(v >> 64));
        return;
    }
    set_u64(k, C_QUEUE_BELOW_LO + kind, queue, (uint64_t)v);
    set_u64(k, C_QUEUE_BELOW_HI + kind, queue, (uint64_t)(v >> 64));
}

static int64_t hold_of(const struct columns *k, uint32_t q, uint32_t kind) {
    int64_t lend = k->c[C_QUEUE_LEND + kind].i64[q];
    int64_t unused = k->c[C_QUEUE_RIGHT + kind].i64[q] - k->c[C_QUEUE_USED + kind].i64[q];
    int64_t own = lend == LSCHED_UNLIMITED || unused <= lend ? 0 : unused - lend;
    wide_u128 below = below_of(k, q, kind);
    if (below > (wide_u128)LSCHED_AMOUNT_MAX) return LSCHED_AMOUNT_MAX;
    return (int64_t)below > own ? (int64_t)below : own;
}

void lend_limits_update(struct columns *k, uint32_t queue) {
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
            int64_t hold = hold_of(k, q, r), d = hold - k->c[C_QUEUE_HOLD + r].i64[q];
            if (d == 0) continue;
            set_i64(k, C_QUEUE_HOLD + r, q, hold);
            if (hold == 0) queue_gave(k, q);
            below_add(k, k->c[C_QUEUE_PARENT].u32[q], r, d);
        }
    }
}

void lend_limits_lenders(struct columns *k, int32_t more) {
    uint64_t was = meta(k, M_LENDERS), now = was + (uint64_t)(int64_t)more;
    set_meta(k, M_LENDERS, now);
    if ((was == 0) == (now == 0)) return;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t used = 0;
        for (uint32_t q = 0; now != 0 && q < table_rows(k, T_QUEUE); q++)
            if (row_is_live(k, T_QUEUE, q) && k->c[C_QUEUE_PARENT].u32[q] == NO_ROW)
                used += k->c[C_QUEUE_USED + r].i64[q];
        set_meta(k, M_ROOTS_USED + r, (uint64_t)used);
    }
}

wide_u128 lend_limits_beside(const struct columns *k, uint32_t queue, uint32_t kind) {
    return below_of(k, k->c[C_QUEUE_PARENT].u32[queue], kind) -
           (uint64_t)k->c[C_QUEUE_HOLD + kind].i64[queue];
}

static int lend_limits_holds_more(const struct columns *k, uint32_t kind, uint32_t a, uint32_t b) {
    int64_t x = k->c[C_QUEUE_HOLD + kind].i64[a],
            y = b == NO_ROW ? 0 : k->c[C_QUEUE_HOLD + kind].i64[b];
    if (x != y || b == NO_ROW) return x > y;
    return text_compare(k, k->c[C_QUEUE_NAME].u32[a], k->c[C_QUEUE_NAME].u32[b]) < 0;
}

/* Root queues are in no list. Therefore, if the queue is a root queue, all rows of queues are
 * visited. */
uint32_t lend_limits_owner(const struct columns *k, uint32_t queue, uint32_t kind) {
    uint32_t parent = k->c[C_QUEUE_PARENT].u32[queue], best = NO_ROW;
    if (parent == NO_ROW) {
        for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++)
            if (q != queue && row_is_live(k, T_QUEUE, q) && k->c[C_QUEUE_PARENT].u32[q] == NO_ROW &&
                lend_limits_holds_more(k, kind, q, best))
                best = q;
        return best;
    }
    for (uint32_t q = k->c[C_QUEUE_CHILD].u32[parent]; q != NO_ROW; q = k->c[C_QUEUE_NEXT].u32[q])
        if (q != queue && lend_limits_holds_more(k, kind, q, best)) best = q;
    return best;
}
