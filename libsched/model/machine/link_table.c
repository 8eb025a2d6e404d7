/*
 * link_table.c -- see link_table.h: builds the tables.
 *
 * For every criterion of link_table.h, each mask gets a rank among the masks with the same number
 * of bits. The ranks of all criteria are fields of one 64-bit key, which is the sum of a word for
 * the set and a word for the remaining devices. Therefore one comparison of keys compares by all
 * criteria. Cost: O(2^n n^2) and two sorts when a table is opened; a row costs C(n,k) x 2^(n-k)
 * additions, which with 16 devices is 9 million for the most expensive k.
 */
#include "model/machine/link_table.h"

#include "base/sort.h"

#include <string.h>

/* Bit positions of the fields in the key: worth of the set, value of the remaining devices,
 * nearness of the set, nearness among the remaining devices, mask. With 16 devices, at most
 * C(16,8) = 12,870 masks have the same number of bits; the nearness of a set is at most 3 * 120,
 * and that of the remaining devices at most 2,040. */
enum { AT_WORTH = 50, AT_OFFER = 36, AT_NEAR = 27, AT_NEAR_OFFER = 14 };

static uint32_t link_table_bits(uint32_t mask) {
    return (uint32_t)__builtin_popcount(mask);
}

/* Scratch arrays, indexed by mask, for the time in which a table is opened. */
struct building {
    uint32_t n, masks;
    struct link_worth *worth, *offer;
    uint16_t *near, *near_offer;
    uint16_t *rank, *best, *best_near, *order;
};

#define BYTES_PER_MASK (2 * sizeof(struct link_worth) + 6 * sizeof(uint16_t))

static int32_t building_open(struct building *b, struct alloc *alloc, uint32_t n) {
    b->n = n;
    b->masks = 1u << n;
    struct link_worth *block = alloc_zero(alloc, b->masks * BYTES_PER_MASK);
    if (!block) return LSCHED_E_NOMEM;
    b->worth = block;
    b->offer = block + b->masks;
    b->near = (uint16_t *)(void *)(block + 2 * (size_t)b->masks);
    b->near_offer = b->near + b->masks;
    b->rank = b->near + 2 * (size_t)b->masks;
    b->best = b->near + 3 * (size_t)b->masks;
    b->best_near = b->near + 4 * (size_t)b->masks;
    b->order = b->near + 5 * (size_t)b->masks;
    return LSCHED_OK;
}

/* Computes the worth of each set: takes the worth of the set without its lowest device, and adds
 * the links of that device. */
static void weigh_sets(struct building *b, const struct link_matrix *m) {
    for (uint32_t s = 1; s < b->masks; s++) {
        uint32_t i = (uint32_t)__builtin_ctz(s), others = s & (s - 1);
        struct link_worth w = b->worth[others];
        uint32_t near = b->near[others];
        if (link_table_bits(others) < 2) w.bottleneck = others ? UINT64_MAX : 0;
        for (uint32_t o = others; o; o &= o - 1) {
            uint32_t j = (uint32_t)__builtin_ctz(o);
            if (m->mbps[i][j] < w.bottleneck) w.bottleneck = m->mbps[i][j];
            w.sum += m->mbps[i][j];
            near += m->near[i][j];
        }
        b->worth[s] = w;
        b->near[s] = (uint16_t)near;
    }
}

/* ---- ranks ---- */

static int ordered_before(const struct link_worth *w, uint16_t a, uint16_t b) {
    if (link_table_bits(a) != link_table_bits(b)) return link_table_bits(a) < link_table_bits(b);
    int order = link_worth_order(w[a], w[b]);
    return order ? order < 0 : a > b;
}

SORT_IN_PLACE(sort_masks, uint16_t, const struct link_worth *, ordered_before)

/* Sets rank[mask] to the rank of w[mask] among the masks with the same number of bits; masks of
 * equal worth get equal ranks. */
