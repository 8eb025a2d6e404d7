/*
 * api_case.h -- the cluster and the error record of a test file whose cases each get the cluster of api_world.h anew:
 * cmocka_unit_test_setup_teardown(case, set_up, tear_down). Include it last: functions of other headers call their
 * parameters `err` too.
 */
#ifndef TESTS_API_CASE_H
#define TESTS_API_CASE_H

#include "support/api_world.h"

static struct api_world world;
static lsched_error err;

static int set_up(void **state) {
    (void)state;
    err = (lsched_error)LSCHED_ERROR_INIT;
    return api_world_make(&world, NULL);
}

static int tear_down(void **state) {
    (void)state;
    api_world_drop(&world);
    return 0;
}

#endif
