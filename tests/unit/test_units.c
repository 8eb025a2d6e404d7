/* Quantities: what each kind accepts, exactly where it refuses, and that formatting is the
 * inverse of parsing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"

struct good {
    enum units_kind kind;
    const char *text;
    int64_t value;
};

struct bad {
    enum units_kind kind;
    const char *text;
    enum units_fault fault;
};

static const struct good goods[] = {
    {UNITS_COUNT, "0", 0},
    {UNITS_COUNT, "007", 7},
    {UNITS_COUNT, "4611686018427387904", INT64_C(1) << 62},
    {UNITS_COUNT, "3.0", 3},
    {UNITS_CPU_MILLI, "8", 8000},
    {UNITS_CPU_MILLI, "1.5", 1500},
    {UNITS_CPU_MILLI, "500m", 500},
    {UNITS_CPU_MILLI, "0.001", 1},
    {UNITS_CPU_MILLI, "1.2500000", 1250},
    {UNITS_GPU_MILLI, "0.5", 500},
    {UNITS_WEIGHT_MILLI, "0.25", 250},
    {UNITS_MEMORY_BYTES, "1024", 1024},
    {UNITS_MEMORY_BYTES, "64Gi", INT64_C(64) << 30},
    {UNITS_MEMORY_BYTES, "1.5Ti", INT64_C(3) << 39},
    {UNITS_MEMORY_BYTES, "512M", 512000000},
    {UNITS_MEMORY_BYTES, "4Ei", INT64_C(1) << 62},
    {UNITS_MEMORY_BYTES, "0.0009765625Ki", 1},
    {UNITS_DURATION_US, "0", 0},
    {UNITS_DURATION_US, "36h", INT64_C(36) * 3600 * 1000000},
    {UNITS_DURATION_US, "2h30m", INT64_C(9000) * 1000000},
    {UNITS_DURATION_US, "1w1d1h1m1s1ms1us", INT64_C(694861001001)},
    {UNITS_DURATION_US, "1.5s", 1500000},
    {UNITS_DURATION_US, "500ms", 500000},
    {UNITS_MONEY_MICRO, "2.50", 2500000},
    {UNITS_POWER_MILLIWATT, "700W", 700000},
    {UNITS_POWER_MILLIWATT, "1.2kW", 1200000},
};

static const struct bad bads[] = {
    {UNITS_COUNT, "", UNITS_WRONG_FORM},
    {UNITS_COUNT, "-1", UNITS_NEGATIVE},
    {UNITS_COUNT, "-", UNITS_WRONG_FORM},
    {UNITS_COUNT, "+1", UNITS_WRONG_FORM},
    {UNITS_COUNT, "1 ", UNITS_WRONG_UNIT},
    {UNITS_COUNT, " 1", UNITS_WRONG_FORM},
    {UNITS_COUNT, "1e3", UNITS_WRONG_UNIT},
    {UNITS_COUNT, "0x10", UNITS_WRONG_UNIT},
    {UNITS_COUNT, "1.5", UNITS_TOO_FINE},
    {UNITS_COUNT, "1.", UNITS_WRONG_FORM},
    {UNITS_COUNT, ".5", UNITS_WRONG_FORM},
    {UNITS_COUNT, "inf", UNITS_WRONG_FORM},
    {UNITS_COUNT, "nan", UNITS_WRONG_FORM},
    {UNITS_COUNT, "4611686018427387905", UNITS_TOO_LARGE},
    {UNITS_COUNT, "18446744073709551616", UNITS_TOO_LARGE},
    {UNITS_COUNT, "999999999999999999999999999999999999999999999999", UNITS_TOO_LARGE},
    {UNITS_CPU_MILLI, "64Gi", UNITS_WRONG_UNIT},
    {UNITS_CPU_MILLI, "0.0001", UNITS_TOO_FINE},
    {UNITS_CPU_MILLI, "0.5m", UNITS_TOO_FINE},
    {UNITS_CPU_MILLI, "5000000000000000", UNITS_TOO_LARGE},
    {UNITS_WEIGHT_MILLI, "5m", UNITS_WRONG_UNIT},
    {UNITS_MEMORY_BYTES, "64G i", UNITS_WRONG_UNIT},
    {UNITS_MEMORY_BYTES, "64gi", UNITS_WRONG_UNIT},
    {UNITS_MEMORY_BYTES, "64GB", UNITS_WRONG_UNIT},
    {UNITS_MEMORY_BYTES, "0.3Gi", UNITS_TOO_FINE},
    {UNITS_MEMORY_BYTES, "0.00000000000000000001Ei", UNITS_TOO_FINE},
    {UNITS_MEMORY_BYTES, "5Ei", UNITS_TOO_LARGE},
    {UNITS_MEMORY_BYTES, "16Ei", UNITS_TOO_LARGE},
    {UNITS_DURATION_US, "", UNITS_WRONG_FORM},
    {UNITS_DURATION_US, "90", UNITS_WRONG_UNIT},
    {UNITS_DURATION_US, "2h30", UNITS_WRONG_UNIT},
    {UNITS_DURATION_US, "30m2h", UNITS_WRONG_UNIT},
    {UNITS_DURATION_US, "1h1h", UNITS_WRONG_UNIT},
    {UNITS_DURATION_US, "1y", UNITS_WRONG_UNIT},
    {UNITS_DURATION_US, "-5s", UNITS_NEGATIVE},
    {UNITS_DURATION_US, "0.0000001s", UNITS_TOO_FINE},
    {UNITS_DURATION_US, "8000000w", UNITS_TOO_LARGE},
    {UNITS_DURATION_US, "7000000w7000000d", UNITS_TOO_LARGE},
    {UNITS_POWER_MILLIWATT, "700", UNITS_WRONG_UNIT},
};

static void test_good_texts(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof goods / sizeof *goods; i++) {
        int64_t value = -1;
        print_message("%s\n", goods[i].text);
        assert_int_equal(units_parse(goods[i].kind, goods[i].text, strlen(goods[i].text), &value),
                         UNITS_OK);
        assert_true(value == goods[i].value);
    }
}

static void test_bad_texts_name_their_fault(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        int64_t value = 77;
        print_message("'%s'\n", bads[i].text);
        enum units_fault fault =
            units_parse(bads[i].kind, bads[i].text, strlen(bads[i].text), &value);
        assert_int_equal(fault, bads[i].fault);
        assert_true(value == 77);
        assert_true(strlen(units_fault_text(fault)) > 0);
    }
    assert_string_equal(units_fault_text(UNITS_OK), "");
}

/* The text is (pointer, length): what lies behind the length must not be looked at. */
static void test_length_bounds_the_text(void **state) {
    int64_t value = 0;
    (void)state;
    assert_int_equal(units_parse(UNITS_MEMORY_BYTES, "64Gi", 2, &value), UNITS_OK);
    assert_true(value == 64);
    assert_int_equal(units_parse_offset("-5s9", 3, &value), UNITS_OK);
    assert_true(value == -5000000);
    char *tight = malloc(3); /* a sanitizer sees any read past it */
    assert_non_null(tight);
    memcpy(tight, "1.5", 3);
    assert_int_equal(units_parse(UNITS_CPU_MILLI, tight, 3, &value), UNITS_OK);
    assert_int_equal(units_parse(UNITS_DURATION_US, tight, 3, &value), UNITS_WRONG_UNIT);
    assert_int_equal(units_parse_date(tight, 3, &value), UNITS_WRONG_FORM);
    free(tight);
}

