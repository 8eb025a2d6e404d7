/* The rarer numbers of a job description: what is refused, and by what name, and what is kept for
 * the scheduler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/api_world.h"

static struct api_world world;

static int make(void **unused) {
    (void)unused;
    return (int)api_world_make(&world, NULL);
}

static int drop(void **unused) {
    (void)unused;
    api_world_drop(&world);
    return 0;
}

static int32_t submit(const lsched_job_desc *d, lsched_error *err) {
    uint64_t before = api_image(world.cluster);
    int32_t rc = lsched_jobs_submit(world.cluster, d, 1, sizeof *d, NULL, NULL, NULL, err);
    if (rc >= 0) return LSCHED_OK;
    assert_true(api_image(world.cluster) == before);
    return rc;
}

static void refused(const lsched_job_desc *d, int32_t code, const char *part) {
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(submit(d, &err), code);
    if (!strstr(err.message, part)) fail_msg("expected \"%s\" in: %s", part, err.message);
}

static void times_below_zero(void **unused) {
    static const struct {
        size_t offset;
        const char *name;
    } times[] = {{offsetof(lsched_job_desc, preemption_delay_us), "preemption_delay_us"},
                 {offsetof(lsched_job_desc, disruption_window_us), "disruption_window_us"},
                 {offsetof(lsched_job_desc, backoff_us), "backoff_us"},
                 {offsetof(lsched_job_desc, release_us), "release_us"},
                 {offsetof(lsched_job_desc, restart_cost_us), "restart_cost_us"},
                 {offsetof(lsched_job_desc, duration_us), "duration_us"},
                 {offsetof(lsched_job_desc, soft_limit_us), "soft_limit_us"}};
    const int64_t wrong[] = {-1, INT64_MIN, LSCHED_AMOUNT_MAX + 1, INT64_MAX};
    (void)unused;
    lsched_group_desc g = api_group(1);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
            lsched_job_desc d = api_job("numbers", &g, 1);
            memcpy((char *)&d + times[i].offset, &wrong[w], sizeof wrong[w]);
            refused(&d, LSCHED_E_RANGE, times[i].name);
        }
}

static void a_grace_is_a_time_or_for_ever(void **unused) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_group_desc g = api_group(1);
    (void)unused;
    lsched_job_desc d = api_job("numbers", &g, 1);
    const int64_t wrong[] = {INT64_MIN, -1, INT64_MAX - 1, (INT64_C(1) << 61) + 1};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        d.stale_grace_us = wrong[i];
        refused(&d, LSCHED_E_RANGE, "LSCHED_NEVER_US for ever");
    }
    d.stale_grace_us = LSCHED_NEVER_US;
    assert_int_equal(submit(&d, &err), LSCHED_OK);
}

static void a_window_needs_a_number(void **unused) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_group_desc g = api_group(1);
    (void)unused;
    lsched_job_desc d = api_job("numbers", &g, 1);
    d.disruption_window_us = 5;
    refused(&d, LSCHED_E_INVAL, "disruptions_max is 0");
    d.disruptions_max = 1;
    assert_int_equal(submit(&d, &err), LSCHED_OK);
}

static void a_spread_needs_a_level_a_number_and_tasks(void **unused) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_group_desc g[2] = {api_group(2), api_group(2)};
    const lsched_text rack = {"rack", 4}, row = {"row", 3};
    (void)unused;
    lsched_job_desc d = api_job("numbers", g, 1);
    g[0].spread_max = 1;
    refused(&d, LSCHED_E_INVAL, "spread_max is 1, but no spread_level is named");
    g[0].spread_level = row;
    refused(&d, LSCHED_E_KEY, "topology 'site' has no level 'row'");
    g[0].spread_level = rack;
    g[0].spread_max = 0;
    refused(&d, LSCHED_E_INVAL, "expected at least 1 task");
    g[0].spread_max = 1;
    g[0].required_level = rack;
    refused(&d, LSCHED_E_RANGE,
            "the minimum is 2 members in one 'rack', but one domain of 'rack' may have at most 1");
    g[0].min_count = 1;
    assert_int_equal(submit(&d, &err), LSCHED_OK);
    d = api_job("inner", g, 2);
    g[0] = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    g[0].spread_level = rack;
    g[0].spread_max = 1;
    refused(&d, LSCHED_E_INVAL,
            "group 0 contains groups; a spread is allowed only in a group with tasks of its "
            "own");
}

static void a_limit_for_nodes_needs_tasks(void **unused) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_group_desc g[2] = {api_group(2), api_group(2)};
    (void)unused;
    lsched_job_desc d = api_job("numbers", g, 1);
    g[0].max_tasks_per_node = 1;
    assert_int_equal(submit(&d, &err), LSCHED_OK);
    d = api_job("inner", g, 2);
    g[0] = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    g[0].max_tasks_per_node = 1;
    refused(&d, LSCHED_E_INVAL,
            "group 0 contains groups; max_tasks_per_node is allowed only in a group with tasks of "
            "its own");
}

/* Callers of the first version pass shorter structs: what they do not know is not set. */
static void an_older_description_has_none_of_them(void **unused) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_group_desc g = api_group(1);
    (void)unused;
    lsched_job_desc d = api_job("numbers", &g, 1);
    d.size = offsetof(lsched_job_desc, user);
    d.backoff_us = -1;
    d.disruption_window_us = -1;
    assert_int_equal(submit(&d, &err), LSCHED_OK);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)
    const struct CMUnitTest tests[] = {
        TEST(times_below_zero),
        TEST(a_grace_is_a_time_or_for_ever),
        TEST(a_window_needs_a_number),
        TEST(a_spread_needs_a_level_a_number_and_tasks),
        TEST(a_limit_for_nodes_needs_tasks),
        TEST(an_older_description_has_none_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
