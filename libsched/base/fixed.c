/*
 * fixed.c -- see fixed.h.
 *
 * log: x is split into m * 2^e with m in [sqrt(1/2), sqrt(2)). With s = (m-1)/(m+1), log m is 2
 * atanh(s), which is computed by its series. The first terms of the series are computed in
 * double-double (the sum hi + lo of two doubles, with about 106 bits), because fixed_pow()
 * multiplies the result by up to 2^10. exp: x is split into k*ln2 + r with |r| <= ln2/2. exp r is
 * computed by its Taylor series, and 2^k by a change of the exponent. All coefficients are
 * quotients of integers, which the compiler rounds correctly. No coefficient is the result of a
 * numerical fit, therefore a reader can check each of them.
 */
#include "base/fixed.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct dd {
    double hi, lo;
};

/* Constants:
 *   ln2                 ln 2 as the nearest double and the remainder
 *   ln2_head, ln2_tail  ln 2 shortened to 32 bits, so that its product with an int32_t is exact,
 *                       and the remainder
 *   inv_ln2             1 / ln 2 as the nearest double and the remainder */
static const struct dd ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const double ln2_head = 0x1.62e42feep-1;
static const double ln2_tail = 0x1.a39ef35793c76p-33;
static const struct dd inv_ln2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};

