/* Spread: what one domain may hold, how much room that leaves, what can never be, and what the
 * verifier says to a breach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/indexes/topology_spread.h"
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

static uint32_t add(const char *name, uint32_t spread_max) {
    struct job_form f = {
        .name = name,
        .queue = q,
        .groups = {
            {.min = 1, .max = 9, .spread = spread_max ? "rack" : NULL, .spread_max = spread_max}}};
    uint32_t job = NO_ROW;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    return job;
}

static int64_t capacity(uint32_t job) {
    int64_t tasks = -1;
    assert_int_equal(topology_spread_capacity(&world.k, job, 0, &tasks), LSCHED_OK);
    return tasks;
}

static int64_t room(uint32_t job, uint32_t node, uint32_t level) {
    struct topology_spread s;
    assert_int_equal(topology_spread_open(&s, &world.k, job, 0), LSCHED_OK);
    int64_t tasks = topology_spread_room(&s, &world.k, domain_of_node(&world.k, 0, node, level), 0);
    topology_spread_close(&s, &world.k);
    return tasks;
}

static void a_full_domain_takes_no_more(void **unused) {
    (void)unused;
    uint32_t job = add("j", 2);
    assert_true(topology_spread_allows(&world.k, job, 0, r1a));
    assert_int_equal(world_propose(&world, job, 0, r1a, 1), LSCHED_OK);
    assert_true(topology_spread_allows(&world.k, job, 0, r1b));
    assert_int_equal(world_propose(&world, job, 0, r1b, 1), LSCHED_OK);
    assert_false(topology_spread_allows(&world.k, job, 0, r1a));
    assert_false(topology_spread_allows(&world.k, job, 0, r1b));
    assert_true(topology_spread_allows(&world.k, job, 0, r2));
    assert_false(topology_spread_allows(&world.k, job, 0, outside));
    assert_int_equal(verify_state(&world.k, NULL), LSCHED_OK);
    uint32_t free_of = add("k", 0);
    assert_true(topology_spread_allows(&world.k, free_of, 0, outside));
}

/* Levels of "site": zone 0, rack 1. */
static void room_is_what_spread_and_nodes_leave(void **unused) {
    (void)unused;
    uint32_t three = add("three", 3), nine = add("nine", 9), any = add("any", 0);
    assert_int_equal(room(three, r1a, 1), 3);
    assert_int_equal(room(nine, r1a, 1), 6);
    assert_int_equal(room(nine, r2, 1), 1);
    assert_int_equal(room(three, r1a, 0), 4);
    assert_int_equal(room(any, r1a, 0), 7);
    assert_int_equal(world_propose(&world, three, 0, r1a, 2), LSCHED_OK);
    assert_int_equal(room(three, r1a, 1), 1);
    assert_int_equal(room(three, r1a, 0), 2);
    assert_int_equal(room(nine, r1a, 1), 4);
}

static void capacity_is_a_bound_whoever_leaves(void **unused) {
    (void)unused;
    uint32_t one = add("one", 1), five = add("five", 5), nine = add("nine", 9), any = add("any", 0);
    assert_int_equal(capacity(one), 2);
    assert_int_equal(capacity(five), 6);
    assert_int_equal(capacity(nine), 7);
    assert_true(capacity(any) == INT64_MAX);
    assert_int_equal(world_propose(&world, any, 0, r1a, 4), LSCHED_OK); /* may be evicted */
    assert_int_equal(capacity(five), 6);
    assert_int_equal(world_propose(&world, nine, 0, r1b, 2), LSCHED_OK);
    assert_int_equal(capacity(nine), 7);
    assert_int_equal(undo_begin(&world.k), LSCHED_OK);
    node_set_state(&world.k, r1b, LSCHED_NODE_CORDONED); /* holds two, and takes no more */
    undo_end(&world.k);
    assert_int_equal(capacity(nine), 7);
    assert_int_equal(capacity(five), 5);
    assert_int_equal(undo_begin(&world.k), LSCHED_OK);
    node_set_state(&world.k, r1a, LSCHED_NODE_CORDONED);
    undo_end(&world.k);
    assert_int_equal(capacity(nine), 3);
    assert_int_equal(capacity(five), 1);
}

static void imports_may_break_it_and_stay(void **unused) {
    (void)unused;
    uint32_t job = add("j", 1);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(world_import(&world, job, i, r1a), LSCHED_OK);
    assert_int_equal(verify_state(&world.k, NULL), LSCHED_OK);
    assert_int_equal(capacity(job), 4);
    assert_int_equal(room(job, r1a, 1), 0);
    assert_int_equal(room(job, r1a, 0), 1);
    assert_false(topology_spread_allows(&world.k, job, 0, r1b));
    assert_true(topology_spread_allows(&world.k, job, 0, r2));
}

static void the_verifier_counts_for_itself(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t job = add("j", 2);
    assert_int_equal(world_propose(&world, job, 0, r1a, 2), LSCHED_OK);
    assert_int_equal(verify_state(&world.k, &err), LSCHED_OK);
    assert_int_equal(world_propose(&world, job, 0, r1b, 1), LSCHED_OK);
    assert_int_not_equal(verify_state(&world.k, &err), LSCHED_OK);
    assert_non_null(strstr(err.message, "in its domain, which may hold 2 of its group"));
    assert_int_equal(world_release(&world, job, 2, LSCHED_TASK_NONE), LSCHED_OK);
    assert_int_equal(verify_state(&world.k, &err), LSCHED_OK);
    assert_int_equal(world_propose(&world, job, 0, outside, 1), LSCHED_OK);
    assert_int_not_equal(verify_state(&world.k, &err), LSCHED_OK);
    assert_non_null(strstr(err.message, "outside the tree that its group is spread over"));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_full_domain_takes_no_more),        TEST(room_is_what_spread_and_nodes_leave),
        TEST(capacity_is_a_bound_whoever_leaves), TEST(imports_may_break_it_and_stay),
        TEST(the_verifier_counts_for_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
