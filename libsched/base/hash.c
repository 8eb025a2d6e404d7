/* hash.c -- see hash.h. */
#include "base/hash.h"

#define XXH_INLINE_ALL
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include <xxhash.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed) {
    return (uint64_t)XXH3_64bits_withSeed(p, n, seed);
}
