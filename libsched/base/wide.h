/*
 * wide.h -- products of 64-bit quantities without overflow, and what is compared or scaled by them.
 *
 * Two shares a/b and c/d are compared by a*d and c*b, which is exact; a quotient in fixed point
 * would call nearly equal shares equal. Amounts are at most 2^62, so every product of two fits 128
 * bits. The 128-bit type is an extension that gcc and clang have on all 64-bit targets; only this
 * header names it in the layers above algorithms/, which see algorithm.h alone.
 */
#ifndef LIBSCHED_WIDE_H
#define LIBSCHED_WIDE_H

#include <stdint.h>

__extension__ typedef unsigned __int128 wide_u128;
__extension__ typedef __int128 wide_i128;

static inline wide_u128 wide_mul(uint64_t a, uint64_t b) {
    return (wide_u128)a * b;
}

/* -1, 0 or 1 as a/b is less than, equal to or greater than c/d. A zero divisor makes a ratio
 * infinite, also 0/0; two infinite ratios are equal. */
static inline int wide_compare_ratios(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    if (b == 0 || d == 0) return (b == 0) - (d == 0);
    wide_u128 left = wide_mul(a, d);
    wide_u128 right = wide_mul(c, b);
    return (left > right) - (left < right);
}

/* floor(a * b / c), `most` if that is larger or c is 0. */
static inline uint64_t wide_mul_div(uint64_t a, uint64_t b, uint64_t c, uint64_t most) {
    if (c == 0) return most;
    wide_u128 quotient = wide_mul(a, b) / c;
    return quotient < most ? (uint64_t)quotient : most;
}

#endif
