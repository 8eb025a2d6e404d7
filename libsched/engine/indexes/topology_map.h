/*
 * topology_map.h -- one topology tree laid out flat, so that everything below a domain is a range
 * of numbers.
 *
 * Domains are numbered level by level, widest first; within a level by their outer domain, then by
 * name: the domains of one level below a domain are neighbours. The nodes of the tree have
 * positions in the same order, so those of a domain are neighbours, too. Sums and searches below a
 * domain are loops over arrays, without pointers and without recursion.
 *
 * A map is a cache: it depends on which nodes there are and on their labels alone. It is made anew,
 * O((nodes + domains) log domains), when these change, not when nodes are cordoned, filled or
 * emptied. Why not walk the lists of the columns: they are in the order of arrival, which no
 * decision may depend on, and every step is a miss of the cache.
 */
#ifndef LIBSCHED_TOPOLOGY_MAP_H
#define LIBSCHED_TOPOLOGY_MAP_H

#include "model/store/columns.h"

struct tree_map {
    uint64_t node_set; /* it was made of */
    int valid;
    uint32_t topology, n_levels, n_domains, n_nodes;
    uint32_t node_rows, domain_rows; /* of the arrays by row */
    uint32_t level_first[LSCHED_TOPOLOGY_LEVELS_MAX + 1];
    /* by number */
    uint32_t *row;
    uint32_t *parent; /* number, NO_ROW */
    uint32_t *child;  /* numbers [child[i], child[i + 1]) are below i; not of the last level */
    uint32_t *first;  /* positions [first[i], end[i]) */
    uint32_t *end;
    uint32_t *by_name;  /* place in its level by name, then by the names around it */
    uint32_t *number;   /* by row of DOMAIN; NO_ROW: of another tree */
    uint32_t *node_at;  /* by position: row of NODE */
    uint32_t *position; /* by row of NODE; NO_ROW: outside of the tree */
    uint32_t *block;    /* all of these are in it */
    size_t bytes;
};

/* The map of a tree as it is now. LSCHED_OK or LSCHED_E_NOMEM. */
int32_t tree_map_update(struct tree_map *m, struct columns *k, uint32_t topology);
void tree_map_close(struct tree_map *m, struct columns *k);

static inline uint32_t tree_level(const struct tree_map *m, uint32_t number) {
    uint32_t level = 0;
    while (number >= m->level_first[level + 1]) level++;
    return level;
}
/* The ancestor of a domain at `level`; the domain itself if it is of that level. */
static inline uint32_t tree_outer(const struct tree_map *m, uint32_t number, uint32_t level) {
    while (number >= m->level_first[level + 1]) number = m->parent[number];
    return number;
}
/* The deepest domain of a position. */
static inline uint32_t tree_deepest(const struct tree_map *m, uint32_t position) {
    uint32_t lo = m->level_first[m->n_levels - 1], hi = m->n_domains;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->first[mid] <= position)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}
/* Numbers of a level below root (NO_ROW: the whole tree), itself at its own level; [*from, *to). */
void tree_below(const struct tree_map *m, uint32_t root, uint32_t level, uint32_t *from,
                uint32_t *to);

#endif
