/*
 * index.h -- hash indexes, which find rows by their contents: names of objects, interned texts,
 * domains, bundles, tasks, refusals.
 *
 * An index uses open addressing with linear probing. Its buckets are a column with row + 1, 0 for
 * an empty bucket; at most 3/4 of the buckets are used. A deletion shifts entries back. Therefore
 * there are no tombstones, and the cost does not depend on earlier deletions. Buckets do not
 * store the hash, because the first word of a text has it: this costs one more memory read for
 * each bucket with another key, but a bucket has only 4 bytes. No code iterates over an index.
 * Therefore an order by hash cannot influence a decision.
 *
 * An index grows by one bucket at a time, as linear hashing does: the new last bucket takes the
 * keys over that the next bit of the hash gives to it, all from one other bucket. Let n be the
 * largest power of two that is not greater than the number of buckets. Between 5/8 n and 3/4 n
 * keys, each further key adds eight buckets, so that the buckets have doubled before 3/4 n keys
 * are there: buckets that are not divided yet stay as short as in a table of n buckets. Each
 * moved entry has a record in the undo log, so a rollback needs nothing else. An index without keys
 * has nothing to divide and grows to any number of buckets at once.
 *
 * Cost: a lookup, an addition and a removal read a few buckets. index_reserve() divides at most
 * 16 buckets for each key, so that no call waits for a rehash of the whole index. Why not double
 * the array at once: with 8,000,000 keys, one call in several million takes a second.
 *
 * index_reserve() makes room for more keys. index_add() cannot fail, because the caller has
 * called index_reserve() before.
 */
#ifndef LIBSCHED_INDEX_H
#define LIBSCHED_INDEX_H

#include "model/store/blocks.h"

/* A key of an index. For names and interned contents it is a text; for bundles, tasks and
 * refusals it is words; for domains it is both. */
struct index_key {
    const void *bytes;
    uint32_t n;
    uint32_t hash;
    /* for domains: tree, level, parent + 1; for bundles: queue, shape, kind, job */
    uint32_t words[4];
};

/* Returns the home of a hash, the bucket in which a lookup begins. buckets: at least 1. */
static inline uint32_t index_home(uint32_t hash, uint32_t buckets) {
    uint32_t high = UINT32_C(1) << (31 - __builtin_clz(buckets));
    uint32_t home = hash & (high | (high - 1));
    return home < buckets ? home : home - high;
}
/* Returns the number of steps from one bucket to another; after the last bucket comes the first. */
static inline uint32_t index_distance(uint32_t from, uint32_t to, uint32_t buckets) {
    return to >= from ? to - from : to + buckets - from;
}
/* True if an index can have so many keys and buckets. Less than 7/8 of the buckets' largest power
 * of two is used, so that no run of used buckets reaches from a bucket to the one that it gives
 * keys to. */
static inline int index_has_room(uint64_t keys, uint64_t buckets) {
    if (keys == 0 || buckets == 0) return keys == 0;
    uint64_t low = UINT64_C(1) << (63 - __builtin_clzll(buckets));
    return keys * 4 <= buckets * 3 && keys * 8 <= low * 7;
}

int32_t index_reserve(struct columns *k, uint32_t index_table, uint64_t more);
/* Returns the row with the key, NO_ROW if there is none. */
uint32_t index_find(const struct columns *k, uint32_t index_table, const struct index_key *key);
void index_add(struct columns *k, uint32_t index_table, uint32_t row);
void index_remove(struct columns *k, uint32_t index_table, uint32_t row);
struct index_key index_key_text(const void *bytes, size_t n);
struct index_key index_key_domain(uint32_t topology, uint32_t level, uint32_t parent,
                                  const void *bytes, size_t n);
struct index_key index_key_task(uint32_t job, uint32_t index);
/* Returns the key of the releasing row of a task. */
struct index_key index_key_releasing(uint32_t job, uint32_t index);
struct index_key index_key_bundle(uint32_t queue, uint32_t shape, uint32_t kind, uint32_t job);
/* Returns the key of a refusal row. node NO_ROW: the head of the queue and shape (refusal.h). of:
 * REFUSAL_OF_*. */
struct index_key index_key_refusal(uint32_t of, uint32_t queue, uint32_t shape, uint32_t node);
/* Returns the row with the name, NO_ROW if there is none. */
static inline uint32_t name_find(const struct columns *k, uint32_t index_table, const void *bytes,
                                 size_t n) {
    struct index_key key = index_key_text(bytes, n);
    return index_find(k, index_table, &key);
}

#endif
