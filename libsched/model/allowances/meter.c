/* meter.c -- see meter.h. */
#include "model/allowances/meter.h"

#include "base/times.h"
#include "model/allowances/spent.h"
#include "model/devices/device.h"
#include "model/news/queue_news.h"
#include "model/shapes/leaf.h"
#include "model/shapes/placement.h"
#include "model/store/row_list.h"
#include "model/store/steps.h"

static const struct row_list meter_list = {C_METER_AFTER, C_METER_BEFORE};

static int meter_before(const struct columns *k, uint32_t a, uint32_t b) {
    int64_t x = k->c[C_METER_END].i64[a], y = k->c[C_METER_END].i64[b];
    return x != y ? x < y : a < b; /* the order of equal ends decides nothing */
}

static const struct heap_kind meter_heap = {C_METER_HEAP_L, C_METER_HEAP_R, C_METER_HEAP_P,
                                            C_METER_HEAP_D, meter_before};

static void meter_set_end(struct columns *k, uint32_t m, int64_t end) {
    uint32_t root = (uint32_t)meta(k, M_METER_HEAD);
    if (k->c[C_METER_END].i64[m] == end) return;
    if (k->c[C_METER_HEAP_D].u8[m]) root = heap_remove(k, &meter_heap, root, m);
    set_i64(k, C_METER_END, m, end);
    if (end != LSCHED_NEVER_US) root = heap_insert(k, &meter_heap, root, m);
    set_meta(k, M_METER_HEAD, root);
}

/* ---- what a task costs ---- */

int64_t meter_rate(const struct columns *k, uint32_t a, uint32_t shape, int64_t gpu) {
    wide_u128 sum = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        uint64_t price = (uint64_t)k->c[C_ALLOWANCE_PRICE + r].i64[a],
                 unit = r == LSCHED_MEMORY                   ? UINT64_C(1) << 30
                        : r == LSCHED_CPU || r == LSCHED_GPU ? 1000
                                                             : 1;
        int64_t amount = r == LSCHED_GPU ? gpu : k->c[C_SHAPE_REQ + r].i64[shape];
        if (price && amount > 0) sum += (wide_mul(price, (uint64_t)amount) + unit - 1) / unit;
    }
    return sum > METER_RATE_MOST ? METER_RATE_MOST : (int64_t)sum;
}

int64_t meter_length(const struct columns *k, uint32_t a, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    int64_t estimate = k->c[C_JOB_DURATION].i64[job],
            limit = w == NO_ROW ? 0 : k->c[C_WATCH_LIMIT_NOW].i64[w],
            length = estimate > 0 ? estimate : LSCHED_NEVER_US;
    if (limit > 0 && limit < length) length = limit;
    if (length == LSCHED_NEVER_US && k->c[C_ALLOWANCE_UNKNOWN].i64[a])
        length = k->c[C_ALLOWANCE_UNKNOWN].i64[a];
    return length;
}

/* ---- one row ---- */

static uint32_t meter_allowance(const struct columns *k, uint32_t m) {
    return allowance_of(k, k->c[C_METER_QUEUE].u32[m]);
}

static wide_u128 wide_signed(wide_u128 v, int sign) {
    return sign > 0 ? v : (wide_u128)0 - v;
}

