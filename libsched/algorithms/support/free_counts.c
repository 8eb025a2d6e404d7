/* free_counts.c -- see free_counts.h. */
#include "algorithms/support/free_counts.h"

#include <string.h>

#include "algorithms/support/chain_table.h"

enum { CLASSES_SPARE = 1024 };

void free_counts_close(struct free_counts_all *all, const lsched_algorithm_env *env) {
    for (uint32_t i = 0; i < FREE_COUNTS_KEPT; i++) {
        struct free_counts *c = &all->of[i];
        free_spans_close(&c->spans, env);
        env_free(env, c->classes, c->cap_classes * sizeof *c->classes);
        env_free(env, c->pool, c->cap_pool * sizeof *c->pool);
        env_free(env, c->table, c->cap_table * sizeof *c->table);
        env_free(env, c->known, c->cap_known * sizeof *c->known);
        env_free(env, c->changed, c->cap_changed * sizeof *c->changed);
        env_free(env, c->open, c->cap_open * sizeof *c->open);
    }
    memset(all, 0, sizeof *all);
}

/* Forgets all classes. */
static void counts_clear(struct free_counts *c) {
    c->n_classes = c->n_pool = c->n_changed = 0;
    free_spans_clear(&c->spans);
    chain_table_clear(c->table, c->cap_table);
    if (c->known) memset(c->known, 0, c->cap_known * sizeof *c->known);
}

/* Returns the counts of this question. Sets *anew to 1 if they must be read anew. */
static struct free_counts *counts_of(struct free_counts_all *all, const struct free_timeline *r,
                                     uint32_t map, const struct free_timeline_amount *need,
                                     int *anew) {
    *anew = 1;
    for (uint32_t i = 0; i < FREE_COUNTS_KEPT; i++) {
        struct free_counts *c = &all->of[i];
        if (!c->is_used || c->map != map || memcmp(&c->need, need, sizeof *need) != 0) continue;
        *anew = c->maps != r->maps_serial || c->n_classes > 2 * r->n_live + CLASSES_SPARE;
        return c;
    }
    struct free_counts *c = &all->of[all->next++ % FREE_COUNTS_KEPT];
    c->need = *need;
    c->map = map;
    return c;
}

/* ---- making a class ---- */

static void counts_table_add(struct free_counts *c, uint32_t class) {
    uint32_t *first = &c->table[c->classes[class].hash & (c->cap_table - 1)];
    c->classes[class].chain = *first;
    *first = class;
}

static int32_t counts_table_room(struct free_counts *c, const lsched_algorithm_env *env) {
    if (c->n_classes < c->cap_table) return LSCHED_OK;
    int32_t rc = chain_table_grow(env, &c->table, &c->cap_table, 64);
    for (uint32_t i = 0; rc == LSCHED_OK && i < c->n_classes; i++) counts_table_add(c, i);
    return rc;
}

/* The columns of which a task needs some amount. */
struct need_columns {
    uint32_t n, of[FREE_TIMELINE_KINDS];
};

static struct need_columns columns_of(const struct free_timeline *r,
                                      const struct free_timeline_amount *need) {
    struct need_columns c = {0, {0}};
    for (uint32_t k = 0; k < r->n_kinds; k++)
        if (need->of[k] > 0) c.of[c.n++] = k;
    return c;
}

/* The same as free_timeline_fits without a bound. */
static uint32_t step_fits(const struct need_columns *c, const struct free_timeline_amount *free,
                          const struct free_timeline_amount *need) {
    int64_t most = UINT32_MAX;
    for (uint32_t i = 0; i < c->n; i++) {
        int64_t f = free->of[c->of[i]], of = need->of[c->of[i]];
        if (f < of) return 0;
        /* most tasks take one device, or most of the node */
        int64_t n = of == 1 ? f : f - of < of ? 1 : f / of;
        if (n < most) most = n;
    }
    return (uint32_t)most;
}

/* Closes the open spans from the top, as far as more than `fits` tasks fit in them. */
static void close_down(struct free_counts_open *open, uint32_t *n_open,
                       struct free_counts_open *closed, uint32_t *n_closed, uint32_t fits,
                       int64_t at) {
    while (*n_open > 0 && open[*n_open - 1].tasks > fits) {
        uint32_t below = *n_open > 1 ? open[*n_open - 2].tasks : 0;
        struct free_counts_open *top = &open[*n_open - 1];
        uint32_t least = below > fits ? below : fits;
        closed[(*n_closed)++] = (struct free_counts_open){top->from, at, top->tasks - least};
        if (least > below)
            top->tasks = least; /* the lower part of the span goes on */
        else
            --*n_open;
    }
}

/* Writes the spans of a profile to the scratch memory, and returns them, *n of them. Returns NULL
 * if there is no memory. A step opens at most one span, and closes one more than it ends. */
