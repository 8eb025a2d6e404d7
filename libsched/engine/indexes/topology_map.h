/*
 * topology_map.h -- one topology in flat arrays. The nodes below a domain, and the domains of one
 * level below a domain, are ranges of numbers.
 *
 * Domains are numbered level by level, beginning with the widest level. Within a level, domains
 * are sorted by the number of their outer domain, then by name. Therefore the domains of one
 * level below a domain have consecutive numbers. The nodes of the topology have position numbers,
 * in the order of their deepest domains; therefore the positions of a domain are a range, too. The
 * range of a deepest domain begins with its nodes, in any order; free positions follow. Sums and
 * searches below a domain are loops over arrays, without pointers and without recursion.
 *
 * A map is a cache: the map depends only on the set of nodes and on the labels of nodes. A node
 * that joins or leaves a domain changes at most two positions, and the list `moved` tells these
 * positions to the owners of arrays by position. The map is made again, in
 * O((nodes + domains) log domains), if a domain appears or disappears, if a domain has no free
 * position left, or if the list is full. An eighth of the positions of a domain are free then, so
 * a domain of n nodes grows by n/8 nodes before that. If nodes are cordoned, or tasks start or end,
 * the map stays as it is. Why not walk the lists in the
 * columns: these lists are in the order in which nodes were added, and no decision is allowed to
 * depend on that order. Moreover, every step in a list misses the processor's cache.
 */
#ifndef LIBSCHED_TOPOLOGY_MAP_H
#define LIBSCHED_TOPOLOGY_MAP_H

#include "base/bisect.h"
#include "model/store/columns.h"

struct topology_map {
    uint64_t domain_set; /* version of the set of domains from which the map was made */
    uint64_t synced;     /* position in the touch log up to which the map is up to date */
    uint64_t built;      /* number of times that the map was made */
    int valid;
    /* n_nodes: number of nodes; n_places: number of positions, with the free ones */
    uint32_t topology, n_levels, n_domains, n_nodes, n_places;
    uint32_t node_rows, domain_rows; /* lengths of position[] and number[] */
    uint32_t level_first[LSCHED_TOPOLOGY_LEVELS_MAX + 1];
    /* arrays by domain number: */
    uint32_t *row;
    uint32_t *parent; /* number of the outer domain, NO_ROW if there is none */
    /* the domains [child[i], child[i + 1]) are the children of domain i; n_domains for the
     * deepest level */
    uint32_t *child;
    uint32_t *first; /* the nodes at the positions [first[i], end[i]) are in domain i */
    uint32_t *end;
    /* domain of the deepest level: the positions from first[i] + held[i] on are free */
    uint32_t *held;
    /* index of the domain in its level, sorted by name, then by the names of the outer domains */
    uint32_t *by_name;
    /* by row of DOMAIN: number of the domain, NO_ROW if the domain is of another topology */
    uint32_t *number;
    uint32_t *node_at; /* by position: row of NODE; NO_ROW if the position is free */
    /* by row of NODE: position of the node, NO_ROW if the node is outside of the topology */
    uint32_t *position;
    uint32_t *moved; /* positions that got another node or became free since the map was made */
    uint32_t n_moved, cap_moved;
    uint32_t *block; /* memory block with all arrays */
    size_t bytes;
};

/* Brings the map of a topology up to date. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t topology_map_update(struct topology_map *m, struct columns *k, uint32_t topology);
void topology_map_close(struct topology_map *m, struct columns *k);

static inline uint32_t topology_map_level(const struct topology_map *m, uint32_t number) {
    uint32_t level = 0;
    while (number >= m->level_first[level + 1]) level++;
    return level;
}
/* Returns the number of the domain of `level` that contains the given domain. If the given domain
 * is of `level` itself, returns the given domain. */
static inline uint32_t topology_map_outer(const struct topology_map *m, uint32_t number,
                                          uint32_t level) {
    while (number >= m->level_first[level + 1]) number = m->parent[number];
    return number;
}
/* Returns the number of the deepest-level domain that contains the node at the position. */
static inline uint32_t topology_map_deepest(const struct topology_map *m, uint32_t position) {
    uint32_t lo = m->level_first[m->n_levels - 1], hi = m->n_domains;
    BISECT_LAST(lo, hi, mid, m->first[mid] <= position);
    return lo;
}
/* Sets [*from, *to) to the numbers of the domains of `level` below root, or in the whole topology
 * if root is NO_ROW. If `level` is the level of root, the range contains root alone. */
void topology_map_below(const struct topology_map *m, uint32_t root, uint32_t level, uint32_t *from,
                        uint32_t *to);

#endif
