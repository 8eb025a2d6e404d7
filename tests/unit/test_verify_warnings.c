/* test_verify_warnings.c -- damaged rows of warnings, and plans that tell too little or another end:
 * each is refused by the check that is meant for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "engine/verify_plan/verify_warnings.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/task_row.h"
#include "model/told/decision.h"
#include "model/warnings/warning.h"
#include "support/model_world.h"
#include "support/verify_refused.h"

static struct model_world world;
#define K     (&world.k)
#define HOUR  INT64_C(3600000000)
#define NOW   ((int64_t)meta(K, M_NOW))
#define TERMS (WARN_ASKED | WARN_LIMITS | WARN_ALLOWANCES)

/* The task of the job "runs" ends in two hours, and is to be told an hour before. */
static int open_world(void **unused) {
    (void)unused;
    if (world_open(&world, NULL) != LSCHED_OK || world_fill(&world, 0) != LSCHED_OK) return 1;
    uint32_t job = world_job_named(&world, "runs");
    int32_t rc = undo_begin(K);
    if (rc == LSCHED_OK) rc = job_limits_set(K, job, NOW - job_since(K, job) + 2 * HOUR);
    while (meta(K, M_WARN_NEWS) != NO_ROW)
        K->warnings->watch_ends(K, (uint32_t)meta(K, M_WARN_NEWS));
    if (rc == LSCHED_OK) rc = warning_begin(K, HOUR, TERMS);
    if (rc == LSCHED_OK) rc = undo_room(K);
    for (uint32_t row = 0; row < table_rows(K, T_WARN) && rc == LSCHED_OK; row++) {
        uint32_t task = K->c[C_WARN_TASK].u32[row];
        set_i64(K, C_WARN_RETRY, row, 0);
        set_i64(K, C_WARN_NODE, row, 0);
        if (K->c[C_TASK_STATE].u8[task] == LSCHED_TASK_RUNNING) warning_wait(K, task, NULL);
        rc = undo_room(K);
    }
    undo_end(K);
    return rc != LSCHED_OK;
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static void expect_refused(const char *part) {
    verify_refused(K, part);
}

static uint32_t task_runs(void) {
    return task_find(K, world_job_named(&world, "runs"), 0);
}

static uint32_t row_runs(void) {
    return warning_of(K, task_runs());
}

/* A task that has a place and does not run. */
static uint32_t task_placed_only(void) {
    for (uint32_t t = 0; t < table_rows(K, T_TASK); t++)
        if (row_is_live(K, T_TASK, t) && K->c[C_TASK_WARN].u32[t] &&
            K->c[C_TASK_STATE].u8[t] != LSCHED_TASK_RUNNING)
            return t;
    fail();
    return NO_ROW;
}

static void the_world_is_sound(void **unused) {
    (void)unused;
    verify_sound(K);
    assert_int_equal(K->c[C_WARN_AT].i64[row_runs()], NOW + HOUR);
}

static void a_task_without_its_row_is_found(void **unused) {
    (void)unused;
    K->c[C_TASK_WARN].u32[task_runs()] = 0;
    expect_refused("has the wrong row of warnings");
}

static void a_second_row_is_found(void **unused) {
    (void)unused;
    assert_int_equal(undo_begin(K), LSCHED_OK);
    uint32_t row = row_new(K, T_WARN);
    set_u32(K, C_WARN_TASK, row, task_runs());
    set_i64(K, C_WARN_AT, row, LSCHED_NEVER_US);
    SET_NONE(K, row, C_WARN_HEAP_L, C_WARN_HEAP_R, C_WARN_HEAP_P);
    undo_end(K);
    expect_refused("has another row of warnings than the one that names it");
}

static void a_task_that_does_not_run_is_found(void **unused) {
    (void)unused;
    uint32_t runs = task_runs(), other = task_placed_only(), a = warning_of(K, runs),
             b = warning_of(K, other);
    K->c[C_WARN_TASK].u32[a] = other;
    K->c[C_WARN_TASK].u32[b] = runs;
    K->c[C_TASK_WARN].u32[runs] = b + 1;
    K->c[C_TASK_WARN].u32[other] = a + 1;
    expect_refused("does not run, but a cycle is to look whether it ends");
}

static void times_and_terms_out_of_range_are_found(void **unused) {
    (void)unused;
    K->c[C_WARN_NODE].i64[row_runs()] = -1;
    expect_refused("was told an end at a time below 0");
    K->c[C_WARN_NODE].i64[row_runs()] = 0;
    K->c[C_META_WORD].u64[M_WARN_TERMS] = 8;
    expect_refused("the terms of warnings are out of range");
}

static void an_allowance_that_tells_nobody_is_found(void **unused) {
    (void)unused;
    for (uint32_t t = 0; t < table_rows(K, T_TASK); t++) K->c[C_TASK_WARN].u32[t] = 0;
    assert_int_equal(undo_begin(K), LSCHED_OK);
    EACH_LIVE(K, T_WARN, row) row_free(K, T_WARN, row);
    undo_end(K);
    K->c[C_META_WORD].u64[M_WARN_LEAD] = K->c[C_META_WORD].u64[M_WARN_TERMS] = 0;
    K->c[C_META_WORD].u64[M_WARN_HEAD] = NO_ROW;
    verify_sound(K);
    uint32_t a = 0;
    while (!row_is_live(K, T_ALLOWANCE, a)) a++;
    K->c[C_ALLOWANCE_TOLD].i64[a] = 1;
    expect_refused("an allowance has told its end, and nobody asks for warnings");
}

static void a_wrong_list_of_moved_ends_is_found(void **unused) {
    (void)unused;
    uint32_t watch = K->c[C_JOB_WATCH].u32[world_job_named(&world, "runs")];
    assert_int_equal(undo_begin(K), LSCHED_OK);
    K->warnings->due_moved(K, watch);
    undo_end(K);
    verify_sound(K);
    K->c[C_WATCH_NEWS_PREV].u32[watch] = watch;
    expect_refused("the list of jobs with another due time has a wrong link");
    K->c[C_META_WORD].u64[M_WARN_NEWS] = NO_ROW;
    expect_refused("jobs have another due time, but");
}

static void a_wrong_heap_is_found(void **unused) {
    (void)unused;
    uint32_t row = (uint32_t)meta(K, M_WARN_HEAD), out = warning_of(K, task_placed_only());
    int64_t at = K->c[C_WARN_AT].i64[row];
    K->c[C_WARN_AT].i64[row] = LSCHED_NEVER_US;
    expect_refused("the root of the heap of warnings is not looked at");
    K->c[C_WARN_AT].i64[row] = at;
    K->c[C_WARN_HEAP_D].u8[out] = 1;
    expect_refused("a task that no cycle looks at is in the heap of warnings");
}

static void a_warning_of_no_end_is_found(void **unused) {
    (void)unused;
    assert_int_equal(undo_begin(K), LSCHED_OK);
    struct decision_spec s = {.kind = LSCHED_DECIDE_WARN,
                              .reason = LSCHED_FOR_TIME_LIMIT,
                              .group = meta(K, M_GROUP_SERIAL) + 1,
                              .now = NOW,
                              .at = NOW + 2 * HOUR};
    set_meta(K, M_GROUP_SERIAL, s.group);
    uint32_t d = decision_open(K, task_runs(), &s);
    undo_end(K);
    verify_sound(K);
    K->c[C_DECISION_AT].i64[d] = NOW;
    expect_refused("warns of no end");
    K->c[C_DECISION_AT].i64[d] = NOW + 2 * HOUR;
    K->c[C_DECISION_REASON].u8[d] = LSCHED_FOR_DRAIN;
    expect_refused("warns of no end");
    K->c[C_DECISION_REASON].u8[d] = LSCHED_FOR_ABSENCE;
    K->c[C_DECISION_KIND].u8[d] = LSCHED_DECIDE_RESIZE;
    expect_refused("is for an absence");
}

/* Checks the state as after a cycle at this time. */
static int32_t after_a_cycle(int64_t now, const char *part) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct check c = {K, &err, LSCHED_E_VERIFY};
    K->c[C_META_WORD].u64[M_SCHEDULED] = K->c[C_META_WORD].u64[M_NOW] = (uint64_t)now;
    int32_t rc = verify_warned(&c);
    if (rc != LSCHED_OK) assert_non_null(strstr(err.message, part));
    return rc;
}

