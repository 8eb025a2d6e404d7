/*
 * check_links.c -- checks columns that refer to rows or have few allowed values: each value must
 * be in range, and each row must be live.
 *
 * After this check, code can use each column of the table below as an index without leaving an
 * array. Links of heaps and of lists are not in that table, because they have a meaning only
 * while a row is in the heap or list. check_lists.c and check_heaps.c check these links.
 */
#include "model/check/check_links.h"

#include "model/dependencies/gate.h"
#include "model/pressure/memory_pressure.h"
#include "model/resizes/resize_list.h"
#include "model/store/generation.h"
#include "model/told/firm_start.h"

struct link {
    uint16_t column;
    uint8_t table; /* table to which the column refers */
    uint8_t none;  /* 1: NO_ROW is allowed */
};

static const struct link links[] = {
    {C_TOPOLOGY_FIRST, T_DOMAIN, 1},
    {C_DOMAIN_TOPOLOGY, T_TOPOLOGY, 0},
    {C_DOMAIN_PARENT, T_DOMAIN, 1},
    {C_DOMAIN_CHILD, T_DOMAIN, 1},
    {C_DOMAIN_NEXT, T_DOMAIN, 1},
    {C_DOMAIN_PREV, T_DOMAIN, 1},
    {C_DOMAIN_NODE_FIRST, T_NODE, 1},
    {C_NODE_LABELS, T_LABELS, 0},
    {C_NODE_CLASS, T_CLASS, 0},
    {C_NODE_TASK_FIRST, T_TASK, 1},
    {C_NODE_DOMAIN0, T_DOMAIN, 1},
    {C_NODE_DOMAIN1, T_DOMAIN, 1},
    {C_NODE_DOMAIN2, T_DOMAIN, 1},
    {C_NODE_DOMAIN3, T_DOMAIN, 1},
    {C_NODE_DNEXT0, T_NODE, 1},
    {C_NODE_DNEXT1, T_NODE, 1},
    {C_NODE_DNEXT2, T_NODE, 1},
    {C_NODE_DNEXT3, T_NODE, 1},
    {C_NODE_DPREV0, T_NODE, 1},
    {C_NODE_DPREV1, T_NODE, 1},
    {C_NODE_DPREV2, T_NODE, 1},
    {C_NODE_DPREV3, T_NODE, 1},
    {C_SHAPE_PARKED, T_BUNDLE, 1},
    {C_MIX_SHAPE, T_SHAPE, 0},
    {C_QUEUE_PARENT, T_QUEUE, 1},
    {C_QUEUE_CHILD, T_QUEUE, 1},
    {C_QUEUE_NEXT, T_QUEUE, 1},
    {C_QUEUE_PREV, T_QUEUE, 1},
    {C_QUEUE_HEAP, T_BUNDLE, 1},
    {C_QUEUE_PARKED, T_BUNDLE, 1},
    {C_QUEUE_AMOUNTS, T_QAMOUNT, 1},
    {C_DERIVED_MODEL, T_STRING, 1},
    {C_DERIVED_PROFILE, T_STRING, 1},
    {C_DERIVED_POOL, T_POOL, 1},
    {C_CLASS_MACHINE, T_MACHINE, 1},
    {C_CLASS_TAINTS, T_TAINTS, 1},
    {C_POOL_LABELS, T_LABELS, 0},
    {C_SHAPE_PROFILE, T_STRING, 1},
    {C_SHAPE_SELECTOR, T_SELECTOR, 1},
    {C_JOB_LABELS, T_LABELS, 1},
    {C_QAMOUNT_QUEUE, T_QUEUE, 0},
    {C_QAMOUNT_DERIVED, T_DERIVED, 0},
    {C_QAMOUNT_NEXT, T_QAMOUNT, 1},
    {C_JOB_QUEUE, T_QUEUE, 0},
    {C_JOB_SHAPE, T_JOBSHAPE, 0},
    {C_JOB_COST, T_COST, 1},
    {C_JOB_WATCH, T_WATCH, 1},
    {C_WATCH_JOB, T_JOB, 0},
    {C_JOB_REASON, T_STRING, 1},
    {C_JOB_BUNDLE, T_BUNDLE, 1},
    {C_JOB_LEAVES, T_LEAF, 1},
    {C_JOB_ARRAY, T_ARRAY, 1},
    {C_ARRAY_JOB, T_JOB, 0},
    {C_COST_JOB, T_JOB, 0},
    {C_LEAF_JOB, T_JOB, 0},
    {C_LEAF_NEXT, T_LEAF, 1},
    {C_LEAF_TASK_FIRST, T_TASK, 1},
    {C_LEAF_AGAIN_FIRST, T_TASK, 1},
    {C_LEAF_LEAVING_FIRST, T_TASK, 1},
    {C_TASK_JOB, T_JOB, 0},
    {C_TASK_LEAF, T_LEAF, 0},
    {C_TASK_NODE, T_NODE, 1},
    {C_TASK_DECISION, T_DECISION, 1},
    {C_TASK_NEXT, T_TASK, 1},
    {C_TASK_PREV, T_TASK, 1},
    {C_TASK_USAGE, T_USAGE, 1},
    {C_DECISION_TASK, T_TASK, 0},
    {C_DECISION_NEXT, T_DECISION, 1},
    {C_DECISION_PREV, T_DECISION, 1},
    {C_BUNDLE_QUEUE, T_QUEUE, 0},
    {C_BUNDLE_SHAPE, T_JOBSHAPE, 0},
    {C_BUNDLE_JOB, T_JOB, 1},
    {C_BUNDLE_HEAP, T_JOB, 0},
    {C_BUNDLE_HEAP_L, T_BUNDLE, 1},
    {C_BUNDLE_HEAP_R, T_BUNDLE, 1},
    {C_BUNDLE_HEAP_P, T_BUNDLE, 1},
    {C_BUNDLE_LIMITING, T_QUEUE, 1},
    {C_USAGE_TASK, T_TASK, 0},
    {C_USAGE_NEXT, T_USAGE, 1},
    {C_COLLISION_NODE, T_NODE, 0},
    {C_NODE_REFUSAL, T_REFUSAL, 1},
    {C_QUEUE_REFUSAL, T_REFUSAL, 1},
    {C_REFUSAL_QUEUE, T_QUEUE, 0},
    {C_REFUSAL_SHAPE, T_SHAPE, 0},
    {C_REFUSAL_NODE, T_NODE, 1},
    {C_REFUSAL_REASON, T_STRING, 1},
    {C_REFUSAL_WORDS, T_STRING, 1},
    {C_WATCH_HOST_REASON, T_STRING, 1},
    {C_REFUSAL_NEXT, T_REFUSAL, 1},
    {C_REFUSAL_PREV, T_REFUSAL, 1},
    {C_NODE_RESIZES, T_RESIZE, 1},
    {C_RESIZE_TASK, T_TASK, 0},
    {C_RESIZE_SHAPE, T_SHAPE, 0},
    {C_RESIZE_REAL, T_SHAPE, 0},
    {C_RESIZE_WANT, T_SHAPE, 0},
    {C_RESIZE_LIMITING, T_QUEUE, 1},
    {C_SIZED_LEAF, T_LEAF, 0},
    {C_NODE_RESERVATION, T_RESERVATION, 1},
    {C_RESERVATION_QUEUE, T_QUEUE, 0},
    {C_SUPPLY_ROOT, T_PLACE, 0},
    {C_PLACE_SUPPLY, T_SUPPLY, 0},
    {C_PLACE_TOPOLOGY, T_TOPOLOGY, 1},
    {C_PLACE_DOMAIN, T_DOMAIN, 1},
    {C_ALLOWANCE_QUEUE, T_QUEUE, 0},
    {C_ALLOWANCE_FIRST, T_METER, 1},
    {C_METER_TASK, T_TASK, 0},
    {C_METER_QUEUE, T_QUEUE, 0},
    {C_METER_AFTER, T_METER, 1},
    {C_METER_BEFORE, T_METER, 1},
    {C_WARN_TASK, T_TASK, 0},
    {C_GATE_JOB, T_JOB, 1},
    {C_GATE_FIRST, T_AFTER, 1},
    {C_GATE_FOLLOWER, T_AFTER, 1},
    {C_AFTER_JOB, T_JOB, 0},
    {C_AFTER_NAME, T_STRING, 0},
    {C_AFTER_OF, T_GATE, 0},
    {C_AFTER_ON, T_GATE, 0},
    {C_AFTER_NEXT, T_AFTER, 1},
    {C_AFTER_FOLLOWS, T_AFTER, 1},
    {C_AFTER_LEADS, T_AFTER, 1},
};

