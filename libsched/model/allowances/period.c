/* period.c -- see period.h. */
#include "model/allowances/period.h"

#include "model/news/queue_news.h"
#include "model/store/steps.h"

void period_store(struct columns *k, uint32_t lo, uint32_t hi, uint32_t a, wide_u128 v) {
    set_u64(k, lo, a, (uint64_t)v);
    set_u64(k, hi, a, (uint64_t)(v >> 64));
}

void period_add(struct columns *k, uint32_t lo, uint32_t hi, uint32_t a, wide_u128 v) {
    wide_u128 was = (wide_u128)k->c[hi].u64[a] << 64 | k->c[lo].u64[a];
    period_store(k, lo, hi, a, was + v);
}

wide_u128 period_committed(const struct columns *k, uint32_t a) {
    return PERIOD_SUM(k, BASE, a) + PERIOD_SUM(k, ENDS, a) + PERIOD_SUM(k, HELD, a);
}

/* ---- single tasks ---- */

wide_u128 period_held(const struct columns *k, uint32_t m, int64_t start, int64_t end) {
    int64_t from = k->c[C_METER_SINCE].i64[m], length = k->c[C_METER_LENGTH].i64[m];
    if (from < start) from = start;
    if (end != LSCHED_NEVER_US && from >= end) return 0;
    if (end != LSCHED_NEVER_US && end - from < length) length = end - from;
    return wide_mul((uint64_t)k->c[C_METER_RATE].i64[m], (uint64_t)length);
}

int64_t period_task_end(const struct columns *k, uint32_t m, int64_t now) {
    int64_t since = k->c[C_METER_SINCE].i64[m], end = k->c[C_METER_END].i64[m],
            begin = k->c[C_ALLOWANCE_SINCE].i64[allowance_of(k, k->c[C_METER_QUEUE].u32[m])];
    if (since == 0) { /* it ran when the clock of the cluster began */
        since = begin;
        if (end <= begin) end = time_after(begin, k->c[C_METER_LENGTH].i64[m]);
    }
    while (end <= now) {
        int64_t ran = end - since;
        end = time_after(end, ran > 0 ? ran : 1);
    }
    return end;
}

/* ---- from one period to the next ---- */

/* Returns what is carried after n further periods, in each of which `used` is used of `amount`. */
static wide_u128 carried_after(wide_u128 carried, wide_u128 amount, wide_u128 used, wide_u128 most,
                               uint64_t n) {
    if (amount >= used) {
        wide_u128 more = amount - used;
        if (more == 0) return carried;
        return (most - carried) / more < n ? most : carried + more * n;
    }
    wide_u128 less = used - amount;
    return carried / less < n ? 0 : carried - less * n;
}

int64_t period_begin(int64_t any, int64_t period, int64_t now) {
    if (period == 0) return now;
    int64_t past = (now - any) % period;
    return now - (past < 0 ? past + period : past);
}

struct period period_at(const struct columns *k, uint32_t a, int64_t now) {
    struct period p = {k->c[C_ALLOWANCE_START].i64[a], period_end(k, a), PERIOD_SUM(k, CARRIED, a),
                       PERIOD_SUM(k, BASE, a)};
    int64_t length = k->c[C_ALLOWANCE_PERIOD].i64[a];
    uint64_t rate = k->c[C_ALLOWANCE_RATE].u64[a];
    if (k->c[C_ALLOWANCE_FRESH].u8[a] && now > 0) { /* all that was before is not charged */
        p.start = period_begin(p.start, length, now);
        p.end = length ? time_after(p.start, length) : LSCHED_NEVER_US;
        p.base = (wide_u128)0 - period_by_time(rate, now);
    }
    if (now < p.end || p.end == LSCHED_NEVER_US) return p;
    uint64_t skipped = (uint64_t)(now - p.end) / (uint64_t)length;
    wide_u128 amount = period_fine(k->c[C_ALLOWANCE_AMOUNT].i64[a]),
              most = period_fine(k->c[C_ALLOWANCE_CARRY].i64[a]), total = amount + p.carried,
              used = p.base + period_by_time(rate, p.end);
    p.carried = used < total ? period_less(total - used, most) : 0;
    p.carried = carried_after(p.carried, amount, wide_mul(rate, (uint64_t)length), most, skipped);
    p.start = p.end + (int64_t)skipped * length;
    p.end = time_after(p.start, length);
    p.base = (wide_u128)0 - period_by_time(rate, p.start);
    return p;
}