static void a_look_that_comes_too_late_is_found(void **unused) {
    (void)unused;
    assert_int_equal(after_a_cycle(NOW, ""), LSCHED_OK);
    K->c[C_META_WORD].u64[M_WARN_LEAD] = (uint64_t)(HOUR + 1);
    assert_int_equal(after_a_cycle(NOW, "but a cycle looks at it only at"), LSCHED_E_VERIFY);
}

static void a_task_that_is_not_told_is_found(void **unused) {
    static const char part[] = "and the plan does not tell it";
    (void)unused;
    int64_t end = NOW + 2 * HOUR;
    struct warning_end e = {end, LSCHED_FOR_TIME_LIMIT};
    assert_int_equal(undo_begin(K), LSCHED_OK);
    warning_tell(K, task_runs(), &e);
    undo_end(K);
    assert_int_equal(after_a_cycle(end - HOUR, part), LSCHED_OK);
    K->c[C_WARN_LIMIT].i64[row_runs()] = end - HOUR / 2; /* the end may come a lead later */
    assert_int_equal(after_a_cycle(end - HOUR, part), LSCHED_OK);
    K->c[C_WARN_LIMIT].i64[row_runs()] = end + HOUR / 8;
    assert_int_equal(after_a_cycle(end - HOUR, part), LSCHED_OK);
    K->c[C_WARN_LIMIT].i64[row_runs()] = end + HOUR / 8 + 1;
    assert_int_equal(after_a_cycle(end - HOUR, part), LSCHED_E_VERIFY);
    K->c[C_WARN_LIMIT].i64[row_runs()] = 0;
    assert_int_equal(after_a_cycle(end - HOUR, part), LSCHED_E_VERIFY);
    assert_int_equal(after_a_cycle(end, part), LSCHED_OK); /* it is being stopped */
}

