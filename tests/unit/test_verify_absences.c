/*
 * test_verify_absences.c -- damaged absences of nodes, and a plan that places a task on a node that
 * leaves: each is refused by the check that is meant for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/limits.h"
#include "engine/verify/verify.h"
#include "engine/verify_plan/verify_plan.h"
#include "model/jobs/task_row.h"
#include "model/nodes/absence.h"
#include "support/model_world.h"
#include "support/verify_refused.h"

static struct model_world world;
#define K (&world.k)

static int open_world(void **unused) {
    (void)unused;
    if (world_open(&world, NULL) != LSCHED_OK || world_fill(&world, 0) != LSCHED_OK) return 1;
    /* the reservation of the world is an absence, too */
    if (undo_begin(K) != LSCHED_OK || undo_room(K) != LSCHED_OK) return 1;
    absence_set(K, world_node_named(&world, "powered"), 0, 0, 0);
    undo_end(K);
    return 0;
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static void expect_refused(const char *part) {
    verify_refused(K, part);
}

static uint32_t absent_node(void) {
    uint32_t node = world_node_named(&world, "powered");
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(undo_room(K), LSCHED_OK);
    absence_set(K, node, 1000, 2000, 5000);
    undo_end(K);
    verify_sound(K);
    return node;
}

static void times_of_an_absence_that_do_not_fit_are_found(void **unused) {
    (void)unused;
    uint32_t node = absent_node();
    K->c[C_NODE_BACK].i64[node] = 1000;
    expect_refused("is back before it leaves, or leaves before it is back");
    K->c[C_NODE_BACK].i64[node] = 2000;
    K->c[C_NODE_LEAVES_EVERY].i64[node] = 1000;
    expect_refused("is back before it leaves, or leaves before it is back");
}

static void wrong_counts_of_absences_are_found(void **unused) {
    (void)unused;
    (void)absent_node();
    set_meta(K, M_ABSENCES, 2);
    expect_refused("the count of nodes that leave is 2; expected 1");
}

static void an_absence_that_ends_unseen_is_found(void **unused) {
    (void)unused;
    (void)absent_node();
    set_meta(K, M_ABSENCE_END, (uint64_t)LSCHED_NEVER_US);
    expect_refused("is back before a node is expected back");
}

/* An absence that is over and not forgotten yet is an absence again for an earlier clock. */
static void a_clock_that_is_set_back_keeps_the_first_end(void **unused) {
    (void)unused;
    uint32_t node = world_node_named(&world, "powered");
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(undo_room(K), LSCHED_OK);
    absence_set(K, node, 10, 100, 0);
    assert_int_equal(absences_time_set(K, 500), LSCHED_OK);
    undo_end(K);
    verify_sound(K);
    assert_int_equal(absences_next(K), 100);
}

/* Sums of times stay in range for each value that the API accepts. */
static void an_absence_at_the_end_of_time_is_the_last_one(void **unused) {
    (void)unused;
    struct absence next;
    uint32_t node = world_node_named(&world, "powered");
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(undo_room(K), LSCHED_OK);
    absence_set(K, node, LIMIT_TIME_US - 2, LIMIT_TIME_US - 1, LIMIT_TIME_US);
    undo_end(K);
    assert_int_equal(absence_next(K, node, LIMIT_TIME_US, &next), 1);
    assert_int_equal(next.back, 2 * LIMIT_TIME_US - 1);
    assert_int_equal(absence_next(K, node, next.back, &next), 0);
}

static void an_end_without_absences_is_found(void **unused) {
    (void)unused;
    set_meta(K, M_ABSENCE_END, 9);
    expect_refused("no node leaves, but one is to be back");
}

static lsched_decision absent_decision(const char *job, uint32_t index) {
    uint32_t row = world_job_named(&world, job), t = task_find(K, row, index),
             d = K->c[C_TASK_DECISION].u32[t], node = K->c[C_TASK_NODE].u32[t];
    lsched_decision out = {.size = sizeof out, .kind = K->c[C_DECISION_KIND].u8[d]};
    out.until_us = LSCHED_NEVER_US;
    out.id = (uint64_t)LSCHED_KIND_DECISION << 60 | (uint64_t)K->c[C_DECISION_GEN].u32[d] << 32 | d;
    out.job = (uint64_t)LSCHED_KIND_JOB << 60 | (uint64_t)K->c[C_JOB_GEN].u32[row] << 32 | row;
    out.node = (uint64_t)LSCHED_KIND_NODE << 60 | (uint64_t)K->c[C_NODE_GEN].u32[node] << 32 | node;
    out.job_tag = K->c[C_JOB_TAG].u64[row];
    out.node_tag = K->c[C_NODE_TAG].u64[node];
    out.task_index = index;
    out.device_mask = (uint32_t)K->c[C_TASK_MASK].u64[t];
    out.device_words[0] = K->c[C_TASK_MASK].u64[t];
    out.device_milli = out.device_mask ? 1000 : 0;
    out.device_memory_bytes = out.device_mask ? 16 * (INT64_C(1) << 30) : 0;
    out.group = K->c[C_DECISION_GROUP].u64[d];
    out.at_us = K->c[C_DECISION_AT].i64[d];
    out.state = K->c[C_DECISION_STATE].u8[d];
    out.proposed_us = K->c[C_DECISION_PROPOSED].i64[d];
    return out;
}

/* The node is away already. */
static void a_place_on_a_node_that_leaves_is_found(void **unused) {
    (void)unused;
    lsched_decision d = absent_decision("spread", 0);
    uint32_t node = (uint32_t)d.node;
    lsched_error err = LSCHED_ERROR_INIT;
    if (verify_plan(K, &d, 1, sizeof d, &err) != LSCHED_OK) fail_msg("%s", err.message);
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(undo_room(K), LSCHED_OK);
    absence_set(K, node, 1, 0, 0);
    undo_end(K);
    assert_int_equal(verify_plan(K, &d, 1, sizeof d, &err), LSCHED_E_VERIFY);
    assert_non_null(strstr(err.message, "its node leaves before the task surely ends"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(times_of_an_absence_that_do_not_fit_are_found),
        TEST(wrong_counts_of_absences_are_found),
        TEST(an_absence_that_ends_unseen_is_found),
        TEST(a_clock_that_is_set_back_keeps_the_first_end),
        TEST(an_absence_at_the_end_of_time_is_the_last_one),
        TEST(an_end_without_absences_is_found),
        TEST(a_place_on_a_node_that_leaves_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