static void test_dates(void **state) {
    static const struct {
        const char *text;
        int64_t seconds;
    } dates[] = {
        {"1970-01-01", 0},
        {"1970-01-01T00:00Z", 0},
        {"2000-02-29T12:00:00Z", 951825600},
        {"2026-01-05T08:30Z", 1767601800},
        {"2038-01-19T03:14:08Z", 2147483648},
        {"9999-12-31T23:59:59Z", 253402300799},
    };
    static const char *const wrong[] = {"",
                                        "2026",
                                        "2026-13-01",
                                        "2026-00-01",
                                        "2026-02-29",
                                        "1900-02-29",
                                        "2026-1-5",
                                        "2026-01-05T8:30Z",
                                        "2026-01-05T08:30",
                                        "2026-01-05T24:00Z",
                                        "2026-01-05T08:60Z",
                                        "2026-01-05T08:30:60Z",
                                        "2026-01-05T08:30:5Z",
                                        "2026-01-05T08:30:05+01:00",
                                        "2026-01-05 08:30Z",
                                        "2026-01-05T08:30Zx",
                                        "2026-01-05T08:30:005Z"};
    int64_t value = 0;
    (void)state;
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        print_message("%s\n", dates[i].text);
        assert_int_equal(units_parse_date(dates[i].text, strlen(dates[i].text), &value), UNITS_OK);
        assert_true(value == dates[i].seconds * 1000000);
    }
    assert_int_equal(units_parse_date("1970-01-01T00:00:01.25Z", 23, &value), UNITS_OK);
    assert_true(value == 1250000);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        print_message("'%s'\n", wrong[i]);
        assert_int_equal(units_parse_date(wrong[i], strlen(wrong[i]), &value), UNITS_WRONG_FORM);
    }
    assert_int_equal(units_parse_date("1969-12-31", 10, &value), UNITS_NEGATIVE);
    assert_int_equal(units_parse_date("2026-01-05T08:30:00.0000001Z", 28, &value), UNITS_TOO_FINE);
}

