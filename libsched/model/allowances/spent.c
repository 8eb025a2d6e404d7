/* spent.c -- see spent.h. */
#include "model/allowances/spent.h"

#include "base/limits.h"
#include "model/news/queue_news.h"

/* True if all is used at the present time. Before the clock of the cluster begins, nothing is. */
static int spent_is(const struct columns *k, uint32_t a) {
    int64_t now = (int64_t)meta(k, M_NOW);
    wide_u128 total = period_fine(k->c[C_ALLOWANCE_AMOUNT].i64[a]) + PERIOD_SUM(k, CARRIED, a),
              used = PERIOD_SUM(k, BASE, a) + period_by_time(k->c[C_ALLOWANCE_RATE].u64[a], now);
    return now > 0 && used >= total;
}

void spent_again(struct columns *k, uint32_t a) {
    int64_t at = k->c[C_ALLOWANCE_SPENT_AT].i64[a];
    if (at && k->c[C_ALLOWANCE_SPENT].u8[a] == LSCHED_SPENT_END &&
        k->c[C_ALLOWANCE_STOP_AT].i64[a] == 0)
        set_i64(k, C_ALLOWANCE_STOP_AT, a, time_after(at, k->c[C_ALLOWANCE_GRACE].i64[a]));
}

/* If only the new terms end work, the grace is new: it begins with the next cycle that finds the
 * allowance spent. */
void spent_set(struct columns *k, uint32_t a, uint8_t policy, int64_t grace) {
    int64_t since = k->c[C_ALLOWANCE_SPENT_AT].i64[a];
    int begins = policy == LSCHED_SPENT_END && k->c[C_ALLOWANCE_SPENT].u8[a] != LSCHED_SPENT_END;
    set_u8(k, C_ALLOWANCE_SPENT, a, policy);
    set_i64(k, C_ALLOWANCE_GRACE, a, grace);
    period_unspend(k, a);
    if (since && !begins && spent_is(k, a)) set_i64(k, C_ALLOWANCE_SPENT_AT, a, since);
}

void spent_note(struct columns *k, uint32_t a) {
    if (spent_is(k, a) == (k->c[C_ALLOWANCE_SPENT_AT].i64[a] != 0)) return;
    if (k->c[C_ALLOWANCE_SPENT_AT].i64[a]) {
        period_unspend(k, a);
        return;
    }
    set_i64(k, C_ALLOWANCE_SPENT_AT, a, (int64_t)meta(k, M_NOW));
    if (k->c[C_ALLOWANCE_SPENT].u8[a] == LSCHED_SPENT_FIRST_VICTIM) evict_news(k);
    if (k->c[C_ALLOWANCE_FIRST].u32[a] != NO_ROW) spent_again(k, a);
}

void spent_back(struct columns *k, uint32_t a, int64_t by) {
    static const uint32_t times[] = {C_ALLOWANCE_SPENT_AT, C_ALLOWANCE_STOP_AT};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        int64_t at = k->c[times[i]].i64[a];
        if (at) set_i64(k, times[i], a, at > by ? at - by : 1);
    }
}

/* ---- times to come ---- */

int64_t spent_time(const struct allowance_state *s) {
    if (s->used >= s->total) return s->now;
    if (s->rate == 0) return LSCHED_NEVER_US;
    wide_u128 span = (s->total - s->used + s->rate - 1) / s->rate,
              most = (uint64_t)s->end - (uint64_t)s->now;
    if (span >= most || span > (wide_u128)LIMIT_TIME_US) return LSCHED_NEVER_US;
    return s->now + (int64_t)span;
}

/* Returns the allowance at the present time, without what its tasks are expected to use. */
static struct allowance_state spent_state(const struct columns *k, uint32_t a) {
    int64_t now = (int64_t)meta(k, M_NOW);
    struct period p = period_at(k, a, now);
    struct allowance_state s = {.start = p.start,
                                .end = p.end,
                                .now = now,
                                .total = period_fine(k->c[C_ALLOWANCE_AMOUNT].i64[a]) + p.carried,
                                .rate = k->c[C_ALLOWANCE_RATE].u64[a]};
    s.used = p.base + period_by_time(s.rate, now);
    return s;
}

/* Returns the time at which a cycle finds the allowance spent, if its work runs on: a time of the
 * present period, or the begin of the next one if each period can end so. */
static int64_t spent_due(const struct columns *k, uint32_t a) {
    int64_t now = (int64_t)meta(k, M_NOW), amount = k->c[C_ALLOWANCE_AMOUNT].i64[a];
    struct allowance_state s = spent_state(k, a);
    if (now <= 0) return LSCHED_NEVER_US;
    /* A placement that is not settled is withdrawn when nothing is left and the terms end work; for
     * other terms, and for a confirmed placement, this cycle only notes that the allowance is
     * spent. */
    if (s.rate == 0)
        return s.used >= s.total && k->c[C_ALLOWANCE_FIRST].u32[a] != NO_ROW ? now
                                                                             : LSCHED_NEVER_US;
    int64_t at = spent_time(&s);
    wide_u128 each = wide_mul(s.rate, (uint64_t)k->c[C_ALLOWANCE_PERIOD].i64[a]);
    return at == LSCHED_NEVER_US && each >= period_fine(amount) ? s.end : at;
}

int64_t spent_stops(const struct columns *k, uint32_t a) {
    struct allowance_state s = spent_state(k, a);
    int64_t stop = k->c[C_ALLOWANCE_STOP_AT].i64[a];
    int present = s.start == k->c[C_ALLOWANCE_START].i64[a];
    if (k->c[C_ALLOWANCE_SPENT].u8[a] != LSCHED_SPENT_END || s.now <= 0) return LSCHED_NEVER_US;
    if (!present || !k->c[C_ALLOWANCE_SPENT_AT].i64[a])
        stop = s.rate ? time_after(spent_time(&s), k->c[C_ALLOWANCE_GRACE].i64[a]) : 0;
    return stop && stop < s.end ? stop : LSCHED_NEVER_US;
}

int spent_goes_first(const struct columns *k, uint32_t queue) {
    for (; queue != NO_ROW; queue = k->c[C_QUEUE_PARENT].u32[queue]) {
        uint32_t a = allowance_of(k, queue);
        if (a != NO_ROW && k->c[C_ALLOWANCE_SPENT_AT].i64[a] &&
            k->c[C_ALLOWANCE_SPENT].u8[a] == LSCHED_SPENT_FIRST_VICTIM)
            return 1;
    }
    return 0;
}

int64_t spent_next(const struct columns *k) {
    int64_t now = (int64_t)meta(k, M_NOW), next = LSCHED_NEVER_US;
    EACH_LIVE(k, T_ALLOWANCE, a) {
        int works = k->c[C_ALLOWANCE_FIRST].u32[a] != NO_ROW;
        int64_t stop = k->c[C_ALLOWANCE_STOP_AT].i64[a],
                at = stop && works ? stop : LSCHED_NEVER_US, end = period_end(k, a);
        if (k->c[C_ALLOWANCE_SPENT].u8[a] == LSCHED_SPENT_RUN_ON) continue;
        if (k->c[C_ALLOWANCE_SPENT_AT].i64[a] == 0 || end <= now)
            at = spent_due(k, a);
        else if (at >= end) /* work that is to run on can spend the next period, too */
            at = k->c[C_ALLOWANCE_RATE].u64[a] ? end : LSCHED_NEVER_US;
        if (at < next) next = at;
    }
    return next;
}
