/*
 * prng.h -- SplitMix64 (Steele, Lea, Flood 2014): the numbers behind a seed of `lsched simulate`.
 *
 * State and seed are one 64-bit number; every seed is good, and ten lines reproduce it in any
 * language. The library has no random numbers; here they only stand for the order in which work
 * arrives.
 */
#ifndef LSCHED_CLI_PRNG_H
#define LSCHED_CLI_PRNG_H

#include <stdint.h>

struct prng {
    uint64_t state; /* the seed, before the first number */
};

static inline uint64_t prng_next(struct prng *prng) {
    uint64_t z = (prng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [0, n): the upper half of the 128-bit product; off by at most n / 2^64 from
 * uniform. */
static inline uint64_t prng_below(struct prng *prng, uint64_t n) {
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)prng_next(prng) * n) >> 64);
}

#endif
