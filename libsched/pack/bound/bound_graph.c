/* bound_graph.c -- see bound_graph.h. */
#include "pack/bound/bound_graph.h"

#include <string.h>

enum { STRETCH = 32, GRAPH_MOST = 1536, PAIRS_MOST = 256, STARTS_MOST = 48, NOBODY = 0xFFFFFFFF };

void graph_new(struct graph_bound *g, const struct fixed_bound *f, struct pack_arena *arena) {
    const struct pack_problem *p = f->p;
    uint32_t hard = 0;
    memset(g, 0, sizeof *g);
    g->p = p;
    g->fixed = f;
    for (uint32_t r = 0; r < p->n_resources; r++) hard += f->is_hard[r];
    if (p->n_items > GRAPH_MOST || (!p->has_profiles && hard < 2)) return;
    g->n = p->n_items;
    g->words = (g->n + 63) / 64;
    g->conflicts = pack_take(arena, (uint64_t)g->n * g->words, sizeof *g->conflicts);
    g->rank = pack_take(arena, g->n, sizeof *g->rank);
    g->degree = pack_take(arena, g->n, sizeof *g->degree);
    g->in_set = pack_take(arena, g->words, sizeof *g->in_set);
    g->set = pack_take(arena, g->n, sizeof *g->set);
    g->mate = pack_take(arena, PAIRS_MOST, sizeof *g->mate);
    g->base = pack_take(arena, PAIRS_MOST, sizeof *g->base);
    g->parent = pack_take(arena, PAIRS_MOST, sizeof *g->parent);
    g->queue = pack_take(arena, PAIRS_MOST, sizeof *g->queue);
    g->mark = pack_take(arena, PAIRS_MOST, 1);
    g->in_blossom = pack_take(arena, PAIRS_MOST, 1);
}

/* ---- conflicts ---- */

/* True if the profiles of two items fit together in resource r over cells [first, end). The loop
 * stops after the first stretch of cells in which the profiles do not fit. */
static int fit_in(const struct pack_problem *p, const uint32_t *pair, uint32_t r, uint32_t first,
                  uint32_t end, int32_t capacity, uint64_t *work) {
    const struct pack_item *x = &p->items[pair[0]], *y = &p->items[pair[1]];
    const struct pack_config *a = &p->configs[x->first_config], *b = &p->configs[y->first_config];
    const int32_t *u = p->amounts + a->amounts + (uint64_t)r * a->n_span + (first - x->first_cell);
    const int32_t *v = p->amounts + b->amounts + (uint64_t)r * b->n_span + (first - y->first_cell);
    for (uint32_t c = 0, n = end - first; c < n;) {
        uint32_t stop = c + STRETCH < n ? c + STRETCH : n;
        int over = 0;
        /* a demand is at most 2^29 + 1; therefore the sum of two demands does not overflow */
        for (; c < stop; c++) over |= u[c] + v[c] > capacity;
        if (over) return 0;
    }
    *work += (end - first) / 128;
    return 1;
}

/* True if these n items (two or three) fit the largest bin in every cell in which all of them are
 * active. Other cells are not checked. */
static int bound_graph_fits(const struct graph_bound *g, const uint32_t *items, uint32_t n,
                            uint64_t *work) {
    const struct pack_problem *p = g->p;
    uint32_t first = 0, end = UINT32_MAX;
    int constant = 1, profiles = 1;
    for (uint32_t k = 0; k < n; k++) {
        const struct pack_item *item = &p->items[items[k]];
        if (item->first_cell > first) first = item->first_cell;
        if (item->end_cell < end) end = item->end_cell;
        if (p->configs[item->first_config].is_profile)
            constant = 0;
        else
            profiles = 0;
    }
    if (constant && end > first) end = first + 1;
    for (uint32_t r = 0; r < p->n_resources; r++) {
        if (!g->fixed->is_hard[r]) continue;
        if (n == 2 && profiles && first < end) {
            if (!fit_in(p, items, r, first, end, g->fixed->capacity[r], work)) return 0;
            continue;
        }
        for (uint32_t c = first; c < end; c++) {
            int64_t sum = 0;
            for (uint32_t k = 0; k < n; k++) sum += bound_amount(p, &p->items[items[k]], r, c);
            if (sum <= g->fixed->capacity[r]) continue;
            *work += (c - first) / 8;
            return 0;
        }
        *work += end > first ? (end - first) / 8 : 0;
    }
    return 1;
}

/* True if there is no class that both items are allowed to use. */
static int kept_apart(const struct pack_problem *p, uint32_t i, uint32_t j) {
    const struct pack_item *a = &p->items[i], *b = &p->items[j];
    if (a->n_allowed == 0 || b->n_allowed == 0) return 0;
    for (uint32_t k = 0; k < a->n_allowed; k++)
        if (pack_allows(b, a->allowed[k])) return 0;
    return 1;
}

static void exclude(struct graph_bound *g, uint32_t i, uint32_t j) {
    g->conflicts[(uint64_t)i * g->words + j / 64] |= UINT64_C(1) << j % 64;
    g->conflicts[(uint64_t)j * g->words + i / 64] |= UINT64_C(1) << i % 64;
    g->degree[i]++;
    g->degree[j]++;
}

/* Sorts g->rank: the item with the most conflicts comes first. */
static void rank_items(struct graph_bound *g) {
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t at = i;
        for (; at > 0 && g->degree[g->rank[at - 1]] < g->degree[i]; at--)
            g->rank[at] = g->rank[at - 1];
        g->rank[at] = i;
    }
}

