/*
 * affinity_table.h -- a hash table of entries that the owner allocates. Each entry begins with a
 * struct affinity_link, which holds the entry's hash and a pointer to the next entry of the
 * bucket.
 *
 * The number of buckets is a power of two that is at least the number of entries. Therefore
 * finding, adding and dropping an entry cost O(1).
 */
#ifndef LIBSCHED_AFFINITY_TABLE_H
#define LIBSCHED_AFFINITY_TABLE_H

#include "model/store/columns.h"

struct affinity_link {
    struct affinity_link *chain;
    uint64_t hash;
};

struct affinity_table {
    struct affinity_link **bucket;
    uint32_t n, n_buckets;
};

/* Returns the first entry of the bucket to which the hash belongs, NULL if the bucket is empty.
 * The entries of one bucket can have different hashes. */
static inline struct affinity_link *affinity_table_first(const struct affinity_table *t,
                                                         uint64_t hash) {
    return t->n ? t->bucket[hash & (t->n_buckets - 1)] : NULL;
}
/* Makes room for one more entry. Returns LSCHED_E_NOMEM if there is no memory. */
int32_t affinity_table_reserve(struct affinity_table *t, struct columns *k);
/* Adds an entry. Before the call, the caller has called affinity_table_reserve() for this entry. */
void affinity_table_add(struct affinity_table *t, struct affinity_link *entry, uint64_t hash);
void affinity_table_drop(struct affinity_table *t, struct affinity_link *entry);
/* Returns the memory of the buckets, in bytes. */
static inline uint64_t affinity_table_bytes(const struct affinity_table *t) {
    return t->n_buckets * sizeof(void *);
}
/* Frees the buckets. The function does not free the entries. */
void affinity_table_close(struct affinity_table *t, struct columns *k);

#endif
