/*
 * check_allowances.c -- see check_allowances.h. Computes the sums again from the rows, with no code
 * of model/allowances. What has been used is history, of which only the range is known.
 * Cost: O(tasks x depth + rows of METER).
 */
#include "model/check/check_allowances.h"

#include "base/times.h"
#include "base/wide.h"

#define CHECKED_HOUR_US INT64_C(3600000000)

/* Returns rate x t modulo 2^128. */
static wide_u128 by_time(wide_u128 rate, int64_t t) {
    return t < 0 ? (wide_u128)0 - rate * (uint64_t)-t : rate * (uint64_t)t;
}

static wide_u128 wide_at(const struct columns *k, uint32_t lo, uint32_t hi, uint32_t row) {
    return (wide_u128)k->c[hi].u64[row] << 64 | k->c[lo].u64[row];
}

static int32_t check_allowances_bad(struct check *c, uint32_t a, const char *what) {
    return check_fail(c, "the allowance of %s: %s",
                      NAME(T_QUEUE, c->k->c[C_ALLOWANCE_QUEUE].u32[a]), what);
}

static int is_amount(int64_t v) {
    return v >= 0 && v <= LSCHED_AMOUNT_MAX;
}

static int32_t check_terms(struct check *c, uint32_t a) {
    const struct columns *k = c->k;
    int64_t carry = k->c[C_ALLOWANCE_CARRY].i64[a], start = k->c[C_ALLOWANCE_START].i64[a];
    if (k->c[C_QUEUE_ALLOWANCE].u32[k->c[C_ALLOWANCE_QUEUE].u32[a]] != a + 1)
        return check_allowances_bad(c, a, "the queue names another one");
    if (!is_amount(k->c[C_ALLOWANCE_AMOUNT].i64[a]) || !is_amount(carry) ||
        !is_amount(k->c[C_ALLOWANCE_PERIOD].i64[a]) || !is_amount(k->c[C_ALLOWANCE_UNKNOWN].i64[a]))
        return check_allowances_bad(c, a, "a term is out of range");
    if (start > (int64_t)meta(k, M_NOW) || start < -LSCHED_AMOUNT_MAX ||
        k->c[C_ALLOWANCE_SINCE].i64[a] > (int64_t)meta(k, M_NOW))
        return check_allowances_bad(c, a, "its period begins at no time");
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        if (k->c[C_ALLOWANCE_PRICE + r].i64[a] < 0 ||
            k->c[C_ALLOWANCE_PRICE + r].i64[a] > LSCHED_ALLOWANCE_PRICE_MAX)
            return check_allowances_bad(c, a, "a price is out of range");
    wide_u128 carried = wide_at(k, C_ALLOWANCE_CARRIED_LO, C_ALLOWANCE_CARRIED_HI, a);
    if (carried > wide_mul((uint64_t)carry, CHECKED_HOUR_US))
        return check_allowances_bad(c, a, "more is carried than is allowed");
    wide_u128 used = wide_at(k, C_ALLOWANCE_BASE_LO, C_ALLOWANCE_BASE_HI, a) +
                     by_time(k->c[C_ALLOWANCE_RATE].u64[a], (int64_t)meta(k, M_NOW));
    return used >> 127 ? check_allowances_bad(c, a, "less than nothing is used") : LSCHED_OK;
}

static int32_t check_spent(struct check *c, uint32_t a) {
    const struct columns *k = c->k;
    int64_t grace = k->c[C_ALLOWANCE_GRACE].i64[a], at = k->c[C_ALLOWANCE_SPENT_AT].i64[a],
            stop = k->c[C_ALLOWANCE_STOP_AT].i64[a];
    int ends = k->c[C_ALLOWANCE_SPENT].u8[a] == LSCHED_SPENT_END, works = 0;
    if (grace < 0 || grace > LIMIT_TIME_US || (grace && !ends))
        return check_allowances_bad(c, a, "its grace is out of range");
    if (at < 0 || at > (int64_t)meta(k, M_NOW) || stop < 0 || (stop && (stop < at || !at || !ends)))
        return check_allowances_bad(c, a, "it is spent at no time");
    for (uint32_t m = k->c[C_ALLOWANCE_FIRST].u32[a]; m != NO_ROW; m = k->c[C_METER_AFTER].u32[m]) {
        uint8_t state = k->c[C_TASK_STATE].u8[k->c[C_METER_TASK].u32[m]];
        works |= k->c[C_METER_RATE].i64[m] > 0 && state != LSCHED_TASK_RELEASING &&
                 state != LSCHED_TASK_CONFIRMED;
    }
    return ends && at && works && !stop
               ? check_allowances_bad(c, a, "it is spent, and nothing will stop its work")
               : LSCHED_OK;
}

