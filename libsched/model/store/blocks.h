/*
 * blocks.h -- pieces of several rows: texts (words), devices of a node and what those that are
 * shared add, its NUMA nodes, groups of a job shape, answers of a selector, cells of a day.
 *
 * Free pieces are kept per size class, linked through their first row: 1 to 32 rows exactly, then
 * powers of two. Invariant: a piece goes back to the class it came from, so a load that comes and
 * goes reaches a steady size. Pieces are never split or joined: names of one cluster have few
 * lengths, and a bounded loss beats a compaction that would have to move rows that others refer to.
 */
#ifndef LIBSCHED_BLOCKS_H
#define LIBSCHED_BLOCKS_H

#include "model/store/columns.h"

/* n rows in one piece, NO_ROW if out of memory. Contents of the rows are zero. */
uint32_t block_new(struct columns *k, uint32_t heap, uint32_t n);
void block_free(struct columns *k, uint32_t heap, uint32_t first, uint32_t n);

/* A text: one word of length and hash, then the bytes, zero-padded. */
uint32_t text_new(struct columns *k, const void *bytes, size_t n); /* n < 2^27; NO_ROW if out */
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
/* memcmp order, then length. */
int text_compare(const struct columns *k, uint32_t a, uint32_t b);

#endif
