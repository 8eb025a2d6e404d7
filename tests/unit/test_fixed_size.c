/* Groups whose size is fixed at their start: what calls refuse, what descriptions and predictions say.
 * docs/semantics.md 5 has the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/api_empty.h"

static int32_t submit_group(const lsched_group_desc *group, lsched_id *id) {
    lsched_job_desc job = api_job("gang", group, 1);
    return lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, id, NULL, &err);
}

static lsched_group_desc moldable(uint32_t count, uint32_t min) {
    lsched_group_desc group = api_group(count);
    group.min_count = min;
    group.flags = LSCHED_GROUP_FIXED_AT_START;
    return group;
}

static void refused(int32_t rc, int32_t code, const char *text) {
    assert_int_equal(rc, code);
    if (!strstr(err.message, text)) fail_msg("'%s' does not say '%s'", err.message, text);
}

static void cycle(void) {
    world.now_us += 1000000;
    MUST(api_cycle(world.cluster, world.now_us, NULL));
    MUST(lsched_verify(world.cluster, NULL, &err));
}

static uint32_t placed(lsched_id job) {
    lsched_job_info info = {.size = sizeof info};
    MUST(lsched_job_get(world.cluster, job, &info, &err));
    return info.tasks_placed;
}

static void descriptions_that_cannot_be_are_refused(void **unused) {
    (void)unused;
    lsched_group_desc g[2] = {moldable(4, LSCHED_MIN_NONE), api_group(2)};
    lsched_id id;
    refused(submit_group(g, &id), LSCHED_E_RANGE, "so its minimum is at least 1");
    g[0] = moldable(4, 2);
    g[0].flags = 2;
    refused(submit_group(g, &id), LSCHED_E_INVAL, "flags is 0x2; expected LSCHED_GROUP_*");
    lsched_job_desc tree = api_job("tree", g, 2);
    g[0] = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    g[0].flags = LSCHED_GROUP_FIXED_AT_START;
    refused(lsched_jobs_submit(world.cluster, &tree, 1, sizeof tree, NULL, &id, NULL, &err),
            LSCHED_E_INVAL, "contains groups and cannot have tasks of its own");
}

static void a_description_says_what_was_submitted(void **unused) {
    (void)unused;
    lsched_group_desc g = moldable(3, 2);
    lsched_description *d = NULL;
    lsched_id job;
    MUST(submit_group(&g, &job));
    cycle();
    assert_true(placed(job) >= 2);
    MUST(lsched_describe(world.cluster, job, &d, &err));
    const lsched_group_desc *said = lsched_description_job(d)->groups;
    assert_int_equal(said->flags, LSCHED_GROUP_FIXED_AT_START);
    assert_int_equal(said->min_count, 2);
    assert_int_equal(said->max_count, 3);
    lsched_description_destroy(d);
}

static void a_prediction_chooses_no_size(void **unused) {
    (void)unused;
    lsched_group_desc g = moldable(3, 1);
    lsched_would_start_answer a = LSCHED_WOULD_START_ANSWER_INIT;
    lsched_job_info info = {.size = sizeof info};
    lsched_id job;
    MUST(submit_group(&g, &job));
    MUST(lsched_would_start(world.cluster, job, NULL, NULL, &a, &err));
    assert_int_equal(a.start, LSCHED_START_NOW);
    MUST(lsched_job_get(world.cluster, job, &info, &err));
    assert_int_equal(info.tasks_min, 1);
    assert_int_equal(info.tasks_wanted, 3);
    assert_int_equal(placed(job), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(descriptions_that_cannot_be_are_refused),
        TEST(a_description_says_what_was_submitted),
        TEST(a_prediction_chooses_no_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
