/* test_verify_gates.c -- damaged gates of jobs: each is refused by the check that is meant for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "model/dependencies/gate.h"
#include "model/life/gate_change.h"
#include "model/shapes/job_states.h"
#include "support/model_world.h"
#include "support/verify_refused.h"

static struct model_world world;
#define K (&world.k)

static int open_world(void **unused) {
    (void)unused;
    return world_open(&world, NULL) != LSCHED_OK || world_fill(&world, 0) != LSCHED_OK;
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static void expect_refused(const char *part) {
    verify_refused(K, part);
}

static uint32_t gate_named(const char *job) {
    uint32_t gate = gate_row(K, world_job_named(&world, job));
    assert_int_not_equal(gate, NO_ROW);
    return gate;
}

/* The gate that has outlived its job, and of which all is told. */
static uint32_t gate_of_none(void) {
    return K->c[C_AFTER_ON].u32[K->c[C_GATE_FIRST].u32[gate_named("gate-never")]];
}

static void the_world_is_sound(void **unused) {
    (void)unused;
    verify_sound(K);
    assert_int_equal(meta(K, M_GATE_NEWS) != NO_ROW, 1);
    assert_int_equal(K->c[C_GATE_JOB].u32[gate_of_none()], NO_ROW);
}

static void a_gate_of_another_job_is_found(void **unused) {
    (void)unused;
    K->c[C_GATE_JOB].u32[gate_named("gate-begin")] = world_job_named(&world, "gate-waits");
    expect_refused("its gate is of another job");
}

static void a_gate_that_its_job_lacks_is_found(void **unused) {
    (void)unused;
    uint32_t job = world_job_named(&world, "gate-begin");
    K->c[C_WATCH_GATE].u32[K->c[C_JOB_WATCH].u32[job]] = 0;
    expect_refused("its job has another gate");
}

static void dependencies_of_no_job_are_found(void **unused) {
    (void)unused;
    uint32_t gate = gate_named("gate-never"), none = gate_of_none();
    K->c[C_GATE_FIRST].u32[none] = K->c[C_GATE_FIRST].u32[gate];
    expect_refused("it has dependencies, but no job");
}

static void lists_that_miss_a_dependency_are_found(void **unused) {
    (void)unused;
    uint32_t waits = gate_named("gate-waits"), first = K->c[C_GATE_FIRST].u32[waits];
    K->c[C_GATE_FIRST].u32[waits] = NO_ROW;
    expect_refused("a dependency is in no list of its job");
    K->c[C_GATE_FIRST].u32[waits] = K->c[C_GATE_FIRST].u32[gate_named("gate-both")];
    expect_refused("its list has a dependency of another job");
    K->c[C_GATE_FIRST].u32[waits] = first;
    K->c[C_GATE_FOLLOWER].u32[gate_of_none()] = NO_ROW;
    expect_refused("a dependency is in no list of the other job");
    K->c[C_GATE_FOLLOWER].u32[gate_of_none()] = first;
    expect_refused("the list of the jobs that wait for it is damaged");
}

static void news_that_are_lost_are_found(void **unused) {
    (void)unused;
    set_meta(K, M_GATE_LAST, gate_named("gate-begin"));
    expect_refused("the list of gates with news is damaged");
}

static void a_heap_without_times_is_found(void **unused) {
    (void)unused;
    uint32_t gate = gate_named("gate-waits");
    K->c[C_GATE_HEAP_D].u8[gate] = 1;
    expect_refused("its time and the heap of gates do not go together");
    K->c[C_GATE_HEAP_D].u8[gate] = 0;
    set_meta(K, M_GATE_HEAD, gate);
    expect_refused("is the root of the heap of gates, but it is not due");
}

