/*
 * place_tables.h -- declares the operation tables of the built-in place algorithms, for builtin.c,
 * which registers them.
 *
 * Each table is defined in the file of the same name. The algorithms use only operations that
 * algorithm.h declares. For an algorithm without a `devices` operation, the engine chooses the
 * devices inside the node: those with the least free share that fit.
 */
#ifndef LIBSCHED_PLACE_TABLES_H
#define LIBSCHED_PLACE_TABLES_H

#include <libsched/algorithm.h>

extern const lsched_algorithm place_binpack;
extern const lsched_algorithm place_spread;
extern const lsched_algorithm place_best_fit;
extern const lsched_algorithm place_first_fit;
extern const lsched_algorithm place_fgd;
extern const lsched_algorithm place_least_fragmentation;
extern const lsched_algorithm place_least_peak;

#endif