/* Adds the row to the sums of its allowance (sign 1), or subtracts it (sign -1). */
static void meter_count(struct columns *k, uint32_t m, int sign) {
    uint32_t a = meter_allowance(k, m);
    int64_t start = k->c[C_ALLOWANCE_START].i64[a], end = period_end(k, a);
    wide_u128 rate = (uint64_t)k->c[C_METER_RATE].i64[m];
    if (!k->c[C_METER_RUNS].u8[m]) {
        wide_u128 held = period_held(k, m, start, end);
        period_add(k, C_ALLOWANCE_HELD_LO, C_ALLOWANCE_HELD_HI, a, wide_signed(held, sign));
        return;
    }
    int64_t until = k->c[C_METER_END].i64[m], now = (int64_t)meta(k, M_NOW);
    wide_u128 ends = period_by_time(rate, until < end ? until : end),
              base = period_by_time(rate, now);
    period_add(k, C_ALLOWANCE_ENDS_LO, C_ALLOWANCE_ENDS_HI, a, wide_signed(ends, sign));
    period_add(k, C_ALLOWANCE_BASE_LO, C_ALLOWANCE_BASE_HI, a, wide_signed(base, -sign));
    set_u64(k, C_ALLOWANCE_RATE, a,
            k->c[C_ALLOWANCE_RATE].u64[a] + (sign > 0 ? (uint64_t)rate : -(uint64_t)rate));
}

static int64_t meter_rate_of(const struct columns *k, uint32_t a, uint32_t task) {
    struct hold hold = task_hold(k, task);
    uint32_t shape = task_shape(k, task);
    int64_t gpu = hold.mask ? hold_milli(k, k->c[C_TASK_NODE].u32[task], shape, &hold) : 0;
    return meter_rate(k, a, shape, gpu);
}

/* Sets the times of a row that counts in no sum, from the state of its task. */
static void meter_begin(struct columns *k, uint32_t m, int runs) {
    uint32_t task = k->c[C_METER_TASK].u32[m];
    int64_t length = meter_length(k, meter_allowance(k, m), k->c[C_TASK_JOB].u32[task]),
            since = runs ? k->c[C_TASK_START].i64[task] : (int64_t)meta(k, M_NOW);
    set_u8(k, C_METER_RUNS, m, (uint8_t)runs);
    set_i64(k, C_METER_SINCE, m, since);
    set_i64(k, C_METER_LENGTH, m, length);
    if (!runs) return;
    meter_set_end(k, m, length == LSCHED_NEVER_US ? length : time_after(since, length));
    meter_set_end(k, m, period_task_end(k, m, (int64_t)meta(k, M_NOW)));
}

int32_t meter_make(struct columns *k, uint32_t task, uint32_t a) {
    int32_t rc = undo_room(k);
    uint32_t m = rc == LSCHED_OK ? row_new(k, T_METER) : NO_ROW;
    if (m == NO_ROW) return LSCHED_E_NOMEM;
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    steps_add(k, 1);
    set_u32(k, C_METER_TASK, m, task);
    set_u32(k, C_METER_QUEUE, m, k->c[C_ALLOWANCE_QUEUE].u32[a]);
    set_i64(k, C_METER_RATE, m, meter_rate_of(k, a, task));
    set_i64(k, C_METER_END, m, LSCHED_NEVER_US);
    set_i64(k, C_METER_FROM, m, (int64_t)meta(k, M_NOW));
    SET_NONE(k, m, C_METER_HEAP_L, C_METER_HEAP_R, C_METER_HEAP_P);
    set_u32(k, C_METER_NEXT, m, k->c[C_TASK_METER].u32[task]);
    set_u32(k, C_TASK_METER, task, m + 1);
    row_list_push(k, meter_list, C_ALLOWANCE_FIRST, a, m);
    meter_begin(k, m, state == LSCHED_TASK_RUNNING || state == LSCHED_TASK_RELEASING);
    meter_count(k, m, 1);
    spent_again(k, a);
    return LSCHED_OK;
}

/* Frees a row that counts in no sum; the list of its task does not have it any more. */
static void meter_free(struct columns *k, uint32_t m) {
    meter_set_end(k, m, LSCHED_NEVER_US);
    row_list_remove(k, meter_list, C_ALLOWANCE_FIRST, meter_allowance(k, m), m);
    row_free(k, T_METER, m);
}

