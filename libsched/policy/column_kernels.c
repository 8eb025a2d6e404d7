/*
 * column_kernels.c -- the kernels for machines without AVX2, the choice of the kernels at run time,
 * and fmod.
 *
 * The kernels of this file compute two lanes at a time with SSE2 or NEON. Every x86-64 machine has
 * SSE2, and every arm64 machine has NEON.
 */
#include "policy/column_kernels.inc"

#if defined(__x86_64__)
#include <cpuid.h>

extern const struct col_kernels col_kernels_avx2; /* see column_kernels_avx2.c */

/* True if the processor has AVX2 and the system saves its registers. Why not
 * __builtin_cpu_supports(): it links a table of all features of all processors, 4.5 KB. */
static int has_avx2(void) {
    uint32_t a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return 0;
    __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    return (saved & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2);
}
#endif

const struct col_kernels *col_kernels_best(void) {
#if defined(__x86_64__)
    if (has_avx2()) return &col_kernels_avx2;
#endif
    return &col_kernels_portable;
}
