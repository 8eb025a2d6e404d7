/* place_cheapest.h -- register this table under the name "cheapest"; see place_cheapest.c. */
#ifndef PLACE_CHEAPEST_H
#define PLACE_CHEAPEST_H

#include <libsched/algorithm.h>

extern const lsched_algorithm place_cheapest;

#endif
