/*
 * fixed.c -- see fixed.h.
 *
 * log: x = m * 2^e with m in [sqrt(1/2), sqrt(2)), s = (m-1)/(m+1), log m = 2 atanh(s) by its
 * series. The first terms are computed in double-double (a sum hi + lo of about 106 bits), because
 * pow multiplies the result by up to 2^10. exp: x = k*ln2 + r with |r| <= ln2/2, exp r by its
 * Taylor series, 2^k by the exponent. The coefficients are quotients of small integers that the
 * compiler rounds correctly. No coefficient is fitted, so each can be checked by reading.
 */
#include "base/fixed.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

struct dd {
    double hi, lo;
};

/* ln 2 in three forms: nearest double and remainder; cut to 32 bits (times an int exact) and
 * remainder; 1/ln2. */
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

static struct dd fast_sum(double a, double b) { /* requires |a| >= |b| or a == 0 */
    double s = a + b;
    return (struct dd){s, b - (s - a)};
}

/* Dekker's product: halves of 26 bits multiply exactly. |a|, |b| < 2^970. */
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

/* Returns x * 2^k for |k| <= 1100, rounded once (twice below the normal range). */
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

/* Returns exp(r.hi + r.lo) * 2^k for |r.hi| <= 0.36. The sum 1 + r is formed last and exactly,
 * which keeps the error near half an ulp. */
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

static int32_t nearest(double x) { /* requires |x| < 2^30 */
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

/* Splits x = m * 2^e; x is positive and finite, m in [sqrt(1/2), sqrt(2)). */
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

/* Computes log m by 2 s (1 + z/3 + z^2/5 + ...), z = s^2 < 0.0295. For the terms from z^3 on, plain
 * doubles have errors below 2^-66. */
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

/* Returns 1 if log x must be computed; else *out is the special value that C99 defines. */
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

static enum parity parity_of(double y) { /* y is finite */
    double a = y < 0 ? -y : y;
    if (a >= 0x1p53) return EVEN;
    uint64_t whole = (uint64_t)a;
    if ((double)whole != a) return NOT_WHOLE;
    return whole & 1 ? ODD : EVEN;
}

static int is_finite(double x) {
    return x - x == 0;
}

/* Computes the special cases: x is 0 or infinite, or y is infinite; neither is NaN and y is not
 * 0. */
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
    /* The result is far out of range, because |log x| >= 2^-54 unless it is 0. The product could
     * also overflow. */
    if ((y < 0 ? -y : y) > 0x1p70) {
        answer = l.hi == 0 ? 1 : (l.hi > 0) == (y > 0) ? INFINITY : 0;
    } else {
        answer = exp_dd(dd_multiply(l, (struct dd){y, 0}));
    }
    return x < 0 && parity == ODD ? -answer : answer;
}