/* Adds the row to the three sums: of rates, of ends, and of what does not run yet. */
static void add_meter(const struct columns *k, uint32_t a, uint32_t m, wide_u128 sums[3]) {
    int64_t start = k->c[C_ALLOWANCE_START].i64[a], period = k->c[C_ALLOWANCE_PERIOD].i64[a],
            end = period ? time_after(start, period) : LSCHED_NEVER_US,
            until = k->c[C_METER_END].i64[m], from = k->c[C_METER_SINCE].i64[m],
            length = k->c[C_METER_LENGTH].i64[m];
    wide_u128 rate = (uint64_t)k->c[C_METER_RATE].i64[m];
    if (k->c[C_METER_RUNS].u8[m]) {
        sums[0] += rate;
        sums[1] += by_time(rate, until < end ? until : end);
        return;
    }
    if (from < start) from = start;
    int64_t most = end == LSCHED_NEVER_US ? length : end > from ? end - from : 0;
    sums[2] += rate * (uint64_t)(length < most ? length : most);
}

/* Goes through the rows of the allowance, and counts them in *rows. */
static int32_t check_meters(struct check *c, uint32_t a, uint32_t *rows) {
    const struct columns *k = c->k;
    wide_u128 sums[3] = {0, 0, 0};
    uint32_t before = NO_ROW;
    for (uint32_t m = k->c[C_ALLOWANCE_FIRST].u32[a]; m != NO_ROW; m = k->c[C_METER_AFTER].u32[m]) {
        if (k->c[C_METER_QUEUE].u32[m] != k->c[C_ALLOWANCE_QUEUE].u32[a] ||
            k->c[C_METER_BEFORE].u32[m] != before || ++*rows > table_rows(k, T_METER))
            return check_allowances_bad(c, a, "the list of its rows is damaged");
        add_meter(k, a, m, sums);
        before = m;
    }
    if (sums[0] != k->c[C_ALLOWANCE_RATE].u64[a])
        return check_allowances_bad(c, a, "its tasks have another sum of rates");
    if (sums[1] != wide_at(k, C_ALLOWANCE_ENDS_LO, C_ALLOWANCE_ENDS_HI, a))
        return check_allowances_bad(c, a, "its tasks have another sum of ends");
    if (sums[2] != wide_at(k, C_ALLOWANCE_HELD_LO, C_ALLOWANCE_HELD_HI, a))
        return check_allowances_bad(c, a, "its tasks hold another sum");
    return LSCHED_OK;
}

static int32_t check_meter(struct check *c, uint32_t task, uint32_t m) {
    const struct columns *k = c->k;
    uint32_t a = k->c[C_QUEUE_ALLOWANCE].u32[k->c[C_METER_QUEUE].u32[m]];
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    int runs = state == LSCHED_TASK_RUNNING || state == LSCHED_TASK_RELEASING;
    int64_t since = k->c[C_METER_SINCE].i64[m], end = k->c[C_METER_END].i64[m];
    if (k->c[C_METER_TASK].u32[m] != task || a == 0)
        return check_fail(c, "%s has the row of another task or of no allowance",
                          NAME(T_TASK, task));
    if (k->c[C_METER_RUNS].u8[m] != runs)
        return check_fail(c, "%s is charged as if it %s", NAME(T_TASK, task),
                          runs ? "did not run" : "ran");
    if (since > LSCHED_AMOUNT_MAX || since < -LSCHED_AMOUNT_MAX ||
        k->c[C_METER_FROM].i64[m] > (int64_t)meta(k, M_NOW) || k->c[C_METER_LENGTH].i64[m] <= 0 ||
        (!runs && end != LSCHED_NEVER_US) || end < -LSCHED_AMOUNT_MAX ||
        (end > LSCHED_AMOUNT_MAX && end != LSCHED_NEVER_US))
        return check_fail(c, "%s is charged for a time that cannot be", NAME(T_TASK, task));
    return LSCHED_OK;
}

