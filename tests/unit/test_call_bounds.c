/* test_call_bounds.c -- numbers of a caller that would have the library read what is not there:
 * the size of a struct, also in a batch whose stride is that size, and how many amounts a group
 * asks for. Each is refused before anything is read by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "support/api_world.h"

static struct api_world world;
static lsched_error err;

static int set_up(void **state) {
    (void)state;
    memset(&world, 0, sizeof world);
    return api_world_make(&world, NULL);
}

static int tear_down(void **state) {
    (void)state;
    api_world_drop(&world);
    return 0;
}

static int32_t add_node_of(uint32_t size, size_t stride) {
    lsched_node_desc d = api_node("fresh");
    err = (lsched_error)LSCHED_ERROR_INIT;
    d.size = size;
    return lsched_nodes_add(world.cluster, &d, 1, stride, NULL, NULL, NULL, &err);
}

static void a_size_that_was_not_set_is_refused(void **state) {
    (void)state;
    static const uint32_t sizes[] = {0, 1, 3, 7, 4097, 1u << 20, INT32_MAX, UINT32_MAX};
    uint64_t image = api_image(world.cluster);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(add_node_of(sizes[i], 0), LSCHED_E_SIZE);
        assert_non_null(strstr(err.message, "(was it set?)"));
        assert_int_equal(add_node_of(sizes[i], sizeof(lsched_node_desc)), LSCHED_E_SIZE);
        lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
        lsched_plan *plan = NULL;
        o.size = sizes[i];
        assert_int_equal(lsched_schedule(world.cluster, &o, &plan, NULL), LSCHED_E_SIZE);
    }
    assert_int_equal(api_image(world.cluster), image);
}

/* A larger struct of a newer host is taken up to the bound, if what is beyond is zero. */
static void a_newer_struct_is_taken_up_to_the_bound(void **state) {
    (void)state;
    char bytes[4096];
    lsched_node_desc d = api_node("fresh");
    memset(bytes, 0, sizeof bytes);
    d.size = sizeof bytes;
    memcpy(bytes, &d, sizeof d);
    err = (lsched_error)LSCHED_ERROR_INIT;
    assert_int_equal(lsched_nodes_add(world.cluster, (const void *)bytes, 1, sizeof bytes, NULL,
                                      NULL, NULL, &err),
                     1);
    d = api_node("other");
    d.size = sizeof bytes;
    memcpy(bytes, &d, sizeof d);
    bytes[sizeof bytes - 1] = 1;
    assert_int_equal(lsched_nodes_add(world.cluster, (const void *)bytes, 1, sizeof bytes, NULL,
                                      NULL, NULL, &err),
                     LSCHED_E_SIZE);
    assert_non_null(strstr(err.message, "byte 4095 after these is not zero"));
}

/* 16 kinds and 112 parts are all that there can be; the list behind the number has one. */
static void a_number_of_amounts_is_bounded_before_they_are_read(void **state) {
    (void)state;
    static const uint32_t numbers[] = {129, 1u << 20, UINT32_MAX};
    uint64_t image = api_image(world.cluster);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        lsched_amount *one = malloc(sizeof *one); /* a sanitizer sees what is read behind it */
        assert_non_null(one);
        *one = (lsched_amount){LSCHED_CPU, 0, 1000};
        lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
        g.request = one;
        g.n_request = numbers[i];
        lsched_job_desc j = api_job("fresh", &g, 1);
        err = (lsched_error)LSCHED_ERROR_INIT;
        assert_int_equal(lsched_jobs_submit(world.cluster, &j, 1, sizeof j, NULL, NULL, NULL, &err),
                         LSCHED_E_LIMIT);
        assert_non_null(strstr(err.message, "amounts requested; at most 128"));
        free(one);
    }
    assert_int_equal(api_image(world.cluster), image);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_size_that_was_not_set_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_newer_struct_is_taken_up_to_the_bound, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_number_of_amounts_is_bounded_before_they_are_read, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
