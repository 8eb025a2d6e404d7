/*
 * index.h -- finds rows by content: names of objects, interned texts, domains, bundles, tasks,
 * refusals.
 *
 * Open addressing with linear probing in a column of row + 1; load at most 3/4. A deletion shifts
 * entries back, so there are no tombstones and the cost does not depend on history. Buckets hold
 * no hash, because the text's first word has it: a probe that misses costs one more load, and a
 * job pays 8 bytes instead of 16. No code iterates over an index, so an order by hash cannot
 * influence a decision.
 *
 * index_reserve() makes room for more keys and can rehash; index_add() needs that room and cannot
 * fail.
 */
#ifndef LIBSCHED_INDEX_H
#define LIBSCHED_INDEX_H

#include "model/store/blocks.h"

/* A key: a text (names, interned objects), or words (bundles, tasks, refusals), or both (domains:
 * tree, level, parent, text). */
struct index_key {
    const void *bytes;
    uint32_t n;
    uint32_t hash;
    uint32_t words[4]; /* domains: tree, level, parent + 1. bundles: queue, shape, kind, job */
};

int32_t index_reserve(struct columns *k, uint32_t index_table, uint64_t more);
/* Returns the row with that key, NO_ROW if there is none. */
uint32_t index_find(const struct columns *k, uint32_t index_table, const struct index_key *key);
void index_add(struct columns *k, uint32_t index_table, uint32_t row);
void index_remove(struct columns *k, uint32_t index_table, uint32_t row);
struct index_key index_key_text(const void *bytes, size_t n);
struct index_key index_key_domain(uint32_t topology, uint32_t level, uint32_t parent,
                                  const void *bytes, size_t n);
struct index_key index_key_task(uint32_t job, uint32_t index);
/* Key of the releasing row of a task. */
struct index_key index_key_releasing(uint32_t job, uint32_t index);
struct index_key index_key_bundle(uint32_t queue, uint32_t shape, uint32_t kind, uint32_t job);
/* Key of a refusal. node NO_ROW: the head of the queue and shape. of: REFUSAL_OF_*. */
struct index_key index_key_refusal(uint32_t of, uint32_t queue, uint32_t shape, uint32_t node);
/* Returns the row with that name, NO_ROW if there is none. */
static inline uint32_t name_find(const struct columns *k, uint32_t index_table, const void *bytes,
                                 size_t n) {
    struct index_key key = index_key_text(bytes, n);
    return index_find(k, index_table, &key);
}

#endif