/* Checks that the task has a row for each allowance on its path, in order, and no other. */
static int32_t check_task(struct check *c, uint32_t task, uint32_t *rows) {
    const struct columns *k = c->k;
    uint8_t state = k->c[C_TASK_STATE].u8[task];
    uint32_t wanted = 0, found = 0, queue = k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]];
    for (uint32_t q = queue; q != NO_ROW && state != LSCHED_TASK_NONE && state != LSCHED_TASK_DONE;
         q = k->c[C_QUEUE_PARENT].u32[q])
        wanted += k->c[C_QUEUE_ALLOWANCE].u32[q] != 0;
    for (uint32_t m = k->c[C_TASK_METER].u32[task]; m; m = k->c[C_METER_NEXT].u32[m - 1]) {
        uint32_t same = 0, q = queue;
        if (!row_is_live(k, T_METER, m - 1)) found = wanted;
        if (++found > wanted) break;
        int32_t rc = check_meter(c, task, m - 1);
        if (rc != LSCHED_OK) return rc;
        while (q != NO_ROW && q != k->c[C_METER_QUEUE].u32[m - 1]) q = k->c[C_QUEUE_PARENT].u32[q];
        for (uint32_t o = k->c[C_TASK_METER].u32[task]; o != m; o = k->c[C_METER_NEXT].u32[o - 1])
            same |= k->c[C_METER_QUEUE].u32[o - 1] == k->c[C_METER_QUEUE].u32[m - 1];
        if (q == NO_ROW || same) found = wanted + 1;
    }
    if (found != wanted)
        return check_fail(c, "%s is charged to other allowances than those of its queues",
                          NAME(T_TASK, task));
    *rows += found;
    return LSCHED_OK;
}

int32_t check_allowances(struct check *c) {
    const struct columns *k = c->k;
    uint32_t listed = 0, held = 0;
    EACH_LIVE(k, T_QUEUE, q) {
        uint32_t a = k->c[C_QUEUE_ALLOWANCE].u32[q];
        if (a && (!row_is_live(k, T_ALLOWANCE, a - 1) || k->c[C_ALLOWANCE_QUEUE].u32[a - 1] != q))
            return check_fail(c, "%s has the allowance of another queue", NAME(T_QUEUE, q));
    }
    EACH_LIVE(k, T_ALLOWANCE, a) {
        int32_t rc = check_terms(c, a);
        if (rc == LSCHED_OK) rc = check_meters(c, a, &listed);
        if (rc != LSCHED_OK) return rc;
    }
    EACH_LIVE(k, T_TASK, t) {
        int32_t rc = check_task(c, t, &held);
        if (rc != LSCHED_OK) return rc;
    }
    EACH_LIVE(k, T_ALLOWANCE, a) {
        int32_t rc = check_spent(c, a);
        if (rc != LSCHED_OK) return rc;
    }
    if (held != listed || held != table_live(k, T_METER))
        return check_fail(c, "%u rows charge allowances; tasks have %u, and allowances %u",
                          table_live(k, T_METER), held, listed);
    if ((int64_t)meta(k, M_ALLOWANCE_NEXT) < 0)
        return check_fail(c, "what waits for an allowance can start at a time below 0");
    if (meta(k, M_ALLOWANCE_NEXT) && table_live(k, T_ALLOWANCE) == 0)
        return check_fail(c,
                          "what waits for an allowance can start at a time, and no queue has one");
    return LSCHED_OK;
}
