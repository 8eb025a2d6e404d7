/*
 * column_kernels.c -- the kernels for machines without AVX2, the choice of the kernels at run time,
 * and fmod.
 *
 * The kernels of this file compute two lanes at a time with SSE2 or NEON. Every x86-64 machine has
 * SSE2, and every arm64 machine has NEON.
 */
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