static struct free_counts_open *class_draft(struct free_counts *c, const struct free_timeline *r,
                                            const struct free_timeline_profile *p, uint32_t *n,
                                            uint64_t *hash) {
    const struct free_timeline_step *s = r->pool + p->first;
    uint32_t n_open = 0;
    if (!ENV_ROOM(r->env, c->open, c->cap_open, 3ull * p->n)) return NULL;
    struct free_counts_open *open = c->open, *closed = c->open + p->n;
    struct need_columns columns = columns_of(r, &c->need);
    *n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t fits = step_fits(&columns, &s[i].free, &c->need);
        if (n_open ? fits == open[n_open - 1].tasks : fits == 0) continue;
        close_down(open, &n_open, closed, n, fits, s[i].at);
        if (fits > (n_open ? open[n_open - 1].tasks : 0))
            open[n_open++] = (struct free_counts_open){s[i].at, 0, fits};
    }
    close_down(open, &n_open, closed, n, 0, FREE_TIMELINE_FOREVER);
    *hash = *n;
    for (uint32_t i = 0; i < *n; i++) {
        *hash = free_timeline_mix(*hash, (uint64_t)closed[i].from);
        *hash = free_timeline_mix(*hash, (uint64_t)closed[i].to);
        *hash = free_timeline_mix(*hash, closed[i].tasks);
    }
    return closed;
}

static int is_class(const struct free_counts *c, const struct free_counts_class *k, uint64_t hash,
                    const struct free_counts_open *spans, uint32_t n) {
    if (k->hash != hash || k->n != n) return 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct free_counts_use *use = &c->pool[k->first + i];
        const struct free_span *span = &c->spans.spans[use->span];
        if (use->tasks != spans[i].tasks || span->from != spans[i].from || span->to != spans[i].to)
            return 0;
    }
    return 1;
}

/* Adds a class with these spans and without bins. Returns LSCHED_OK or LSCHED_E_NOMEM. */
static int32_t class_add(struct free_counts *c, const lsched_algorithm_env *env, uint64_t hash,
                         const struct free_counts_open *spans, uint32_t n) {
    uint32_t class = c->n_classes;
    if (!ENV_ROOM(env, c->pool, c->cap_pool, (uint64_t)c->n_pool + n)) return LSCHED_E_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t span = free_spans_of(&c->spans, env, spans[i].from, spans[i].to);
        if (span == FREE_TIMELINE_NONE) return LSCHED_E_NOMEM;
        c->pool[c->n_pool + i] =
            (struct free_counts_use){span, spans[i].tasks, class, c->spans.spans[span].first_use};
        c->spans.spans[span].first_use = c->n_pool + i;
    }
    c->classes[class] = (struct free_counts_class){
        .first = c->n_pool, .n = n, .profile = FREE_TIMELINE_NONE, .hash = hash};
    c->n_pool += n;
    c->n_classes++;
    counts_table_add(c, class);
    return LSCHED_OK;
}

/* Returns the class of a profile, or FREE_TIMELINE_NONE if there is no memory. */
static uint32_t counts_class(struct free_counts *c, const struct free_timeline *r,
                             uint32_t profile) {
    const struct free_timeline_profile *p = &r->profiles[profile];
    const struct free_counts_known *k = &c->known[profile];
    if (k->class && k->serial == p->serial) return k->class - 1;
    if (!ENV_ROOM(r->env, c->classes, c->cap_classes, c->n_classes + 1ull) ||
        !ENV_ROOM(r->env, c->changed, c->cap_changed, c->n_classes + 1ull) ||
        counts_table_room(c, r->env) != LSCHED_OK)
        return FREE_TIMELINE_NONE;
    uint64_t hash;
    uint32_t n;
    const struct free_counts_open *spans = class_draft(c, r, p, &n, &hash);
    if (!spans) return FREE_TIMELINE_NONE;
    uint32_t class = c->table[hash & (c->cap_table - 1)];
    while (class != FREE_TIMELINE_NONE && !is_class(c, &c->classes[class], hash, spans, n))
        class = c->classes[class].chain;
    if (class != FREE_TIMELINE_NONE) return class;
    return class_add(c, r->env, hash, spans, n) == LSCHED_OK ? c->n_classes - 1
                                                             : FREE_TIMELINE_NONE;
}

/* ---- following the timeline ---- */

static void class_count(struct free_counts *c, uint32_t class, int64_t bins) {
    struct free_counts_class *k = &c->classes[class];
    if (bins == 0) return;
    if (!k->is_changed) c->changed[c->n_changed++] = class;
    k->is_changed = 1;
    k->change += bins;
}

static void profile_leave(struct free_counts *c, uint32_t profile) {
    struct free_counts_known *k = &c->known[profile];
    if (!k->class) return;
    if (k->before != FREE_TIMELINE_NONE)
        c->known[k->before].next = k->next;
    else
        c->classes[k->class - 1].profile = k->next;
    if (k->next != FREE_TIMELINE_NONE) c->known[k->next].before = k->before;
    class_count(c, k->class - 1, -(int64_t)k->n_bins);
    k->class = k->n_bins = 0;
}