static const struct {
    uint16_t word;
    uint8_t table;
} heads[] = {
    {M_OPEN_HEAD, T_DECISION},  {M_OPEN_TAIL, T_DECISION},    {M_GREW_HEAD, T_NODE},
    {M_WAIT_HEAD, T_JOB},       {M_WAIT_TAIL, T_JOB},         {M_REFUSED_HEAD, T_JOB},
    {M_REFUSED_TAIL, T_JOB},    {M_PARKED_SHAPES, T_SHAPE},   {M_NEVER_HEAD, T_BUNDLE},
    {M_POLICY_HEAD, T_BUNDLE},  {M_ANY_HEAD, T_BUNDLE},       {M_UNTIL_HEAD, T_BUNDLE},
    {M_DUE_HEAD, T_WATCH},      {M_RULES_HEAD, T_BUNDLE},     {M_PLAN_HEAD, T_BUNDLE},
    {M_PUT_OFF_HEAD, T_BUNDLE}, {M_REFUSAL_HEAD, T_REFUSAL},  {M_GAVE_HEAD, T_QUEUE},
    {M_LIFE_HEAD, T_DECISION},  {M_HOST_HEAD, T_WATCH},       {M_CHECKPOINT_HEAD, T_DECISION},
    {M_RESIZE_AWAKE, T_RESIZE}, {M_RESIZE_LIMITED, T_RESIZE}, {M_SUPPLY_HEAD, T_BUNDLE},
    {M_GATE_HEAD, T_GATE},      {M_GATE_NEWS, T_GATE},        {M_GATE_LAST, T_GATE},
    {M_METER_HEAD, T_METER},    {M_WARN_HEAD, T_WARN},        {M_WARN_NEWS, T_WATCH},
};