static void test_offsets_have_a_sign(void **state) {
    int64_t value = 0;
    (void)state;
    assert_int_equal(units_parse_offset("-1h30m", 6, &value), UNITS_OK);
    assert_true(value == INT64_C(-5400000000));
    assert_int_equal(units_parse_offset("10s", 3, &value), UNITS_OK);
    assert_true(value == 10000000);
    assert_int_equal(units_parse_offset("--1h", 4, &value), UNITS_WRONG_FORM);
    assert_int_equal(units_parse_offset("-", 1, &value), UNITS_WRONG_FORM);
}

static void expect_text(enum units_kind kind, int64_t value, const char *text) {
    char buf[96];
    assert_int_equal(units_format(kind, value, buf, sizeof buf), strlen(text));
    assert_string_equal(buf, text);
}

static void test_format(void **state) {
    char small[4] = "xxx";
    (void)state;
    expect_text(UNITS_CPU_MILLI, 1500, "1.5");
    expect_text(UNITS_CPU_MILLI, 8000, "8");
    expect_text(UNITS_GPU_MILLI, 1, "0.001");
    expect_text(UNITS_GPU_MILLI, -2050, "-2.05");
    expect_text(UNITS_MEMORY_BYTES, 0, "0");
    expect_text(UNITS_MEMORY_BYTES, INT64_C(64) << 30, "64Gi");
    expect_text(UNITS_MEMORY_BYTES, INT64_C(3) << 29, "1536Mi");
    expect_text(UNITS_MEMORY_BYTES, INT64_C(10000000000), "10G");
    expect_text(UNITS_MEMORY_BYTES, 1025, "1025");
    expect_text(UNITS_DURATION_US, 0, "0s");
    expect_text(UNITS_DURATION_US, INT64_C(9000) * 1000000, "2h30m");
    expect_text(UNITS_DURATION_US, 1500001, "1s500ms1us");
    expect_text(UNITS_DURATION_US, INT64_C(10) * 86400 * 1000000, "10d");
    expect_text(UNITS_DURATION_US, -5000000, "-5s");
    expect_text(UNITS_MONEY_MICRO, 2500000, "2.5");
    expect_text(UNITS_POWER_MILLIWATT, 1200000, "1200W");
    expect_text(UNITS_COUNT, INT64_MIN, "-9223372036854775808");
    expect_text(UNITS_DURATION_US, INT64_MIN, "-106751991d4h54s775ms808us");
    assert_int_equal(units_format(UNITS_COUNT, 12345, small, sizeof small), 5);
    assert_string_equal(small, "123");
    assert_int_equal(units_format(UNITS_COUNT, 12345, NULL, 0), 5);
}

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void test_format_is_the_inverse_of_parse(void **state) {
    const char *given = getenv("LSCHED_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 20261105;
    (void)state;
    if (seed == 0) seed = 1;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int round = 0; round < 20000; round++) {
        enum units_kind kind = (enum units_kind)(next_random(&seed) % UNITS_KINDS);
        uint64_t bits = next_random(&seed) % 63;
        int64_t value = (int64_t)(next_random(&seed) & ((UINT64_C(1) << bits) - 1)), back = -1;
        char buf[96];
        if (bits == 62)
            value = INT64_C(1) << 62;
        else if (next_random(&seed) % 2)
            value -= value % 1000;
        size_t len = units_format(kind, value, buf, sizeof buf);
        if (units_parse(kind, buf, len, &back) != UNITS_OK || back != value)
            fail_msg("kind %d: %lld became %s", (int)kind, (long long)value, buf);
    }
}

static void dates_of_days_are_what_is_read_back(void **state) {
    (void)state;
    for (int64_t day = 0; day < 2932897; day += day < 160000 ? 1 : 97) { /* to the end of 9999 */
        struct units_date d = units_date_of_day(day);
        char text[32];
        int64_t us = 0;
        int n = snprintf(text, sizeof text, "%04d-%02u-%02u", (int)d.year, d.month, d.day);
        assert_int_equal(units_parse_date(text, (size_t)n, &us), UNITS_OK);
        assert_int_equal(us, day * 86400000000);
    }
    struct units_date before = units_date_of_day(-1), leap = units_date_of_day(-719468 - 1);
    assert_true(before.year == 1969 && before.month == 12 && before.day == 31);
    assert_true(leap.year == 0 && leap.month == 2 && leap.day == 29);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_texts),
        cmocka_unit_test(test_bad_texts_name_their_fault),
        cmocka_unit_test(test_length_bounds_the_text),
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_offsets_have_a_sign),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_format_is_the_inverse_of_parse),
        cmocka_unit_test(dates_of_days_are_what_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