static void another_end_than_the_first_is_found(void **unused) {
    (void)unused;
    int64_t now = NOW, end = now + 2 * HOUR;
    assert_int_equal(undo_begin(K), LSCHED_OK);
    struct decision_spec s = {
        .kind = LSCHED_DECIDE_WARN, .reason = LSCHED_FOR_TIME_LIMIT, .now = now, .at = end};
    uint32_t d = decision_open(K, task_runs(), &s);
    undo_end(K);
    K->c[C_META_WORD].u64[M_SCHEDULED] = (uint64_t)now;
    assert_non_null(strstr(verify_warning_wrong(K, d), "an end that is not near"));
    K->c[C_META_WORD].u64[M_SCHEDULED] = (uint64_t)(end - HOUR);
    assert_null(verify_warning_wrong(K, d));
    K->c[C_DECISION_AT].i64[d] = end - 1;
    assert_non_null(strstr(verify_warning_wrong(K, d), "another end than the first one"));
    K->c[C_DECISION_AT].i64[d] = end;
    K->c[C_DECISION_REASON].u8[d] = LSCHED_FOR_ALLOWANCE;
    assert_non_null(strstr(verify_warning_wrong(K, d), "another end than the first one"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_world_is_sound),
        TEST(a_task_without_its_row_is_found),
        TEST(a_second_row_is_found),
        TEST(a_task_that_does_not_run_is_found),
        TEST(times_and_terms_out_of_range_are_found),
        TEST(an_allowance_that_tells_nobody_is_found),
        TEST(a_wrong_list_of_moved_ends_is_found),
        TEST(a_wrong_heap_is_found),
        TEST(a_warning_of_no_end_is_found),
        TEST(a_look_that_comes_too_late_is_found),
        TEST(a_task_that_is_not_told_is_found),
        TEST(another_end_than_the_first_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
