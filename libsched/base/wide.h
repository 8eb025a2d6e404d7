/*
 * wide.h -- products of two 64-bit numbers in 128 bits, and comparisons and quotients that use such
 * products.
 *
 * To compare two ratios a/b and c/d, the code compares a*d with c*b, which is exact. Rounded
 * quotients could be equal although the ratios differ. Amounts are at most 2^62, therefore the
 * product of two amounts fits into 128 bits. The 128-bit type is an extension that gcc and clang
 * have on all 64-bit targets. Code in algorithms/ can include only algorithm.h, therefore it
 * defines the type itself. base/units.c also has a definition of its own.
 */
#ifndef LIBSCHED_WIDE_H
#define LIBSCHED_WIDE_H

#include <stdint.h>

__extension__ typedef unsigned __int128 wide_u128;
__extension__ typedef __int128 wide_i128;

static inline wide_u128 wide_mul(uint64_t a, uint64_t b) {
    return (wide_u128)a * b;
}

/* Returns -1, 0 or 1 if a/b is less than, equal to or greater than c/d. A ratio whose divisor is 0
 * counts as infinite, also 0/0, and two infinite ratios are equal. */
static inline int wide_compare_ratios(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    if (b == 0 || d == 0) return (b == 0) - (d == 0);
    wide_u128 left = wide_mul(a, d);
    wide_u128 right = wide_mul(c, b);
    return (left > right) - (left < right);
}

/* Returns floor(a * b / c), or `most` if the quotient is larger or c is 0. */
static inline uint64_t wide_mul_div(uint64_t a, uint64_t b, uint64_t c, uint64_t most) {
    if (c == 0) return most;
    wide_u128 quotient = wide_mul(a, b) / c;
    return quotient < most ? (uint64_t)quotient : most;
}

#endif