static void rank_masks(struct building *b, const struct link_worth *w, uint16_t *rank) {
    uint16_t *order = b->order;
    for (uint32_t i = 0; i < b->masks; i++) order[i] = (uint16_t)i;
    sort_masks(w, order, b->masks);
    rank[order[0]] = 0;
    for (uint32_t i = 1; i < b->masks; i++) {
        uint16_t s = order[i], before = order[i - 1];
        int same_size = link_table_bits(s) == link_table_bits(before);
        int equal = same_size && link_worth_order(w[s], w[before]) == 0;
        rank[s] = (uint16_t)(same_size ? rank[before] + !equal : 0);
    }
}

/* Finds, for every mask, the best set of `size` devices in the mask. It is the mask itself, or
 * the best set in the mask without one of its devices. It is enough to try the first size + 1
 * devices for removal, because at least one of them is not in the best set. */
static void best_of_size(struct building *b, uint32_t size) {
    for (uint32_t s = 1; s < b->masks; s++) {
        uint32_t n = link_table_bits(s), left = size + 1;
        if (n < size) continue;
        b->best[s] = (uint16_t)s;
        b->best_near[s] = b->near[s];
        if (n == size) continue;
        uint16_t best = 0, near = 0;
        for (uint32_t o = s; left-- > 0; o &= o - 1) {
            uint32_t without = s & ~(o & (0 - o));
            uint16_t c = b->best[without];
            if (best == 0 || b->rank[c] > b->rank[best]) best = c;
            if (b->best_near[without] > near) near = b->best_near[without];
        }
        b->best[s] = best;
        b->best_near[s] = near;
    }
}

/* Computes, for every mask, the value of its devices as remaining devices (link_table.h). Before
 * the call, b->rank must have the ranks of the worth of sets. */
static void weigh_rests(struct building *b) {
    for (uint32_t size = 2; size <= b->n; size++) {
        best_of_size(b, size);
        for (uint32_t s = 1; s < b->masks; s++) {
            if (link_table_bits(s) < size) continue;
            b->offer[s].bottleneck += b->worth[b->best[s]].bottleneck;
            b->offer[s].sum += b->worth[b->best[s]].sum;
            b->near_offer[s] = (uint16_t)(b->near_offer[s] + b->best_near[s]);
        }
    }
}

/* Adds to set[] the last criterion: masks with the same number of bits are numbered from 1, and a
 * lower mask gets a greater number. */
static void number_masks(const struct building *b, uint64_t *set) {
    uint32_t given[LINK_DEVICES + 1] = {0};
    for (uint32_t s = b->masks; s-- > 0;) set[s] |= ++given[link_table_bits(s)];
}

static void find_levels(struct link_table *t) {
    uint32_t seen = 0;
    const struct link_matrix *m = &t->m;
    t->equal = 1;
    for (uint32_t i = 0; i < m->n; i++)
        for (uint32_t j = i + 1; j < m->n; j++) {
            seen |= 1u << m->kind[i][j];
            t->equal &= m->mbps[i][j] == m->mbps[0][1] && m->near[i][j] == m->near[0][1] &&
                        m->kind[i][j] == m->kind[0][1];
        }
    for (uint32_t kind = 0; kind < LINK_KINDS; kind++)
        if (seen >> kind & 1) t->level[t->n_levels++] = (uint8_t)kind;
}

void link_table_bare(struct link_table *t, const struct link_matrix *m) {
    memset(t, 0, sizeof *t);
    t->m = *m;
    find_levels(t);
}

