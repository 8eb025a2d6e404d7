/*
 * blocks.h -- blocks of several consecutive rows: texts (words), the devices of a node, the
 * SHARED rows of these devices, the NUMA nodes of a node, the groups of a job shape, the answers
 * of a device selector, the cells of a daily curve.
 *
 * Each size class has a list of free blocks, linked through the first row of each block. Blocks
 * of 1 to 32 rows have one class for each size; larger blocks have one class for each power of
 * two. Invariant: a freed block returns to the class from which it was taken. Therefore memory
 * does not grow if the same load repeats. Blocks are never split or joined. This loses some
 * memory, but the loss is bounded, because the names of one cluster have few different lengths.
 * Compaction would have to move rows to which other rows refer.
 */
#ifndef LIBSCHED_BLOCKS_H
#define LIBSCHED_BLOCKS_H

#include "model/store/columns.h"

/* Returns the first of n consecutive rows, all zero; NO_ROW if out of memory. */
uint32_t block_new(struct columns *k, uint32_t heap, uint32_t n);
void block_free(struct columns *k, uint32_t heap, uint32_t first, uint32_t n);

/* A text is a block of TEXT: one word with length and hash, then the bytes, padded with zeros. */
/* Returns the row of a new text of n bytes, NO_ROW if out of memory. n must be less than 2^27. */
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
/* the hash that text_new() stores for these bytes */
uint32_t text_hash_of(const void *bytes, size_t n);
/* Compares the bytes as memcmp() does, then the lengths. */
int text_compare(const struct columns *k, uint32_t a, uint32_t b);

#endif
