/*
 * bits.h -- the number of bits of a mask of devices.
 *
 * Most masks have one bit or none, and compilers for x86-64 call a function to count bits, because
 * the oldest processors have no instruction for it. Therefore these masks are tested first.
 */
#ifndef LIBSCHED_BITS_H
#define LIBSCHED_BITS_H

#include <stdint.h>

static inline uint32_t bits_count(uint64_t mask) {
    return (mask & (mask - 1)) == 0 ? mask != 0 : (uint32_t)__builtin_popcountll(mask);
}

#endif
