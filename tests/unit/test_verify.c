/* The verifier takes good states and plans and refuses bad ones: every word of a world with one
 * of everything is changed, one at a time; and mistakes that an allocator could make are made on
 * purpose, with sound sums around them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/state/cluster.h"
#include "engine/verify/verify.h"
#include "engine/verify_plan/verify_plan.h"
#include "model/devices/resource_part.h"
#include "model/nodes/node.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/job_phase.h"
#include "model/jobs/task_row.h"
#include "model/jobs/task.h"
#include "model/jobs/bundle.h"
#include "support/model_world.h"

static struct model_world world;

static void expect_sound(void) {
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = verify_state(&world.k, &err);
    if (rc != LSCHED_OK) print_message("%s\n", err.message);
    assert_int_equal(rc, LSCHED_OK);
}

static void expect_refused(const char *part) {
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(verify_state(&world.k, &err), LSCHED_E_VERIFY);
    assert_int_equal(err.code, LSCHED_E_VERIFY);
    if (!strstr(err.message, part)) print_message("expected \"%s\" in \"%s\"\n", part, err.message);
    assert_non_null(strstr(err.message, part));
}

static int open_world(void **unused) {
    (void)unused;
    return world_open(&world, NULL) != LSCHED_OK || world_fill(&world, 0) != LSCHED_OK;
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static void a_world_with_everything_is_sound(void **unused) {
    (void)unused;
    expect_sound();
    close_world(NULL);
    assert_int_equal(world_open(&world, NULL), LSCHED_OK);
    expect_sound(); /* an empty one, too */
    assert_int_equal(world_fill(&world, 1), LSCHED_OK);
    expect_sound();
}

/* ---- single words ---- */

/* Columns whose value nothing else says again: what the host set, what a policy answered, what
 * happened. */
static const uint16_t free_columns[] = {
    C_TOPOLOGY_TAG, C_NODE_TAG, C_POOL_TAG, C_NODE_PRICE, C_NODE_POWER, C_QUEUE_TAG,
    C_QUEUE_PRIORITY, C_QUEUE_CREATED, C_QUEUE_RECLAIM_MIN, C_QUEUE_PREEMPT_MIN, C_QAMOUNT_QUOTA,
    C_QAMOUNT_LIMIT, C_QAMOUNT_LIMIT_NOW, C_QUEUE_PRIORITY_NOW, C_MIX_COUNT, C_JOB_TAG,
    C_JOB_PRIORITY, C_JOB_SUBMIT, C_JOB_DURATION, C_JOB_DEADLINE, C_JOB_ORDER, C_COST_RESTART,
    C_COST_RELEASE, C_COST_CHECKPOINT, C_COST_CHECKPOINT_WAIT, C_TASK_START, C_TASK_SINCE,
    C_BUNDLE_RES, C_BUNDLE_NEED, C_BUNDLE_HAVE, C_BUNDLE_ABLE, C_BUNDLE_LIMITING, C_BUNDLE_GROUP,
    C_BUNDLE_CODE, C_TIMER_AT, C_TIMER_KIND, C_TIMER_REF, C_USAGE_KIND, C_USAGE_AMOUNT, C_USAGE_AT,
    C_USAGE_BUSY_AT, C_WATCH_LIMIT, C_WATCH_MIN, C_LEAF_SINCE, /* the first may have ended */
    C_QUEUE_PREEMPT_DELAY, C_QUEUE_JOBS_MAX, C_QUEUE_SUBMITTED_MAX, C_QUEUE_USER_JOBS_MAX,
    C_QUEUE_GROUP_JOBS_MAX, C_QUEUE_USER_SUBMITTED_MAX, C_QUEUE_GROUP_SUBMITTED_MAX, C_COST_DELAY,
    C_COST_GRACE, C_COST_WINDOW, C_COST_BACKOFF, C_COST_DISRUPTIONS_MAX, C_COST_RETRIES_MAX,
    C_COST_DISRUPTIONS, C_COST_RETRIES, C_COST_WINDOW_START, C_COST_WINDOW_TAKEN, C_COST_EVICTED_AT,
    C_COST_SHRUNK_AT, C_COST_FAILED_AT, C_COST_AVOID, C_COST_REFUSED_AT, C_COST_STOPPED_FOR,
    C_COST_STOPPED_NEWS, C_COST_REJECTS, C_COST_DEVICE_LOSSES, C_DEVICE_FAILURES, C_PLACE_FOREIGN,
    C_COST_REJECT_WAVE, C_COST_REJECT_NODE, C_COST_REJECT_AT, C_COST_REJECT_UNTIL, C_REFUSAL_COUNT,
    C_REFUSAL_STREAK, C_REFUSAL_WAVE, C_REFUSAL_SINCE, C_REFUSAL_LAST, C_REFUSAL_PROBE,
    C_REFUSAL_AT, C_REFUSAL_UNTIL, C_QUEUE_NEWS, C_DECISION_COST, C_DECISION_SEATED,
    C_DECISION_FOR_JOB, C_DECISION_REASON, C_BUNDLE_EVICT_CODE, C_BUNDLE_EVICT_KIND,
    C_BUNDLE_EVICT_QUEUE, C_BUNDLE_EVICT_NEED, C_BUNDLE_EVICT_HAVE, C_BUNDLE_OWED, C_BUNDLE_UNTIL,
    C_BUNDLE_PLAN_AT, C_BUNDLE_PLAN_NODE, C_BUNDLE_PLAN_JOB, C_BUNDLE_PLAN_FITS, C_BUNDLE_LOOKED,
    C_BUNDLE_BEHIND, C_BUNDLE_RIGHT, C_COLLISION_FRESH, C_COLLISION_JOB, C_COLLISION_INDEX,
    C_COLLISION_NEED, C_COLLISION_AT, C_COLLISION_CEILING, C_RESIZE_SINCE, C_RESIZE_CODE,
    C_RESIZE_RES, C_RESIZE_LIMITING, C_RESIZE_NEED, C_RESIZE_HAVE, C_SUPPLY_TAG, C_PLACE_AMOUNT,
    /* what the evaluator said: a load asks it again */
    C_ANSWER_WORD, C_TASK_RUN, C_BUNDLE_SHARES, C_COST_SOFT_LIMIT, C_RESERVATION_TAG};
