/*
 * prng.h -- the random number generator SplitMix64 (Steele, Lea, Flood 2014), which `lsched
 * simulate` uses with its seeds.
 *
 * The state and the seed are one 64-bit number. Every seed is good, and ten lines of any language
 * reproduce the numbers. The library has no random numbers; this program uses them only for the
 * order in which work arrives.
 */
#ifndef LSCHED_CLI_PRNG_H
#define LSCHED_CLI_PRNG_H

#include <stdint.h>

struct prng {
    uint64_t state; /* equal to the seed before the first number */
};

static inline uint64_t prng_next(struct prng *prng) {
    uint64_t z = (prng->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Returns a number in [0, n): the upper half of a 128-bit product. Its distribution differs from
 * uniform by at most n / 2^64. */
static inline uint64_t prng_below(struct prng *prng, uint64_t n) {
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)prng_next(prng) * n) >> 64);
}

#endif