static void states_without_their_events_are_found(void **unused) {
    (void)unused;
    uint32_t gate = gate_named("gate-waits"), after = K->c[C_GATE_FIRST].u32[gate];
    K->c[C_AFTER_STATE].u8[after] = GATE_AFTER_MET;
    expect_refused("in state 1; expected 0");
    K->c[C_AFTER_STATE].u8[after] = GATE_AFTER_WAITS;
    K->c[C_GATE_WAITS].u32[gate]++;
    expect_refused("counts other dependencies than it has");
}

static void a_gate_that_is_open_too_early_is_found(void **unused) {
    (void)unused;
    K->c[C_GATE_BEGIN].i64[gate_named("licensed")] = 9;
    expect_refused("is open; expected the contrary");
}

static void a_gate_that_is_due_at_another_time_is_found(void **unused) {
    (void)unused;
    K->c[C_GATE_EXPIRES].i64[gate_named("gate-begin")] = 77;
    expect_refused("is due at 4000000000; expected 77");
}

static void an_end_of_what_exists_is_found(void **unused) {
    (void)unused;
    uint32_t gate = gate_named("licensed");
    K->c[C_GATE_ON_NEVER].u8[gate] = 1;
    expect_refused("has an end or a rule");
}

static void an_outcome_without_an_end_is_found(void **unused) {
    (void)unused;
    K->c[C_GATE_EXPIRES].i64[gate_of_none()] = 5;
    expect_refused("is not the outcome for which others wait");
}

static void a_start_that_is_forgotten_is_found(void **unused) {
    (void)unused;
    EACH_LIVE(K, T_LEAF, l) {
        if (K->c[C_LEAF_RUNNING].u32[l]) K->c[C_JOB_STARTED].i64[K->c[C_LEAF_JOB].u32[l]] = 0;
    }
    expect_refused("has tasks that run or are done, but it has not started");
}

static void a_closed_job_without_a_gate_is_found(void **unused) {
    (void)unused;
    EACH_LIVE(K, T_WATCH, w) {
        if (K->c[C_WATCH_GATE].u32[w] ||
            K->c[C_JOB_PHASE].u8[K->c[C_WATCH_JOB].u32[w]] == JOB_QUEUED)
            continue;
        K->c[C_WATCH_CLOSED].u8[w] = 1;
        break;
    }
    expect_refused("closed, but has no gate");
}

/* A held job that could grow is alone in its bundle; with another wait code it would not be held. */
static void a_growing_job_that_is_not_held_is_found(void **unused) {
    (void)unused;
    uint32_t job;
    struct job_form form = {.name = "gate-grows",
                            .queue = world_queue_named(&world, "research"),
                            .n_groups = 1,
                            .groups = {{.min = 1, .max = 3, .cpu = 1000}}};
    assert_int_equal(world_job(&world, &form, &job), LSCHED_OK);
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(gate_change_begin(K, job, INT64_C(9000000000)), LSCHED_OK);
    undo_end(K);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    assert_int_equal(world_import(&world, job, 0, world_node_named(&world, "powered")), LSCHED_OK);
    the_world_is_sound(NULL);
    K->c[C_BUNDLE_CODE].u8[K->c[C_JOB_BUNDLE].u32[job]] = LSCHED_WAIT_ROOM;
    expect_refused("is in a bundle of kind 3; expected kind 1");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_world_is_sound),
        TEST(a_gate_of_another_job_is_found),
        TEST(a_gate_that_its_job_lacks_is_found),
        TEST(dependencies_of_no_job_are_found),
        TEST(lists_that_miss_a_dependency_are_found),
        TEST(news_that_are_lost_are_found),
        TEST(a_heap_without_times_is_found),
        TEST(states_without_their_events_are_found),
        TEST(a_gate_that_is_open_too_early_is_found),
        TEST(a_gate_that_is_due_at_another_time_is_found),
        TEST(an_end_of_what_exists_is_found),
        TEST(an_outcome_without_an_end_is_found),
        TEST(a_start_that_is_forgotten_is_found),
        TEST(a_closed_job_without_a_gate_is_found),
        TEST(a_growing_job_that_is_not_held_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
