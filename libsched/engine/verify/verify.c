/*
 * verify.c -- see verify.h. Calls the checks of the other files in order. The file itself checks
 * that every amount and time is in its range.
 */
#include "engine/verify/verify.h"

#include "engine/verify_arrays/verify_arrays.h"
#include "engine/verify/verify_budgets.h"
#include "engine/verify/verify_claims.h"
#include "engine/verify/verify_jobs.h"
#include "engine/verify/verify_machines.h"
#include "engine/verify/verify_mig.h"
#include "engine/verify/verify_node_rules.h"
#include "engine/verify/verify_nodes.h"
#include "engine/verify/verify_queues.h"
#include "engine/verify/verify_read.h"
#include "engine/verify/verify_resizes.h"
#include "engine/verify/verify_resource_part.h"
#include "engine/verify/verify_supplies.h"
#include "engine/verify/verify_gates.h"
#include "engine/verify/verify_tasks.h"
#include "engine/verify_reserved/verify_reserved.h"
#include "model/check/check.h"

static int32_t verify_ranges(struct check *c);

int32_t verify_state(const struct columns *k, lsched_error *err) {
    struct check c = {k, err, LSCHED_E_VERIFY};
    int32_t rc = columns_check(&c);
    return rc == LSCHED_OK ? verify_values(k, err) : rc;
}

int32_t verify_values(const struct columns *k, lsched_error *err) {
    static int32_t (*const parts[])(struct check *) = {
        verify_ranges,  verify_nodes,         verify_mig,        verify_machines,
        verify_claims,  verify_arrays,        verify_tasks,      verify_jobs,
        verify_queues,  verify_resource_part, verify_node_rules, verify_budgets,
        verify_resizes, verify_supplies,      verify_gates,      verify_reserved};
    struct check c = {k, err, LSCHED_E_VERIFY};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        int32_t rc = parts[i](&c);
        if (rc != LSCHED_OK) return rc;
    }
    return LSCHED_OK;
}

/* ---- ranges ---- */

enum range { AMOUNT, AMOUNT_OR_UNLIMITED, SIGNED, TIME_OR_NEVER, NATURAL, RANGES };

/* For each range, the columns whose values must be in the range. If a field has one column for each
 * resource kind, only its first column is listed here. */