/* Takes the row out of the list of its task. */
static void meter_unlink(struct columns *k, uint32_t m) {
    uint32_t task = k->c[C_METER_TASK].u32[m], at = k->c[C_TASK_METER].u32[task],
             next = k->c[C_METER_NEXT].u32[m];
    if (at == m + 1) {
        set_u32(k, C_TASK_METER, task, next);
        return;
    }
    while (k->c[C_METER_NEXT].u32[at - 1] != m + 1) at = k->c[C_METER_NEXT].u32[at - 1];
    set_u32(k, C_METER_NEXT, at - 1, next);
}

int32_t meters_drop(struct columns *k, uint32_t a) {
    for (uint32_t m = k->c[C_ALLOWANCE_FIRST].u32[a]; m != NO_ROW;
         m = k->c[C_ALLOWANCE_FIRST].u32[a]) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        steps_add(k, 1);
        meter_count(k, m, -1);
        meter_unlink(k, m);
        meter_free(k, m);
    }
    return LSCHED_OK;
}

/* ---- what happens to a task ---- */

int32_t meters_placed(struct columns *k, uint32_t task) {
    uint32_t q = k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]];
    for (; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q]) {
        uint32_t a = allowance_of(k, q);
        if (a == NO_ROW) continue;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        period_settle(k, a);
        rc = meter_make(k, task, a);
        if (rc != LSCHED_OK) return rc;
    }
    return undo_room(k);
}

#define EACH_METER(k, task, m)                                               \
    for (uint32_t m##_ = (k)->c[C_TASK_METER].u32[task], m = m##_ - 1; m##_; \
         m##_ = (k)->c[C_METER_NEXT].u32[m], m = m##_ - 1)

/* Returns `at`, or the time from which the row can be charged in the present period if that is
 * later. */
static int64_t meter_from(const struct columns *k, uint32_t m, int64_t at) {
    uint32_t a = meter_allowance(k, m);
    const int64_t least[] = {k->c[C_METER_FROM].i64[m], k->c[C_ALLOWANCE_SINCE].i64[a],
                             k->c[C_ALLOWANCE_START].i64[a]};
    for (size_t i = 0; i < sizeof least / sizeof least[0]; i++)
        if (at < least[i]) at = least[i];
    return at;
}

/* Adds what the row costs from one time to another to what was used (sign 1), or subtracts it. */
static void meter_charge(struct columns *k, uint32_t m, int64_t from, int64_t to, int sign) {
    wide_u128 rate = (uint64_t)k->c[C_METER_RATE].i64[m];
    if (from < to)
        period_add(k, C_ALLOWANCE_BASE_LO, C_ALLOWANCE_BASE_HI, meter_allowance(k, m),
                   wide_signed(period_by_time(rate, to - from), sign));
}

/* Counts the rows of the task anew, with the rate that it has now: from its start, or from now on
 * if it does not run. */
static void meters_begin(struct columns *k, uint32_t task, int runs) {
    int64_t now = (int64_t)meta(k, M_NOW), from = now;
    EACH_METER(k, task, m) {
        uint32_t a = meter_allowance(k, m);
        period_settle(k, a);
        wide_u128 was = period_committed(k, a);
        meter_count(k, m, -1);
        set_i64(k, C_METER_RATE, m, meter_rate_of(k, a, task));
        meter_begin(k, m, runs);
        meter_count(k, m, 1);
        if (runs) from = meter_from(k, m, k->c[C_TASK_START].i64[task]);
        meter_charge(k, m, from, now, 1);
        set_i64(k, C_METER_FROM, m, from);
        spent_again(k, a);
        if (period_committed(k, a) != was) queue_gave(k, k->c[C_METER_QUEUE].u32[m]);
    }
}

void meters_started(struct columns *k, uint32_t task) {
    meters_begin(k, task, 1);
}

void meters_seated(struct columns *k, uint32_t task) {
    meters_begin(k, task, 0);
}

int64_t meters_since(const struct columns *k, uint32_t task) {
    int64_t since = INT64_MIN;
    EACH_METER(k, task, m) since = meter_from(k, m, since);
    return since;
}

int32_t meters_ran(struct columns *k, uint32_t task, int64_t from) {
    EACH_METER(k, task, m) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        uint32_t a = meter_allowance(k, m);
        int64_t charged = k->c[C_METER_FROM].i64[m], begin = k->c[C_ALLOWANCE_START].i64[a];
        if (begin < from) begin = from;
        meter_charge(k, m, begin, charged, 1);
        if (begin < charged) set_i64(k, C_METER_FROM, m, begin);
    }
    return LSCHED_OK;
}

