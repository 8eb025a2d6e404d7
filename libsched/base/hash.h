/*
 * hash.h -- XXH3 for hash tables, checksums and plan hashes; never for an order.
 *
 * Only hash.c includes xxhash.h, so that no XXH symbol is exported. Results are equal on every
 * platform: callers pass little-endian bytes or fixed-width words.
 */
#ifndef LIBSCHED_HASH_H
#define LIBSCHED_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);

/* Mixes one word into a running hash. Cheap, and equal on every platform. */
static inline uint64_t hash_mix(uint64_t h, uint64_t v) {
    h ^= v + 0x9E3779B97F4A7C15u + (h << 6) + (h >> 2);
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93u;
    h ^= h >> 32;
    return h;
}

#endif
