/*
 * chance.h -- seeds, rounds and random numbers of property tests.
 *
 * splitmix64: equal on every machine, and any seed is a good one, so a failing round is replayed
 * alone by LSCHED_TEST_SEED=<its seed> LSCHED_TEST_ROUNDS=1. A test that counts its cases judges the
 * counts by chance_enough.
 */
#ifndef TESTS_CHANCE_H
#define TESTS_CHANCE_H

#include <stdint.h>
#include <stdlib.h>

struct chance {
    uint64_t state;
};

static inline uint64_t chance_word(struct chance *c) {
    uint64_t z = c->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* 0 .. n-1; n > 0. The bias of the remainder is below 2^-32 for the sizes used here. */
static inline uint32_t chance_below(struct chance *c, uint32_t n) {
    return (uint32_t)((chance_word(c) >> 32) % n);
}

static inline int64_t chance_between(struct chance *c, int64_t low, int64_t high) {
    return low + (int64_t)(chance_word(c) % (uint64_t)(high - low + 1));
}

static inline int chance_one_in(struct chance *c, uint32_t n) {
    return chance_below(c, n) == 0;
}

static inline uint64_t chance_variable(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static inline uint64_t chance_seed(uint64_t otherwise) {
    return chance_variable("LSCHED_TEST_SEED", otherwise);
}

/* `rounds` by LSCHED_TEST_SCALE in percent, at least one; LSCHED_TEST_ROUNDS replaces it. */
static inline uint32_t chance_rounds(uint32_t rounds) {
    uint64_t scaled = rounds * chance_variable("LSCHED_TEST_SCALE", 100) / 100;
    uint64_t all = chance_variable("LSCHED_TEST_ROUNDS", scaled);
    return all ? (uint32_t)all : 1;
}

/* 1 if a test that makes chance_rounds(full) rounds saw a case often enough. `least` is what it must
 * see in `full` rounds; the measured number should be above it by a quarter or more. Fewer rounds
 * are the first few of the same worlds, and what they show is chance: the helper asks for half of
 * their part, and for nothing while that part is below 20. So no test has a limit of its own below
 * which it asks for nothing, and no number of rounds makes a sound test fail. */
static inline int chance_enough(uint64_t seen, uint64_t least, uint32_t full) {
    uint64_t rounds = chance_rounds(full), part = least * rounds / full;
    if (rounds >= full) return seen >= least;
    return part < 20 || seen >= part / 2;
}

/* One in this many cycles is compared with cycles that skip no search (skip_check_on). */
static inline uint32_t chance_skips(void) {
    return (uint32_t)chance_variable("LSCHED_TEST_SKIPS", 10);
}

#endif