/* Families: what was configured or is in force. */
static const uint16_t free_families[] = {C_QUEUE_QUOTA,      C_QUEUE_LIMIT,       C_QUEUE_WEIGHT,
                                         C_QUEUE_QUOTA_NOW,  C_QUEUE_WEIGHT_NOW,  C_QUEUE_LIMIT_NOW,
                                         C_QUEUE_USER_LIMIT, C_QUEUE_GROUP_LIMIT, C_QUEUE_RIGHT};
static const uint16_t free_words[] = {
    M_RESIZE_SERIAL, M_NOW,          M_SCHEDULED,   M_SERIAL,       M_GROUP_SERIAL,
    M_STRUCTURE,     M_NODE_SET,     M_NEVER_SEEN,  M_REFRESHED,    M_REFRESH_STRUCTURE,
    M_ORDER_POLICY,  M_CYCLE,        M_HALF_LIFE,   M_WINDOW,       M_FUTURE_NEXT,
    M_CLAIM_LOST,    M_UNKEYED,      M_UNTIL,       M_EVICTED_HOUR, M_EVICTED_SINCE,
    M_WAKE_ASKED,    M_EVICT_SERIAL, M_EVICT_NEXT,  M_EVICT_SEEN,   M_OWED,
    M_DUE_TRIED,     M_LIMIT_LATE,   M_RULES_NEWS,  M_PLAN_NEXT,    M_PASS_AT,
    M_PASS_FROM,     M_PASS_OF,      M_PASS_NOW,    M_PASS_STATE,   M_PASS_ANEW,
    M_PASS_NEXT,     M_PASS_EVERY,   M_PASS_GROUP,  M_PASS_IDLE,    M_PASS_CREDIT,
    M_PASS_NEED,     M_PASS_CUTS,    M_PASS_NEWS,   M_PASS_VAIN,    M_PASS_STAGE,
    M_PASS_BEGUN,    M_PASS_ROUND,   M_PASS_HELD,   M_INCARNATION,  M_REFUSAL_NEWS,
    M_RANKED,        M_MOVES_VAIN,   M_MOVES_UNTIL, M_KINDS,        M_KINDS_LACK,
    M_SUPPLY_NEWS};
static int word_is_owed(uint32_t row) {
    return row - M_PASS_OWED < KINDS_MAX || row == M_ALLOWANCE_NEXT || row == M_CYCLED;
}

/* Gates: what is configured, and events for which no other job waits. A start that is firm.
 * How many elements of an array are over with success. */
static const uint16_t free_gates[] = {
    C_GATE_BEGIN,  C_GATE_EXPIRES, C_GATE_STARTED, C_GATE_ENDED,  C_GATE_OUTCOME,   C_GATE_ON_NEVER,
    C_AFTER_DELAY, C_AFTER_KIND,   C_JOB_STARTED,  C_BUNDLE_FIRM, C_ARRAY_SUCCEEDED};

