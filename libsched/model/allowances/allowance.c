/* allowance.c -- see allowance.h. */
#include "model/allowances/allowance.h"

#include "model/allowances/meter.h"
#include "model/allowances/spent.h"
#include "model/news/queue_news.h"
#include "model/queues/queue.h"
#include "model/store/steps.h"

struct allowance_state allowance_now(const struct columns *k, uint32_t a) {
    int64_t now = (int64_t)meta(k, M_NOW);
    struct period p = period_at(k, a, now);
    struct allowance_state s = {.start = p.start, .end = p.end, .now = now, .carried = p.carried};
    s.rate = k->c[C_ALLOWANCE_RATE].u64[a];
    s.total = period_fine(k->c[C_ALLOWANCE_AMOUNT].i64[a]) + p.carried;
    s.used = p.base + period_by_time(s.rate, now);
    for (uint32_t m = k->c[C_ALLOWANCE_FIRST].u32[a]; m != NO_ROW; m = k->c[C_METER_AFTER].u32[m]) {
        if (!k->c[C_METER_RUNS].u8[m]) {
            s.projected += period_held(k, m, p.start, p.end);
            continue;
        }
        int64_t end = period_task_end(k, m, now);
        if (end > p.end) end = p.end;
        if (end > now)
            s.projected +=
                wide_mul((uint64_t)k->c[C_METER_RATE].i64[m], (uint64_t)end - (uint64_t)now);
    }
    return s;
}

/* ---- terms ---- */

uint32_t allowance_depth(const struct columns *k, uint32_t queue) {
    uint32_t n = 0;
    for (; queue != NO_ROW; queue = k->c[C_QUEUE_PARENT].u32[queue])
        n += allowance_of(k, queue) != NO_ROW;
    return n;
}

static int32_t meter_all(struct columns *k, uint32_t a) {
    uint32_t queue = k->c[C_ALLOWANCE_QUEUE].u32[a];
    EACH_LIVE(k, T_TASK, t) {
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        if (state == LSCHED_TASK_NONE || state == LSCHED_TASK_DONE ||
            !queue_is_below(k, k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[t]], queue))
            continue;
        int32_t rc = meter_make(k, t, a);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

static uint32_t allowance_row(struct columns *k, uint32_t queue) {
    uint32_t a = allowance_of(k, queue);
    if (a != NO_ROW) return a;
    a = row_new(k, T_ALLOWANCE);
    if (a == NO_ROW) return NO_ROW;
    set_u32(k, C_ALLOWANCE_QUEUE, a, queue);
    SET_NONE(k, a, C_ALLOWANCE_FIRST);
    set_u32(k, C_QUEUE_ALLOWANCE, queue, a + 1);
    return a;
}

/* Lets the next cycle try again what waits for the allowance. */
static void allowance_news(struct columns *k, uint32_t queue) {
    queue_gave(k, queue);
    evict_news(k);
}

int32_t allowance_set(struct columns *k, uint32_t queue, const struct allowance_spec *s) {
    int64_t now = (int64_t)meta(k, M_NOW);
    int32_t rc = undo_room(k);
    uint32_t a = rc == LSCHED_OK ? allowance_row(k, queue) : NO_ROW;
    if (a == NO_ROW) return LSCHED_E_NOMEM;
    k->allowances = &allowance_ops;
    period_settle(k, a);
    wide_u128 carried = period_less(PERIOD_SUM(k, CARRIED, a), period_fine(s->carry)),
              used = PERIOD_SUM(k, BASE, a) + period_by_time(k->c[C_ALLOWANCE_RATE].u64[a], now);
    rc = meters_drop(k, a);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    set_i64(k, C_ALLOWANCE_AMOUNT, a, s->amount);
    set_i64(k, C_ALLOWANCE_CARRY, a, s->carry);
    set_i64(k, C_ALLOWANCE_PERIOD, a, s->period);
    set_i64(k, C_ALLOWANCE_START, a, period_begin(s->start, s->period, now));
    set_u8(k, C_ALLOWANCE_FRESH, a, now == 0);
    set_i64(k, C_ALLOWANCE_SINCE, a, now);
    set_i64(k, C_ALLOWANCE_UNKNOWN, a, s->unknown);
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        set_i64(k, C_ALLOWANCE_PRICE + r, a, s->price[r]);
    period_store(k, C_ALLOWANCE_CARRIED_LO, C_ALLOWANCE_CARRIED_HI, a, s->reset ? 0 : carried);
    period_store(k, C_ALLOWANCE_BASE_LO, C_ALLOWANCE_BASE_HI, a, s->reset ? 0 : used);
    spent_set(k, a, s->spent, s->grace);
    allowance_news(k, queue);
    return meter_all(k, a);
}

int32_t allowance_remove(struct columns *k, uint32_t queue) {
    uint32_t a = allowance_of(k, queue);
    if (a == NO_ROW) return LSCHED_OK;
    int32_t rc = meters_drop(k, a);
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc != LSCHED_OK) return rc;
    allowance_row_free(k, a);
    set_u32(k, C_QUEUE_ALLOWANCE, queue, 0);
    allowance_news(k, queue);
    return LSCHED_OK;
}

/* ---- the rule ---- */

/* What the tasks count that are taken back together with those that are asked for. */
struct own {
    wide_u128 held;
    wide_u128 rate;
};

