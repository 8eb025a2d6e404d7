/* free_counts.c -- see free_counts.h. */
#include "algorithms/support/free_counts.h"

#include <string.h>

enum { CLASSES_SPARE = 1024 };

void free_counts_close(struct free_counts_all *all, const lsched_algorithm_env *env) {
    for (uint32_t i = 0; i < FREE_COUNTS_NEEDS; i++) {
        struct free_counts *c = &all->of[i];
        env_free(env, c->classes, c->cap_classes * sizeof *c->classes);
        env_free(env, c->pool, c->cap_pool * sizeof *c->pool);
        env_free(env, c->table, c->cap_table * sizeof *c->table);
        env_free(env, c->known, c->cap_known * sizeof *c->known);
        env_free(env, c->active, c->cap_active * sizeof *c->active);
    }
    memset(all, 0, sizeof *all);
}

/* Forgets all classes and begins with this need. */
static void counts_begin(struct free_counts *c, const struct free_timeline_amount *need) {
    c->need = *need;
    c->is_used = 1;
    c->n_classes = c->n_pool = c->n_active = 0;
    c->changes = UINT64_MAX;
    for (uint32_t i = 0; i < c->cap_table; i++) c->table[i] = FREE_TIMELINE_NONE;
    if (c->known) memset(c->known, 0, c->cap_known * sizeof *c->known);
}

static struct free_counts *counts_of(struct free_counts_all *all,
                                     const struct free_timeline_amount *need) {
    for (uint32_t i = 0; i < FREE_COUNTS_NEEDS; i++)
        if (all->of[i].is_used && memcmp(&all->of[i].need, need, sizeof *need) == 0)
            return &all->of[i];
    struct free_counts *c = &all->of[all->next++ % FREE_COUNTS_NEEDS];
    counts_begin(c, need);
    return c;
}

/* ---- classes ---- */

static void table_add(struct free_counts *c, uint32_t class) {
    uint32_t *first = &c->table[c->classes[class].hash & (c->cap_table - 1)];
    c->classes[class].chain = *first;
    *first = class;
}

static int32_t counts_table_room(struct free_counts *c, const lsched_algorithm_env *env) {
    if (c->n_classes < c->cap_table) return LSCHED_OK;
    uint32_t cap = c->cap_table ? 2 * c->cap_table : 64;
    uint32_t *table = env_new(env, cap * sizeof *table);
    if (!table) return LSCHED_E_NOMEM;
    env_free(env, c->table, c->cap_table * sizeof *c->table);
    c->table = table;
    c->cap_table = cap;
    for (uint32_t i = 0; i < cap; i++) table[i] = FREE_TIMELINE_NONE;
    for (uint32_t i = 0; i < c->n_classes; i++) table_add(c, i);
    return LSCHED_OK;
}

/* Writes the steps of a profile behind the pool, with the numbers of tasks that fit. Returns their
 * number. */
static uint32_t class_draft(struct free_counts *c, const struct free_timeline *r,
                            const struct free_timeline_profile *p, uint64_t *hash) {
    const struct free_timeline_step *s = r->pool + p->first;
    struct free_counts_step *to = c->pool + c->n_pool;
    uint32_t n = 0;
    *hash = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t fits = free_timeline_fits(r, &s[i].free, &c->need, UINT32_MAX);
        if (n > 0 && to[n - 1].fits == fits) continue;
        to[n++] = (struct free_counts_step){s[i].at, fits};
        *hash = free_timeline_mix(free_timeline_mix(*hash, (uint64_t)s[i].at), fits);
    }
    return n;
}

static int is_class(const struct free_counts *c, const struct free_counts_class *k, uint64_t hash,
                    uint32_t n) {
    if (k->hash != hash || k->n != n) return 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct free_counts_step *a = &c->pool[k->first + i], *b = &c->pool[c->n_pool + i];
        if (a->at != b->at || a->fits != b->fits) return 0;
    }
    return 1;
}

/* Returns the class of a profile, or FREE_TIMELINE_NONE if there is no memory. */
static uint32_t counts_class(struct free_counts *c, const struct free_timeline *r,
                             uint32_t profile) {
    const struct free_timeline_profile *p = &r->profiles[profile];
    if (c->known[profile].serial == p->serial) return c->known[profile].class;
    if (!ENV_ROOM(r->env, c->pool, c->cap_pool, (uint64_t)c->n_pool + p->n) ||
        !ENV_ROOM(r->env, c->classes, c->cap_classes, c->n_classes + 1ull) ||
        counts_table_room(c, r->env) != LSCHED_OK)
        return FREE_TIMELINE_NONE;
    uint64_t hash;
    uint32_t n = class_draft(c, r, p, &hash);
    uint32_t class = c->table[hash & (c->cap_table - 1)];
    while (class != FREE_TIMELINE_NONE && !is_class(c, &c->classes[class], hash, n))
        class = c->classes[class].chain;
    if (class == FREE_TIMELINE_NONE) {
        class = c->n_classes++;
        c->classes[class] =
            (struct free_counts_class){.first = c->n_pool, .n = n, .hash = hash, .stamp = 0};
        c->n_pool += n;
        table_add(c, class);
    }
    c->known[profile] = (struct free_counts_known){p->serial, class};
    return class;
}

struct free_counts *free_counts_collect(struct free_counts_all *all, const struct free_timeline *r,
                                        uint32_t map, const struct free_timeline_amount *need) {
    struct free_counts *c = counts_of(all, need);
    if (c->changes == r->changes && c->map == map) return c;
    if (c->n_classes > 2 * r->n_live + CLASSES_SPARE) counts_begin(c, need);
    c->changes = UINT64_MAX;
    uint32_t had = c->cap_known;
    if (!ENV_ROOM(r->env, c->known, c->cap_known, r->n_profiles + 1ull)) return NULL;
    if (c->cap_known > had) memset(c->known + had, 0, (c->cap_known - had) * sizeof *c->known);
    if (!ENV_ROOM(r->env, c->active, c->cap_active, r->n_live + 1ull)) return NULL;
    c->stamp++;
    c->n_active = 0;
    for (uint32_t i = 0; i < r->n_live; i++) {
        if (!free_timeline_has(r, map, r->live[i])) continue;
        uint32_t class = counts_class(c, r, r->live[i]);
        if (class == FREE_TIMELINE_NONE) return NULL;
        struct free_counts_class *k = &c->classes[class];
        if (k->stamp != c->stamp) {
            k->stamp = c->stamp;
            k->n_bins = 0;
            c->active[c->n_active++] = class;
        }
        k->n_bins += r->profiles[r->live[i]].n_bins;
    }
    c->changes = r->changes;
    c->map = map;
    return c;
}

uint32_t free_counts_least(const struct free_counts *c, uint32_t class, int64_t from,
                           int64_t length, uint32_t most) {
    const struct free_counts_class *k = &c->classes[class];
    const struct free_counts_step *s = c->pool + k->first;
    int64_t to = free_timeline_end(from, length);
    uint32_t i = k->n - 1;
    while (i > 0 && s[i].at > from) i--;
    for (; i < k->n && most && s[i].at < to; i++)
        if (s[i].fits < most) most = s[i].fits;
    return most;
}
