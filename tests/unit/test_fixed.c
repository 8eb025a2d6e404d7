/* Deterministic exp, log and pow: close to libm, special values as in C99, and the same bits in
 * every build. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/fixed.h"
#include "base/hash.h"

static uint64_t state;

static uint64_t next_word(void) { /* splitmix64 */
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static double next_between(double low, double high) {
    return low + (high - low) * ((double)(next_word() >> 11) * 0x1p-53);
}

static double next_positive(void) { /* every exponent is as likely */
    uint64_t u = ((next_word() % 2045 + 1) << 52) | (next_word() >> 12);
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static int64_t order_of(double x) { /* neighbours differ by 1 */
    int64_t i;
    memcpy(&i, &x, sizeof i);
    return i < 0 ? INT64_MIN - i : i;
}

static void near(const char *what, double x, double y, double got, double want, int64_t ulps) {
    if (isnan(want) && isnan(got)) return;
    int64_t off = order_of(got) - order_of(want);
    if (off >= -ulps && off <= ulps) return;
    fail_msg("%s(%a, %a) = %a, libm says %a: %lld apart", what, x, y, got, want, (long long)off);
}

static void agrees_with_libm(void **unused) {
    (void)unused;
    state = 1;
    for (int i = 0; i < 200000; i++) {
        double x = next_between(-750, 715), p = next_positive(), y = next_between(-40, 40);
        near("exp", x, 0, fixed_exp(x), exp(x), 1);
        near("exp2", x * 1.45, 0, fixed_exp2(x * 1.45), exp2(x * 1.45), 1);
        near("log", p, 0, fixed_log(p), log(p), 1);
        near("log2", p, 0, fixed_log2(p), log2(p), 1);
        double around_one = 1 + y * 0x1p-20;
        near("log", around_one, 0, fixed_log(around_one), log(around_one), 1);
        near("pow", p, y, fixed_pow(p, y), pow(p, y), 1);
        near("pow", around_one, x * 1e6, fixed_pow(around_one, x * 1e6), pow(around_one, x * 1e6),
             1);
    }
}

static void exact_results_are_exact(void **unused) {
    (void)unused;
    for (int k = -1074; k < 1024; k++) {
        double two_k = ldexp(1, k);
        assert_true(fixed_exp2(k) == two_k);
        assert_true(fixed_log2(two_k) == k);
        assert_true(fixed_pow(2, k) == two_k);
    }
    for (int base = 2; base <= 30; base++) {
        double want = 1;
        for (int k = 0; want < 0x1p53; k++, want *= base) {
            assert_true(fixed_pow(base, k) == want);
            assert_true(fixed_pow(-base, k) == (k % 2 ? -want : want));
        }
        assert_true(fixed_pow(base * base, 0.5) == base);
    }
    assert_true(fixed_exp(0) == 1 && fixed_log(1) == 0);
}

static void special_values_are_those_of_c99(void **unused) {
    (void)unused;
    static const double odd[] = {0.0, -0.0,  1,      -1,        0.5,        -0.5,     2,
                                 -2,  3,     -3,     2.5,       -2.5,       INFINITY, -INFINITY,
                                 NAN, 1e308, -1e308, 0x1p-1074, -0x1p-1074, 0x1p53,   0x1.8p80};
    enum { N = sizeof odd / sizeof odd[0] };
    for (int i = 0; i < N; i++) {
        double x = odd[i];
        near("exp", x, 0, fixed_exp(x), exp(x), 1);
        near("exp2", x, 0, fixed_exp2(x), exp2(x), 1);
        near("log", x, 0, fixed_log(x), log(x), 1);
        near("log2", x, 0, fixed_log2(x), log2(x), 1);
        for (int j = 0; j < N; j++) {
            near("pow", x, odd[j], fixed_pow(x, odd[j]), pow(x, odd[j]), 1);
            assert_int_equal(signbit(fixed_pow(x, odd[j])) && !isnan(pow(x, odd[j])),
                             signbit(pow(x, odd[j])) && !isnan(pow(x, odd[j])));
        }
    }
}

/* The same bits whatever the compiler, its flags and the machine: a decision may rest on them. */
static void bits_are_fixed(void **unused) {
    (void)unused;
    uint64_t h = 0;
    state = 7;
    for (int i = 0; i < 100000; i++) {
        double x = next_between(-700, 700), p = next_positive(), y = x * 0x1p-4;
        double v[4] = {fixed_exp(x), fixed_log(p), fixed_pow(x < 0 ? -x : x, y), fixed_log2(p)};
        for (int j = 0; j < 4; j++) {
            uint64_t u;
            memcpy(&u, &v[j], sizeof u);
            h = hash_mix(h, u);
        }
    }
    assert_int_equal(h, 0xb6758b757eee5383);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_libm),
        cmocka_unit_test(exact_results_are_exact),
        cmocka_unit_test(special_values_are_those_of_c99),
        cmocka_unit_test(bits_are_fixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
