/* Durations of jobs: the mean of the latest two runs, the cap, steps when outrun, the bounded table
 * against a plain list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/forecast.h>

#include "property/chance.h"

#define MINUTE_US ((int64_t)60000000)
#define HOUR_US   (60 * MINUTE_US)

static int64_t predict(const lsched_forecast_durations *d, const char *user, int64_t requested,
                       int64_t ran) {
    int64_t out = -1;
    assert_int_equal(lsched_forecast_duration_get(d, lsched_cstr(user), requested, ran, &out, NULL),
                     LSCHED_OK);
    return out;
}

static void ended(lsched_forecast_durations *d, const char *user, int64_t ran) {
    assert_int_equal(lsched_forecast_duration_add(d, lsched_cstr(user), ran, NULL), LSCHED_OK);
}

static void test_predictions(void **state) {
    (void)state;
    lsched_forecast_durations *d = NULL;
    assert_int_equal(lsched_forecast_durations_create(NULL, &d, NULL), LSCHED_OK);
    assert_true(predict(d, "ann", 8 * HOUR_US, 0) == 8 * HOUR_US); /* nothing known: the request */
    assert_true(predict(d, "ann", LSCHED_NEVER_US, 0) == LSCHED_NEVER_US);
    assert_true(predict(d, "ann", LSCHED_NEVER_US, HOUR_US) == LSCHED_NEVER_US);
    ended(d, "ann", 2 * HOUR_US);
    assert_true(predict(d, "ann", 8 * HOUR_US, 0) == 2 * HOUR_US); /* one run */
    ended(d, "ann", 4 * HOUR_US);
    assert_true(predict(d, "ann", 8 * HOUR_US, 0) == 3 * HOUR_US);
    ended(d, "ann", 1 * HOUR_US);
    assert_true(predict(d, "ann", 8 * HOUR_US, 0) == 5 * HOUR_US / 2); /* the latest two */
    assert_true(predict(d, "ann", 2 * HOUR_US, 0) == 2 * HOUR_US);     /* the cap */
    assert_true(predict(d, "bob", 8 * HOUR_US, 0) == 8 * HOUR_US);
    lsched_forecast_durations_destroy(d);
    lsched_forecast_durations_destroy(NULL);
}

static void test_outrun(void **state) {
    (void)state;
    static const int64_t minutes[] = {1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000, 12000};
    lsched_forecast_durations *d = NULL;
    int64_t day = 24 * HOUR_US, hour = HOUR_US;
    assert_int_equal(lsched_forecast_durations_create(NULL, &d, NULL), LSCHED_OK);
    ended(d, "ann", hour);
    assert_true(predict(d, "ann", 900 * day, hour - 1) == hour);
    assert_true(predict(d, "ann", 900 * day, hour) == hour + MINUTE_US);
    for (int i = 0; i + 1 < 12; i++) {
        int64_t at = hour + minutes[i] * MINUTE_US;
        assert_true(predict(d, "ann", 900 * day, at - 1) == at);
        assert_true(predict(d, "ann", 900 * day, at) == hour + minutes[i + 1] * MINUTE_US);
    }
    assert_true(predict(d, "ann", hour + 20 * MINUTE_US, hour + 16 * MINUTE_US) ==
                hour + 20 * MINUTE_US); /* at most the request */
    assert_true(predict(d, "ann", 2 * hour, 2 * hour) == 2 * hour + MINUTE_US);
    assert_true(predict(d, "bob", 2 * hour, 3 * hour) == 3 * hour + MINUTE_US);
    lsched_forecast_durations_destroy(d);
}

static void test_bad_calls(void **state) {
    (void)state;
    lsched_forecast_durations *d = NULL;
    lsched_forecast_durations_opts opts = LSCHED_INIT(lsched_forecast_durations_opts);
    lsched_error err = LSCHED_ERROR_INIT;
    int64_t out = 0;
    opts.users_max = LSCHED_FORECAST_USERS_MAX + 1;
    assert_int_equal(lsched_forecast_durations_create(&opts, &d, &err), LSCHED_E_RANGE);
    opts.users_max = 1;
    assert_int_equal(lsched_forecast_durations_create(&opts, &d, &err), LSCHED_OK);
    assert_int_equal(lsched_forecast_duration_add(d, lsched_cstr(""), 1, &err), LSCHED_E_INVAL);
    assert_int_equal(lsched_forecast_duration_add(d, lsched_cstr("a"), -1, &err), LSCHED_E_RANGE);
    assert_int_equal(lsched_forecast_duration_add(NULL, lsched_cstr("a"), 1, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_forecast_duration_get(d, lsched_cstr("a"), -1, 0, &out, &err),
                     LSCHED_E_RANGE);
    assert_int_equal(lsched_forecast_duration_get(d, lsched_cstr("a"), 1, -1, &out, &err),
                     LSCHED_E_RANGE);
    assert_int_equal(lsched_forecast_duration_get(d, lsched_cstr("a"), 1, 1, NULL, &err),
                     LSCHED_E_NULL);
    lsched_forecast_durations_destroy(d);
}

/* The table against a list in which every run stands. */
enum { USERS = 40, RUNS = 3000 };

static void check_table(uint32_t users_max, uint64_t seed) {
    static int user_of[RUNS];
    static int64_t ran[RUNS];
    struct chance c = {seed};
    lsched_forecast_durations *d = NULL;
    lsched_forecast_durations_opts opts = LSCHED_INIT(lsched_forecast_durations_opts);
    opts.users_max = users_max;
    assert_int_equal(lsched_forecast_durations_create(&opts, &d, NULL), LSCHED_OK);
    for (int n = 0; n < RUNS; n++) {
        char name[8];
        user_of[n] = (int)chance_below(&c, USERS);
        ran[n] = (int64_t)chance_below(&c, 1000000);
        snprintf(name, sizeof name, "u%d", user_of[n]);
        ended(d, name, ran[n]);
        int asked = (int)chance_below(&c, USERS);
        snprintf(name, sizeof name, "u%d", asked);
        /* back to the latest run of the user: is it among the users_max latest users? */
        uint64_t others = 0;
        int at = n;
        for (; at >= 0 && user_of[at] != asked; at--) others |= (uint64_t)1 << user_of[at];
        int64_t expected = LSCHED_NEVER_US;
        if (at >= 0 && (uint32_t)__builtin_popcountll(others) < users_max) {
            int before = at - 1;
            /* the run before counts if the user was not forgotten in between */
            others = 0;
            for (; before >= 0 && user_of[before] != asked; before--)
                others |= (uint64_t)1 << user_of[before];
            int kept = before >= 0 && (uint32_t)__builtin_popcountll(others) < users_max;
            expected = (ran[at] + (kept ? ran[before] : ran[at])) / 2;
        }
        assert_true(predict(d, name, LSCHED_NEVER_US, 0) == expected);
    }
    lsched_forecast_durations_destroy(d);
}

static void test_table(void **state) {
    (void)state;
    uint64_t seed = chance_seed(1);
    for (uint32_t round = 0; round < chance_rounds(8); round++)
        check_table(1 + round * 5 % (USERS + 3), seed + round);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predictions), cmocka_unit_test(test_outrun),
        cmocka_unit_test(test_bad_calls), cmocka_unit_test(test_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
