/* The decayed histogram of forecasts: buckets, halving, growth of the range, quantiles by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "forecast/numbers/log_hist.h"
#include "forecast/numbers/short_float.h"

enum { BUCKETS = 24 };
struct own {
    uint16_t above[BUCKETS], zero, below[BUCKETS];
    int32_t top;
    uint32_t total;
};

static struct log_hist make(struct own *own, int both) {
    memset(own, 0, sizeof *own);
    own->top = LOG_HIST_TOP_MIN;
    return (struct log_hist){own->above, &own->zero, both ? own->below : NULL, BUCKETS, 8,
                             &own->top,  &own->total};
}

static void test_one_bucket(void **state) {
    (void)state;
    struct own own;
    struct log_hist h = make(&own, 0);
    for (int i = 0; i < 10; i++) log_hist_add(&h, 4.0, 10);
    assert_int_equal(own.top, 2); /* 4 = 2^2, the lowest eighth of its octave */
    assert_int_equal(own.above[BUCKETS - 8], 100);
    /* the bucket is from 4 to 4 x 2^(1/8); half of the weight is above its middle, of the upper 3/4 */
    double high = 4.0 * 1.0905077326652577;
    assert_true(log_hist_at_tail(&h, 0.0) == high);
    assert_true(log_hist_at_tail(&h, 50.0) == high - (high - 4.0) * 0.375);
    assert_true(log_hist_at_tail(&h, 100.0) == 4.0);
    assert_true(log_hist_weight_above(&h, 4.2) == 50.0);
    assert_true(log_hist_weight_above(&h, 8.0) == 0.0);
    assert_true(log_hist_weight_above(&h, 1.0) == 100.0);
}

static void test_range_grows(void **state) {
    (void)state;
    struct own own;
    struct log_hist h = make(&own, 1);
    log_hist_add(&h, 1.0, 3);
    log_hist_add(&h, -1.0, 5);
    log_hist_add(&h, 0.0, 7);
    log_hist_add(&h, 1e30, 1); /* all others are now in the lowest buckets */
    assert_int_equal(own.above[0], 3);
    assert_int_equal(own.below[0], 5);
    assert_int_equal(own.zero, 7);
    assert_int_equal(own.total, 16);
    assert_true(log_hist_at_tail(&h, 0.5) > 9e29);
    assert_true(log_hist_at_tail(&h, 4.5) == 0.0);
    assert_true(log_hist_at_tail(&h, 12.0) < 0.0);
}

static void test_halving(void **state) {
    (void)state;
    struct own own;
    struct log_hist h = make(&own, 1);
    log_hist_add(&h, 1000.0, 1);
    log_hist_add(&h, 1.0, 8);
    log_hist_add(&h, -1.0, 9);
    log_hist_halve(&h); /* the weight of 1000 is 0 now */
    assert_int_equal(own.total, 8);
    int32_t top = own.top;
    for (int i = 0; i < 3; i++) log_hist_halve(&h);
    assert_int_equal(own.total, 0);
    assert_true(own.top < top); /* the range follows what is left */
    /* a bucket that is full halves all */
    for (int i = 0; i < 5000; i++) log_hist_add(&h, 2.0, 64);
    assert_true(own.total <= 65535);
    assert_true(log_hist_at_tail(&h, 0.5 * own.total) >= 2.0);
}

/* Against a list: what lies above the quantile has the weight of the tail, up to one bucket. */
static void test_quantiles(void **state) {
    (void)state;
    struct own own;
    struct log_hist h = make(&own, 1);
    uint32_t x = 1;
    double numbers[500];
    for (int i = 0; i < 500; i++) {
        x = x * 1664525u + 1013904223u;
        numbers[i] = (double)(x >> 16) / 65536.0 * 3.0 - 1.0;
        log_hist_add(&h, numbers[i], 2);
    }
    for (double tail = 10.0; tail < 1000.0; tail += 90.0) {
        double at = log_hist_at_tail(&h, tail), above = 0, around = 0;
        for (int i = 0; i < 500; i++) {
            above += numbers[i] > at ? 2 : 0;
            double size = at < 0 ? -at : at, off = numbers[i] - at;
            around += (off < 0 ? -off : off) <= 0.1 * size + 1e-9 ? 2 : 0;
        }
        assert_true(above >= tail - around - 2 && above <= tail + around + 2);
    }
}

static void test_short_floats(void **state) {
    (void)state;
    for (double x = 1e-20; x < 1e20; x *= 1.37) {
        double back = short_float_value(short_float_make(x)), off = back - x;
        assert_true((off < 0 ? -off : off) <= x / 512.0);
    }
    assert_true(short_float_value(short_float_make(0.0)) == 0.0);
    assert_true(short_float_value(short_float_make(96.0)) == 96.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_bucket), cmocka_unit_test(test_range_grows),
        cmocka_unit_test(test_halving), cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_short_floats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