/* Allowances: terms, what was used before, and how long a task is expected to run. */
static const uint16_t free_allowances[] = {C_ALLOWANCE_AMOUNT,
                                           C_ALLOWANCE_CARRY,
                                           C_ALLOWANCE_UNKNOWN,
                                           C_ALLOWANCE_BASE_LO,
                                           C_ALLOWANCE_BASE_HI,
                                           C_ALLOWANCE_CARRIED_LO,
                                           C_ALLOWANCE_CARRIED_HI,
                                           C_ALLOWANCE_FRESH,
                                           C_METER_SINCE,
                                           C_METER_LENGTH,
                                           C_METER_FROM,
                                           C_ALLOWANCE_SINCE,
                                           C_ALLOWANCE_SPENT_AT,
                                           C_ALLOWANCE_GRACE,
                                           C_ALLOWANCE_TOLD,
                                           C_WARN_LIMIT,
                                           C_WARN_ALLOWANCE,
                                           C_WARN_NODE,
                                           C_WARN_RETRY};

/* Also a lower bound, which test_verify_absences.c damages upwards. */
static int word_is_a_term(uint32_t row) {
    return row == M_WARN_LEAD || row == M_WARN_TERMS || row == M_ABSENCE_END;
}

/* What a task was told, and when it is looked at, is checked with the plan of a cycle. */
static int word_of_warnings_is_free(const struct columns *k, uint32_t column, uint32_t row) {
    if (column == C_WATCH_NEWS_NEXT || column == C_WATCH_NEWS_PREV)
        return !k->c[C_WATCH_NEWS].u8[row];
    return column == C_WARN_AT && k->c[C_WARN_AT].i64[row] != LSCHED_NEVER_US;
}

static int word_is_a_serial(uint32_t column) {
    return strstr(column_def_name(&column_defs[column]), ".GEN") ||
           strstr(column_def_name(&column_defs[column]), ".SERIAL");
}

/* An index has as many buckets as it once needed; with another number, all keys may be found, too. */
static int word_counts_buckets(uint32_t row) {
    uint32_t t = row / TABLE_WORDS;
    return t < TABLES && row % TABLE_WORDS == TW_ROWS && strncmp(table_names[t], "IX_", 3) == 0;
}

static int column_is_free(uint32_t column) {
    for (size_t i = 0; i < sizeof free_columns / sizeof free_columns[0]; i++)
        if (free_columns[i] == column) return 1;
    for (size_t i = 0; i < sizeof free_gates / sizeof free_gates[0]; i++)
        if (free_gates[i] == column) return 1;
    for (size_t i = 0; i < sizeof free_allowances / sizeof free_allowances[0]; i++)
        if (free_allowances[i] == column) return 1;
    if (column >= C_ALLOWANCE_PRICE && column - C_ALLOWANCE_PRICE < KINDS_MAX) return 1;
    for (size_t i = 0; i < sizeof free_families / sizeof free_families[0]; i++)
        if (column >= free_families[i] && column - free_families[i] < KINDS_MAX) return 1;
    return 0;
}