int32_t link_table_open(struct link_table *t, struct alloc *alloc, const struct link_matrix *m) {
    link_table_bare(t, m);
    if (t->equal) return LSCHED_OK;
    struct building b;
    int32_t rc = building_open(&b, alloc, m->n);
    if (rc != LSCHED_OK) return rc;
    uint64_t *keys = alloc_zero(alloc, 2 * (size_t)b.masks * sizeof *keys);
    if (keys) {
        t->set = keys;
        t->rest = keys + b.masks;
        t->bytes = 2 * (uint64_t)b.masks * sizeof *keys;
        weigh_sets(&b, m);
        rank_masks(&b, b.worth, b.rank);
        weigh_rests(&b);
        for (uint32_t s = 0; s < b.masks; s++) {
            t->set[s] = (uint64_t)b.rank[s] << AT_WORTH | (uint64_t)b.near[s] << AT_NEAR;
            t->rest[s] = (uint64_t)b.near_offer[s] << AT_NEAR_OFFER;
        }
        number_masks(&b, t->set);
        rank_masks(&b, b.offer, b.rank);
        for (uint32_t s = 0; s < b.masks; s++) t->rest[s] |= (uint64_t)b.rank[s] << AT_OFFER;
    }
    alloc_free(alloc, b.worth, b.masks * BYTES_PER_MASK);
    return keys ? LSCHED_OK : LSCHED_E_NOMEM;
}

void link_table_close(struct link_table *t, struct alloc *alloc) {
    size_t masks = (size_t)1 << t->m.n;
    for (uint32_t l = 0; l < LINK_KINDS; l++)
        for (uint32_t k = 0; k <= LINK_DEVICES; k++)
            alloc_free(alloc, t->row[l][k], t->row[l][k] ? masks * sizeof(uint16_t) : 0);
    alloc_free(alloc, t->set, t->set ? 2 * masks * sizeof *t->set : 0);
    memset(t, 0, sizeof *t);
}

/* ---- rows ---- */

/* Returns how many of the kinds of links in t->level are worse than `least`. */
static uint32_t link_table_level_of(const struct link_table *t, uint32_t k, uint8_t least) {
    uint32_t l = 0;
    while (k > 1 && l < t->n_levels && t->level[l] < least) l++;
    return l;
}

int32_t link_table_ready(struct link_table *t, struct alloc *alloc, uint32_t k, uint8_t least) {
    uint32_t l = link_table_level_of(t, k, least), masks = 1u << t->m.n, all = masks - 1;
    if (t->equal || k == 0 || k > t->m.n || (l > 0 && l == t->n_levels) || t->row[l][k])
        return LSCHED_OK;
    uint64_t *best = alloc_zero(alloc, masks * sizeof *best);
    uint16_t *row = best ? alloc_zero(alloc, masks * sizeof *row) : NULL;
    for (uint32_t s = (1u << k) - 1; row && s < masks;) {
        if (l == 0 || link_all_least(&t->m, s, least)) {
            uint64_t of_set = t->set[s];
            for (uint32_t left = all & ~s, rest = left;; rest = (rest - 1) & left) {
                uint64_t key = of_set + t->rest[rest];
                if (key > best[s | rest]) {
                    best[s | rest] = key;
                    row[s | rest] = (uint16_t)s;
                }
                if (rest == 0) break;
            }
        }
        /* computes the next greater mask with k bits */
        uint32_t low = s & (0 - s), ripple = s + low;
        s = ripple | ((s ^ ripple) / low) >> 2;
    }
    alloc_free(alloc, best, best ? masks * sizeof *best : 0);
    if (!row) return LSCHED_E_NOMEM;
    t->row[l][k] = row;
    t->bytes += masks * sizeof *row;
    return LSCHED_OK;
}

static uint32_t lowest(uint32_t free, uint32_t k) {
    uint32_t rest = free;
    for (; k > 0; k--) rest &= rest - 1;
    return free & ~rest;
}

uint32_t link_pick(const struct link_table *t, uint32_t k, uint8_t least, uint32_t free) {
    uint32_t l = link_table_level_of(t, k, least);
    if (k == 0 || k > t->m.n || (l > 0 && l == t->n_levels)) return 0;
    const uint16_t *row = t->row[l][k];
    if (row) return row[free];
    if (link_table_bits(free) < k) return 0;
    return t->equal ? lowest(free, k) : link_search(&t->m, k, least, free);
}
