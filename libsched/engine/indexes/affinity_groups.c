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

static uint64_t serial_of(const struct columns *k, struct affinity_of of) {
    if (of.sort == AFFINITY_BY_OWNER) return k->c[C_SHAPE_SERIAL].u64[of.shape];
    if (of.sort == AFFINITY_BY_SHAPE) return k->c[C_SHAPE_SERIAL].u64[of.row];
    return of.row == NO_ROW ? 0 : k->c[C_LABELS_SERIAL].u64[of.row];
}

static uint64_t group_hash(struct affinity_of of) {
    uint64_t hash = hash_mix(of.sort, of.row);
    return of.sort == AFFINITY_BY_OWNER ? hash_mix(hash, of.shape) : hash;
}

struct affinity_group *affinity_groups_find(const struct affinity_groups *g,
                                            const struct columns *k, struct affinity_of of) {
    uint64_t serial = serial_of(k, of);
    struct affinity_link *at = affinity_table_first(&g->table, group_hash(of));
    for (; at; at = at->chain) {
        struct affinity_group *p = (struct affinity_group *)(void *)at;
        if (p->of.sort == of.sort && p->of.row == of.row && p->of.shape == of.shape &&
            p->serial == serial)
            return p;
        steps_add(k, 1);
    }
    return NULL;
}

struct affinity_group *affinity_groups_new(struct affinity_groups *g, struct columns *k,
                                           struct affinity_of of) {
    if (affinity_table_reserve(&g->table, k) != LSCHED_OK) return NULL;
    struct affinity_group *p = alloc_zero(k->alloc, sizeof *p);
    if (!p) return NULL;
    p->of = of;
    p->serial = serial_of(k, of);
    p->first = NO_ROW;
    affinity_table_add(&g->table, &p->link, group_hash(of));
    g->bytes += sizeof *p;
    return p;
}

void affinity_groups_free(struct affinity_groups *g, struct columns *k,
                          struct affinity_group *group) {
    affinity_table_drop(&g->table, &group->link);
    affinity_pairs_leave(&g->pairs, k, &group->posts);
    g->bytes -= sizeof *group;
    alloc_free(k->alloc, group, sizeof *group);
}

void affinity_groups_join(struct affinity_groups *g, struct affinity_group *group, uint32_t task) {
    struct affinity_seen *me = &g->seen[task];
    uint32_t sort = group->of.sort;
    me->group[sort] = group;
    me->prev[sort] = NO_ROW;
    me->next[sort] = group->first;
    if (group->first != NO_ROW) g->seen[group->first].prev[sort] = task;
    group->first = task;
    group->n++;
}

void affinity_groups_leave(struct affinity_groups *g, struct affinity_group *group, uint32_t task) {
    struct affinity_seen *me = &g->seen[task];
    uint32_t sort = group->of.sort, next = me->next[sort], prev = me->prev[sort];
    if (next != NO_ROW) g->seen[next].prev[sort] = prev;
    *(prev != NO_ROW ? &g->seen[prev].next[sort] : &group->first) = next;
    me->group[sort] = NULL;
    group->n--;
}

struct reader affinity_group_labels(const struct columns *k, const struct affinity_group *group) {
    static const uint8_t none[4] = {0, 0, 0, 0};
    if (group->of.row == NO_ROW) return (struct reader){none, none + sizeof none, 0};
    return reader_of(k, intern_text(k, T_LABELS, group->of.row));
}

void affinity_groups_close(struct affinity_groups *g, struct columns *k) {
    for (uint32_t i = 0; i < g->table.n_buckets; i++)
        while (g->table.bucket[i])
            affinity_groups_free(g, k, (struct affinity_group *)(void *)g->table.bucket[i]);
    affinity_table_close(&g->pairs.table, k);
    affinity_table_close(&g->table, k);
    alloc_free(k->alloc, g->seen, g->cap * sizeof *g->seen);
    memset(g, 0, sizeof *g);
}
