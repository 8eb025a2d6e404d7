/* Needs, sizes and modes of sizing.h: the order statistic, odd samples, evidence, bad calls,
 * memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/sizing.h>

#define MINUTE_US ((int64_t)60000000)
#define SLOT_US   (10 * MINUTE_US)
#define DAY_US    (1440 * MINUTE_US)
#define GIB       1073741824.0
#define START_US  (20000 * DAY_US)

enum { SLOTS = 2016 };

static lsched_forecast_need need_of(const lsched_forecast_sample *samples, size_t n, int64_t now_us,
                                    const lsched_forecast_need_opts *opts) {
    lsched_forecast_need need = LSCHED_INIT(lsched_forecast_need);
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = lsched_forecast_need_get(samples, n, now_us, opts, &need, &err);
    if (rc != LSCHED_OK) fail_msg("%s", err.message);
    return need;
}

/* 14 days of slots with the values 1, 2 ... in any order. */
static void two_weeks(lsched_forecast_sample *samples) {
    for (int i = 0; i < SLOTS; i++)
        samples[i] = (lsched_forecast_sample){START_US + i * SLOT_US, 1.0 + i * 5 % SLOTS};
}

static void test_order_statistic(void **state) {
    (void)state;
    static lsched_forecast_sample samples[SLOTS];
    two_weeks(samples);
    lsched_forecast_need need = need_of(samples, SLOTS, LSCHED_NEVER_US, NULL);
    /* the 20th greatest of 2016, but the greatest one of the last day */
    assert_true(need.upper == 2012.0 && need.peak == 2016.0 && need.quantile == 1996.0);
    assert_true(need.observed == SLOTS && need.kept_ppm == 9916 && need.risk_ppm == 10000);
    assert_int_equal(need.flags, 0);
    lsched_forecast_need_opts opts = LSCHED_INIT(lsched_forecast_need_opts);
    opts.recent_us = SLOT_US;
    need = need_of(samples, SLOTS, LSCHED_NEVER_US, &opts);
    assert_true(need.upper == 2012.0); /* the latest two slots have 2007 and 2012 */
    samples[SLOTS - 1].value = samples[SLOTS - 2].value = 3;
    need = need_of(samples, SLOTS, LSCHED_NEVER_US, &opts);
    assert_true(need.upper == 1995.0); /* two of the 20 greatest are gone */
}

static void test_few(void **state) {
    (void)state;
    static lsched_forecast_sample samples[SLOTS];
    lsched_forecast_need_opts opts = LSCHED_INIT(lsched_forecast_need_opts);
    two_weeks(samples);
    opts.request = 5000;
    lsched_forecast_need need = need_of(samples, 98, LSCHED_NEVER_US, &opts);
    assert_int_equal(need.flags, LSCHED_NEED_FEW);
    assert_true(need.upper == 5000.0 && need.kept_ppm == 10102);
    need = need_of(samples, 99, LSCHED_NEVER_US, &opts);
    assert_int_equal(need.flags, 0);
    assert_true(need.upper == 491.0 && need.kept_ppm == 10000);
    need = need_of(samples, 1, LSCHED_NEVER_US, NULL);
    assert_int_equal(need.flags, LSCHED_NEED_FEW);
    assert_true(need.upper == 1.0 && need.kept_ppm == 500000 && need.observed == 1);
    need = need_of(NULL, 0, 5, &opts);
    assert_int_equal(need.flags, LSCHED_NEED_FEW | LSCHED_NEED_STALE);
    assert_true(need.upper == 5000.0 && need.first_us == LSCHED_NEVER_US);
    assert_true(need.kept_ppm == 1000000);
}