static uint64_t bits_of(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static double of_bits(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* ---- double-double ---- */

static struct dd two_sum(double a, double b) {
    double s = a + b, bb = s - a;
    return (struct dd){s, (a - (s - bb)) + (b - bb)};
}

static struct dd fast_sum(double a, double b) { /* |a| must be at least |b|, or a must be 0 */
    double s = a + b;
    return (struct dd){s, b - (s - a)};
}

/* Returns a * b without an error, by Dekker's method: each factor is split into two halves of 26
 * bits, whose products are exact. |a| and |b| must be below 2^970. */
static struct dd two_product(double a, double b) {
    double ca = a * 134217729.0, cb = b * 134217729.0;
    double ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh, p = a * b;
    return (struct dd){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static struct dd dd_add(struct dd a, struct dd b) {
    struct dd s = two_sum(a.hi, b.hi);
    return fast_sum(s.hi, s.lo + (a.lo + b.lo));
}

static struct dd dd_multiply(struct dd a, struct dd b) {
    struct dd p = two_product(a.hi, b.hi);
    return fast_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/* ---- exp ---- */

/* Returns x * 2^k for |k| <= 1100. The result is rounded once, or twice if it is below the range of
 * normal doubles. */
static double scale(double x, int32_t k) {
    while (k > 1000) {
        x *= 0x1p1000;
        k -= 1000;
    }
    while (k < -1000) {
        x *= 0x1p-1000;
        k += 1000;
    }
    return x * of_bits((uint64_t)(k + 1023) << 52);
}

/* Returns exp(r.hi + r.lo) * 2^k for |r.hi| <= 0.36. The sum 1 + r is computed last and without an
 * error. Therefore the error of the result is near half an ulp. */
static double exp_reduced(struct dd r, int32_t k) {
    static const double c[] = {1.0 / 2,
                               1.0 / 6,
                               1.0 / 24,
                               1.0 / 120,
                               1.0 / 720,
                               1.0 / 5040,
                               1.0 / 40320,
                               1.0 / 362880,
                               1.0 / 3628800,
                               1.0 / 39916800,
                               1.0 / 479001600,
                               1.0 / 6227020800.0,
                               1.0 / 87178291200.0};
    double x = r.hi, p = c[12];
    for (int i = 11; i >= 0; i--) p = p * x + c[i];
    struct dd one = fast_sum(1.0, x);
    return scale(one.hi + (one.lo + (p * x * x + (r.lo + r.lo * x))), k);
}

static int32_t nearest(double x) { /* |x| must be below 2^30 */
    return (int32_t)(x < 0 ? x - 0.5 : x + 0.5);
}

static double exp_dd(struct dd x) {
    if (x.hi > 709.79) return INFINITY; /* the largest double is exp(709.7827) */
    if (x.hi < -745.2) return 0;        /* half the smallest double is exp(-745.1332) */
    int32_t k = nearest(x.hi * inv_ln2.hi);
    struct dd r = two_sum(x.hi - k * ln2_head, -k * ln2_tail);
    return exp_reduced(fast_sum(r.hi, r.lo + x.lo), k);
}

double fixed_exp(double x) {
    if (x != x) return x;
    return exp_dd((struct dd){x, 0});
}

double fixed_exp2(double x) {
    if (x != x) return x;
    if (x >= 1024) return INFINITY;
    if (x < -1075) return 0;
    int32_t k = nearest(x);
    double f = x - k;
    struct dd r = two_product(f, ln2.hi);
    return exp_reduced(fast_sum(r.hi, r.lo + f * ln2.lo), k);
}

/* ---- log ---- */

/* Splits x into m * 2^e with m in [sqrt(1/2), sqrt(2)). Returns m and writes e to *e. x must be
 * positive and finite. */
static double split_exponent(double x, int32_t *e) {
    int32_t k = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        k = -54;
    }
    uint64_t u = bits_of(x);
    k += (int32_t)(u >> 52) - 1023;
    double m = of_bits((u & 0x000FFFFFFFFFFFFFu) | 0x3FF0000000000000u);
    if (m >= 0x1.6a09e667f3bcdp+0) {
        m *= 0.5;
        k++;
    }
    *e = k;
    return m;
}

/* Returns log m as 2 s (1 + z/3 + z^2/5 + ...), with s = (m-1)/(m+1) and z = s^2 < 0.0295. The
 * terms from z^3 on are computed as plain doubles, because their errors are below 2^-66. */
static struct dd log_mantissa(double m) {
    static const struct dd third = {1.0 / 3, 0x1.5555555555555p-56},
                           fifth = {1.0 / 5, -0x1.999999999999ap-57};
    static const double c[] = {1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17,
                               1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25, 1.0 / 27, 1.0 / 29};
    double top = m - 1; /* this difference is exact */
    struct dd below = fast_sum(m > 1 ? m : 1, m > 1 ? 1 : m);
    double q = top / below.hi;
    struct dd back = two_product(q, below.hi);
    struct dd s = fast_sum(q, (((top - back.hi) - back.lo) - q * below.lo) / below.hi);
    struct dd z = dd_multiply(s, s);
    double tail = c[11];
    for (int i = 10; i >= 0; i--) tail = tail * z.hi + c[i];
    struct dd sum = dd_add(fifth, (struct dd){z.hi * tail, 0});
    sum = dd_add(third, dd_multiply(z, sum));
    sum = dd_multiply(dd_multiply(z, sum), s);
    sum = dd_add(s, sum);
    return (struct dd){2 * sum.hi, 2 * sum.lo};
}

static struct dd log_dd(double x) {
    int32_t e;
    struct dd m = log_mantissa(split_exponent(x, &e));
    if (e == 0) return m;
    return dd_add(two_sum(e * ln2_head, e * ln2_tail), m);
}

/* Returns 1 if x is positive and finite, so that log x must be computed. Otherwise returns 0 and
 * writes to *out the value of log x that C99 defines. */
static int log_is_plain(double x, double *out) {
    if (x > 0 && x <= 0x1.fffffffffffffp+1023) return 1;
    *out = x == 0 ? -INFINITY : x > 0 ? x : x < 0 ? NAN : x;
    return 0;
}

double fixed_log(double x) {
    double special;
    if (!log_is_plain(x, &special)) return special;
    struct dd l = log_dd(x);
    return l.hi + l.lo;
}

double fixed_log2(double x) {
    double special;
    int32_t e;
    if (!log_is_plain(x, &special)) return special;
    struct dd l = dd_multiply(log_mantissa(split_exponent(x, &e)), inv_ln2);
    l = dd_add((struct dd){e, 0}, l);
    return l.hi + l.lo;
}

/* ---- pow ---- */

enum parity { NOT_WHOLE, EVEN, ODD };

static enum parity parity_of(double y) { /* y must be finite */
    double a = y < 0 ? -y : y;
    if (a >= 0x1p53) return EVEN;
    uint64_t whole = (uint64_t)a;
    if ((double)whole != a) return NOT_WHOLE;
    return whole & 1 ? ODD : EVEN;
}

static int is_finite(double x) {
    return x - x == 0;
}

/* Returns x^y if x is 0 or infinite, or if y is infinite. x and y must not be NaN, and y must not
 * be 0. */
static double pow_special(double x, double y) {
    double size = x < 0 ? -x : x;
    if (!is_finite(y)) {
        if (size == 1) return 1;
        return (size > 1) == (y > 0) ? INFINITY : 0;
    }
    int negative = (bits_of(x) >> 63) && parity_of(y) == ODD;
    double answer = (size == 0) == (y > 0) ? 0 : INFINITY;
    return negative ? -answer : answer;
}

double fixed_pow(double x, double y) {
    if (y == 0 || x == 1) return 1;
    if (x != x || y != y) return x + y;
    if (x == 0 || !is_finite(x) || !is_finite(y)) return pow_special(x, y);
    enum parity parity = parity_of(y);
    if (x < 0 && parity == NOT_WHOLE) return NAN;
    struct dd l = log_dd(x < 0 ? -x : x);
    double answer;
    /* If log x is not 0, |log x| is at least 2^-54. With |y| > 2^70 the result is then far out of
     * the range of doubles, and the product of log x and y could overflow. */
    if ((y < 0 ? -y : y) > 0x1p70) {
        answer = l.hi == 0 ? 1 : (l.hi > 0) == (y > 0) ? INFINITY : 0;
    } else {
        answer = exp_dd(dd_multiply(l, (struct dd){y, 0}));
    }
    return x < 0 && parity == ODD ? -answer : answer;
}

/* ---- the remainder of a division ---- */

/* Returns the mantissa m, with bit 52 set, of the double whose bits are x, and writes e to *e. The
 * double is m * 2^(e - 1075). It must be positive and finite. */
static uint64_t mantissa_of(uint64_t x, int *e) {
    uint64_t m = x & 0x000FFFFFFFFFFFFFu;
    *e = (int)(x >> 52);
    if (*e) return m | 0x0010000000000000u;
    for (*e = 1; !(m & 0x0010000000000000u); m <<= 1) --*e;
    return m;
}

double fixed_fmod(double x, double y) {
    const uint64_t sign = bits_of(x) & 0x8000000000000000u, infinity = 0x7FF0000000000000u;
    const uint64_t a = bits_of(x) ^ sign, b = bits_of(y) & ~0x8000000000000000u;
    if (a >= infinity || b == 0 || b > infinity) return (x * y) / (x * y);
    if (a < b) return x;
    if (a == b) return of_bits(sign);
    int from, to;
    uint64_t m = mantissa_of(a, &from), d = mantissa_of(b, &to);
    for (; from > to; from--) {
        if (m >= d) m -= d;
        m <<= 1;
    }
    if (m >= d) m -= d;
    if (m == 0) return of_bits(sign);
    for (; !(m & 0x0010000000000000u); m <<= 1) to--;
    uint64_t r = to > 0 ? (m ^ 0x0010000000000000u) | (uint64_t)to << 52 : m >> (1 - to);
    return of_bits(r | sign);
}