/* Columns with few allowed values: from `least` to `most`, both included. */
static const struct {
    uint16_t column;
    uint8_t least, most;
} choices[] = {
    {C_NODE_STATE, 0, LSCHED_NODE_DRAINING},
    {C_NODE_EXCESS, 0, 1},
    {C_NODE_GREW, 0, 1},
    {C_NODE_N_DEVICES, 0, LSCHED_DEVICES_PER_NODE_MAX},
    {C_NODE_TAINTED, 0, LSCHED_DEVICES_PER_NODE_MAX},
    {C_DEVICE_CLOSED, 0, DEVICE_FAILED | DEVICE_FOREIGN},
    {C_JOBSHAPE_PINNED, 0, 127},
    {C_LEAF_ALTERNATIVE, 0, LSCHED_ALTERNATIVES_MAX - 1},
    {C_QUEUE_GAVE, 0, 1},
    {C_JOB_FLAGS, 0, 255}, /* verify_jobs.c checks the bits against the shape */
    {C_JOB_PHASE, 0, 5},
    {C_TASK_STATE, 0, LSCHED_TASK_NOMINATED},
    {C_TASK_EXCESS, 0, 1},
    {C_TASK_IMPORTED, 0, 1},
    {C_TASK_STRAY, 0, 1},
    {C_TASK_STUCK, 0, 1},
    {C_TASK_OUT, MEMORY_STATE_NORMAL, MEMORY_STATE_RETURNING | MEMORY_STATE_SWAPPED},
    {C_COLLISION_FRESH, 0, 1},
    {C_DECISION_KIND, LSCHED_DECIDE_PLACE, LSCHED_DECIDE_WARN},
    {C_DECISION_SEATED, 0, 1},
    {C_DECISION_COUNTS, 0, 6},
    {C_DECISION_FOLLOWS, LSCHED_CHECKPOINT_NONE, LSCHED_CHECKPOINT_WRITTEN},
    {C_DECISION_REASON, LSCHED_FOR_NONE, LSCHED_FOR_SPEED},
    {C_DECISION_STATE, LSCHED_DECISION_PROPOSED, LSCHED_DECISION_CONFIRMED},
    {C_BUNDLE_KIND, 0, 4},
    {C_BUNDLE_STATE, 1, 2},
    {C_BUNDLE_LIST, 0, 10},
    {C_BUNDLE_CODE, 0, LSCHED_WAIT_GAIN},
    {C_BUNDLE_EVICT_CODE, 0, LSCHED_NO_VICTIM_REFUSED},
    {C_BUNDLE_OWED, 0, 1},
    {C_BUNDLE_SHARES, 0, 1},
    {C_BUNDLE_FIRM, 0, FIRM_START_SET},
    {C_WATCH_HELD, 0, LSCHED_HELD_IDLE},
    {C_WATCH_CLOSED, 0, 1},
    {C_WATCH_NEWS, 0, 1},
    {C_GATE_ON_NEVER, 0, LSCHED_ON_NEVER_REMOVE},
    {C_GATE_OUTCOME, 0, GATE_FAILURE},
    {C_GATE_NEWS, 0, 1},
    {C_AFTER_KIND, 0, LSCHED_AFTER_START},
    {C_AFTER_STATE, 0, GATE_AFTER_NEVER},
    {C_REFUSAL_OF, 0, 1},
    {C_REFUSAL_STATE, 0, 2},
    {C_RESIZE_LIST, RESIZE_NOWHERE, RESIZE_AT_QUEUES},
    {C_RESIZE_CODE, 0, LSCHED_WAIT_LENDING},
    {C_METER_RUNS, 0, 1},
    {C_ALLOWANCE_FRESH, 0, 1},
    {C_ALLOWANCE_SPENT, LSCHED_SPENT_RUN_ON, LSCHED_SPENT_FIRST_VICTIM},
};