/* Words that mean nothing, or could as well be another, in the state that this row is in. */
static int word_is_free(const struct columns *k, uint32_t column, uint32_t row) {
    switch (column) {
    case C_META_WORD:
        for (size_t i = 0; i < sizeof free_words / sizeof free_words[0]; i++)
            if (free_words[i] == row) return 1;
        return word_is_owed(row) || word_counts_buckets(row) || word_is_a_term(row);
    case C_SHAPE_PARKED_NEXT:
    case C_SHAPE_PARKED_PREV: return k->c[C_SHAPE_PARKED].u32[row] == NO_ROW;
    case C_JOB_HEAP_L:
    case C_JOB_HEAP_R: return k->c[C_JOB_PHASE].u8[row] >= JOB_FULL;
    case C_JOB_HEAP_P:
    case C_JOB_HEAP_D: return k->c[C_JOB_PHASE].u8[row] != JOB_QUEUED;
    case C_BUNDLE_LIST_OF:
    case C_BUNDLE_NEXT:
    case C_BUNDLE_PREV: return k->c[C_BUNDLE_STATE].u8[row] == BUNDLE_ACTIVE;
    case C_TASK_NODE_NEXT:
    case C_TASK_NODE_PREV:
        return !task_holds(k->c[C_TASK_STATE].u8[row]) && !task_placed(k->c[C_TASK_STATE].u8[row]);
    case C_JOB_FLAGS: return k->c[C_JOB_PHASE].u8[row] == JOB_REFUSED; /* one bit says how */
    case C_TASK_EXCESS: return k->c[C_TASK_IMPORTED].u8[row]; /* beside another that is marked */
    case C_TASK_IMPORTED:
        return k->c[C_TASK_STATE].u8[row] == LSCHED_TASK_RUNNING ||
               k->c[C_TASK_STATE].u8[row] == LSCHED_TASK_RELEASING;
    case C_TASK_RELEASE_AT: /* of one that was told to stop before: any */
        return k->c[C_TASK_STATE].u8[row] == LSCHED_TASK_RELEASING &&
               k->c[C_TASK_DECISION].u32[row] == NO_ROW;
    case C_TASK_OUT: /* of the first report's device: any of them may be out */
        return k->c[C_TASK_NODE].u32[row] == k->c[C_COLLISION_NODE].u32[0] &&
               (k->c[C_TASK_MASK].u64[row] >> k->c[C_COLLISION_DEVICE].u32[0] & 1);
    case C_RESIZE_NEXT:
    case C_RESIZE_PREV: return k->c[C_RESIZE_LIST].u8[row] == 0;
    case C_NODE_GREW_NEXT: return !k->c[C_NODE_GREW].u8[row];
    case C_QUEUE_GAVE_NEXT:
    case C_QUEUE_GAVE_PREV: return !k->c[C_QUEUE_GAVE].u8[row];
    case C_COST_HELD_US: return job_held(k, k->c[C_COST_JOB].u32[row]);
    case C_COST_SPARED_TO: return job_since(k, k->c[C_COST_JOB].u32[row]) != 0;
    case C_WATCH_LIMIT_NOW: /* of what does not run, or is due at once, or spared */
        return k->c[C_WATCH_HEAP_D].u8[row] == 0 || k->c[C_WATCH_HELD].u8[row] ||
               k->c[C_WATCH_DUE].i64[row] == 2000000000;
    case C_WATCH_HELD: /* beside a host hold or a closed gate */
        return k->c[C_WATCH_HOST_UNTIL].i64[row] != 0 || k->c[C_WATCH_CLOSED].u8[row];
    case C_METER_END: /* after the end of the period: any that keeps the heap in order */
        return k->c[column].i64[row] >= INT64_C(1300000000) || k->c[C_METER_RATE].i64[row] == 0;
    case C_GATE_NEWS_NEXT:
    case C_GATE_NEWS_PREV: return !k->c[C_GATE_NEWS].u8[row];
    case C_WATCH_HOST_UNTIL: /* of a job that is not queued: any that keeps the heap in order */
        return k->c[column].i64[row] &&
               k->c[C_JOB_BUNDLE].u32[k->c[C_WATCH_JOB].u32[row]] == NO_ROW;
    case C_COST_STALE_SINCE: return k->c[column].i64[row] != LSCHED_NEVER_US; /* since when */
    case C_DECISION_PROPOSED:
    case C_DECISION_AT:
    case C_DECISION_GROUP: return 1; /* any that is in order; the order is tested below */
    case C_DECISION_FOLLOWS: return k->c[C_DECISION_KIND].u8[row] == LSCHED_DECIDE_EVICT;
    case C_DECISION_UNTIL: return k->c[column].i64[row] != 0; /* any that is still to come */
    default: return word_of_warnings_is_free(k, column, row) || word_is_a_serial(column);
    }
}

enum { WAYS = 5 };

/* The nth way to change a word; 0 when there is no more, or it would change nothing. */
static int change(uint8_t *word, size_t n, int way) {
    uint8_t old[8];
    memcpy(old, word, n);
    if (way == 0) word[0] ^= 1;
    if (way == 1) word[0] ^= 8;
    if (way == 2) word[n - 1] ^= 0x80;
    if (way == 3) memset(word, 0xFF, n);
    if (way == 4) memset(word, 0, n);
    return memcmp(old, word, n) != 0;
}

/* In how many ways a word is changed. Rows of a table are much alike: the first three that are live
 * and the last are changed in all, others in one. Each word of META is another. */
static int ways_of(const struct columns *k, uint32_t column, uint32_t row, uint32_t nth) {
    return column == C_META_WORD || nth < 3 || row + 1 == table_rows(k, column_defs[column].table)
               ? WAYS
               : 1;
}

/* Changes one word in so many ways that do change it; returns how many there were. */
static uint32_t change_word(struct columns *k, uint32_t column, uint32_t row, int ways,
                            uint32_t *missed) {
    size_t s = column_defs[column].stride;
    uint8_t *word = k->c[column].u8 + row * s, old[8];
    int tried = 0;
    memcpy(old, word, s);
    for (int i = 0; i < WAYS && tried < ways; i++) {
        int way = ways == WAYS ? i : (i + (int)(row % WAYS)) % WAYS; /* not the same for all */
        if (!change(word, s, way)) continue;
        tried++;
        if (verify_state(k, NULL) == LSCHED_OK) {
            print_message("%s of row %u, way %d: not found\n",
                          column_def_name(&column_defs[column]), row, way);
            ++*missed;
        }
        memcpy(word, old, s);
    }
    return (uint32_t)tried;
}