static void profile_join(struct free_counts *c, uint32_t profile, uint32_t class) {
    struct free_counts_known *k = &c->known[profile];
    uint32_t *first = &c->classes[class].profile;
    k->class = class + 1;
    k->n_bins = 0;
    k->before = FREE_TIMELINE_NONE;
    k->next = *first;
    if (*first != FREE_TIMELINE_NONE) c->known[*first].before = profile;
    *first = profile;
}

/* Brings what is known of a profile up to date. */
static int32_t profile_follow(struct free_counts *c, const struct free_timeline *r,
                              uint32_t profile) {
    const struct free_timeline_profile *p = &r->profiles[profile];
    struct free_counts_known *k = &c->known[profile];
    if (p->n_bins == 0 || !free_timeline_has(r, c->map, profile)) {
        profile_leave(c, profile);
        return LSCHED_OK;
    }
    uint32_t class = counts_class(c, r, profile);
    if (class == FREE_TIMELINE_NONE) return LSCHED_E_NOMEM;
    if (k->class != class + 1) {
        profile_leave(c, profile);
        profile_join(c, profile, class);
    }
    class_count(c, class, (int64_t)p->n_bins - k->n_bins);
    k->n_bins = p->n_bins;
    k->serial = p->serial;
    return LSCHED_OK;
}

/* Counts the changes of classes in the weights of their spans. */
static void weights_follow(struct free_counts *c) {
    for (uint32_t i = 0; i < c->n_changed; i++) {
        struct free_counts_class *k = &c->classes[c->changed[i]];
        int64_t change = k->change;
        k->change = k->is_changed = 0;
        k->n_bins += change;
        for (uint32_t u = k->first; u < k->first + k->n && change; u++)
            c->spans.spans[c->pool[u].span].weight += change * (int64_t)c->pool[u].tasks;
    }
    c->n_changed = 0;
}

struct free_counts *free_counts_collect(struct free_counts_all *all, const struct free_timeline *r,
                                        uint32_t map, const struct free_timeline_amount *need) {
    int anew;
    struct free_counts *c = counts_of(all, r, map, need, &anew);
    uint32_t had = c->cap_known;
    int32_t rc = LSCHED_OK;
    if (!anew && c->seen == r->changes) return c;
    c->is_used = 0; /* until all is counted */
    if (!ENV_ROOM(r->env, c->known, c->cap_known, r->n_profiles + 1ull)) return NULL;
    if (c->cap_known > had) memset(c->known + had, 0, (c->cap_known - had) * sizeof *c->known);
    if (anew) counts_clear(c);
    if (anew || !free_timeline_log_reaches(r, c->seen)) {
        for (uint32_t p = 0; p < r->n_profiles && rc == LSCHED_OK; p++)
            rc = profile_follow(c, r, p);
    } else {
        for (uint64_t i = c->seen; i < r->changes && rc == LSCHED_OK; i++)
            rc = profile_follow(c, r, r->log[i & (r->cap_log - 1)]);
    }
    if (rc != LSCHED_OK) return NULL;
    weights_follow(c);
    c->is_used = 1;
    c->seen = r->changes;
    c->maps = r->maps_serial;
    return c;
}

/* ---- choosing ---- */

int32_t free_counts_choices(struct free_counts *c, const struct free_timeline *r, int64_t start,
                            int64_t length, uint32_t most, struct free_counts_choice **list,
                            uint32_t *cap, uint32_t *n) {
    struct free_spans_cursor at = {0, 0};
    const struct free_spans_item *i;
    uint32_t n_classes = 0;
    *n = 0;
    c->stamp++;
    while ((i = free_spans_next(&c->spans.ups, length, &at)) && i->key <= start) {
        c->spans.steps++;
        if (!free_spans_holds(i->other, start, length) || !c->spans.spans[i->span].weight) continue;
        for (uint32_t u = c->spans.spans[i->span].first_use; u != FREE_TIMELINE_NONE;
             u = c->pool[u].next) {
            struct free_counts_class *k = &c->classes[c->pool[u].class];
            c->spans.steps++;
            if (k->n_bins == 0) continue;
            if (k->stamp != c->stamp) {
                k->stamp = c->stamp;
                k->room = 0;
                c->changed[n_classes++] = c->pool[u].class;
            }
            k->room += c->pool[u].tasks;
        }
    }
    for (uint32_t j = 0; j < n_classes; j++) {
        const struct free_counts_class *k = &c->classes[c->changed[j]];
        for (uint32_t p = k->profile; p != FREE_TIMELINE_NONE; p = c->known[p].next) {
            c->spans.steps++;
            if (r->profiles[p].lowest == BIN_HEAP_NONE) continue;
            if (!ENV_ROOM(r->env, *list, *cap, *n + 1ull)) return LSCHED_E_NOMEM;
            (*list)[(*n)++] =
                (struct free_counts_choice){k->room < most ? (uint32_t)k->room : most, p};
        }
    }
    return LSCHED_OK;
}
