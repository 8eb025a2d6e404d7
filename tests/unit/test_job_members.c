/* Jobs whose tasks do not all exist yet: what calls refuse, what an update may say while tasks have
 * places, what descriptions and predictions say. docs/semantics.md 5 has the rules. */
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

static lsched_id submit(uint32_t count, uint32_t min, uint32_t members) {
    lsched_group_desc group = api_group(count);
    lsched_id id = 0;
    group.min_count = min;
    group.members = members;
    MUST(submit_group(&group, &id));
    return id;
}

static int32_t tell(lsched_id job, uint32_t max, uint32_t members) {
    lsched_group_count n = LSCHED_GROUP_COUNT_INIT;
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    n.max_count = max;
    n.members = members;
    u.job = job;
    u.set = LSCHED_JOB_SET_COUNTS;
    u.counts = &n;
    u.n_counts = 1;
    return lsched_jobs_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err);
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

static uint32_t code_of(lsched_id job) {
    lsched_waiting w = {.size = sizeof w};
    char text[1000];
    MUST(lsched_explain(world.cluster, job, text, sizeof text, &w, &err));
    return w.code;
}

static void numbers_that_cannot_be_are_refused(void **unused) {
    (void)unused;
    lsched_group_desc g[2] = {api_group(2), api_group(2)};
    lsched_id id;
    g[0].members = 3;
    refused(submit_group(g, &id), LSCHED_E_RANGE,
            "members is 3, but the group has only 2 tasks; raise max_count, or give "
            "members 0 if all of them exist");
    lsched_job_desc tree = api_job("tree", g, 2);
    g[0] = (lsched_group_desc)LSCHED_GROUP_DESC_INIT;
    g[0].members = 1;
    refused(lsched_jobs_submit(world.cluster, &tree, 1, sizeof tree, NULL, &id, NULL, &err),
            LSCHED_E_INVAL, "contains groups and cannot have tasks of its own");
    lsched_id job = submit(4, 2, 1);
    refused(tell(job, 0, 5), LSCHED_E_RANGE,
            "members is 5, but it has only 4 tasks; raise max_count, too");
}

static void growth_follows_the_members(void **unused) {
    (void)unused;
    lsched_id job = submit(4, 2, LSCHED_NO_MEMBERS);
    cycle();
    assert_int_equal(code_of(job), LSCHED_WAIT_MEMBERS);
    MUST(tell(job, 0, 1));
    cycle();
    assert_int_equal(placed(job), 0);
    MUST(tell(job, 0, 3));
    cycle();
    assert_int_equal(placed(job), 3);
    assert_int_equal(code_of(job), LSCHED_WAIT_MEMBERS);
    refused(tell(job, 0, 2), LSCHED_E_STATE, "the tasks with a place or done are 3");
    refused(tell(job, 0, LSCHED_NO_MEMBERS), LSCHED_E_STATE,
            "0 members, but the tasks with a place or done are 3");
    MUST(tell(job, 0, 4));
    cycle();
    assert_int_equal(placed(job), 4);
    MUST(tell(job, 6, 0)); /* all existed, and all exist */
    cycle();
    assert_int_equal(placed(job), 6);
    MUST(tell(job, 8, 7)); /* more are wanted than exist */
    cycle();
    assert_int_equal(placed(job), 7);
}

static void a_description_says_how_many_exist(void **unused) {
    (void)unused;
    static const uint32_t given[] = {0, 1, 3, 4, LSCHED_NO_MEMBERS},
                          said[] = {0, 1, 3, 0, LSCHED_NO_MEMBERS};
    lsched_id job = submit(4, 2, 0);
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        lsched_description *d = NULL;
        if (given[i]) MUST(tell(job, 0, given[i]));
        MUST(lsched_describe(world.cluster, job, &d, &err));
        assert_int_equal(lsched_description_job(d)->groups[0].members, said[i]);
        lsched_description_destroy(d);
    }
}

static void a_prediction_knows_no_start_and_offers_nothing(void **unused) {
    (void)unused;
    lsched_would_start_answer a = LSCHED_WOULD_START_ANSWER_INIT;
    lsched_offer offer = LSCHED_OFFER_INIT;
    lsched_id job = submit(2, 2, 1);
    a.offer = &offer;
    MUST(lsched_would_start(world.cluster, job, NULL, NULL, &a, &err));
    assert_int_equal(a.start, LSCHED_START_NEVER);
    assert_int_equal(a.code, LSCHED_WAIT_MEMBERS);
    assert_int_equal(offer.change, 0);
    assert_int_equal(placed(job), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(numbers_that_cannot_be_are_refused),
        TEST(growth_follows_the_members),
        TEST(a_description_says_how_many_exist),
        TEST(a_prediction_knows_no_start_and_offers_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
