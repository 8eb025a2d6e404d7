/* verify_warnings.c -- see verify_warnings.h. Cost: O(tasks x allowances on a path). */
#include "engine/verify_plan/verify_warnings.h"

#include "engine/verify/verify_read.h"
#include "engine/verify_reserved/verify_reserved.h"

enum { ASKED = 1, LIMITS = 2, ALLOWANCES = 4 }; /* bits of M_WARN_TERMS */

struct end {
    int64_t at;
    uint32_t reason;
};

static void keep_sooner(struct end *e, wide_i128 at, uint32_t reason, int64_t now) {
    if (at < now) at = now;
    if (at < e->at) *e = (struct end){(int64_t)at, reason};
}

/* The next time at which the node leaves: goes on by whole repetitions. What is over is no end. */
static wide_i128 leaves_next(const struct columns *k, uint32_t node, int64_t now) {
    wide_i128 leaves = k->c[C_NODE_LEAVES].i64[node], every = k->c[C_NODE_LEAVES_EVERY].i64[node];
    if (leaves == 0 && k->c[C_NODE_BACK].i64[node] == 0) return LSCHED_NEVER_US;
    if (leaves <= now && every) leaves += ((now - leaves) / every + 1) * every;
    return leaves > now ? leaves : LSCHED_NEVER_US;
}

static struct end fixed_end(const struct columns *k, uint32_t task, int64_t now) {
    struct end e = {LSCHED_NEVER_US, LSCHED_FOR_NONE};
    uint32_t watch = k->c[C_JOB_WATCH].u32[k->c[C_TASK_JOB].u32[task]];
    if ((meta(k, M_WARN_TERMS) & LIMITS) && watch != NO_ROW && k->c[C_WATCH_HEAP_D].u8[watch])
        keep_sooner(&e, k->c[C_WATCH_DUE].i64[watch], LSCHED_FOR_TIME_LIMIT, now);
    uint32_t node = k->c[C_TASK_NODE].u32[task];
    if (!verify_reserved_admits(k, node, k->c[C_TASK_JOB].u32[task]))
        keep_sooner(&e, leaves_next(k, node, now), LSCHED_FOR_ABSENCE, now);
    return e;
}

static wide_u128 warn_sum(uint64_t high, uint64_t low) {
    return (wide_u128)high << 64 | low;
}

/* When the work of the allowance is stopped: with the rates of its rows, from what was used. The
 * latest cycle has begun the present period. */
static wide_i128 allowance_stops(const struct columns *k, uint32_t a, int64_t now) {
    wide_i128 period = k->c[C_ALLOWANCE_PERIOD].i64[a],
              end = k->c[C_ALLOWANCE_START].i64[a] + period, at = k->c[C_ALLOWANCE_STOP_AT].i64[a];
    wide_u128 rate = 0, hour = 3600000000u,
              carried = warn_sum(k->c[C_ALLOWANCE_CARRIED_HI].u64[a],
                                 k->c[C_ALLOWANCE_CARRIED_LO].u64[a]),
              total = (wide_u128)k->c[C_ALLOWANCE_AMOUNT].i64[a] * hour + carried,
              base = warn_sum(k->c[C_ALLOWANCE_BASE_HI].u64[a], k->c[C_ALLOWANCE_BASE_LO].u64[a]);
    if (k->c[C_ALLOWANCE_SPENT].u8[a] != LSCHED_SPENT_END) return LSCHED_NEVER_US;
    for (uint32_t m = k->c[C_ALLOWANCE_FIRST].u32[a]; m != NO_ROW; m = k->c[C_METER_AFTER].u32[m])
        if (k->c[C_METER_RUNS].u8[m]) rate += (uint64_t)k->c[C_METER_RATE].i64[m];
    if (!k->c[C_ALLOWANCE_SPENT_AT].i64[a]) {
        if (rate == 0) return LSCHED_NEVER_US;
        /* the first time with base + rate x time >= total, modulo 2^128 */
        wide_u128 used = base + rate * (uint64_t)now;
        if (used < total && (total - used + rate - 1) / rate > (wide_u128)LSCHED_AMOUNT_MAX)
            return LSCHED_NEVER_US;
        at = used >= total ? now : now + (wide_i128)((total - used + rate - 1) / rate);
        if (period && at >= end) return LSCHED_NEVER_US;
        at += k->c[C_ALLOWANCE_GRACE].i64[a];
    }
    return at == 0 || (period && at >= end) ? LSCHED_NEVER_US : at;
}

