/* An ask: it says what the columns say about a group, and tells when they say something else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/indexes/ask.h"
#include "support/model_world.h"

static struct model_world world;
static uint32_t q, node, job;

/* A gang of a leaf of two to four tasks and a leaf of one task. */
static int open_world(void **unused) {
    (void)unused;
    if (world_open(&world, NULL) != LSCHED_OK || world_topology(&world) != LSCHED_OK) return 1;
    world_node(&world, "n", 8000, 0, 0, "r", &node);
    if (world_queue(&world, "q", NO_ROW, &q) != LSCHED_OK) return 1;
    struct job_form f = {.name = "gang",
                         .queue = q,
                         .n_groups = 3,
                         .groups = {{.children = 2, .min = 2, .max = 2},
                                    {.min = 2, .max = 4},
                                    {.min = 1, .max = 1, .cpu = 500}}};
    if (world_job(&world, &f, &job) != LSCHED_OK) return 1;
    return world_admit(&world, job);
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static void an_ask_knows_its_group(void **unused) {
    (void)unused;
    struct ask root, a, b;
    ask_open(&root, &world.k, job, 0);
    ask_open(&a, &world.k, job, 1);
    ask_open(&b, &world.k, job, 2);
    assert_int_equal(root.shape, NO_ROW);
    assert_int_equal(a.row, root.row + 1);
    assert_int_equal(a.queue, q);
    assert_int_equal(a.min, 2);
    assert_int_equal(a.max, 4);
    assert_int_equal(a.leaf, NO_ROW);
    assert_int_not_equal(a.shape, b.shape);
    assert_int_equal(ask_next(&a), 2);
}

static void an_ask_tells_that_it_is_old(void **unused) {
    (void)unused;
    struct ask a, b;
    ask_open(&a, &world.k, job, 1);
    ask_open(&b, &world.k, job, 2);
    assert_int_equal(world_propose(&world, job, 1, node, 1), LSCHED_OK);
    assert_false(ask_is_fresh(&a, &world.k));
    assert_true(ask_is_fresh(&b, &world.k));
    ask_renew(&a, &world.k);
    assert_true(ask_is_fresh(&a, &world.k));
    assert_int_equal(a.held, 1);
    assert_int_equal(ask_next(&a), 1);
    assert_int_equal(world_propose(&world, job, 1, node, 2), LSCHED_OK);
    ask_renew(&a, &world.k);
    assert_int_equal(a.held, 3);
    assert_int_equal(ask_next(&a), 1); /* more than the minimum: one by one */
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {TEST(an_ask_knows_its_group),
                                       TEST(an_ask_tells_that_it_is_old)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
