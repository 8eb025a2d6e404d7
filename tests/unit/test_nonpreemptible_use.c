/* What of a gang is core, by the tree: minimums of leaves, chosen groups, tasks that are done; and
 * that demand follows a job through refusal, import and ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "model/queues/nonpreemptible_use.h"
#include "support/model_world.h"

static struct model_world world;

static int open_world(void **unused) {
    (void)unused;
    uint32_t row, org;
    return world_open(&world, NULL) || world_topology(&world) ||
           world_node(&world, "n1", 64000, 8, 0, "r1", &row) ||
           world_queue(&world, "org", NO_ROW, &org) || world_queue(&world, "a", org, &row);
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static uint32_t add(const char *name, uint32_t n, const struct group_form *groups) {
    struct job_form f = {.name = name, .queue = world_queue_named(&world, "a"), .n_groups = n};
    memcpy(f.groups, groups, n * sizeof *groups);
    uint32_t job = NO_ROW;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    return job;
}

static void place(uint32_t job, uint32_t group, uint32_t n) {
    uint32_t node = world_node_named(&world, "n1");
    assert_int_equal(world_propose(&world, job, group, node, n), LSCHED_OK);
}

static void expect_core(uint32_t job, uint32_t group, uint32_t more, const uint32_t *core,
                        uint32_t n) {
    uint32_t got[LSCHED_GROUPS_PER_JOB_MAX];
    nonpreemptible_use_tasks(&world.k, job, group, more, got);
    for (uint32_t g = 0; g < n; g++) assert_int_equal(got[g], core[g]);
}
#define CORE(job, group, more, ...)                                \
    expect_core(job, group, more, (const uint32_t[]){__VA_ARGS__}, \
                sizeof((uint32_t[]){__VA_ARGS__}) / 4)

static int64_t demand(const char *queue) {
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = verify_state(&world.k, &err);
    if (rc != LSCHED_OK) print_message("%s\n", err.message);
    assert_int_equal(rc, LSCHED_OK);
    return world.k.c[C_QUEUE_DEMAND + LSCHED_CPU].i64[world_queue_named(&world, queue)];
}

static void of_a_leaf_the_minimum(void **unused) {
    (void)unused;
    uint32_t job = add("j", 1, &(struct group_form){.max = 5, .min = 3, .cpu = 100});
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    CORE(job, 0, 0, 0);
    CORE(job, 0, 2, 2);
    CORE(job, 0, 5, 3);
    place(job, 0, 4);
    CORE(job, 0, 0, 3);
    assert_int_equal(world_start(&world, job, 0), LSCHED_OK);
    assert_int_equal(world_release(&world, job, 0, LSCHED_TASK_DONE), LSCHED_OK);
    CORE(job, 0, 0, 2); /* one of three is done */
}

static void of_a_choice_the_satisfied_then_the_fuller(void **unused) {
    (void)unused;
    const struct group_form tree[4] = {{.children = 3, .min = 1},
                                       {.parent = 0, .max = 4, .min = 3, .cpu = 10},
                                       {.parent = 0, .max = 4, .min = 1, .cpu = 20},
                                       {.parent = 0, .max = 4, .min = 2, .cpu = 30}};
    uint32_t job = add("t", 4, tree);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    CORE(job, 1, 2, 0, 2, 0, 0); /* nobody stands: the fullest */
    place(job, 3, 2);
    CORE(job, 1, 2, 0, 0, 0, 2); /* who stands goes before who holds more .. */
    CORE(job, 1, 3, 0, 3, 0, 0); /* .. but not before who holds more and stands, too */
    CORE(job, 2, 2, 0, 0, 1, 0); /* equally full: the earlier */
    CORE(job, 2, 1, 0, 0, 0, 2);
}

static void of_nested_groups_each_level_its_own(void **unused) {
    (void)unused;
    const struct group_form tree[4] = {{.children = 2, .min = 1},
                                       {.parent = 0, .max = 6, .min = 6, .cpu = 10},
                                       {.parent = 0, .children = 1, .min = 1},
                                       {.parent = 2, .max = 4, .min = 2, .cpu = 30}};
    uint32_t job = add("t", 4, tree);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    place(job, 3, 3);
    CORE(job, 0, 0, 0, 0, 0, 2);
    CORE(job, 1, 5, 0, 0, 0, 2);
    CORE(job, 1, 6, 0, 6, 0, 0);
}

static void demand_follows_a_job(void **unused) {
    (void)unused;
    uint32_t job = add("j", 1, &(struct group_form){.max = 4, .min = 1, .cpu = 100}),
             n1 = world_node_named(&world, "n1");
    assert_int_equal(demand("a"), 0); /* nobody has admitted it */
    assert_int_equal(world_refuse(&world, job, "no"), LSCHED_OK);
    assert_int_equal(demand("a"), 0);
    assert_int_equal(world_import(&world, job, 2, n1), LSCHED_OK);
    assert_int_equal(demand("org"), 100); /* what it holds counts */
    assert_int_equal(world_release(&world, job, 2, LSCHED_TASK_NONE), LSCHED_OK);
    assert_int_equal(demand("a"), 0);
    assert_int_equal(world_import(&world, job, 1, n1), LSCHED_OK);
    assert_int_equal(world_import(&world, job, 2, n1), LSCHED_OK);
    assert_int_equal(world_release(&world, job, 2, LSCHED_TASK_DONE), LSCHED_OK);
    assert_int_equal(demand("a"), 100);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    assert_int_equal(demand("a"), 300);
    assert_int_equal(world_release(&world, job, 1, LSCHED_TASK_NONE), LSCHED_OK);
    assert_int_equal(demand("org"), 300);
    assert_int_equal(world_remove_job(&world, job), LSCHED_OK);
    assert_int_equal(demand("org"), 0);
}

/* One job may ask for 2^62 of a kind in all; what jobs ask for together is exact beyond that, and shown as 2^62. */
static void sums_of_jobs_have_no_bound(void **unused) {
    (void)unused;
    struct group_form four = {.max = 4, .min = 1, .cpu = (int64_t)1 << 60};
    struct job_form f = {.name = "one", .queue = world_queue_named(&world, "a"), .n_groups = 1};
    uint32_t row[3];
    f.groups[0] = four;
    f.groups[0].max = 5;
    assert_int_equal(world_job(&world, &f, &row[0]), LSCHED_E_RANGE);
    for (int i = 0; i < 3; i++) {
        char name[] = {(char)('x' + i), 0};
        row[i] = add(name, 1, &four);
        assert_int_equal(world_admit(&world, row[i]), LSCHED_OK);
        assert_true(demand("org") == LSCHED_AMOUNT_MAX);
    }
    for (int i = 0; i < 2; i++) assert_int_equal(world_remove_job(&world, row[i]), LSCHED_OK);
    assert_true(demand("org") == LSCHED_AMOUNT_MAX);
    assert_int_equal(world_remove_job(&world, row[2]), LSCHED_OK);
    assert_int_equal(demand("org"), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(of_a_leaf_the_minimum),
        TEST(of_a_choice_the_satisfied_then_the_fuller),
        TEST(of_nested_groups_each_level_its_own),
        TEST(demand_follows_a_job),
        TEST(sums_of_jobs_have_no_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