int32_t meters_gone(struct columns *k, uint32_t task, int64_t at) {
    EACH_METER(k, task, m) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        period_settle(k, meter_allowance(k, m));
        int64_t from = meter_from(k, m, INT64_MIN), end = meter_from(k, m, at);
        if (k->c[C_METER_RUNS].u8[m])
            meter_charge(k, m, end, (int64_t)meta(k, M_NOW), -1);
        else
            meter_charge(k, m, from, end, 1);
    }
    return undo_room(k);
}

void meters_ended(struct columns *k, uint32_t task) {
    while (k->c[C_TASK_METER].u32[task]) {
        uint32_t m = k->c[C_TASK_METER].u32[task] - 1;
        period_settle(k, meter_allowance(k, m));
        meter_count(k, m, -1);
        queue_gave(k, k->c[C_METER_QUEUE].u32[m]);
        meter_unlink(k, m);
        meter_free(k, m);
    }
}

void meters_moved(struct columns *k, uint32_t from, uint32_t to) {
    set_u32(k, C_TASK_METER, to, k->c[C_TASK_METER].u32[from]);
    set_u32(k, C_TASK_METER, from, 0);
    EACH_METER(k, to, m) {
        set_u32(k, C_METER_TASK, m, to);
        spent_again(k, meter_allowance(k, m));
    }
}

void meters_priced(struct columns *k, uint32_t task) {
    EACH_METER(k, task, m) {
        uint32_t a = meter_allowance(k, m);
        int64_t rate = meter_rate_of(k, a, task);
        if (rate == k->c[C_METER_RATE].i64[m]) continue;
        period_settle(k, a);
        meter_count(k, m, -1);
        if (rate < k->c[C_METER_RATE].i64[m]) queue_gave(k, k->c[C_METER_QUEUE].u32[m]);
        set_i64(k, C_METER_RATE, m, rate);
        meter_count(k, m, 1);
        spent_again(k, a);
        /* what the old rate has charged stays */
        if (k->c[C_METER_RUNS].u8[m]) set_i64(k, C_METER_FROM, m, (int64_t)meta(k, M_NOW));
    }
}

int32_t meters_back(struct columns *k, uint32_t a, int64_t was) {
    int64_t now = (int64_t)meta(k, M_NOW);
    for (uint32_t m = k->c[C_ALLOWANCE_FIRST].u32[a]; m != NO_ROW; m = k->c[C_METER_AFTER].u32[m]) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        int64_t end = k->c[C_METER_END].i64[m];
        steps_add(k, 1);
        if (k->c[C_METER_SINCE].i64[m] > now) set_i64(k, C_METER_SINCE, m, now);
        /* what was used stays: the end of a running task takes nothing of it back */
        if (k->c[C_METER_RUNS].u8[m] || k->c[C_METER_FROM].i64[m] > now)
            set_i64(k, C_METER_FROM, m, now);
        if (end != LSCHED_NEVER_US) set_i64(k, C_METER_END, m, end - was + now);
    }
    return undo_room(k);
}

int32_t meters_overrun(struct columns *k, int64_t now) {
    for (;;) {
        uint32_t m = (uint32_t)meta(k, M_METER_HEAD);
        if (m == NO_ROW || k->c[C_METER_END].i64[m] > now) return LSCHED_OK;
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        steps_add(k, 1);
        meter_count(k, m, -1);
        meter_set_end(k, m, period_task_end(k, m, now));
        meter_count(k, m, 1);
    }
}
