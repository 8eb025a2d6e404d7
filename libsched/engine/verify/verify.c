/*
 * verify.c -- see verify.h: runs the checks in order, and checks the range of every amount itself.
 */
#include "engine/verify/verify.h"

#include "engine/verify/verify_parts.h"

static int32_t verify_ranges(struct check *c);

int32_t verify_state(const struct columns *k, lsched_error *err) {
    static int32_t (*const parts[])(struct check *) = {
        columns_check, verify_ranges, verify_nodes, verify_mig,    verify_machines,
        verify_claims, verify_tasks,  verify_jobs,  verify_queues, verify_resource_parts,
        verify_shares, verify_limits, verify_rules};
    struct check c = {k, err, LSCHED_E_VERIFY};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        int32_t rc = parts[i](&c);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* ---- ranges ---- */

enum range { AMOUNT, AMOUNT_OR_UNLIMITED, SIGNED, TIME_OR_NEVER, NATURAL };

static const struct {
    uint16_t column;
    uint8_t range, family;
} ranged[] = {
    {C_NODE_CAP, AMOUNT, 1},
    {C_NODE_FREE, SIGNED, 1},
    {C_NODE_COMING, SIGNED, 1},
    {C_QUEUE_USED, AMOUNT, 1},
    {C_QUEUE_QUOTA, AMOUNT_OR_UNLIMITED, 1},
    {C_QUEUE_LIMIT, AMOUNT_OR_UNLIMITED, 1},
    {C_QUEUE_WEIGHT, AMOUNT, 1},
    {C_QUEUE_LEND, AMOUNT_OR_UNLIMITED, 1},
    {C_QUEUE_QUOTA_NOW, AMOUNT_OR_UNLIMITED, 1},
    {C_QUEUE_WEIGHT_NOW, AMOUNT, 1},
    {C_QUEUE_LIMIT_NOW, AMOUNT_OR_UNLIMITED, 1},
    {C_QAMOUNT_LIMIT_NOW, AMOUNT_OR_UNLIMITED, 0},
    {C_QUEUE_RECLAIM_MIN, AMOUNT, 0},
    {C_QUEUE_PREEMPT_MIN, AMOUNT, 0},
    {C_QUEUE_PREEMPT_DELAY, AMOUNT, 0},
    {C_QAMOUNT_USED, AMOUNT, 0},
    {C_QAMOUNT_QUOTA, AMOUNT_OR_UNLIMITED, 0},
    {C_QAMOUNT_LIMIT, AMOUNT_OR_UNLIMITED, 0},
    {C_MIX_COUNT, AMOUNT, 0},
    {C_COST_STALE_SINCE, TIME_OR_NEVER, 0},
    {C_COST_RESTART, AMOUNT, 0},
    {C_COST_CHECKPOINT, AMOUNT, 0},
    {C_COST_DELAY, AMOUNT, 0},
    {C_COST_GRACE, SIGNED, 0},
    {C_COST_WINDOW, AMOUNT, 0},
    {C_COST_BACKOFF, AMOUNT, 0},
    {C_COST_WINDOW_START, AMOUNT, 0},
    {C_COST_EVICTED_AT, AMOUNT, 0},
    {C_COST_SHRUNK_AT, AMOUNT, 0},
    {C_COST_FAILED_AT, AMOUNT, 0},
    {C_DECISION_COST, AMOUNT, 0},
    {C_BUNDLE_UNTIL, TIME_OR_NEVER, 0},
    {C_NODE_PRICE, NATURAL, 0},
    {C_NODE_POWER, NATURAL, 0},
    {C_JOB_DURATION, AMOUNT, 0},
    {C_JOB_DEADLINE, AMOUNT, 0},
    {C_WATCH_LIMIT, AMOUNT, 0},
    {C_WATCH_LIMIT_NOW, AMOUNT, 0},
    {C_COST_HELD_US, AMOUNT, 0},
    {C_COST_SPARED_TO, SIGNED, 0},
    {C_COST_REFUSED_AT, AMOUNT, 0},
    {C_COST_REJECT_AT, SIGNED, 0},
    {C_COST_REJECT_UNTIL, SIGNED, 0},
    {C_REFUSAL_AT, SIGNED, 0},
    {C_REFUSAL_UNTIL, SIGNED, 0},
    {C_LEAF_SINCE, TIME_OR_NEVER, 0},
    {C_USAGE_BUSY_AT, AMOUNT, 0},
    {C_TASK_START, TIME_OR_NEVER, 0},
    {C_TASK_SINCE, TIME_OR_NEVER, 0},
    {C_TASK_RELEASE_AT, SIGNED, 0},
    {C_DECISION_AT, SIGNED, 0},
    {C_DECISION_PROPOSED, SIGNED, 0},
    {C_JOB_SUBMIT, SIGNED, 0},
    {C_QUEUE_CREATED, SIGNED, 0},
    {C_USAGE_AT, AMOUNT, 0},
    {C_COLLISION_AT, AMOUNT, 0},
    {C_BUNDLE_PLAN_AT, TIME_OR_NEVER, 0},
    {C_USAGE_AMOUNT, AMOUNT, 0},
    {C_TIMER_AT, AMOUNT, 0},
};

static int in_range(int64_t v, uint32_t range) {
    switch (range) {
    case AMOUNT: return v >= 0 && v <= LSCHED_AMOUNT_MAX;
    case AMOUNT_OR_UNLIMITED: return v >= 0 && (v <= LSCHED_AMOUNT_MAX || v == LSCHED_UNLIMITED);
    case NATURAL: return v >= 0;
    case SIGNED: return v >= -LSCHED_AMOUNT_MAX && v <= LSCHED_AMOUNT_MAX;
    default: return (v >= -LSCHED_AMOUNT_MAX && v <= LSCHED_AMOUNT_MAX) || v == LSCHED_NEVER_US;
    }
}

static int32_t check_range(struct check *c, uint32_t column, uint32_t range) {
    const struct columns *k = c->k;
    uint32_t table = column_defs[column].table;
    for (uint32_t row = 0; row < table_rows(k, table); row++) {
        if (!table_is_raw[table] && !row_is_live(k, table, row)) continue;
        int64_t v = k->c[column].i64[row];
        /* resource kind 0 means "any kind": its amounts must be 0 */
        if (in_range(v, range) && (column_defs[column].kind != 0 || v == 0)) continue;
        return check_fail(c, "%s of %s is %lld, out of range", column_defs[column].name,
                          NAME(table, row), (long long)v);
    }
    return LSCHED_OK;
}

/* Checks that cpu, memory and gpu have the kind numbers that the public header gives them. */
static int32_t check_kind_names(struct check *c) {
    static const char *const names[] = {NULL, "cpu", "memory", "gpu"};
    const struct columns *k = c->k;
    if (verify_kinds(k) <= LSCHED_GPU)
        return check_fail(c, "there are %u resource kinds: cpu, memory or gpu is missing",
                          verify_kinds(k));
    for (uint32_t r = LSCHED_CPU; r <= LSCHED_GPU; r++) {
        uint32_t text = k->c[C_KIND_NAME].u32[r];
        size_t n = strlen(names[r]);
        if ((uint32_t)k->c[C_TEXT_WORD].u64[text] != n ||
            memcmp(&k->c[C_TEXT_WORD].u64[text + 1], names[r], n) != 0)
            return check_fail(c, "%s has the number of %s", NAME(T_KIND, r), names[r]);
    }
    return LSCHED_OK;
}

/* Checks that serial numbers and times are small enough to count on without overflow. */
static int32_t check_counters(struct check *c) {
#define WORD(name) \
    { M_##name, #name }
    static const struct {
        uint16_t word;
        const char *name;
    } words[] = {WORD(NOW),       WORD(SCHEDULED), WORD(SERIAL),    WORD(GROUP_SERIAL),
                 WORD(STRUCTURE), WORD(NODE_SET),  WORD(REFRESHED), WORD(CYCLE)};
#undef WORD
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        int64_t v = (int64_t)meta(c->k, words[i].word);
        if (v < 0 || v > LSCHED_AMOUNT_MAX + 1)
            return check_fail(c, "the cluster's counter %s is %lld", words[i].name, (long long)v);
    }
    if (meta(c->k, M_SCHEDULED) > meta(c->k, M_NOW))
        return check_fail(c, "the latest cycle was at %lld, now is %lld",
                          (long long)meta(c->k, M_SCHEDULED), (long long)meta(c->k, M_NOW));
    return LSCHED_OK;
}

/* Checks that every amount and time is in the range that public calls accept. */
static int32_t verify_ranges(struct check *c) {
    int32_t rc = check_kind_names(c);
    if (rc == LSCHED_OK) rc = check_counters(c);
    for (size_t i = 0; i < sizeof ranged / sizeof ranged[0] && rc == LSCHED_OK; i++)
        for (uint32_t r = 0; r < (ranged[i].family ? verify_kinds(c->k) : 1) && rc == LSCHED_OK;
             r++)
            rc = check_range(c, ranged[i].column + r, ranged[i].range);
    return rc;
}
