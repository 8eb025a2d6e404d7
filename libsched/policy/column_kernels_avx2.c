/*
 * column_kernels_avx2.c -- the same kernels with four lanes at a time, for x86-64 machines with
 * AVX2; col_kernels_best() chooses them at run time. Only this file is compiled for AVX2, and
 * nothing in it runs before the check of the machine.
 */
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#define VECTOR_BYTES 32
#define KERNELS      col_kernels_avx2
#define KERNELS_NAME "avx2"
#include "policy/column_kernels.inc"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int column_kernels_avx2_is_empty; /* C requires a declaration in every file */
#endif
