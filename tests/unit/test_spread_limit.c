/* Spread: what one domain and one node may hold, and what the verifier says to a breach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/indexes/spread_limit.h"
#include "engine/verify/verify.h"
#include "model/shapes/domain.h"
#include "model/nodes/node.h"
#include "support/model_world.h"

static struct model_world world;
static uint32_t q, r1a, r1b, r2, outside;

/* Rack r1 has nodes of 4 and 2 cores, rack r2 one of 1 core, one node is in no rack. */
static int open_world(void **unused) {
    (void)unused;
    if (world_open(&world, NULL) != LSCHED_OK || world_topology(&world) != LSCHED_OK) return 1;
    world_node(&world, "r1a", 4000, 0, 0, "r1", &r1a);
    world_node(&world, "r1b", 2000, 0, 0, "r1", &r1b);
    world_node(&world, "r2", 1000, 0, 0, "r2", &r2);
    world_node(&world, "outside", 64000, 0, 0, NULL, &outside);
    return world_queue(&world, "q", NO_ROW, &q);
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static uint32_t add_both(const char *name, uint32_t spread_max, uint32_t node_max) {
    struct job_form f = {.name = name,
                         .queue = q,
                         .groups = {{.min = 1,
                                     .max = 9,
                                     .spread = spread_max ? "rack" : NULL,
                                     .spread_max = spread_max,
                                     .node_max = node_max}}};
    uint32_t job = NO_ROW;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    return job;
}

static uint32_t add(const char *name, uint32_t spread_max) {
    return add_both(name, spread_max, 0);
}

static int allows(uint32_t job, uint32_t node) {
    struct ask a;
    ask_open(&a, &world.k, job, 0);
    return spread_limit_allows(&world.k, &a, node);
}

static void a_full_domain_takes_no_more(void **unused) {
    (void)unused;
    uint32_t job = add("j", 2);
    assert_true(allows(job, r1a));
    assert_int_equal(world_propose(&world, job, 0, r1a, 1), LSCHED_OK);
    assert_true(allows(job, r1b));
    assert_int_equal(world_propose(&world, job, 0, r1b, 1), LSCHED_OK);
    assert_false(allows(job, r1a));
    assert_false(allows(job, r1b));
    assert_true(allows(job, r2));
    assert_false(allows(job, outside));
    assert_int_equal(verify_state(&world.k, NULL), LSCHED_OK);
    uint32_t free_of = add("k", 0);
    assert_true(allows(free_of, outside));
}

/* Both ways to ask must give the same answer. */
static int takes(uint32_t job, uint32_t node) {
    struct spread_limit s;
    struct ask a;
    ask_open(&a, &world.k, job, 0);
    assert_int_equal(spread_limit_open(&s, &world.k, &a), LSCHED_OK);
    int one = spread_limit_takes(&s, &world.k, node);
    spread_limit_close(&s, &world.k);
    assert_int_equal(one, allows(job, node));
    return one;
}

static void a_full_node_takes_no_more(void **unused) {
    (void)unused;
    uint32_t job = add_both("j", 0, 2);
    assert_int_equal(world_propose(&world, job, 0, r1a, 2), LSCHED_OK);
    assert_false(takes(job, r1a));
    assert_true(takes(job, r1b));
    assert_true(takes(job, outside));
    assert_int_equal(verify_state(&world.k, NULL), LSCHED_OK);
    assert_int_equal(world_release(&world, job, 1, LSCHED_TASK_NONE), LSCHED_OK);
    assert_true(takes(job, r1a));
    assert_true(takes(add("k", 0), r1a));
}

static void both_limits_hold(void **unused) {
    (void)unused;
    uint32_t job = add_both("j", 2, 1);
    assert_int_equal(world_propose(&world, job, 0, r1a, 1), LSCHED_OK);
    assert_false(takes(job, r1a));
    assert_true(takes(job, r1b));
    assert_int_equal(world_propose(&world, job, 0, r1b, 1), LSCHED_OK);
    assert_false(takes(job, r1b));
    assert_true(takes(job, r2));
    assert_false(takes(job, outside));
}

static void the_verifier_counts_on_nodes(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t job = add_both("j", 0, 1);
    for (uint32_t i = 0; i < 2; i++) assert_int_equal(world_import(&world, job, i, r1b), LSCHED_OK);
    assert_false(takes(job, r1b));
    assert_int_equal(world_propose(&world, job, 0, r1a, 1), LSCHED_OK);
    assert_int_equal(verify_state(&world.k, &err), LSCHED_OK);
    assert_int_equal(world_propose(&world, job, 0, r1a, 1), LSCHED_OK);
    assert_int_not_equal(verify_state(&world.k, &err), LSCHED_OK);
    assert_non_null(strstr(
        err.message, "is one of 2 tasks of its group on node \"r1a\"; at most 1 are allowed"));
}

static void imports_may_break_it_and_stay(void **unused) {
    (void)unused;
    uint32_t job = add("j", 1);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(world_import(&world, job, i, r1a), LSCHED_OK);
    assert_int_equal(verify_state(&world.k, NULL), LSCHED_OK);
    assert_false(allows(job, r1b));
    assert_true(allows(job, r2));
}

static void the_verifier_counts_for_itself(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t job = add("j", 2);
    assert_int_equal(world_propose(&world, job, 0, r1a, 2), LSCHED_OK);
    assert_int_equal(verify_state(&world.k, &err), LSCHED_OK);
    assert_int_equal(world_propose(&world, job, 0, r1b, 1), LSCHED_OK);
    assert_int_not_equal(verify_state(&world.k, &err), LSCHED_OK);
    assert_non_null(strstr(err.message, "of its group in its domain; at most 2 are allowed"));
    assert_int_equal(world_release(&world, job, 2, LSCHED_TASK_NONE), LSCHED_OK);
    assert_int_equal(verify_state(&world.k, &err), LSCHED_OK);
    assert_int_equal(world_propose(&world, job, 0, outside, 1), LSCHED_OK);
    assert_int_not_equal(verify_state(&world.k, &err), LSCHED_OK);
    assert_non_null(
        strstr(err.message, "which is not in the topology over which its group is spread"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_full_domain_takes_no_more),
        TEST(a_full_node_takes_no_more),
        TEST(both_limits_hold),
        TEST(the_verifier_counts_on_nodes),
        TEST(imports_may_break_it_and_stay),
        TEST(the_verifier_counts_for_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