static int32_t check_link(struct check *c, const struct link *l) {
    const struct columns *k = c->k;
    uint32_t table = column_defs[l->column].table, rows = table_rows(k, table);
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t to = k->c[l->column].u32[row];
        if (!row_is_live(k, table, row) || row_is_live(k, l->table, to) ||
            (l->none && to == NO_ROW))
            continue;
        return check_fail(c, "%s of %s is row %u, but that is not a live row of %s",
                          column_def_name(&column_defs[l->column]), NAME(table, row), to,
                          table_names[l->table]);
    }
    return LSCHED_OK;
}

static int32_t check_choice(struct check *c, uint32_t column, uint32_t least, uint32_t most) {
    const struct columns *k = c->k;
    uint32_t table = column_defs[column].table;
    for (uint32_t row = 0; row < table_rows(k, table); row++) {
        uint32_t v = column_defs[column].stride == 1 ? k->c[column].u8[row] : k->c[column].u32[row];
        if (row_is_live(k, table, row) && (v < least || v > most))
            return check_fail(c, "%s of %s is %u, expected %u to %u",
                              column_def_name(&column_defs[column]), NAME(table, row), v, least,
                              most);
    }
    return LSCHED_OK;
}

static int32_t check_heads(struct check *c) {
    const struct columns *k = c->k;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        uint64_t to = meta(k, heads[i].word);
        if (to != NO_ROW && (to > NO_ROW || !row_is_live(k, heads[i].table, (uint32_t)to)))
            return check_fail(c, "a list begins at row %llu, but that is not a live row of %s",
                              (unsigned long long)to, table_names[heads[i].table]);
    }
    return LSCHED_OK;
}

/* Checks the resource kind of each bundle's wait reason. It can be a resource part only if the
 * wait reason is a limit. A bundle that is active again keeps its last wait reason. */
