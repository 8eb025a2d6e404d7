/* The public calls about MIG that need no cluster, and what they refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

static void test_tables_in_turn(void **unused) {
    (void)unused;
    static const char *const names[] = {"a30",       "a100-40gb",  "a100-80gb",
                                        "h100-80gb", "h200-141gb", "b200-180gb"};
    const size_t n = sizeof names / sizeof *names;
    assert_int_equal(lsched_mig_tables_size(), n);
    for (size_t i = 0; i < n; i++) assert_string_equal(lsched_mig_tables_at(i), names[i]);
    assert_null(lsched_mig_tables_at(n));
}

static void test_table_of_a_device(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_text table;
    assert_int_equal(lsched_mig_table_find(LSCHED_TEXT("NVIDIA H100 80GB HBM3"),
                                           INT64_C(85520809984), &table, &err),
                     LSCHED_OK);
    assert_string_equal(table.ptr, "h100-80gb");
    assert_int_equal(lsched_mig_table_find(LSCHED_TEXT("T4"), INT64_C(16) << 30, &table, &err),
                     LSCHED_E_NOENT);
    assert_non_null(strstr(err.message, "T4"));
}

static void test_profiles_of_a_table(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_mig_profile p = {.size = sizeof p};
    assert_int_equal(lsched_mig_profiles_size(LSCHED_TEXT("h100-80gb")), 7);
    assert_int_equal(lsched_mig_profiles_size(LSCHED_TEXT("h100")), 0);
    assert_int_equal(lsched_mig_profiles_at(LSCHED_TEXT("h100-80gb"), 7, &p, &err), LSCHED_E_NOENT);
    assert_int_equal(lsched_mig_profiles_at(LSCHED_TEXT("h100-80gb"), 4, &p, &err), LSCHED_OK);
    assert_string_equal(p.name.ptr, "3g.40gb");
    assert_int_equal(p.slices, 4);
    assert_int_equal(p.compute, 3);
    assert_int_equal(p.starts, 0x11);
    assert_int_equal(p.sm_count, 60);
    assert_int_equal(p.share_milli, 500);
    assert_int_equal(p.memory_bytes, INT64_C(40448) << 20);
    assert_int_equal(lsched_mig_profiles_at(LSCHED_TEXT("h100"), 0, &p, &err), LSCHED_E_NOENT);
    assert_non_null(strstr(err.message, "h100-80gb"));
}

/* Two devices: one has an idle 3g, the other a busy 1g in the middle of what 4g needs. */
static const lsched_mig_instance first[] = {{{"3g.40gb", 7}, 0, 0}, {{"2g.20gb", 7}, 4, 0}};
static const lsched_mig_instance second[] = {{{"1g.10gb", 7}, 2, 0}, {{"1g.10gb", 7}, 6, 0}};
static const lsched_mig_device devices[] = {{first, 2, 2}, {second, 2, 1}};

static int32_t plan(const lsched_mig_request *requests, uint32_t n, lsched_mig_step *steps,
                    uint32_t room, lsched_mig_info *info, lsched_error *err) {
    return lsched_mig_plan(LSCHED_TEXT("h100-80gb"), devices, 2, requests, n, NULL, NULL, steps,
                           room, info, err);
}

static void test_a_plan(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_mig_info info = {.size = sizeof info};
    lsched_mig_step s[8];
    const lsched_mig_request requests[] = {{{"4g.40gb", 7}, 1, 0}, {{"3g.40gb", 7}, 1, 0}};
    assert_int_equal(plan(requests, 2, s, 8, &info, &err), 4);
    assert_int_equal(info.exact, 1);
    assert_int_equal(info.cost, 4); /* two destroyed, two created */
    assert_int_equal(s[0].kind, LSCHED_MIG_DESTROY);
    assert_int_equal(s[0].device, 0);
    assert_int_equal(s[1].kind, LSCHED_MIG_CREATE);
    assert_string_equal(s[1].profile.ptr, "4g.40gb");
    assert_int_equal(s[3].device, 1);
    assert_int_equal(s[3].start, 4);
    assert_string_equal(s[3].profile.ptr, "3g.40gb");
    assert_int_equal(plan(requests, 2, s, 1, NULL, &err), 4); /* room for one step */
    assert_int_equal(plan(requests + 1, 1, s, 8, &info, &err), 1);
    assert_int_equal(s[0].kind, LSCHED_MIG_TAKE);
    assert_int_equal(info.cost, 0);
    assert_int_equal(plan(NULL, 0, NULL, 0, NULL, &err), 0);
}

static void test_what_a_plan_refuses(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    const lsched_mig_request whole = {{"7g.80gb", 7}, 1, 0}, other = {{"3g.20gb", 7}, 1, 0};
    const lsched_mig_instance lap[] = {{{"4g.40gb", 7}, 0, 0}, {{"2g.20gb", 7}, 2, 0}};
    const lsched_mig_device bad = {lap, 2, 0};
    lsched_mig_costs dear = {UINT32_MAX, 1};
    assert_int_equal(plan(&whole, 1, NULL, 0, NULL, &err), LSCHED_E_STATE);
    assert_int_equal(plan(&other, 1, NULL, 0, NULL, &err), LSCHED_E_NOENT);
    assert_non_null(strstr(err.message, "3g.40gb"));
    const lsched_mig_request wrong[] = {{{"1g.10gb", 7}, 1, 0}, {{"3g.20gb", 7}, 1, 0}},
                             many[] = {{{"1g.10gb", 7}, 9, 0}, {{"1g.10gb", 7}, UINT32_MAX, 0}};
    assert_int_equal(plan(wrong, 2, NULL, 0, NULL, &err), LSCHED_E_NOENT);
    assert_int_equal(err.index, 1);
    assert_int_equal(plan(many, 2, NULL, 0, NULL, &err), LSCHED_E_RANGE);
    assert_int_equal(err.index, 1);
    assert_non_null(strstr(err.message, "expected at most 2147483647 of one profile together"));
    assert_int_equal(lsched_mig_plan(LSCHED_TEXT("h100-80gb"), &bad, 1, &whole, 1, NULL, NULL, NULL,
                                     0, NULL, &err),
                     LSCHED_E_INVAL);
    assert_int_equal(lsched_mig_plan(LSCHED_TEXT("h100-80gb"), devices, 2, &whole, 1, &dear, NULL,
                                     NULL, 0, NULL, &err),
                     LSCHED_E_RANGE);
    assert_int_equal(lsched_mig_plan(LSCHED_TEXT("h100-80gb"), NULL, 2, &whole, 1, NULL, NULL, NULL,
                                     0, NULL, &err),
                     LSCHED_E_NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_in_turn),      cmocka_unit_test(test_table_of_a_device),
        cmocka_unit_test(test_profiles_of_a_table), cmocka_unit_test(test_a_plan),
        cmocka_unit_test(test_what_a_plan_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
