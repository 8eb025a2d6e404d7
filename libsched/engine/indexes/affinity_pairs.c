/* affinity_pairs.c -- see affinity_pairs.h. */
#include "engine/indexes/affinity_pairs.h"

#include "base/hash.h"
#include "model/store/intern.h"
#include "model/store/steps.h"

uint64_t affinity_pair_next(struct reader *labels, uint32_t role) {
    lsched_text key = reader_text(labels), value = reader_text(labels);
    uint64_t h = hash_bytes(key.ptr, (size_t)key.len, affinity_pair_none(role));
    return hash_bytes(value.ptr, (size_t)value.len, h);
}

uint64_t affinity_pair_of_job(uint32_t job, uint32_t role) {
    return hash_mix(affinity_pair_none(role), job);
}

static struct affinity_pair *pair_of(const struct affinity_pairs *s, const struct columns *k,
                                     uint64_t hash) {
    struct affinity_link *p = affinity_table_first(&s->table, hash);
    for (; p && p->hash != hash; p = p->chain) steps_add(k, 1);
    return (struct affinity_pair *)(void *)p;
}

struct affinity_post *affinity_pairs_find(const struct affinity_pairs *s, const struct columns *k,
                                          uint64_t hash) {
    const struct affinity_pair *p = pair_of(s, k, hash);
    return p ? p->first : NULL;
}

uint64_t affinity_pair_rarest(const struct affinity_pairs *s, const struct columns *k,
                              struct reader labels, uint32_t role) {
    uint64_t best = affinity_pair_none(role);
    uint32_t least = UINT32_MAX;
    for (uint32_t n = reader_u32(&labels); n > 0 && least > 0; n--) {
        uint64_t hash = affinity_pair_next(&labels, role);
        const struct affinity_pair *p = pair_of(s, k, hash);
        uint32_t have = p ? p->n : 0;
        if (have >= least) continue;
        least = have;
        best = hash;
    }
    return best;
}

static struct affinity_pair *pair_get(struct affinity_pairs *s, struct columns *k, uint64_t hash) {
    struct affinity_pair *p = pair_of(s, k, hash);
    if (p || affinity_table_reserve(&s->table, k) != LSCHED_OK) return p;
    p = alloc_zero(k->alloc, sizeof *p);
    if (!p) return NULL;
    affinity_table_add(&s->table, &p->link, hash);
    s->bytes += sizeof *p;
    return p;
}

static void pair_drop(struct affinity_pairs *s, struct columns *k, struct affinity_pair *p) {
    affinity_table_drop(&s->table, &p->link);
    s->bytes -= sizeof *p;
    alloc_free(k->alloc, p, sizeof *p);
}

int32_t affinity_pairs_add(struct affinity_pairs *s, struct columns *k, uint64_t hash, void *owner,
                           struct affinity_post **posts) {
    struct affinity_pair *pair = pair_get(s, k, hash);
    struct affinity_post *post = pair ? alloc_new(k->alloc, sizeof *post) : NULL;
    if (pair && !post && pair->n == 0) pair_drop(s, k, pair);
    if (!post) return LSCHED_E_NOMEM;
    *post = (struct affinity_post){pair->first, NULL, *posts, pair, owner};
    if (pair->first) pair->first->prev = post;
    pair->first = post;
    pair->n++;
    *posts = post;
    s->bytes += sizeof *post;
    return LSCHED_OK;
}

int32_t affinity_pairs_add_all(struct affinity_pairs *s, struct columns *k, struct reader labels,
                               uint32_t role, void *owner, struct affinity_post **posts) {
    uint32_t n = reader_u32(&labels);
    int32_t rc = affinity_pairs_add(s, k, affinity_pair_none(role), owner, posts);
    for (; n > 0 && rc == LSCHED_OK; n--)
        rc = affinity_pairs_add(s, k, affinity_pair_next(&labels, role), owner, posts);
    return rc;
}

void affinity_pairs_leave(struct affinity_pairs *s, struct columns *k,
                          struct affinity_post **posts) {
    for (struct affinity_post *p = *posts, *more; p; p = more) {
        more = p->more;
        *(p->prev ? &p->prev->next : &p->pair->first) = p->next;
        if (p->next) p->next->prev = p->prev;
        if (--p->pair->n == 0) pair_drop(s, k, p->pair);
        s->bytes -= sizeof *p;
        alloc_free(k->alloc, p, sizeof *p);
    }
    *posts = NULL;
}
