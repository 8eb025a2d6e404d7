/*
 * test_would_start.c -- each answer of lsched_would_start on a small cluster, what a described job is told, and wrong arguments.
 * tests/property/test_would_start_random.c has the properties.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/api_world.h"

static struct api_world world;
static lsched_error err;
static lsched_would_start_answer answer;
static lsched_waiting waiting;

static int32_t ask_with(lsched_id job, const lsched_job_desc *desc,
                        const lsched_would_start_opts *opts) {
    uint64_t image = api_image(world.cluster);
    err = (lsched_error)LSCHED_ERROR_INIT;
    answer = (lsched_would_start_answer)LSCHED_WOULD_START_ANSWER_INIT;
    memset(&waiting, 0, sizeof waiting);
    waiting.size = sizeof waiting;
    answer.waiting = &waiting;
    int32_t rc = lsched_would_start(world.cluster, job, desc, opts, &answer, &err);
    assert_int_equal(api_image(world.cluster), image);
    return rc;
}

static int32_t ask(lsched_id job, const lsched_job_desc *desc) {
    return ask_with(job, desc, NULL);
}

static int set_up(void **state) {
    (void)state;
    return api_world_make(&world, NULL);
}

static int tear_down(void **state) {
    (void)state;
    api_world_drop(&world);
    return 0;
}

static void a_described_job_starts_now_on_the_devices_of_the_plan(void **state) {
    (void)state;
    lsched_group_desc group = api_group(2);
    lsched_job_desc job = api_job("new", &group, 1);
    lsched_would_start_opts opts = LSCHED_WOULD_START_OPTS_INIT;
    opts.flags = LSCHED_WOULD_START_PLAN;
    assert_int_equal(ask_with(0, &job, &opts), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_NOW);
    assert_int_equal(answer.tasks, 2);
    assert_int_equal(answer.victims, 0);
    assert_int_equal(answer.at_us, world.now_us);
    assert_int_equal(answer.code, LSCHED_WAIT_NONE);
    assert_int_equal(lsched_plan_size(answer.plan), 2);
    for (size_t i = 0; i < 2; i++) {
        const lsched_decision *d = lsched_plan_at(answer.plan, i);
        assert_int_equal(d->kind, LSCHED_DECIDE_PLACE);
        assert_int_equal(d->id, 0);
        assert_int_equal(d->job, 0);
        assert_true(d->node == world.nodes[0] || d->node == world.nodes[1]);
        assert_int_equal(__builtin_popcount(d->device_mask), 1);
    }
    lsched_plan_destroy(answer.plan);
    assert_int_equal(lsched_find(world.cluster, LSCHED_KIND_JOB, LSCHED_TEXT("new")), 0);
}

static void a_waiting_job_is_told_why_it_never_starts(void **state) {
    (void)state;
    lsched_group_desc group = api_group(40);
    lsched_job_desc job = api_job("huge", &group, 1);
    assert_int_equal(ask(0, &job), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_NEVER);
    assert_int_equal(answer.at_us, LSCHED_NEVER_US);
    assert_int_equal(waiting.code, answer.code);
    assert_int_equal(waiting.job, 0);
    assert_null(answer.plan);
}

static void a_job_that_runs_has_its_places(void **state) {
    (void)state;
    assert_int_equal(ask(world.busy, NULL), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_HAS_PLACES);
    assert_int_equal(ask(world.open, NULL), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_HAS_PLACES);
}

/* Fills both nodes with jobs of known length; a further job starts when the first of them ends. */
static void a_job_behind_others_is_told_when_and_behind_whom(void **state) {
    (void)state;
    lsched_group_desc group = api_group(8);
    lsched_job_desc job = api_job("behind", &group, 1);
    lsched_group_desc all = api_group(14);
    lsched_job_desc first = api_job("first", &all, 1);
    lsched_id id = 0, placed;
    first.duration_us = INT64_C(600000000);
    assert_int_equal(
        lsched_jobs_submit(world.cluster, &first, 1, sizeof first, NULL, &id, NULL, &err), 1);
    assert_true(api_cycle(world.cluster, world.now_us, &placed) >= 0);
    assert_true(placed != 0);
    assert_int_equal(ask(0, &job), LSCHED_OK);
    assert_int_equal(answer.start, LSCHED_START_LATER);
    assert_int_equal(answer.ends_job, id);
    assert_true(answer.at_us > world.now_us && answer.at_us < LSCHED_NEVER_US);
    assert_int_equal(answer.at_us, waiting.starts_us);
}

static void wrong_arguments_are_named(void **state) {
    (void)state;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("new", &group, 1);
    lsched_schedule_opts cycle = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_would_start_opts opts = LSCHED_WOULD_START_OPTS_INIT;
    assert_int_equal(ask(0, NULL), LSCHED_E_INVAL);
    assert_non_null(strstr(err.message, "got none"));
    assert_int_equal(ask(world.later, &job), LSCHED_E_INVAL);
    assert_non_null(strstr(err.message, "got both"));
    assert_int_equal(ask(world.gone_job, NULL), LSCHED_E_STALE);
    assert_int_equal(ask(world.nodes[0], NULL), LSCHED_E_KIND);
    opts.flags = 8;
    assert_int_equal(ask_with(world.later, NULL, &opts), LSCHED_E_INVAL);
    opts.flags = 0;
    opts.schedule = &cycle;
    cycle.now_us = 1;
    assert_int_equal(ask_with(world.later, NULL, &opts), LSCHED_E_TIME);
    cycle.now_us = world.now_us;
    cycle.work_budget = 5;
    assert_int_equal(ask_with(world.later, NULL, &opts), LSCHED_E_INVAL);
    assert_non_null(strstr(err.message, "work_budget"));
    job = api_job("busy", &group, 1);
    assert_int_equal(ask(0, &job), LSCHED_E_EXISTS);
    assert_int_equal(lsched_would_start(NULL, world.busy, NULL, NULL, &answer, &err),
                     LSCHED_E_NULL);
    assert_int_equal(lsched_would_start(world.cluster, world.busy, NULL, NULL, NULL, &err),
                     LSCHED_E_NULL);
    answer.size = 4;
    assert_int_equal(lsched_would_start(world.cluster, world.busy, NULL, NULL, &answer, &err),
                     LSCHED_E_SIZE);
}

static void an_interrupt_before_the_call_ends_the_next_cycle(void **state) {
    (void)state;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    lsched_schedule_opts cycle = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("new", &group, 1);
    assert_int_equal(lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err),
                     1);
    cycle.now_us = world.now_us;
    lsched_interrupt(world.cluster);
    assert_int_equal(ask(world.later, NULL), LSCHED_OK);
    assert_int_equal(lsched_schedule(world.cluster, &cycle, &plan, &err), LSCHED_OK);
    assert_int_equal(lsched_plan_get(plan, &info, NULL), LSCHED_OK);
    assert_true(info.flags & LSCHED_PLAN_INTERRUPTED);
    lsched_plan_destroy(plan);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(a_described_job_starts_now_on_the_devices_of_the_plan),
                                       TEST(a_waiting_job_is_told_why_it_never_starts),
                                       TEST(a_job_that_runs_has_its_places),
                                       TEST(a_job_behind_others_is_told_when_and_behind_whom),
                                       TEST(wrong_arguments_are_named),
                                       TEST(an_interrupt_before_the_call_ends_the_next_cycle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