static void every_changed_word_is_found(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t missed = 0;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        uint32_t t = column_defs[c].table, tried = 0, nth = 0;
        if (!column_present(k, c) || column_is_free(c)) continue;
        for (uint32_t row = 0; row < table_rows(k, t); row++) {
            if ((!table_is_raw[t] && !row_is_live(k, t, row)) || word_is_free(k, c, row)) continue;
            tried += change_word(k, c, row, ways_of(k, c, row, nth++), &missed);
        }
        int serial = strstr(column_def_name(&column_defs[c]), ".GEN") ||
                     strstr(column_def_name(&column_defs[c]), ".SERIAL");
        int decision = c == C_DECISION_PROPOSED || c == C_DECISION_AT || c == C_DECISION_GROUP;
        if (tried == 0 && !serial && !decision) {
            print_message("%s: the world has no word of it to change\n",
                          column_def_name(&column_defs[c]));
            missed++;
        }
    }
    assert_int_equal(missed, 0);
    expect_sound();
}

static void words_of_free_rows_are_found(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        uint32_t t = column_defs[c].table, row = table_rows(k, t);
        size_t s = column_defs[c].stride;
        if (!column_present(k, c) || row == k->capacity[t]) continue;
        k->c[c].u8[row * s] = 1; /* the first row that was never given out */
        assert_int_equal(verify_state(k, NULL), LSCHED_E_VERIFY);
        k->c[c].u8[row * s] = 0;
        uint32_t dead = (uint32_t)meta(k, META_TABLE(t, TW_FREE_HEAD));
        if (dead == NO_ROW || strstr(column_def_name(&column_defs[c]), ".GEN") ||
            strstr(column_def_name(&column_defs[c]), ".LINK"))
            continue;
        k->c[c].u8[dead * s] = 1;
        assert_int_equal(verify_state(k, NULL), LSCHED_E_VERIFY);
        k->c[c].u8[dead * s] = 0;
    }
    expect_sound();
}

/* ---- a plan over time ---- */

static void expect_word_refused(uint32_t column, uint32_t row, uint64_t wrong, const char *part) {
    size_t n = column_defs[column].stride;
    uint8_t *word = world.k.c[column].u8 + row * n;
    uint64_t old = 0;
    memcpy(&old, word, n);
    memcpy(word, &wrong, n); /* little endian, as all columns are */
    expect_refused(part);
    memcpy(word, &old, n);
    expect_sound();
}

static void words_of_a_plan_are_found(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    struct job_form f = {.name = "planned",
                         .queue = world_queue_named(&world, "alone"),
                         .n_groups = 1,
                         .groups = {{.min = 1, .cpu = 77}}};
    uint32_t job;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    uint64_t node = id_make(k, LSCHED_KIND_NODE, world_node_named(&world, "n1")),
             after = id_make(k, LSCHED_KIND_JOB, world_job_named(&world, "runs"));
    struct park_reason why = {.code = LSCHED_WAIT_PLANNED, .limiting_queue = NO_ROW};
    assert_int_equal(undo_begin(k), LSCHED_OK);
    assert_int_equal(job_isolate(k, job), LSCHED_OK);
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    bundle_park_plan(k, b, 5000, node, after, &why);
    undo_end(k);
    expect_sound();
    expect_word_refused(C_BUNDLE_PLAN_AT, b, 4999,
                        "a planned start at 4999, but the earliest one is recorded as 5000");
    expect_word_refused(C_BUNDLE_PLAN_NODE, b, after,
                        "a planned start whose node is not the id of a node");
    expect_word_refused(C_BUNDLE_PLAN_JOB, b, node, "or whose job is not the id of a job");
    expect_word_refused(C_BUNDLE_CODE, b, LSCHED_WAIT_ROOM,
                        "has a planned start, but it waits with another reason than PLANNED");
    expect_word_refused(C_META_WORD, M_PLAN_NEXT, 5001,
                        "a planned start at 5000, but the earliest one is recorded as 5001");
    uint32_t other = k->c[C_JOB_BUNDLE].u32[world_job_named(&world, "parked-any")];
    /* the only planned bundle wakes, another one finds no start, and the first is parked again */
    struct park_reason room = {.code = LSCHED_WAIT_ROOM, .limiting_queue = NO_ROW};
    assert_int_equal(undo_begin(k), LSCHED_OK);
    bundle_wake(k, b);
    bundle_wake(k, other);
    bundle_park_no_start(k, other, &room);
    bundle_park(k, b, PARKED_PLAN, 0, &why);
    undo_end(k);
    expect_sound();
    assert_int_equal(bundles_planned(k), 5000);
    other = k->c[C_JOB_BUNDLE].u32[world_job_named(&world, "parked-never")];
    expect_word_refused(C_BUNDLE_CODE, other, LSCHED_WAIT_PLANNED,
                        "but it is not in the list of planned starts");
}