/* Sums ENDS and HELD over the rows of the allowance, for the period from `start` to `end`. */
static void sum_rows(const struct columns *k, uint32_t a, int64_t start, int64_t end,
                     wide_u128 *ends, wide_u128 *held) {
    *ends = *held = 0;
    for (uint32_t m = k->c[C_ALLOWANCE_FIRST].u32[a]; m != NO_ROW; m = k->c[C_METER_AFTER].u32[m]) {
        int64_t until = k->c[C_METER_END].i64[m];
        steps_add(k, 1);
        if (!k->c[C_METER_RUNS].u8[m])
            *held += period_held(k, m, start, end);
        else
            *ends += period_by_time((uint64_t)k->c[C_METER_RATE].i64[m], until < end ? until : end);
    }
}

/* Sets the start of the present period, and sums the rows for it. */
static void period_enter(struct columns *k, uint32_t a, int64_t start) {
    wide_u128 ends, held;
    set_i64(k, C_ALLOWANCE_START, a, start);
    sum_rows(k, a, start, period_end(k, a), &ends, &held);
    period_store(k, C_ALLOWANCE_ENDS_LO, C_ALLOWANCE_ENDS_HI, a, ends);
    period_store(k, C_ALLOWANCE_HELD_LO, C_ALLOWANCE_HELD_HI, a, held);
    queue_gave(k, k->c[C_ALLOWANCE_QUEUE].u32[a]);
}

void period_unspend(struct columns *k, uint32_t a) {
    if (k->c[C_ALLOWANCE_SPENT_AT].i64[a] &&
        k->c[C_ALLOWANCE_SPENT].u8[a] == LSCHED_SPENT_FIRST_VICTIM)
        evict_news(k);
    set_i64(k, C_ALLOWANCE_SPENT_AT, a, 0);
    set_i64(k, C_ALLOWANCE_STOP_AT, a, 0);
}

void period_settle(struct columns *k, uint32_t a) {
    period_settle_at(k, a, (int64_t)meta(k, M_NOW));
}

void period_settle_at(struct columns *k, uint32_t a, int64_t now) {
    int64_t start = k->c[C_ALLOWANCE_START].i64[a];
    struct period p = period_at(k, a, now);
    if (p.start == start && !k->c[C_ALLOWANCE_FRESH].u8[a]) return;
    if (now > 0 && k->c[C_ALLOWANCE_FRESH].u8[a]) {
        set_u8(k, C_ALLOWANCE_FRESH, a, 0);
        set_i64(k, C_ALLOWANCE_SINCE, a, now);
    }
    period_store(k, C_ALLOWANCE_CARRIED_LO, C_ALLOWANCE_CARRIED_HI, a, p.carried);
    period_store(k, C_ALLOWANCE_BASE_LO, C_ALLOWANCE_BASE_HI, a, p.base);
    period_unspend(k, a);
    period_enter(k, a, p.start);
}

void period_back(struct columns *k, uint32_t a, int64_t was, int64_t now) {
    int64_t start = k->c[C_ALLOWANCE_START].i64[a], length = k->c[C_ALLOWANCE_PERIOD].i64[a];
    period_add(k, C_ALLOWANCE_BASE_LO, C_ALLOWANCE_BASE_HI, a,
               period_by_time(k->c[C_ALLOWANCE_RATE].u64[a], was - now));
    if (k->c[C_ALLOWANCE_SINCE].i64[a] > now) set_i64(k, C_ALLOWANCE_SINCE, a, now);
    period_enter(k, a, start <= now ? start : period_begin(start, length, now));
}