static struct end first_end(const struct columns *k, uint32_t task, int64_t now) {
    struct end e = fixed_end(k, task, now);
    uint32_t m = meta(k, M_WARN_TERMS) & ALLOWANCES ? k->c[C_TASK_METER].u32[task] : 0;
    for (; m; m = k->c[C_METER_NEXT].u32[m - 1]) {
        uint32_t a = k->c[C_QUEUE_ALLOWANCE].u32[k->c[C_METER_QUEUE].u32[m - 1]] - 1;
        if (k->c[C_METER_RATE].i64[m - 1] == 0) continue;
        wide_i128 at = allowance_stops(k, a, now);
        if (at <= LSCHED_AMOUNT_MAX) keep_sooner(&e, at, LSCHED_FOR_ALLOWANCE, now);
    }
    return e;
}

static int64_t told_of(const struct columns *k, uint32_t row, uint32_t reason) {
    uint32_t column = reason == LSCHED_FOR_TIME_LIMIT  ? C_WARN_LIMIT
                      : reason == LSCHED_FOR_ALLOWANCE ? C_WARN_ALLOWANCE
                                                       : C_WARN_NODE;
    return k->c[column].i64[row];
}

static int knows(const struct columns *k, uint32_t row, const struct end *e) {
    wide_i128 told = told_of(k, row, e->reason), lead = (wide_i128)meta(k, M_WARN_LEAD);
    return told && e->at <= told + lead && e->at >= told - lead / 8;
}

/* True if the task can wait for another event than its end: it was told one, it has another open
 * decision, or the host did not deliver the warning. */
static int waits_otherwise(const struct columns *k, uint32_t task, uint32_t row, int64_t now) {
    uint32_t watch = k->c[C_JOB_WATCH].u32[k->c[C_TASK_JOB].u32[task]];
    return k->c[C_TASK_DECISION].u32[task] != NO_ROW || k->c[C_WARN_RETRY].i64[row] > now ||
           (watch != NO_ROW && k->c[C_WATCH_NEWS].u8[watch]);
}

/* True if a cycle looks at the task in time for its next end that no other work moves. */
static int is_looked_at(const struct columns *k, uint32_t task, uint32_t row, int64_t now) {
    struct end e = fixed_end(k, task, now);
    int64_t at = k->c[C_WARN_AT].i64[row], lead = (int64_t)meta(k, M_WARN_LEAD);
    if (e.at == now || e.at == LSCHED_NEVER_US || at <= now) return 1;
    /* a sooner end that it was told stands before this one */
    int sooner = at <= e.at && k->c[C_WARN_ALLOWANCE].i64[row] != 0;
    return sooner || knows(k, row, &e) || at <= e.at - lead;
}

static int32_t check_warned(struct check *c, uint32_t row) {
    const struct columns *k = c->k;
    uint32_t task = k->c[C_WARN_TASK].u32[row];
    int64_t now = (int64_t)meta(k, M_SCHEDULED);
    if (verify_state_of(k, task) != LSCHED_TASK_RUNNING || k->c[C_WARN_AT].i64[row] <= now ||
        waits_otherwise(k, task, row, now))
        return LSCHED_OK;
    struct end e = first_end(k, task, now);
    int near = e.at != LSCHED_NEVER_US && e.at - now <= (int64_t)meta(k, M_WARN_LEAD);
    if (near && e.at > now && !knows(k, row, &e))
        return check_fail(c, "%s ends at %lld, and the plan does not tell it", NAME(T_TASK, task),
                          (long long)e.at);
    if (is_looked_at(k, task, row, now)) return LSCHED_OK;
    return check_fail(c, "%s ends, but a cycle looks at it only at %lld", NAME(T_TASK, task),
                      (long long)k->c[C_WARN_AT].i64[row]);
}

int32_t verify_warned(struct check *c) {
    if (!(meta(c->k, M_WARN_TERMS) & ASKED)) return LSCHED_OK;
    return verify_each(c, T_WARN, check_warned);
}

const char *verify_warning_wrong(const struct columns *k, uint32_t d) {
    uint32_t task = k->c[C_DECISION_TASK].u32[d];
    int64_t now = (int64_t)meta(k, M_SCHEDULED), at = k->c[C_DECISION_AT].i64[d];
    struct end e = first_end(k, task, now);
    if (at - now > (int64_t)meta(k, M_WARN_LEAD)) return "it warns of an end that is not near";
    return e.at == at && e.reason == k->c[C_DECISION_REASON].u8[d]
               ? NULL
               : "it warns of another end than the first one of its task";
}