enum { RANGED_MAX = 48 };
static const uint16_t ranged[RANGES][RANGED_MAX] = {
    [AMOUNT] =
        {C_NODE_CAP,          C_QUEUE_USED,        C_QUEUE_WEIGHT,         C_QUEUE_WEIGHT_NOW,
         C_QUEUE_RECLAIM_MIN, C_QUEUE_PREEMPT_MIN, C_QUEUE_PREEMPT_DELAY,  C_QAMOUNT_USED,
         C_MIX_COUNT,         C_COST_RESTART,      C_COST_CHECKPOINT,      C_COST_DELAY,
         C_COST_WINDOW,       C_COST_BACKOFF,      C_COST_RELEASE,         C_COST_WINDOW_START,
         C_COST_EVICTED_AT,   C_COST_SHRUNK_AT,    C_COST_FAILED_AT,       C_DECISION_COST,
         C_RESIZE_NEED,       C_RESIZE_HAVE,       C_DECISION_UNTIL,       C_JOB_DURATION,
         C_JOB_DEADLINE,      C_WATCH_LIMIT,       C_WATCH_LIMIT_NOW,      C_COST_HELD_US,
         C_COST_REFUSED_AT,   C_USAGE_BUSY_AT,     C_COST_CHECKPOINT_WAIT, C_COST_SOFT_LIMIT,
         C_USAGE_AT,          C_COLLISION_AT,      C_USAGE_AMOUNT,         C_TIMER_AT,
         C_PLACE_FOREIGN,     C_PLACE_USED,        C_GATE_BEGIN,           C_GATE_EXPIRES,
         C_GATE_READY,        C_GATE_STARTED,      C_JOB_STARTED,          C_GATE_ENDED,
         C_AFTER_DELAY},
    [AMOUNT_OR_UNLIMITED] = {C_QUEUE_QUOTA, C_QUEUE_LIMIT, C_QUEUE_LEND, C_QUEUE_QUOTA_NOW,
                             C_QUEUE_LIMIT_NOW, C_QAMOUNT_LIMIT_NOW, C_QAMOUNT_QUOTA,
                             C_QAMOUNT_LIMIT, C_PLACE_AMOUNT},
    [SIGNED] = {C_NODE_FREE, C_NODE_COMING, C_PLACE_COMING, C_COST_GRACE, C_COST_SPARED_TO,
                C_COST_REJECT_AT, C_COST_REJECT_UNTIL, C_REFUSAL_AT, C_REFUSAL_UNTIL,
                C_TASK_RELEASE_AT, C_DECISION_AT, C_DECISION_PROPOSED, C_JOB_SUBMIT,
                C_QUEUE_CREATED},
    [TIME_OR_NEVER] = {C_COST_STALE_SINCE, C_BUNDLE_UNTIL, C_LEAF_SINCE, C_TASK_START, C_TASK_SINCE,
                       C_BUNDLE_PLAN_AT, C_WATCH_HOST_UNTIL, C_COST_WINDOW_TAKEN, C_GATE_DUE},
    [NATURAL] = {C_NODE_PRICE, C_NODE_POWER, C_NODE_LEAVES, C_NODE_BACK, C_NODE_LEAVES_EVERY},
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
        /* resource kind 0 means "any kind"; its amounts must be 0 */
        if (in_range(v, range) && (column_defs[column].kind != 0 || v == 0)) continue;
        return check_fail(c, "%s of %s is %lld, out of range",
                          column_def_name(&column_defs[column]), NAME(table, row), (long long)v);
    }
    return LSCHED_OK;
}

/* Checks that the resource kinds cpu, memory and gpu have the numbers that the public header
 * defines. */
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

/* Checks that serial numbers and times are far enough from overflow that the library can add to
 * them. */
static int32_t check_counters(struct check *c) {
#define WORD(name) \
    { M_##name, #name }
    static const struct {
        uint16_t word;
        const char *name;
    } words[] = {WORD(NOW),      WORD(SCHEDULED), WORD(SERIAL), WORD(GROUP_SERIAL), WORD(STRUCTURE),
                 WORD(NODE_SET), WORD(REFRESHED), WORD(CYCLE),  WORD(CYCLED)};
#undef WORD
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        int64_t v = (int64_t)meta(c->k, words[i].word);
        if (v < 0 || v > LSCHED_AMOUNT_MAX + 1)
            return check_fail(c, "the cluster's counter %s is %lld", words[i].name, (long long)v);
    }
    if (meta(c->k, M_SCHEDULED) > meta(c->k, M_NOW))
        return check_fail(c, "the latest cycle ran at %lld, which is after now (%lld)",
                          (long long)meta(c->k, M_SCHEDULED), (long long)meta(c->k, M_NOW));
    return LSCHED_OK;
}

/* Checks that every stored amount and time is in the range that the public calls accept. */
static int32_t verify_ranges(struct check *c) {
    int32_t rc = check_kind_names(c);
    if (rc == LSCHED_OK) rc = check_counters(c);
    for (uint32_t range = 0; range < RANGES; range++)
        for (uint32_t i = 0; i < RANGED_MAX && ranged[range][i] && rc == LSCHED_OK; i++) {
            uint32_t column = ranged[range][i], is_family = column_defs[column].kind >= 0;
            for (uint32_t r = 0; r < (is_family ? verify_kinds(c->k) : 1) && rc == LSCHED_OK; r++)
                rc = check_range(c, column + r, range);
        }
    return rc;
}