/* ---- mistakes of an allocator: the columns agree with each other, and yet it must not be ---- */

static uint32_t job_named(const char *name) {
    return world_job_named(&world, name);
}

/* Place as task_place does, asking nobody. */
static uint32_t place_anyway(uint32_t job, uint32_t group, uint32_t node, uint32_t mask) {
    struct columns *k = &world.k;
    uint32_t task, decision;
    uint64_t serial = meta(k, M_GROUP_SERIAL) + 1;
    struct place_spec p = {.job = job,
                           .group = group,
                           .node = node,
                           .hold = {.mask = mask},
                           .index = NO_ROW,
                           .state = LSCHED_TASK_PROPOSED,
                           .now = (int64_t)meta(k, M_NOW),
                           .decision_group = serial};
    assert_int_equal(undo_begin(k), LSCHED_OK);
    set_meta(k, M_GROUP_SERIAL, serial);
    assert_int_equal(task_place(k, &p, &task, &decision), LSCHED_OK);
    assert_int_equal(job_requeue(k, job), LSCHED_OK);
    return task;
}

static void undo_place(void) {
    undo_rollback(&world.k, 0);
    undo_end(&world.k);
    expect_sound();
}

static void a_node_that_is_overfull_is_found(void **unused) {
    (void)unused;
    place_anyway(job_named("parked-shape"), 0, world_node_named(&world, "n1"), 0);
    expect_refused("overfull");
    undo_place();
}

static void a_device_that_is_given_twice_is_found(void **unused) {
    (void)unused;
    uint32_t n1 = world_node_named(&world, "n1");
    place_anyway(job_named("runs"), 0, n1,
                 (uint32_t)world.k.c[C_TASK_MASK].u64[task_find(&world.k, job_named("runs"), 0)]);
    expect_refused("overfull");
    undo_place();
}

static void a_selector_that_is_not_kept_is_found(void **unused) {
    (void)unused;
    uint32_t job = job_named("tree");
    place_anyway(job, 1, world_node_named(&world, "n4"), 0); /* asks for zone a; n4 has no zone */
    expect_refused("labels or taints");
    undo_place();
}

static void a_model_that_was_not_asked_for_is_found(void **unused) {
    (void)unused;
    uint32_t na = world_node_named(&world, "na"), job;
    struct job_form f = {.name = "picky",
                         .queue = world_queue_named(&world, "alone"),
                         .n_groups = 1,
                         .groups = {{.min = 1, .devices = 1, .milli = 1000, .model = "A100"}}};
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    expect_sound();
    place_anyway(job, 0, na, 1);
    expect_refused("model");
    undo_place();
}

static void a_part_of_a_whole_device_is_found(void **unused) {
    (void)unused;
    place_anyway(job_named("parts"), 0, world_node_named(&world, "n8"), 1);
    expect_refused("does not allow such sharing");
    undo_place();
}

static void too_few_devices_are_found(void **unused) {
    (void)unused;
    place_anyway(job_named("runs"), 0, world_node_named(&world, "n8"), 1); /* two were asked for */
    expect_refused("devices");
    undo_place();
}

static void half_a_gang_is_found(void **unused) {
    (void)unused;
    place_anyway(job_named("tree-waits"), 0, world_node_named(&world, "n1"), 0);
    expect_refused("below its minimum");
    undo_place();
}

/* A claim is no member: beside it the place of the other member would start it alone. */
static void a_gang_that_starts_beside_a_claim_is_found(void **unused) {
    (void)unused;
    uint32_t job = job_named("tree-waits"), task, decision;
    place_anyway(job, 0, world_node_named(&world, "n1"), 0);
    struct place_spec p = {.job = job,
                           .node = world_node_named(&world, "n1"),
                           .index = NO_ROW,
                           .state = LSCHED_TASK_NOMINATED,
                           .now = (int64_t)meta(&world.k, M_NOW),
                           .decision_group = meta(&world.k, M_GROUP_SERIAL)};
    assert_int_equal(task_place(&world.k, &p, &task, &decision), LSCHED_OK);
    assert_int_equal(job_requeue(&world.k, job), LSCHED_OK);
    set_meta(&world.k, M_FUTURE_NEXT, (uint64_t)p.now); /* when the claim is due */
    expect_refused("without its 1 nominations it is below its minimum");
    undo_place();
}

static void a_gang_across_domains_is_found(void **unused) {
    (void)unused;
    uint32_t job = job_named("tree-waits"); /* both tasks in one rack */
    place_anyway(job, 0, world_node_named(&world, "n1"), 0);
    assert_int_equal(undo_begin(&world.k), LSCHED_OK);
    struct place_spec p = {.job = job,
                           .node = world_node_named(&world, "n3"),
                           .index = NO_ROW,
                           .state = LSCHED_TASK_PROPOSED,
                           .now = (int64_t)meta(&world.k, M_NOW),
                           .decision_group = 1};
    uint32_t task, decision;
    assert_int_equal(task_place(&world.k, &p, &task, &decision), LSCHED_OK);
    assert_int_equal(job_requeue(&world.k, job), LSCHED_OK);
    expect_refused("domain");
    undo_end(&world.k);
    undo_place();
}