/* Order, copies, gaps and old samples. */
static void test_odd_samples(void **state) {
    (void)state;
    static lsched_forecast_sample plain[SLOTS], odd[2 * SLOTS + 1];
    lsched_forecast_need_opts opts = LSCHED_INIT(lsched_forecast_need_opts);
    two_weeks(plain);
    for (int i = 0; i < SLOTS; i++) odd[i] = odd[2 * SLOTS - 1 - i] = plain[SLOTS - 1 - i];
    lsched_forecast_need one = need_of(plain, SLOTS, LSCHED_NEVER_US, NULL);
    lsched_forecast_need other = need_of(odd, (size_t)2 * SLOTS, LSCHED_NEVER_US, NULL);
    assert_true(other.duplicates == SLOTS);
    other.duplicates = 0;
    assert_memory_equal(&one, &other, sizeof one);
    odd[2 * SLOTS] = (lsched_forecast_sample){START_US - 15 * DAY_US, 1e9};
    other = need_of(odd, (size_t)2 * SLOTS + 1, LSCHED_NEVER_US, NULL);
    assert_true(other.left_out == 1 && other.peak == one.peak);
    /* a silent sensor */
    other = need_of(plain, SLOTS, START_US + 15 * DAY_US, NULL);
    assert_int_equal(other.flags, LSCHED_NEED_STALE);
    /* a sensor that says 0: the values of before count, and nothing is known of late */
    for (int i = SLOTS - 200; i < SLOTS; i++) plain[i].value = 0;
    other = need_of(plain, SLOTS, LSCHED_NEVER_US, NULL);
    assert_int_equal(other.flags, LSCHED_NEED_SILENT);
    opts.flags = LSCHED_NEED_ZERO_IS_GAP;
    other = need_of(plain, SLOTS, plain[SLOTS - 1].at_us, &opts);
    assert_int_equal(other.flags, LSCHED_NEED_STALE);
    assert_true(other.left_out == 200 && other.observed == SLOTS - 200);
}

static void test_runs(void **state) {
    (void)state;
    static lsched_forecast_sample runs[SLOTS];
    lsched_forecast_need_opts opts = LSCHED_INIT(lsched_forecast_need_opts);
    opts.flags = LSCHED_NEED_OF_RUNS;
    opts.risk_ppm = 100000;
    for (int i = 0; i < 40; i++) /* all at one time: they are runs all the same */
        runs[i] = (lsched_forecast_sample){START_US, i < 20 ? 7.0 : 5.0};
    lsched_forecast_need need = need_of(runs, 40, START_US + 10 * DAY_US, &opts);
    assert_int_equal(need.flags, LSCHED_NEED_BY_RUN);
    assert_true(need.observed == 40 && need.duplicates == 0 && need.upper == 7.0);
    assert_true(need.kept_ppm == 97561); /* 4 of 41 */
}

static void test_evidence(void **state) {
    (void)state;
    static lsched_forecast_sample samples[SLOTS];
    char text[256];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_forecast_need_opts opts = LSCHED_INIT(lsched_forecast_need_opts);
    for (int i = 0; i < SLOTS; i++)
        samples[i] = (lsched_forecast_sample){START_US + i * SLOT_US, 29.8 * GIB};
    samples[1000].value = 31.2 * GIB;
    opts.risk_ppm = 5000;
    lsched_forecast_need need = need_of(samples, SLOTS, LSCHED_NEVER_US, &opts);
    int32_t len =
        lsched_forecast_need_text(&need, LSCHED_TEXT("GiB"), GIB, text, sizeof text, &err);
    assert_string_equal(text, "peak 31.2 GiB in 14 days, p99.5 29.8, bound 29.8 from 2016 slots");
    assert_int_equal(len, strlen(text));
    assert_int_equal(
        lsched_forecast_need_text(&need, LSCHED_TEXT("GiB"), GIB, text, (size_t)len, &err),
        LSCHED_E_LIMIT);
    need = need_of(samples, 1, LSCHED_NEVER_US, &opts);
    lsched_forecast_need_text(&need, LSCHED_TEXT(""), GIB, text, sizeof text, &err);
    assert_string_equal(text, "peak 29.8 in 0 seconds, p99.5 29.8, bound 29.8 from 1 slot, too few "
                              "for a risk of 0.5 %");
    need = need_of(NULL, 0, LSCHED_NEVER_US, NULL);
    lsched_forecast_need_text(&need, LSCHED_TEXT("GiB"), GIB, text, sizeof text, &err);
    assert_string_equal(text, "no samples, bound 0.0 GiB");
    need.upper = 1e15;
    assert_int_equal(lsched_forecast_need_text(&need, LSCHED_TEXT("GiB"), 0, text, 256, &err),
                     LSCHED_E_RANGE);
    assert_int_equal(lsched_forecast_need_text(&need, LSCHED_TEXT("GiB"), 1e-9, text, 256, &err),
                     LSCHED_E_RANGE);
    assert_int_equal(
        lsched_forecast_need_text(&need, LSCHED_TEXT("seventeen letters"), GIB, text, 256, &err),
        LSCHED_E_RANGE);
}