int graph_step(struct graph_bound *g, struct pack_meter *m) {
    uint64_t work = 1;
    if (g->row >= g->n) return 0;
    for (uint32_t j = 0; j < g->row; j++) {
        uint32_t pair[2] = {j, g->row};
        work++;
        if (kept_apart(g->p, j, g->row) || !bound_graph_fits(g, pair, 2, &work))
            exclude(g, j, g->row);
    }
    m->done += work;
    if (++g->row == g->n) rank_items(g);
    return g->row < g->n;
}

/* ---- clique ---- */

uint32_t graph_clique(struct graph_bound *g, struct pack_meter *m) {
    uint32_t most = 0;
    for (uint32_t start = 0; start < g->n && start < STARTS_MOST; start++) {
        uint32_t size = 1, first = g->rank[start];
        memcpy(g->in_set, g->conflicts + (uint64_t)first * g->words, g->words * sizeof *g->in_set);
        for (uint32_t k = 0; k < g->n; k++) {
            uint32_t i = g->rank[k];
            if (!(g->in_set[i / 64] >> i % 64 & 1)) continue;
            size++;
            for (uint32_t w = 0; w < g->words; w++)
                g->in_set[w] &= g->conflicts[(uint64_t)i * g->words + w];
        }
        m->done += g->n / 8 + (uint64_t)size * g->words / 16;
        if (size > most) most = size;
    }
    return most;
}

/* ---- pairs ---- */

/* True if item i can join the set: for each pair of items of the set that fit together, the three
 * items do not fit together. */
static int bound_graph_joins(const struct graph_bound *g, uint32_t n, uint32_t i, uint64_t *work) {
    for (uint32_t a = 0; a < n; a++) {
        if (graph_excludes(g, g->set[a], i)) continue;
        for (uint32_t b = 0; b < a; b++) {
            uint32_t three[3] = {g->set[a], g->set[b], i};
            ++*work;
            if (graph_excludes(g, g->set[b], i) || graph_excludes(g, g->set[a], g->set[b]))
                continue;
            /* For three items without a common cell, bound_graph_fits returns true. They do fit
             * together if each pair does. */
            if (bound_graph_fits(g, three, 3, work)) return 0;
        }
    }
    return 1;
}

static int is_edge(const struct graph_bound *g, uint32_t a, uint32_t b) {
    return a != b && !graph_excludes(g, g->set[a], g->set[b]);
}

static uint32_t common_base(struct graph_bound *g, uint32_t n, uint32_t a, uint32_t b) {
    memset(g->mark, 0, n);
    for (;;) {
        a = g->base[a];
        g->mark[a] = 1;
        if (g->mate[a] == NOBODY) break;
        a = g->parent[g->mate[a]];
    }
    for (;;) {
        b = g->base[b];
        if (g->mark[b]) return b;
        b = g->parent[g->mate[b]];
    }
}

static void mark_path(struct graph_bound *g, uint32_t v, uint32_t base, uint32_t child) {
    while (g->base[v] != base) {
        g->in_blossom[g->base[v]] = g->in_blossom[g->base[g->mate[v]]] = 1;
        g->parent[v] = child;
        child = g->mate[v];
        v = g->parent[child];
    }
}

static void shrink(struct graph_bound *g, uint32_t n, uint32_t v, uint32_t to, uint8_t *used,
                   uint32_t *tail) {
    uint32_t base = common_base(g, n, v, to);
    memset(g->in_blossom, 0, n);
    mark_path(g, v, base, to);
    mark_path(g, to, base, v);
    for (uint32_t i = 0; i < n; i++) {
        if (!g->in_blossom[g->base[i]]) continue;
        g->base[i] = base;
        if (used[i]) continue;
        used[i] = 1;
        g->queue[(*tail)++] = i;
    }
}

/* Returns the unmatched vertex at the end of an augmenting path that begins at `root`; NOBODY if
 * there is no such path. */
static uint32_t find_path(struct graph_bound *g, uint32_t n, uint32_t root) {
    uint8_t used[PAIRS_MOST] = {0};
    uint32_t head = 0, tail = 0;
    for (uint32_t i = 0; i < n; i++) {
        g->parent[i] = NOBODY;
        g->base[i] = i;
    }
    used[root] = 1;
    g->queue[tail++] = root;
    while (head < tail) {
        uint32_t v = g->queue[head++];
        for (uint32_t to = 0; to < n; to++) {
            if (!is_edge(g, v, to) || g->base[v] == g->base[to] || g->mate[v] == to) continue;
            if (to == root || (g->mate[to] != NOBODY && g->parent[g->mate[to]] != NOBODY)) {
                shrink(g, n, v, to, used, &tail);
            } else if (g->parent[to] == NOBODY) {
                g->parent[to] = v;
                if (g->mate[to] == NOBODY) return to;
                used[g->mate[to]] = 1;
                g->queue[tail++] = g->mate[to];
            }
        }
    }
    return NOBODY;
}

static uint32_t matched_pairs(struct graph_bound *g, uint32_t n) {
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < n; i++) g->mate[i] = NOBODY;
    for (uint32_t i = 0; i < n; i++) {
        if (g->mate[i] != NOBODY) continue;
        uint32_t v = find_path(g, n, i);
        if (v != NOBODY) pairs++;
        while (v != NOBODY) {
            uint32_t before = g->parent[v], next = g->mate[before];
            g->mate[v] = before;
            g->mate[before] = v;
            v = next;
        }
    }
    return pairs;
}

uint32_t graph_pairs(struct graph_bound *g, struct pack_meter *m) {
    uint32_t n = 0;
    uint64_t work = 0;
    for (uint32_t k = 0; k < g->n && n < PAIRS_MOST && work < 200000; k++)
        if (bound_graph_joins(g, n, g->rank[k], &work)) g->set[n++] = g->rank[k];
    m->done += work + (uint64_t)n * n * n / 256;
    return n - matched_pairs(g, n);
}
