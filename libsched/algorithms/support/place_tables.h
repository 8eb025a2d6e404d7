/*
 * place_tables.h -- the tables of the built-in place algorithms, for whoever registers them.
 *
 * Each is one file named as its table; none has an operation that is not in algorithm.h. Those that
 * bring no `devices` leave the choice inside the node to the engine: the tightest fitting.
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
