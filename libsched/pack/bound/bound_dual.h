/*
 * bound_dual.h -- a lower bound of the number of bins that a list of sizes needs, by dual feasible
 * functions. A dual feasible function maps sizes to other sizes. Each set of sizes that fits one
 * bin still fits one bin after the mapping. Therefore the sum of all mapped sizes, divided by the
 * capacity, is a lower bound. Three families of functions are used; each of them is the best for
 * some lists:
 *
 *   Martello and Toth (1990), L2: for a threshold t of at most half the capacity, a size above
 *     capacity - t counts as a whole bin, and a size below t counts as nothing. All thresholds are
 *     evaluated in one pass over the sorted list.
 *   Fekete and Schepers (2001), u(k): (k + 1) x size is rounded down to a number of whole bins and
 *     divided by k. A size for which (k + 1) x size is a number of whole bins counts unchanged.
 *   Carlier, Clautiaux and Moukrim (2007): a size counts as the number of pieces of size t that fit
 *     in it. A size above half the capacity counts as the number of pieces that fit in a whole bin,
 *     minus the number of pieces that fit in the remaining capacity.
 *
 * All arithmetic is in integers. The result is never lower than the sum of the sizes divided by the
 * capacity. Cost: n per function.
 */
#ifndef LIBSCHED_PACK_BOUND_DUAL_H
#define LIBSCHED_PACK_BOUND_DUAL_H

#include "pack/problem/problem.h"

/* Sorts the sizes in descending order, in place. */
void dual_sort(int32_t *sizes, uint32_t n);
/* Returns a lower bound of the number of bins of this capacity that the sizes need. The sizes must
 * be above 0 and in descending order. */
uint32_t dual_bins(const int32_t *sizes, uint32_t n, int32_t capacity, uint64_t *work);

#endif
