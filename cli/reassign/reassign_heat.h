/*
 * reassign_heat.h -- the random limits of simulated annealing, in whole numbers: a change that adds
 * `delta` to the cost is accepted with the probability 2^(-delta / heat).
 *
 * To draw a number u between 0 and 1 and to accept if delta <= heat x -log2(u) is the same, and the
 * limit is known before the change is evaluated, so that an evaluation can end early. Functions of
 * libm differ in the last bit between machines, which would make plans differ; the logarithms and
 * powers here are tables that are made by squaring whole numbers.
 */
#ifndef LSCHED_CLI_REASSIGN_HEAT_H
#define LSCHED_CLI_REASSIGN_HEAT_H

#include <stdint.h>

enum { HEAT_BITS = 10, HEAT_ONE = 65536 /* 1 as a logarithm */ };

#define HEAT_LIMIT_MAX (INT64_MAX / 2)

struct reassign_heat {
    uint32_t log2_of[1 << HEAT_BITS]; /* of 1 + i / 2^HEAT_BITS, times HEAT_ONE */
    uint32_t exp2_of[1 << HEAT_BITS]; /* 2^(i / 2^HEAT_BITS), times 2^30 */
};

void reassign_heat_begin(struct reassign_heat *h);
/* Returns the logarithm to base 2, times HEAT_ONE, of a number above 0. */
int64_t reassign_heat_log2(const struct reassign_heat *h, uint64_t x);
/* Returns 2^(x / HEAT_ONE) for 0 <= x < 62 x HEAT_ONE. */
int64_t reassign_heat_exp2(const struct reassign_heat *h, int64_t x);
/* Returns the limit of a change, for a random number of 64 bits; at most HEAT_LIMIT_MAX. */
int64_t reassign_heat_limit(const struct reassign_heat *h, int64_t heat, uint64_t random);

#endif
