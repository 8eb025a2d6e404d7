/*
 * column_kernels.c -- the kernels for any machine, the choice of the kernels at run time, and fmod.
 *
 * The kernels here compute two lanes at a time with SSE2 or NEON, which every x86-64 and arm64 has.
 */
#define VECTOR_BYTES 16
#define KERNELS      col_kernels_portable
#define KERNELS_NAME "portable"
#include "policy/column_kernels.inc"

#if defined(__x86_64__)
extern const struct col_kernels col_kernels_avx2; /* see column_kernels_avx2.c */
#endif

const struct col_kernels *col_kernels_best(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return &col_kernels_avx2;
#endif
    return &col_kernels_portable;
}

/* ---- fmod ---- */

/* Splits x = m * 2^e with bit 52 of m set; x is positive, finite and not 0. */
static uint64_t mantissa_of(uint64_t x, int *e) {
    uint64_t m = x & 0x000FFFFFFFFFFFFFu;
    *e = (int)(x >> 52);
    if (*e) return m | 0x0010000000000000u;
    for (*e = 1; !(m & 0x0010000000000000u); m <<= 1) --*e;
    return m;
}

double col_fmod(double x, double y) {
    union col_lane a = {.number = x}, b = {.number = y};
    const uint64_t sign = a.mask & 0x8000000000000000u, infinity = 0x7FF0000000000000u;
    a.mask ^= sign;
    b.mask &= ~0x8000000000000000u;
    if (a.mask >= infinity || b.mask == 0 || b.mask > infinity) return (x * y) / (x * y);
    if (a.mask < b.mask) return x;
    if (a.mask == b.mask) return (union col_lane){.mask = sign}.number;
    int from, to;
    uint64_t m = mantissa_of(a.mask, &from), d = mantissa_of(b.mask, &to);
    for (; from > to; from--) {
        if (m >= d) m -= d;
        m <<= 1;
    }
    if (m >= d) m -= d;
    if (m == 0) return (union col_lane){.mask = sign}.number;
    for (; !(m & 0x0010000000000000u); m <<= 1) to--;
    uint64_t r = to > 0 ? (m ^ 0x0010000000000000u) | (uint64_t)to << 52 : m >> (1 - to);
    return (union col_lane){.mask = r | sign}.number;
}