static int32_t one_sample(int64_t at_us, double value, int64_t now_us, lsched_error *err) {
    lsched_forecast_sample samples[2] = {{5, 1.0}, {at_us, value}};
    lsched_forecast_need need = LSCHED_INIT(lsched_forecast_need), before = need;
    int32_t rc = lsched_forecast_need_get(samples, 2, now_us, NULL, &need, err);
    assert_memory_equal(&need, &before, sizeof need); /* a refused call writes nothing */
    return rc;
}

static void test_bad_samples(void **state) {
    (void)state;
    lsched_error err = LSCHED_ERROR_INIT;
    volatile double zero = 0.0;
    assert_int_equal(one_sample(6, zero / zero, LSCHED_NEVER_US, &err), LSCHED_E_RANGE);
    assert_non_null(strstr(err.message, "value of a sample is"));
    assert_int_equal(err.index, 1);
    assert_int_equal(one_sample(6, 1.0 / zero, LSCHED_NEVER_US, &err), LSCHED_E_RANGE);
    assert_int_equal(one_sample(6, -1.0, LSCHED_NEVER_US, &err), LSCHED_E_RANGE);
    assert_int_equal(one_sample(-6, 1.0, LSCHED_NEVER_US, &err), LSCHED_E_RANGE);
    assert_int_equal(one_sample(7, 1.0, 6, &err), LSCHED_E_TIME);
    assert_string_equal(err.message, "a sample is of the time 7 us, which is 1 us after now");
}

