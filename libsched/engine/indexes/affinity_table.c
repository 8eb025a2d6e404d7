/* affinity_table.c -- see affinity_table.h. */
#include "engine/indexes/affinity_table.h"

#include "model/store/steps.h"

static struct affinity_link **bucket_of(const struct affinity_table *t, uint64_t hash) {
    return &t->bucket[hash & (t->n_buckets - 1)];
}

int32_t affinity_table_reserve(struct affinity_table *t, struct columns *k) {
    if (t->n < t->n_buckets) return LSCHED_OK;
    const struct affinity_table old = *t;
    uint32_t n = old.n_buckets ? 2 * old.n_buckets : 64;
    struct affinity_link **fresh = alloc_zero(k->alloc, n * sizeof(void *));
    if (!fresh) return LSCHED_E_NOMEM;
    *t = (struct affinity_table){fresh, 0, n};
    for (uint32_t i = 0; i < old.n_buckets; i++)
        for (struct affinity_link *p = old.bucket[i], *next; p; p = next) {
            next = p->chain;
            affinity_table_add(t, p, p->hash);
        }
    steps_add(k, t->n);
    alloc_free(k->alloc, old.bucket, old.n_buckets * sizeof(void *));
    return LSCHED_OK;
}

void affinity_table_add(struct affinity_table *t, struct affinity_link *entry, uint64_t hash) {
    *entry = (struct affinity_link){*bucket_of(t, hash), hash};
    *bucket_of(t, hash) = entry;
    t->n++;
}

void affinity_table_drop(struct affinity_table *t, struct affinity_link *entry) {
    struct affinity_link **at = bucket_of(t, entry->hash);
    while (*at != entry) at = &(*at)->chain;
    *at = entry->chain;
    t->n--;
}

void affinity_table_close(struct affinity_table *t, struct columns *k) {
    alloc_free(k->alloc, t->bucket, t->n_buckets * sizeof(void *));
    *t = (struct affinity_table){NULL, 0, 0};
}
