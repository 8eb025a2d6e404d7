/*
 * blocks.h -- blocks of several consecutive rows: texts (words), the devices of a node, the
 * SHARED rows of these devices, the NUMA nodes of a node, the groups of a job shape, the answers
 * of a selector, the cells of a day.
 *
 * Free blocks are kept in lists by size class, linked through their first row: one class for each
 * size from 1 to 32 rows, then powers of two. Invariant: a freed block returns to the class from
 * which it came, so the memory of a load that comes and goes reaches a steady size. Blocks are
 * never split or joined: the names of one cluster have few lengths, and a bounded loss is better
 * than a compaction that would have to move rows to which others refer.
 */
#ifndef LIBSCHED_BLOCKS_H
#define LIBSCHED_BLOCKS_H

#include "model/store/columns.h"

/* Returns the first of n consecutive rows, all zero; NO_ROW if out of memory. */
uint32_t block_new(struct columns *k, uint32_t heap, uint32_t n);
void block_free(struct columns *k, uint32_t heap, uint32_t first, uint32_t n);

/* A text is one word with length and hash, then the bytes, zero-padded. */
/* n < 2^27; NO_ROW if out of memory */
uint32_t text_new(struct columns *k, const void *bytes, size_t n);
void text_free(struct columns *k, uint32_t text);
static inline uint32_t text_len(const struct columns *k, uint32_t text) {
    return (uint32_t)k->c[C_TEXT_WORD].u64[text];
}
static inline uint32_t text_hash(const struct columns *k, uint32_t text) {
    return (uint32_t)(k->c[C_TEXT_WORD].u64[text] >> 32);
}
static inline const void *text_bytes(const struct columns *k, uint32_t text) {
    return &k->c[C_TEXT_WORD].u64[text + 1];
}
uint32_t text_hash_of(const void *bytes, size_t n); /* the hash that a text of these bytes has */
/* Compares the bytes as memcmp() does, then the lengths. */
int text_compare(const struct columns *k, uint32_t a, uint32_t b);

#endif