static struct own own_of(const struct columns *k, uint32_t a, const struct allowance_ask *ask) {
    struct own o = {0, 0};
    int64_t start = k->c[C_ALLOWANCE_START].i64[a], end = period_end(k, a);
    for (uint32_t i = 0; i < ask->n_fresh; i++) {
        uint32_t t = k->c[C_DECISION_TASK].u32[ask->fresh[i]];
        steps_add(k, 1);
        if (k->c[C_TASK_JOB].u32[t] != ask->job) continue;
        for (uint32_t m = k->c[C_TASK_METER].u32[t]; m; m = k->c[C_METER_NEXT].u32[m - 1]) {
            if (k->c[C_METER_QUEUE].u32[m - 1] != k->c[C_ALLOWANCE_QUEUE].u32[a] ||
                k->c[C_METER_RUNS].u8[m - 1])
                continue;
            o.held += period_held(k, m - 1, start, end);
            o.rate += (uint64_t)k->c[C_METER_RATE].i64[m - 1];
        }
    }
    return o;
}

static int64_t micro_of(wide_i128 sum, int up) {
    wide_i128 hour = ALLOWANCE_HOUR_US;
    if (sum < 0) return 0;
    sum = (sum + (up ? hour - 1 : 0)) / hour;
    return sum > LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : (int64_t)sum;
}

/* Sets what is lacking: `need` more would be committed, and `left` is left. each: rate of the tasks
 * together. */
static void allowance_tell(const struct columns *k, uint32_t a, const struct allowance_ask *ask,
                           wide_u128 each, wide_u128 need, wide_i128 left,
                           struct allowance_lack *lack) {
    int64_t end = period_end(k, a);
    struct own own = own_of(k, a, ask);
    int unknown = end == LSCHED_NEVER_US && meter_length(k, a, ask->job) == LSCHED_NEVER_US;
    wide_i128 room = left + (wide_i128)own.held, rate = (wide_i128)(each + own.rate);
    lack->queue = k->c[C_ALLOWANCE_QUEUE].u32[a];
    lack->need = unknown ? LSCHED_AMOUNT_MAX : micro_of((wide_i128)(need + own.held), 1);
    lack->have = micro_of(room, 0);
    lack->at = end;
    if (room > 0 && rate > 0 && end != LSCHED_NEVER_US && room / rate < end)
        lack->at = end - (int64_t)(room / rate);
}

static int allowances_allow(const struct columns *k, const struct allowance_ask *ask,
                            struct allowance_lack *lack) {
    int64_t now = (int64_t)meta(k, M_NOW);
    for (uint32_t q = k->c[C_JOB_QUEUE].u32[ask->job]; q != NO_ROW;
         q = k->c[C_QUEUE_PARENT].u32[q]) {
        uint32_t a = allowance_of(k, q);
        int64_t rate = a == NO_ROW ? 0 : meter_rate(k, a, ask->shape, ask->gpu);
        if (rate == 0) continue;
        int64_t span = meter_length(k, a, ask->job), end = period_end(k, a);
        if (end != LSCHED_NEVER_US && end - now < span) span = end - now;
        wide_u128 each = wide_mul((uint64_t)rate, (uint64_t)ask->n), need = each * (uint64_t)span,
                  committed = period_committed(k, a);
        wide_i128 left =
            (wide_i128)(period_fine(k->c[C_ALLOWANCE_AMOUNT].i64[a]) + PERIOD_SUM(k, CARRIED, a)) -
            (wide_i128)committed;
        if (left >= 0 && need <= (wide_u128)left) continue;
        allowance_tell(k, a, ask, each, need, left, lack);
        return 0;
    }
    return 1;
}

/* ---- time ---- */

static int32_t allowances_cycle(struct columns *k) {
    EACH_LIVE(k, T_ALLOWANCE, a) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        period_settle(k, a);
        spent_note(k, a);
    }
    return meters_overrun(k, (int64_t)meta(k, M_NOW));
}

static int32_t allowances_clock_back(struct columns *k, int64_t was) {
    int64_t now = (int64_t)meta(k, M_NOW);
    EACH_LIVE(k, T_ALLOWANCE, a) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        period_settle_at(k, a, was);
    }
    /* now all expected ends are later than `was` */
    int32_t rc = meters_overrun(k, was);
    EACH_LIVE(k, T_ALLOWANCE, a) {
        if (rc == LSCHED_OK) rc = undo_room(k);
        if (rc == LSCHED_OK) rc = meters_back(k, a, was);
        if (rc != LSCHED_OK) return rc;
        period_back(k, a, was, now);
        spent_back(k, a, was - now);
    }
    if (meta(k, M_ALLOWANCE_NEXT)) set_meta(k, M_ALLOWANCE_NEXT, 1);
    return LSCHED_OK;
}

const struct allowance_ops allowance_ops = {
    .placed = meters_placed,
    .started = meters_started,
    .gone = meters_gone,
    .ended = meters_ended,
    .moved = meters_moved,
    .seated = meters_seated,
    .since = meters_since,
    .ran = meters_ran,
    .priced = meters_priced,
    .cycle = allowances_cycle,
    .allow = allowances_allow,
    .spends = spent_next,
    .stops = spent_stops,
    .goes_first = spent_goes_first,
    .clock_back = allowances_clock_back,
};
