/* 128-bit products: exact where 64 bits would overflow. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include "base/wide.h"

#define TWO_62 ((uint64_t)1 << 62)

static void test_ratios_that_64_bits_confuse(void **state) {
    (void)state;
    /* (2^62 - 1)/2^62 against (2^62 - 2)/(2^62 - 1): their quotients are equal in double. */
    assert_int_equal(wide_compare_ratios(TWO_62 - 1, TWO_62, TWO_62 - 2, TWO_62 - 1), 1);
    assert_int_equal(wide_compare_ratios(TWO_62 - 2, TWO_62 - 1, TWO_62 - 1, TWO_62), -1);
    assert_int_equal(wide_compare_ratios(TWO_62 / 2, TWO_62, 1, 2), 0);
    assert_int_equal(wide_compare_ratios(0, 5, 0, 7), 0);
}

static void test_zero_divisor_is_infinite(void **state) {
    (void)state;
    assert_int_equal(wide_compare_ratios(1, 0, TWO_62, 1), 1);
    assert_int_equal(wide_compare_ratios(0, 0, 1, 0), 0);
    assert_int_equal(wide_compare_ratios(1, 1, 0, 0), -1);
    assert_int_equal(wide_mul_div(1, 1, 0, 99), 99);
}

static void test_mul_div_is_floor_and_bounded(void **state) {
    (void)state;
    assert_int_equal(wide_mul_div(TWO_62, TWO_62, TWO_62, UINT64_MAX), TWO_62);
    assert_int_equal(wide_mul_div(TWO_62 - 1, 3, 2, UINT64_MAX), 3 * (TWO_62 / 2) - 2);
    assert_int_equal(wide_mul_div(7, 3, 2, UINT64_MAX), 10);
    assert_int_equal(wide_mul_div(UINT64_MAX, UINT64_MAX, 1, 1234), 1234);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratios_that_64_bits_confuse),
        cmocka_unit_test(test_zero_divisor_is_infinite),
        cmocka_unit_test(test_mul_div_is_floor_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