static void test_bad_options(void **state) {
    (void)state;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_forecast_need need = LSCHED_INIT(lsched_forecast_need);
    const lsched_forecast_need_opts good = LSCHED_INIT(lsched_forecast_need_opts);
    lsched_forecast_need_opts bad[7];
    for (int i = 0; i < 7; i++) bad[i] = good;
    bad[0].risk_ppm = 500001;
    bad[1].slot_us = -1;
    bad[2].request = -1;
    bad[3].capacity = -1;
    bad[4].window_us = INT64_MAX;
    bad[5].flags = 4;
    bad[6].reserved_zero = 1;
    for (int i = 0; i < 7; i++)
        assert_int_equal(lsched_forecast_need_get(NULL, 0, 0, &bad[i], &need, &err),
                         i < 5 ? LSCHED_E_RANGE : LSCHED_E_INVAL);
    assert_int_equal(lsched_forecast_need_get(NULL, 3, 0, NULL, &need, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_forecast_need_get(NULL, 0, 0, NULL, NULL, &err), LSCHED_E_NULL);
    need.size = 0;
    assert_int_equal(lsched_forecast_need_get(NULL, 0, 0, NULL, &need, &err), LSCHED_E_SIZE);
}

static const lsched_forecast_size sizes[] = {
    {LSCHED_TEXT_INIT("whole"), 80, 132, 1000, 0}, {LSCHED_TEXT_INIT("small"), 10, 16, 125, 0},
    {LSCHED_TEXT_INIT("wide"), 20, 16, 250, 0},    {LSCHED_TEXT_INIT("fast"), 20, 32, 250, 0},
    {LSCHED_TEXT_INIT("half"), 40, 60, 500, 0},
};
enum { SIZES = 5 };

static lsched_forecast_need upper_of(double upper) {
    lsched_forecast_need need = LSCHED_INIT(lsched_forecast_need);
    need.upper = upper;
    return need;
}

static lsched_forecast_fit fit_of(double memory, double compute) {
    lsched_forecast_need m = upper_of(memory), c = upper_of(compute);
    lsched_forecast_fit fit = LSCHED_INIT(lsched_forecast_fit);
    assert_int_equal(lsched_forecast_fit_get(&m, &c, sizes, SIZES, &sizes[0], &fit, NULL),
                     LSCHED_OK);
    return fit;
}

static void test_fits(void **state) {
    (void)state;
    lsched_forecast_need m = upper_of(15), c = upper_of(1);
    lsched_forecast_fit fit = LSCHED_INIT(lsched_forecast_fit);
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(fit_of(10, 16).index, 1);
    assert_int_equal(fit_of(10.001, 16).index, 2); /* the first of equals */
    assert_int_equal(fit_of(10, 16.001).index, 3); /* memory and compute apart */
    assert_int_equal(fit_of(41, 1).index, 0);
    assert_true(fit_of(81, 1).index == LSCHED_FORECAST_NO_SIZE);
    assert_true(fit_of(20, 1).milli == 250 && fit_of(20, 66).milli == 500);
    assert_true(fit_of(80.08, 1).milli == 1001 && fit_of(80.08, 1).devices == 2);
    assert_true(fit_of(0, 0).milli == 0 && fit_of(0, 0).devices == 0);
    assert_int_equal(lsched_forecast_fit_get(&m, NULL, sizes, SIZES, NULL, &fit, &err), LSCHED_OK);
    assert_true(fit.index == 2 && fit.milli == 0 && fit.devices == 0);
    assert_int_equal(lsched_forecast_fit_get(NULL, &c, NULL, 0, &sizes[0], &fit, &err), LSCHED_OK);
    assert_true(fit.index == LSCHED_FORECAST_NO_SIZE && fit.milli == 8);
    assert_int_equal(lsched_forecast_fit_get(NULL, NULL, sizes, SIZES, NULL, &fit, &err),
                     LSCHED_E_NULL);
    lsched_forecast_size bad = sizes[0];
    bad.memory = -1;
    assert_int_equal(lsched_forecast_fit_get(&m, &c, &bad, 1, NULL, &fit, &err), LSCHED_E_RANGE);
    bad.memory = 0;
    assert_int_equal(lsched_forecast_fit_get(&m, &c, sizes, SIZES, &bad, &fit, &err),
                     LSCHED_E_RANGE);
    assert_string_equal(err.message, "15 of memory are needed, and a device has 0");
    assert_int_equal(lsched_forecast_fit_get(&m, &c, sizes, 5000, &bad, &fit, &err),
                     LSCHED_E_LIMIT);
    m.upper = -3;
    assert_int_equal(lsched_forecast_fit_get(&m, &c, sizes, SIZES, NULL, &fit, &err),
                     LSCHED_E_RANGE);
}

#define CAN(mode) (1u << LSCHED_MODE_##mode)

static void test_modes(void **state) {
    (void)state;
    static const uint32_t all = CAN(MIG) | CAN(COUNTERS) | CAN(MPS) | CAN(TIME_SLICE);
    static const struct {
        uint32_t can, isolation, timed, share, instance, busy, starts, mode, rule;
    } rows[] = {
        {all, LSCHED_ISOLATE_NONE, 0, 1000, 0, 0, 0, LSCHED_MODE_WHOLE, 1},
        {all, LSCHED_ISOLATE_FULL, 0, 400, 500, 0, 288, LSCHED_MODE_COUNTERS, 2},
        {all, LSCHED_ISOLATE_FULL, 0, 400, 500, 0, 289, LSCHED_MODE_MIG, 3},
        {CAN(COUNTERS), LSCHED_ISOLATE_FULL, 0, 400, 500, 0, 289, LSCHED_MODE_COUNTERS, 2},
        {CAN(MIG), LSCHED_ISOLATE_MEMORY, 0, 400, 500, 0, 0, LSCHED_MODE_MIG, 3},
        {CAN(MPS), LSCHED_ISOLATE_FULL, 0, 400, 500, 0, 0, LSCHED_MODE_WHOLE, 4},
        {all, LSCHED_ISOLATE_FULL, 0, 600, 1000, 0, 0, LSCHED_MODE_WHOLE, 4},
        {all, LSCHED_ISOLATE_MEMORY, 0, 600, 1000, 0, 0, LSCHED_MODE_MPS, 5},
        {all, LSCHED_ISOLATE_NONE, 1, 600, 0, 0, 0, LSCHED_MODE_MPS, 5},
        {CAN(TIME_SLICE), LSCHED_ISOLATE_NONE, 1, 600, 0, 0, 0, LSCHED_MODE_WHOLE, 6},
        {all, LSCHED_ISOLATE_NONE, 0, 200, 250, 249, 0, LSCHED_MODE_TIME_SLICE, 7},
        {all, LSCHED_ISOLATE_NONE, 0, 200, 250, 250, 0, LSCHED_MODE_MPS, 8},
        {CAN(TIME_SLICE), LSCHED_ISOLATE_NONE, 0, 200, 250, 250, 0, LSCHED_MODE_TIME_SLICE, 8},
        {CAN(MIG), LSCHED_ISOLATE_NONE, 0, 200, 250, 250, 0, LSCHED_MODE_MIG, 3},
        {0, LSCHED_ISOLATE_NONE, 0, 200, 250, 250, 0, LSCHED_MODE_WHOLE, 9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        lsched_forecast_mode_query q = LSCHED_INIT(lsched_forecast_mode_query);
        lsched_forecast_mode_answer a = LSCHED_INIT(lsched_forecast_mode_answer);
        q.can = rows[i].can;
        q.isolation = rows[i].isolation;
        q.timed = rows[i].timed;
        q.share_milli = rows[i].share;
        q.instance_milli = rows[i].instance;
        q.busy_milli = rows[i].busy;
        q.starts_per_day = rows[i].starts;
        assert_int_equal(lsched_forecast_mode_get(&q, &a, NULL), LSCHED_OK);
        assert_int_equal(a.mode, rows[i].mode);
        assert_int_equal(a.rule, rows[i].rule);
        assert_true(strlen(a.text) > 10);
    }
    assert_string_equal(lsched_forecast_mode_name(LSCHED_MODE_TIME_SLICE), "time-slice");
    assert_null(lsched_forecast_mode_name(LSCHED_MODES));
}

static void test_bad_modes(void **state) {
    (void)state;
    lsched_error err = LSCHED_ERROR_INIT;
    const lsched_forecast_mode_query good = LSCHED_INIT(lsched_forecast_mode_query);
    lsched_forecast_mode_answer a = LSCHED_INIT(lsched_forecast_mode_answer);
    lsched_forecast_mode_query bad[4] = {good, good, good, good};
    bad[0].isolation = 3;
    bad[1].can = 32;
    bad[2].timed = 2;
    bad[3].instance_milli = 1001;
    for (int i = 0; i < 4; i++)
        assert_int_equal(lsched_forecast_mode_get(&bad[i], &a, &err), LSCHED_E_RANGE);
    assert_int_equal(lsched_forecast_mode_get(NULL, &a, &err), LSCHED_E_NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_statistic), cmocka_unit_test(test_few),
        cmocka_unit_test(test_odd_samples),     cmocka_unit_test(test_runs),
        cmocka_unit_test(test_evidence),        cmocka_unit_test(test_bad_samples),
        cmocka_unit_test(test_bad_options),     cmocka_unit_test(test_fits),
        cmocka_unit_test(test_modes),           cmocka_unit_test(test_bad_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
