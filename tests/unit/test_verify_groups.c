/*
 * test_verify_groups.c -- places that the tasks of one group may not have together, and numbers of
 * tasks that a group may not have: slices, spreads, a node's share of a group, members that do not
 * exist, fixed sizes. Each is made with the model's own functions, so that all sums around it are
 * right: the check that is meant for it refuses it, and no other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "model/jobs/losses.h"
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

/* Places one more task, where the node has room for it: no rule of its group is asked. */
static void place(uint32_t job, const char *node) {
    assert_int_equal(world_propose(&world, job, 0, world_node_named(&world, node), 1), LSCHED_OK);
}

static void a_slice_that_is_torn_is_found(void **unused) {
    (void)unused;
    uint32_t job = world_job_named(&world, "sliced");
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    verify_sound(K);
    place(job, "n1");
    place(job, "n3");
    verify_refused(K, "outside the domain of its task block of 2 tasks");
}

static void a_spread_that_is_not_kept_is_found(void **unused) {
    (void)unused;
    place(world_job_named(&world, "spread"), "n1");
    verify_refused(K, "is one of 2 tasks of its group in its domain; at most 1 are allowed");
}

static void a_node_with_too_many_of_a_group_is_found(void **unused) {
    (void)unused;
    struct job_form f = {.name = "one-each",
                         .queue = world_queue_named(&world, "research"),
                         .groups = {{.min = 1, .max = 3, .cpu = 10, .node_max = 1}}};
    uint32_t job;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    place(job, "n1");
    verify_sound(K);
    place(job, "n1");
    verify_refused(K, "is one of 2 tasks of its group on node \"n1\"; at most 1 are allowed there");
}

static void tasks_that_do_not_exist_are_found(void **unused) {
    (void)unused;
    struct job_form f = {.name = "partial",
                         .queue = world_queue_named(&world, "research"),
                         .groups = {{.min = 1, .max = 3, .cpu = 10, .absent = 2}}};
    uint32_t job;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    place(job, "n1");
    verify_sound(K);
    place(job, "n1");
    verify_refused(K, "has a place for 2 tasks of group 0, of which 1 exist");
}

static void a_start_without_a_size_is_found(void **unused) {
    (void)unused;
    struct job_form f = {.name = "moldable",
                         .queue = world_queue_named(&world, "research"),
                         .groups = {{.min = 1, .max = 3, .cpu = 10, .fixed = 1}}};
    uint32_t job;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    verify_sound(K);
    place(job, "n1");
    verify_refused(K, "has 1 tasks in group 0, whose size is fixed at 0");
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(job_settle_losses(K, job, 0, NULL, NULL), LSCHED_OK);
    undo_end(K);
    verify_sound(K);
}

static void a_wait_for_members_that_exist_is_found(void **unused) {
    (void)unused;
    K->c[C_BUNDLE_CODE].u8[K->c[C_JOB_BUNDLE].u32[world_job_named(&world, "parked-any")]] =
        LSCHED_WAIT_MEMBERS;
    verify_refused(K, "waits for members, but all of its tasks exist");
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_slice_that_is_torn_is_found),
        TEST(a_spread_that_is_not_kept_is_found),
        TEST(a_node_with_too_many_of_a_group_is_found),
        TEST(tasks_that_do_not_exist_are_found),
        TEST(a_start_without_a_size_is_found),
        TEST(a_wait_for_members_that_exist_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
