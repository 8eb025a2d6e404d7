/*
 * column_kernels_avx2.c -- the kernels of column_kernels.inc, compiled for x86-64 machines with
 * AVX2; they compute four lanes at a time. col_kernels_best() chooses these kernels at run time if
 * the machine has AVX2. Only this file is compiled for AVX2, and no code of this file runs before
 * the check of the machine.
 */
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#define COLUMN_KERNELS_AVX2
#include "policy/column_kernels.inc"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int column_kernels_avx2_is_empty; /* C requires a declaration in every file */
#endif