static void decisions_out_of_order_are_found(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t head = (uint32_t)meta(k, M_OPEN_HEAD), tail = (uint32_t)meta(k, M_OPEN_TAIL);
    assert_int_not_equal(head, tail);
    k->c[C_DECISION_PROPOSED].i64[tail]--;
    expect_refused("was proposed at");
    k->c[C_DECISION_PROPOSED].i64[tail]++;
    k->c[C_DECISION_AT].i64[head]--;
    expect_refused("was proposed at");
    k->c[C_DECISION_AT].i64[head]++;
    k->c[C_DECISION_GROUP].u64[head] = 0;
    expect_refused("is in decision group 0");
}

/* ---- plans ---- */

static lsched_decision decision_of(uint32_t job, uint32_t index) {
    const struct columns *k = &world.k;
    uint32_t t = task_find(k, job, index), d = k->c[C_TASK_DECISION].u32[t],
             node = k->c[C_TASK_NODE].u32[t];
    lsched_decision out;
    memset(&out, 0, sizeof out);
    out.size = sizeof out;
    out.kind = LSCHED_DECIDE_PLACE;
    out.until_us = LSCHED_NEVER_US;
    out.id = (uint64_t)LSCHED_KIND_DECISION << 60 | (uint64_t)k->c[C_DECISION_GEN].u32[d] << 32 | d;
    out.job = (uint64_t)LSCHED_KIND_JOB << 60 | (uint64_t)k->c[C_JOB_GEN].u32[job] << 32 | job;
    out.node = (uint64_t)LSCHED_KIND_NODE << 60 | (uint64_t)k->c[C_NODE_GEN].u32[node] << 32 | node;
    out.job_tag = 13;
    out.node_tag = 11;
    out.task_index = index;
    out.device_mask = (uint32_t)k->c[C_TASK_MASK].u64[t];
    out.device_words[0] = k->c[C_TASK_MASK].u64[t];
    out.device_milli = out.device_mask ? 1000 : 0;
    out.device_memory_bytes = out.device_mask ? INT64_C(16) << 30 : 0;
    out.group = k->c[C_DECISION_GROUP].u64[d];
    out.at_us = k->c[C_DECISION_AT].i64[d];
    out.state = k->c[C_DECISION_STATE].u8[d];
    out.proposed_us = k->c[C_DECISION_PROPOSED].i64[d];
    return out;
}

static void a_true_plan_is_taken_and_a_false_one_is_not(void **unused) {
    (void)unused;
    uint32_t job = job_named("runs");
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t first = world.k.c[C_TASK_DECISION].u32[task_find(&world.k, job, 1)];
    world.k.c[C_DECISION_STATE].u8[first] = LSCHED_DECISION_PROPOSED; /* as in its cycle */
    lsched_decision plan[2] = {decision_of(job, 1), decision_of(job, 2)};
    int32_t rc = verify_plan(&world.k, plan, 2, sizeof plan[0], &err);
    if (rc != LSCHED_OK) print_message("%s\n", err.message);
    assert_int_equal(rc, LSCHED_OK);
    assert_int_equal(verify_plan(&world.k, NULL, 0, 0, &err), LSCHED_OK);
    assert_int_equal(verify_plan(&world.k, plan, 2, sizeof plan[0] - 8, &err), LSCHED_E_VERIFY);
    for (size_t at = offsetof(lsched_decision, kind); at < sizeof plan[0]; at++) {
        unsigned char *byte = (unsigned char *)&plan[0] + at;
        *byte ^= 1;
        rc = verify_plan(&world.k, plan, 2, sizeof plan[0], &err);
        if (rc == LSCHED_OK)
            print_message("byte %zu of a decision was changed and not found\n", at);
        assert_int_equal(rc, LSCHED_E_VERIFY);
        *byte ^= 1;
    }
    plan[1] = plan[0];
    assert_int_equal(verify_plan(&world.k, plan, 2, sizeof plan[0], &err), LSCHED_E_VERIFY);
    assert_non_null(strstr(err.message, "twice"));
}

