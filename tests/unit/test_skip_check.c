/* A build with assertions repeats searches that a cycle skipped (api/calls/skip_check.h): a lost wake is an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api/calls/skip_check.h"
#include "engine/state/cluster.h"
#include "support/steps_world.h"

/* A job that fills the only node has ended, and another job waits for the room. */
static lsched_cluster *job_that_can_start(void) {
    lsched_cluster *c = steps_world(1);
    skip_check_on(c, 1);
    steps_submit_as(c, "first", 8000, "q", "");
    steps_submit_as(c, "second", 8000, "q", "");
    assert_int_equal(steps_cycle(c, 1).decisions, 1);
    assert_int_equal(steps_cycle(c, 2).decisions, 0);
    assert_true(skip_check_compared(c) > 0);
    steps_end_task(c, "first");
    return c;
}

static void test_a_wake_passes(void **state) {
    lsched_cluster *c = job_that_can_start();
    (void)state;
    assert_int_equal(steps_cycle(c, 3).decisions, 1);
    lsched_cluster_destroy(c);
}

static void test_a_lost_wake_is_an_error(void **state) {
    lsched_cluster *c = job_that_can_start();
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    (void)state;
    opts.now_us = 3;
    c->k.c[C_NODE_GREW].u8[meta(&c->k, M_GREW_HEAD)] = 0;
    c->k.c[C_META_WORD].u64[M_GREW_HEAD] = NO_ROW;
    assert_int_equal(lsched_schedule(c, &opts, &plan, &steps_err), LSCHED_E_VERIFY);
    assert_null(plan);
    assert_non_null(strstr(steps_err.message, "'second'"));
    lsched_cluster_destroy(c);
}

static void test_no_cycle_is_compared_unless_asked(void **state) {
    lsched_cluster *c = steps_world(1);
    (void)state;
    skip_check_on(c, 0);
    steps_submit_as(c, "first", 8000, "q", "");
    steps_submit_as(c, "second", 8000, "q", "");
    for (int64_t now = 1; now < 10; now++) steps_cycle(c, now);
    assert_int_equal(skip_check_compared(c), 0);
    lsched_cluster_destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_wake_passes),
                                       cmocka_unit_test(test_a_lost_wake_is_an_error),
                                       cmocka_unit_test(test_no_cycle_is_compared_unless_asked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
