/* usage_decay.c -- see usage_decay.h. */
#include "model/queues/usage_decay.h"

#define USAGE_DECAY_FACTOR 18248035989933441396u /* 2^64 x 2^(-1/64), rounded down */

static wide_u128 usage_decay_load(const struct columns *k, uint32_t lo, uint32_t hi, uint32_t row) {
    return (wide_u128)k->c[hi].u64[row] << 64 | k->c[lo].u64[row];
}

static void store(struct columns *k, uint32_t lo, uint32_t hi, uint32_t row, wide_u128 v) {
    set_u64(k, lo, row, (uint64_t)v);
    set_u64(k, hi, row, (uint64_t)(v >> 64));
}

/* Multiplies the sum by 2^(-1/64), at the border of one step. The sum is always below 2^124,
 * because it is at most a use of 2^62 for 93 steps of 2^52 microseconds, or for one window of
 * 2^58 microseconds. */
static wide_u128 decayed(wide_u128 sum) {
    return wide_mul((uint64_t)(sum >> 64), USAGE_DECAY_FACTOR) +
           (wide_mul((uint64_t)sum, USAGE_DECAY_FACTOR) >> 64);
}

static wide_u128 advance(const struct columns *k, wide_u128 sum, int64_t used, int64_t from,
                         int64_t to) {
    int64_t half_life = (int64_t)meta(k, M_HALF_LIFE), window = (int64_t)meta(k, M_WINDOW);
    if (to <= from) return sum;
    if (window && to - to % window > from) {
        from = to - to % window;
        sum = 0;
    }
    int64_t step = half_life > USAGE_DECAY_STEPS ? half_life / USAGE_DECAY_STEPS : 1;
    int64_t border = from - from % step + step;
    if (half_life == 0 || border > to) return sum + wide_mul((uint64_t)used, (uint64_t)(to - from));
    sum = decayed(sum + wide_mul((uint64_t)used, (uint64_t)(border - from)));
    wide_u128 each = wide_mul((uint64_t)used, (uint64_t)step);
    for (int64_t n = (to - border) / step; n > 0; n--) {
        wide_u128 next = decayed(sum + each);
        if (next == sum) break; /* more steps would not change the sum */
        sum = next;
    }
    return sum + wide_mul((uint64_t)used, (uint64_t)((to - border) % step));
}

wide_u128 usage_decay_spent(const struct columns *k, uint32_t queue, uint32_t kind, int64_t at) {
    if (!usage_decay_is_on(k)) return 0;
    return advance(k, usage_decay_load(k, C_QUEUE_SPENT_LO + kind, C_QUEUE_SPENT_HI + kind, queue),
                   k->c[C_QUEUE_USED + kind].i64[queue], k->c[C_QUEUE_SPENT_AT].i64[queue], at);
}

wide_u128 usage_decay_capacity(const struct columns *k, uint32_t kind, int64_t at) {
    if (!usage_decay_is_on(k)) return 0;
    wide_u128 sum = (wide_u128)meta(k, M_SPENT_HI + kind) << 64 | meta(k, M_SPENT_LO + kind);
    return advance(k, sum, (int64_t)meta(k, M_TOTAL_CAP + kind), (int64_t)meta(k, M_SPENT_AT), at);
}

int64_t usage_decay_ppm(wide_u128 spent, wide_u128 capacity) {
    wide_u128 larger = spent > capacity ? spent : capacity;
    uint32_t shift = 0;
    /* both values are reduced so that the product with one million fits into 128 bits */
    while (larger >> shift >> 104) shift += 8;
    spent >>= shift;
    capacity >>= shift;
    if (capacity == 0) return 0;
    wide_u128 ppm = spent * 1000000u / capacity;
    return ppm > (wide_u128)LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : (int64_t)ppm;
}

static void settle_queue(struct columns *k, uint32_t q, int64_t now) {
    if (k->c[C_QUEUE_SPENT_AT].i64[q] == now) return;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        store(k, C_QUEUE_SPENT_LO + r, C_QUEUE_SPENT_HI + r, q, usage_decay_spent(k, q, r, now));
    set_i64(k, C_QUEUE_SPENT_AT, q, now);
}

void usage_decay_settle(struct columns *k, uint32_t queue) {
    int64_t now = (int64_t)meta(k, M_NOW);
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) settle_queue(k, q, now);
}

void usage_decay_settle_capacity(struct columns *k) {
    int64_t now = (int64_t)meta(k, M_NOW);
    if (!usage_decay_is_on(k) || (int64_t)meta(k, M_SPENT_AT) == now) return;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        wide_u128 sum = usage_decay_capacity(k, r, now);
        set_meta(k, M_SPENT_LO + r, (uint64_t)sum);
        set_meta(k, M_SPENT_HI + r, (uint64_t)(sum >> 64));
    }
    set_meta(k, M_SPENT_AT, (uint64_t)now);
}

int usage_decay_queue_is_idle(const struct columns *k, uint32_t queue) {
    int64_t now = (int64_t)meta(k, M_NOW);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        if (usage_decay_ppm(usage_decay_spent(k, queue, r, now), usage_decay_capacity(k, r, now)) !=
            0)
            return 0;
    return 1;
}

static void clear_queue(struct columns *k, uint32_t q, int64_t at) {
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        store(k, C_QUEUE_SPENT_LO + r, C_QUEUE_SPENT_HI + r, q, 0);
    set_i64(k, C_QUEUE_SPENT_AT, q, at);
}

int32_t usage_decay_configure(struct columns *k, int64_t half_life, int64_t window) {
    if (half_life < 0 || half_life > USAGE_DECAY_US_MAX || window < 0 ||
        window > USAGE_DECAY_US_MAX)
        return LSCHED_E_RANGE;
    if ((int64_t)meta(k, M_HALF_LIFE) == half_life && (int64_t)meta(k, M_WINDOW) == window)
        return LSCHED_OK;
    int was = usage_decay_is_on(k), on = half_life || window;
    int64_t now = (int64_t)meta(k, M_NOW), begin = on ? now : 0;
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        if (!row_is_live(k, T_QUEUE, q)) continue;
        if (was && on)
            settle_queue(k, q, now);
        else
            clear_queue(k, q, begin);
    }
    int32_t rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    if (was && on) usage_decay_settle_capacity(k);
    for (uint32_t r = 0; !(was && on) && r < KINDS_MAX; r++) {
        set_meta(k, M_SPENT_LO + r, 0);
        set_meta(k, M_SPENT_HI + r, 0);
    }
    set_meta(k, M_SPENT_AT, (uint64_t)begin);
    set_meta(k, M_HALF_LIFE, (uint64_t)half_life);
    set_meta(k, M_WINDOW, (uint64_t)window);
    return LSCHED_OK;
}