static void a_plan_beyond_a_limit_is_refused(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = job_named("runs"), org = world_queue_named(&world, "org");
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_decision d = decision_of(job, 2);
    int64_t used = k->c[C_QUEUE_USED + LSCHED_GPU].i64[org];
    k->c[C_QUEUE_LIMIT_NOW + LSCHED_GPU].i64[org] = used;
    assert_int_equal(verify_plan(k, &d, 1, sizeof d, &err), LSCHED_OK);
    k->c[C_QUEUE_LIMIT_NOW + LSCHED_GPU].i64[org] = used - 1;
    assert_int_equal(verify_plan(k, &d, 1, sizeof d, &err), LSCHED_E_VERIFY);
    assert_non_null(strstr(err.message, "queue \"org\""));
    expect_sound(); /* the state alone cannot tell: a limit may be lowered later */
}

static void a_plan_beyond_a_limit_of_a_model_is_refused(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = job_named("runs"), org = world_queue_named(&world, "org");
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_decision d = decision_of(job, 2);
    lsched_text model = text_of(
        k, intern_text(k, T_STRING,
                       k->c[C_DEVICE_MODEL].u32[k->c[C_NODE_DEVICE_FIRST].u32[(uint32_t)d.node]]));
    struct resource_part_spec these = {.base = LSCHED_GPU, .model = model, .pool = NO_ROW},
                              others = {
                                  .base = LSCHED_GPU, .model = {"none such", 9}, .pool = NO_ROW};
    int32_t kind = resource_part_add(k, (lsched_text){"these", 5}, &these);
    int32_t other = resource_part_add(k, (lsched_text){"others", 6}, &others);
    assert_true(kind > 0 && other > 0);
    int64_t used = resource_part_get(k, org, (uint32_t)kind).used;
    assert_true(used > 0);
    assert_int_equal(resource_part_set(k, org, (uint32_t)kind, 0, used), LSCHED_OK);
    assert_int_equal(resource_part_set(k, org, (uint32_t)other, 0, 0), LSCHED_OK);
    assert_int_equal(verify_plan(k, &d, 1, sizeof d, &err), LSCHED_OK);
    assert_int_equal(resource_part_set(k, org, (uint32_t)kind, 0, used - 1), LSCHED_OK);
    assert_int_equal(verify_plan(k, &d, 1, sizeof d, &err), LSCHED_E_VERIFY);
    assert_non_null(strstr(err.message, "these"));
    expect_sound();
}

static void a_plan_on_a_bad_node_is_refused(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t n1 = world_node_named(&world, "n1");
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_decision d = decision_of(job_named("runs"), 2);
    assert_int_equal(undo_begin(k), LSCHED_OK);
    node_set_state(k, n1, LSCHED_NODE_CORDONED);
    expect_sound();
    assert_int_equal(verify_plan(k, &d, 1, sizeof d, &err), LSCHED_E_VERIFY);
    assert_non_null(strstr(err.message, "not ready"));
    undo_rollback(k, 0);
    assert_int_equal(node_set_capacity(k, n1, LSCHED_CPU, 1), LSCHED_OK);
    expect_sound(); /* shrunk under what runs: inherited */
    assert_int_equal(verify_plan(k, &d, 1, sizeof d, &err), LSCHED_E_VERIFY);
    assert_non_null(strstr(err.message, "cpu"));
    assert_int_equal(node_set_capacity(k, n1, LSCHED_CPU, 64000), LSCHED_OK);
    expect_sound(); /* and the mark is gone */
    undo_end(k);
}

static void running_out_of_memory_is_said_as_such(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t limit = world.alloc.limit_bytes;
    world.alloc.limit_bytes = world.alloc.bytes;
    assert_int_equal(verify_state(&world.k, &err), LSCHED_E_NOMEM);
    lsched_decision d = decision_of(job_named("runs"), 2);
    assert_int_equal(verify_plan(&world.k, &d, 1, sizeof d, &err), LSCHED_E_NOMEM);
    world.alloc.limit_bytes = limit;
    expect_sound();
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_world_with_everything_is_sound),
        TEST(every_changed_word_is_found),
        TEST(words_of_free_rows_are_found),
        TEST(words_of_a_plan_are_found),
        TEST(a_node_that_is_overfull_is_found),
        TEST(a_device_that_is_given_twice_is_found),
        TEST(a_selector_that_is_not_kept_is_found),
        TEST(a_model_that_was_not_asked_for_is_found),
        TEST(a_part_of_a_whole_device_is_found),
        TEST(too_few_devices_are_found),
        TEST(half_a_gang_is_found),
        TEST(a_gang_that_starts_beside_a_claim_is_found),
        TEST(a_gang_across_domains_is_found),
        TEST(decisions_out_of_order_are_found),
        TEST(a_true_plan_is_taken_and_a_false_one_is_not),
        TEST(a_plan_beyond_a_limit_is_refused),
        TEST(a_plan_beyond_a_limit_of_a_model_is_refused),
        TEST(a_plan_on_a_bad_node_is_refused),
        TEST(running_out_of_memory_is_said_as_such),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
