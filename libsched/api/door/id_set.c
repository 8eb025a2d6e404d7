/* id_set.c -- see id_set.h. */
#include "api/door/id_set.h"

#include <string.h>

#include "base/hash.h"

void id_set_init(struct id_set *w, struct alloc *alloc) {
    *w = (struct id_set){.alloc = alloc};
}

void id_set_close(struct id_set *w) {
    alloc_free(w->alloc, w->ids, w->cap * sizeof *w->ids);
    alloc_free(w->alloc, w->by, w->cap * sizeof *w->by);
    alloc_free(w->alloc, w->bucket, w->cap * 2 * sizeof *w->bucket);
}

static void bucket_add(struct id_set *w, size_t place) {
    size_t mask = w->cap * 2 - 1, i = hash_mix(0, w->ids[place]) & mask;
    while (w->bucket[i]) i = (i + 1) & mask;
    w->bucket[i] = (uint32_t)place + 1;
}

static int id_set_grow(struct id_set *w) {
    size_t cap = w->cap ? w->cap * 2 : 64; /* a power of two */
    lsched_id *ids = alloc_new(w->alloc, cap * sizeof *ids);
    uint32_t *by = alloc_new(w->alloc, cap * sizeof *by);
    uint32_t *bucket = alloc_zero(w->alloc, cap * 2 * sizeof *bucket);
    if (!ids || !by || !bucket) {
        alloc_free(w->alloc, ids, cap * sizeof *ids);
        alloc_free(w->alloc, by, cap * sizeof *by);
        alloc_free(w->alloc, bucket, cap * 2 * sizeof *bucket);
        return 0;
    }
    if (w->n) memcpy(ids, w->ids, w->n * sizeof *ids);
    if (w->n) memcpy(by, w->by, w->n * sizeof *by);
    id_set_close(w);
    w->ids = ids;
    w->by = by;
    w->bucket = bucket;
    w->cap = cap;
    for (size_t i = 0; i < w->n; i++) bucket_add(w, i);
    return 1;
}

void id_set_add(struct id_set *w, lsched_id id) {
    if (w->n == w->cap && !id_set_grow(w)) {
        w->failed = 1;
        return;
    }
    w->ids[w->n] = id;
    w->by[w->n] = w->element;
    bucket_add(w, w->n++);
}

void id_set_tell(void *user, uint32_t slot, uint32_t generation) {
    struct id_set *w = user;
    id_set_add(w, ((uint64_t)LSCHED_KIND_DECISION << 60 | (uint64_t)generation << 32 | slot) ^
                      w->salt);
}

void id_set_forget(struct id_set *w, lsched_id id) {
    if (w->n == 0) return;
    size_t mask = w->cap * 2 - 1;
    for (size_t i = hash_mix(0, id) & mask; w->bucket[i]; i = (i + 1) & mask)
        if (w->ids[w->bucket[i] - 1] == id) w->ids[w->bucket[i] - 1] = 0;
}

/* Returns 1 + the index of the id in ids[], 0 if the set does not have the id. */
static uint32_t id_set_place_of(const struct id_set *w, lsched_id id) {
    if (w->n == 0) return 0;
    size_t mask = w->cap * 2 - 1;
    for (size_t i = hash_mix(0, id) & mask; w->bucket[i]; i = (i + 1) & mask)
        if (w->ids[w->bucket[i] - 1] == id) return w->bucket[i];
    return 0;
}

int id_set_has(const struct id_set *w, lsched_id id) {
    return id_set_place_of(w, id) != 0;
}

uint32_t id_set_by(const struct id_set *w, lsched_id id) {
    return w->by[id_set_place_of(w, id) - 1];
}