static int32_t check_reasons(struct check *c, uint32_t kinds) {
    const struct columns *k = c->k;
    EACH_LIVE(k, T_BUNDLE, b) {
        uint32_t kind = k->c[C_BUNDLE_RES].u8[b], code = k->c[C_BUNDLE_CODE].u8[b];
        if (kind == 0 || kind < kinds) continue;
        if (kind >= KINDS_MAX && row_is_live(k, T_DERIVED, kind - KINDS_MAX) &&
            (code == LSCHED_WAIT_NONE ||
             (code == LSCHED_WAIT_LIMIT && k->c[C_BUNDLE_LIMITING].u32[b] != NO_ROW)))
            continue;
        return check_fail(
            c, "%s waits for resource kind %u with wait reason %u, which do not go together",
            NAME(T_BUNDLE, b), kind, code);
    }
    return LSCHED_OK;
}

/* Checks that each device has at most one row of COLLISION and that the device exists. */
static int32_t check_collisions(struct check *c) {
    const struct columns *k = c->k;
    EACH_LIVE(k, T_COLLISION, r) {
        uint32_t node = k->c[C_COLLISION_NODE].u32[r], device = k->c[C_COLLISION_DEVICE].u32[r];
        if (device >= k->c[C_NODE_N_DEVICES].u8[node] || memory_pressure_find(k, node, device) != r)
            return check_fail(
                c,
                "%s: its usage names a device that the node does not have, or names a device "
                "twice",
                NAME(T_COLLISION, r));
        if (k->c[C_COLLISION_NEED].i64[r] < 0 ||
            k->c[C_COLLISION_NEED].i64[r] > LSCHED_AMOUNT_MAX ||
            k->c[C_COLLISION_CEILING].i64[r] < 0 ||
            k->c[C_COLLISION_CEILING].i64[r] > LSCHED_AMOUNT_MAX)
            return check_fail(c, "%s: one of its amounts is out of range", NAME(T_COLLISION, r));
    }
    return LSCHED_OK;
}

/* Checks that only what runs, or is to stop, has a run, which is the id of a decision. */
static int32_t check_runs(struct check *c) {
    const struct columns *k = c->k;
    EACH_LIVE(k, T_TASK, t) {
        uint64_t run = k->c[C_TASK_RUN].u64[t];
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        if (run && state != LSCHED_TASK_RUNNING && state != LSCHED_TASK_RELEASING)
            return check_fail(c, "%s has a run, but it does not run", NAME(T_TASK, t));
        if (run && run >> 60 != LSCHED_KIND_DECISION)
            return check_fail(c, "%s has a run that is not the id of a decision", NAME(T_TASK, t));
        if (run && generation_can_come(k, T_DECISION, (uint32_t)run, run >> 32 & 0x0FFFFFFF))
            return check_fail(c, "%s has a run that a later task can get", NAME(T_TASK, t));
    }
    return LSCHED_OK;
}

int32_t check_links(struct check *c) {
    int32_t rc = LSCHED_OK;
    for (size_t i = 0; i < sizeof links / sizeof links[0] && rc == LSCHED_OK; i++)
        rc = check_link(c, &links[i]);
    for (size_t i = 0; i < sizeof choices / sizeof choices[0] && rc == LSCHED_OK; i++)
        rc = check_choice(c, choices[i].column, choices[i].least, choices[i].most);
    uint32_t kinds = table_rows(c->k, T_KIND);
    static const uint16_t kind_columns[] = {C_DERIVED_BASE, C_USAGE_KIND};
    for (size_t i = 0; i < sizeof kind_columns / sizeof kind_columns[0] && rc == LSCHED_OK; i++)
        rc = check_choice(c, kind_columns[i], 0, kinds ? kinds - 1 : 0);
    if (rc == LSCHED_OK) rc = check_reasons(c, kinds);
    if (rc == LSCHED_OK) rc = check_collisions(c);
    if (rc == LSCHED_OK) rc = check_runs(c);
    return rc == LSCHED_OK ? check_heads(c) : rc;
}
