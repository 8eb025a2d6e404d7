/*
 * prng.h -- the random number generator SplitMix64 (Steele, Lea, Flood 2014), which `lsched
 * simulate` uses with its seeds.
 *
 * The state is a single 64-bit number, and the seed is its first value. All seeds are equally good.
 * A program in any language can reproduce the numbers with about ten lines. The library uses no
 * random numbers. The program lsched uses them only for the order in which tasks arrive.
 */
#ifndef LSCHED_CLI_PRNG_H
#define LSCHED_CLI_PRNG_H

#include <stdint.h>

struct prng {
    uint64_t state; /* the seed, until the first number is drawn */
};

static inline uint64_t prng_next(struct prng *prng) {
    uint64_t z = (prng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Returns a random number from 0 to n - 1, which is the upper half of a 128-bit product. The
 * probability of each number differs from 1 / n by less than 1 / 2^64. */
static inline uint64_t prng_below(struct prng *prng, uint64_t n) {
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)prng_next(prng) * n) >> 64);
}

#endif
