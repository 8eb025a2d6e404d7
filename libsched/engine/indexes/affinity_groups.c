/* affinity_groups.c -- see affinity_groups.h. */
#include "engine/indexes/affinity_groups.h"

#include "base/hash.h"
#include "model/store/intern.h"
#include "model/store/steps.h"

int32_t affinity_groups_reserve(struct affinity_groups *g, struct columns *k) {
    uint32_t rows = table_rows(k, T_TASK), cap = g->cap;
    if (rows <= cap) return LSCHED_OK;
    cap = cap + cap / 2 > rows ? cap + cap / 2 : rows;
    struct affinity_seen *p =
        alloc_resize(k->alloc, g->seen, g->cap * sizeof *p, (size_t)cap * sizeof *p);
    if (!p) return LSCHED_E_NOMEM;
    for (uint32_t t = g->cap; t < cap; t++) p[t] = (struct affinity_seen){.node = NO_ROW};
    g->bytes += (uint64_t)(cap - g->cap) * sizeof *p;
    g->seen = p;
    g->cap = cap;
    return LSCHED_OK;
}

static uint64_t serial_of(const struct columns *k, uint32_t sort, uint32_t row) {
    if (sort == AFFINITY_BY_SHAPE) return k->c[C_SHAPE_SERIAL].u64[row];
    return row == NO_ROW ? 0 : k->c[C_LABELS_SERIAL].u64[row];
}

static struct affinity_group **affinity_groups_bucket_of(const struct affinity_groups *g,
                                                         uint32_t sort, uint32_t row) {
    return &g->bucket[hash_mix(sort, row) & (g->n_buckets - 1)];
}

struct affinity_group *affinity_groups_find(const struct affinity_groups *g,
                                            const struct columns *k, uint32_t sort, uint32_t row) {
    uint64_t serial = serial_of(k, sort, row);
    struct affinity_group *p = g->n ? *affinity_groups_bucket_of(g, sort, row) : NULL;
    while (p && (p->sort != sort || p->row != row || p->serial != serial)) {
        p = p->chain;
        steps_add(k, 1);
    }
    return p;
}

static int32_t affinity_groups_buckets_grow(struct affinity_groups *g, struct columns *k) {
    if (g->n < g->n_buckets) return LSCHED_OK;
    uint32_t n = g->n_buckets ? 2 * g->n_buckets : 64, was = g->n_buckets;
    struct affinity_group **old = g->bucket, **fresh = alloc_zero(k->alloc, n * sizeof(void *));
    if (!fresh) return LSCHED_E_NOMEM;
    g->bucket = fresh;
    g->n_buckets = n;
    for (uint32_t i = 0; i < was; i++)
        for (struct affinity_group *p = old[i], *next; p; p = next) {
            struct affinity_group **at = affinity_groups_bucket_of(g, p->sort, p->row);
            next = p->chain;
            p->chain = *at;
            *at = p;
        }
    steps_add(k, g->n);
    alloc_free(k->alloc, old, was * sizeof(void *));
    g->bytes += (n - was) * sizeof(void *);
    return LSCHED_OK;
}

struct affinity_group *affinity_groups_new(struct affinity_groups *g, struct columns *k,
                                           uint32_t sort, uint32_t row) {
    if (affinity_groups_buckets_grow(g, k) != LSCHED_OK) return NULL;
    struct affinity_group *p = alloc_zero(k->alloc, sizeof *p),
                          **at = affinity_groups_bucket_of(g, sort, row);
    if (!p) return NULL;
    p->sort = sort;
    p->row = row;
    p->serial = serial_of(k, sort, row);
    p->first = NO_ROW;
    p->chain = *at;
    *at = p;
    g->n++;
    g->bytes += sizeof *p;
    return p;
}

void affinity_groups_free(struct affinity_groups *g, struct columns *k,
                          struct affinity_group *group) {
    struct affinity_group **at = affinity_groups_bucket_of(g, group->sort, group->row);
    while (*at != group) at = &(*at)->chain;
    *at = group->chain;
    affinity_pairs_leave(&g->pairs, k, &group->posts);
    g->n--;
    g->bytes -= sizeof *group;
    alloc_free(k->alloc, group, sizeof *group);
}

void affinity_groups_join(struct affinity_groups *g, struct affinity_group *group, uint32_t task) {
    struct affinity_seen *me = &g->seen[task];
    uint32_t sort = group->sort;
    me->group[sort] = group;
    me->prev[sort] = NO_ROW;
    me->next[sort] = group->first;
    if (group->first != NO_ROW) g->seen[group->first].prev[sort] = task;
    group->first = task;
    group->n++;
}

void affinity_groups_leave(struct affinity_groups *g, struct affinity_group *group, uint32_t task) {
    struct affinity_seen *me = &g->seen[task];
    uint32_t sort = group->sort, next = me->next[sort], prev = me->prev[sort];
    if (next != NO_ROW) g->seen[next].prev[sort] = prev;
    *(prev != NO_ROW ? &g->seen[prev].next[sort] : &group->first) = next;
    me->group[sort] = NULL;
    group->n--;
}

struct reader affinity_group_labels(const struct columns *k, const struct affinity_group *group) {
    static const uint8_t none[4] = {0, 0, 0, 0};
    if (group->row == NO_ROW) return (struct reader){none, none + sizeof none, 0};
    return reader_of(k, intern_text(k, T_LABELS, group->row));
}

void affinity_groups_close(struct affinity_groups *g, struct columns *k) {
    for (uint32_t i = 0; i < g->n_buckets; i++)
        while (g->bucket[i]) affinity_groups_free(g, k, g->bucket[i]);
    affinity_pairs_close(&g->pairs, k);
    alloc_free(k->alloc, g->bucket, g->n_buckets * sizeof(void *));
    alloc_free(k->alloc, g->seen, g->cap * sizeof *g->seen);
    memset(g, 0, sizeof *g);
}
