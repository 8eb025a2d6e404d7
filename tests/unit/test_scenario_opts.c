/*
 * test_scenario_opts.c -- options that a scenario writes to structs of the host: a struct of older
 * headers gets the fields that it has, one of newer headers keeps the rest, and one without a size
 * is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/scenario.h>

static lsched_scenario *scenario;
static lsched_error err = LSCHED_ERROR_INIT;

static int set_up(void **state) {
    static const char text[] = "cluster: {memory_limit: 64Mi, verify: true}\n"
                               "schedule: {work_budget: 77, moves_max: 5}\n"
                               "nodes: [{name: n, cpu: 8}]\n";
    (void)state;
    int32_t rc = lsched_scenario_parse(NULL, lsched_cstr(text), LSCHED_TEXT("x"), &scenario, &err);
    if (rc < 0) print_message("%s\n", err.message);
    return rc;
}

static int tear_down(void **state) {
    (void)state;
    lsched_scenario_destroy(scenario);
    return 0;
}

/* Memory for a struct of any size, all bytes 0x55 behind the size. */
struct host_struct {
    uint32_t size;
    unsigned char rest[508];
};

static struct host_struct host_struct(uint32_t size) {
    struct host_struct h;
    memset(&h, 0x55, sizeof h);
    h.size = size;
    return h;
}

static void schedule_options_of_each_size(void **state) {
    lsched_schedule_opts full = LSCHED_SCHEDULE_OPTS_INIT;
    (void)state;
    assert_int_equal(lsched_scenario_schedule_opts(scenario, &full), 1);
    assert_int_equal(full.work_budget, 77);
    for (uint32_t size = 8; size <= sizeof full + 16; size += 8) {
        struct host_struct h = host_struct(size);
        size_t known = size < sizeof full ? size : sizeof full;
        assert_int_equal(lsched_scenario_schedule_opts(scenario, (void *)&h), 1);
        assert_int_equal(h.size, size);
        assert_memory_equal(h.rest, (const char *)&full + 4, known - 4);
        for (size_t i = known - 4; i < sizeof h.rest; i++) assert_int_equal(h.rest[i], 0x55);
    }
}

static void cluster_options_of_each_size(void **state) {
    lsched_cluster_opts full = LSCHED_CLUSTER_OPTS_INIT;
    (void)state;
    full.incarnation = 3; /* what the scenario does not say stays */
    assert_int_equal(lsched_scenario_cluster_opts(scenario, &full), LSCHED_OK);
    assert_true(full.memory_limit_bytes == 64u << 20 && full.verify_every_plan == 1);
    assert_int_equal(full.incarnation, 3);
    for (uint32_t size = 8; size <= sizeof full; size += 8) {
        struct host_struct h = host_struct(size);
        memset(h.rest, 0, size - 4);
        memcpy(h.rest, &full.incarnation, sizeof full.incarnation);
        assert_int_equal(lsched_scenario_cluster_opts(scenario, (void *)&h), LSCHED_OK);
        assert_int_equal(h.size, size);
        assert_memory_equal(h.rest, (const char *)&full + 4, size - 4);
        for (size_t i = size - 4; i < sizeof h.rest; i++) assert_int_equal(h.rest[i], 0x55);
    }
}

static void structs_without_a_size_are_refused(void **state) {
    struct host_struct none = host_struct(0), seven = host_struct(7), unknown = host_struct(256);
    (void)state;
    assert_int_equal(lsched_scenario_schedule_opts(scenario, (void *)&none), LSCHED_E_SIZE);
    assert_int_equal(lsched_scenario_schedule_opts(scenario, (void *)&seven), LSCHED_E_SIZE);
    assert_int_equal(lsched_scenario_cluster_opts(scenario, (void *)&none), LSCHED_E_SIZE);
    assert_int_equal(lsched_scenario_cluster_opts(scenario, (void *)&seven), LSCHED_E_SIZE);
    /* the options of a cluster are read, too, so that an unknown tail must be 0 */
    assert_int_equal(lsched_scenario_cluster_opts(scenario, (void *)&unknown), LSCHED_E_SIZE);
    assert_int_equal(lsched_scenario_schedule_opts(NULL, (void *)&seven), LSCHED_E_NULL);
    assert_int_equal(lsched_scenario_cluster_opts(scenario, NULL), LSCHED_E_NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(schedule_options_of_each_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cluster_options_of_each_size, set_up, tear_down),
        cmocka_unit_test_setup_teardown(structs_without_a_size_are_refused, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
