/* timer.c -- see timer.h. */
#include "model/store/timer.h"

static int timer_before(const struct columns *k, uint32_t a, uint32_t b) {
    int64_t x = k->c[C_TIMER_AT].i64[a], y = k->c[C_TIMER_AT].i64[b];
    if (x != y) return x < y;
    uint32_t ka = k->c[C_TIMER_KIND].u32[a], kb = k->c[C_TIMER_KIND].u32[b];
    if (ka != kb) return ka < kb;
    return k->c[C_TIMER_REF].u32[a] < k->c[C_TIMER_REF].u32[b];
}

static void timer_put(struct columns *k, uint32_t row, int64_t at, uint32_t kind, uint32_t ref) {
    set_i64(k, C_TIMER_AT, row, at);
    set_u32(k, C_TIMER_KIND, row, kind);
    set_u32(k, C_TIMER_REF, row, ref);
}

static void swap(struct columns *k, uint32_t a, uint32_t b) {
    int64_t at = k->c[C_TIMER_AT].i64[a];
    uint32_t kind = k->c[C_TIMER_KIND].u32[a], ref = k->c[C_TIMER_REF].u32[a];
    timer_put(k, a, k->c[C_TIMER_AT].i64[b], k->c[C_TIMER_KIND].u32[b], k->c[C_TIMER_REF].u32[b]);
    timer_put(k, b, at, kind, ref);
}

int32_t timer_add(struct columns *k, int64_t at, uint32_t kind, uint32_t ref) {
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    uint32_t row = rows_append(k, T_TIMER, 1);
    if (row == NO_ROW) return LSCHED_E_NOMEM;
    timer_put(k, row, at, kind, ref);
    for (; row > 0 && timer_before(k, row, (row - 1) / 2); row = (row - 1) / 2)
        swap(k, row, (row - 1) / 2);
    return LSCHED_OK;
}

static void drop_last(struct columns *k) {
    uint32_t n = timer_count(k);
    timer_put(k, n - 1, 0, 0, 0); /* rows after the last timer must be zero */
    set_meta(k, META_TABLE(T_TIMER, TW_ROWS), n - 1);
}

void timer_pop(struct columns *k) {
    uint32_t n = timer_count(k);
    assert(n > 0);
    if (n > 1) swap(k, 0, n - 1);
    drop_last(k);
    n--;
    for (uint32_t row = 0;;) {
        uint32_t c = 2 * row + 1;
        if (c >= n) return;
        if (c + 1 < n && timer_before(k, c + 1, c)) c++;
        if (!timer_before(k, c, row)) return;
        swap(k, row, c);
        row = c;
    }
}

int32_t timer_clear(struct columns *k) {
    while (timer_count(k) > 0) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        drop_last(k);
    }
    return LSCHED_OK;
}
