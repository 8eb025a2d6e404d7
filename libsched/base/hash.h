/*
 * hash.h -- the hash function XXH3, which is used for hash tables, checksums and plan hashes, but
 * never to order objects.
 *
 * Only hash.c includes xxhash.h, so that the library exports no symbol of XXH. The results are
 * equal on every platform, because callers pass little-endian bytes or words of fixed width.
 */
#ifndef LIBSCHED_HASH_H
#define LIBSCHED_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);

/* Adds the word v to a sequence of words: h is the hash of the sequence before, and the result is
 * the hash after. The function is cheaper than hash_bytes(), and its results are equal on every
 * platform. */
static inline uint64_t hash_mix(uint64_t h, uint64_t v) {
    h ^= v + 0x9E3779B97F4A7C15u + (h << 6) + (h >> 2);
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93u;
    h ^= h >> 32;
    return h;
}

#endif
