/*
 * topology_room.h -- how many more tasks the domains of a topology hold, and the best node of each
 * domain.
 *
 * The counts exist beside one index of search.h, for one topology. The counts say, by position, how
 * many tasks the node can take (0 where the index has no score: no room, not ready, not able,
 * filtered out); and by domain, the sum. A winner tree over positions has the index's scores.
 * Counts and tree are updated from the touch log, like the index: a changed node costs one count,
 * one path of sums and one path of winners. The best node of a domain is a query for a range of
 * positions, O(log nodes). Therefore the cost of a gang depends on the nodes that it changes, and
 * not on the size of its domains.
 *
 * Counts come from node_count() and are exact, except for the counts of empty nodes: those are
 * upper bounds where a shape's devices are picked as a set (node_count_above()).
 *
 * Invariant: as with an index, dropping the counts changes no plan. The counts are freed with
 * their index.
 */
#ifndef LIBSCHED_TOPOLOGY_ROOM_H
#define LIBSCHED_TOPOLOGY_ROOM_H

#include "engine/indexes/search.h"
#include "engine/indexes/topology_map.h"

struct topology_room {
    /* node_set of the map; position in the touch log; `filled` of the index */
    uint64_t node_set, synced, filled;
    int empty;       /* 1 if the counts are for nodes without tasks */
    uint32_t *tasks; /* by position: tasks that the node can take */
    int64_t *room;   /* by domain number: sum over its nodes */
    /* winner tree of ranks, NO_ROW if none; its leaves are at [leaves + position] */
    uint32_t *winner;
    uint32_t leaves, n_nodes, n_domains;
    uint64_t bytes;
};

enum { TOPOLOGY_ROOM_FREE = 0, TOPOLOGY_ROOM_EMPTY = 1 };

/* Returns the counts of an index, which must be up to date. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t topology_room_get(struct search *s, struct columns *k, const struct view_cache *v,
                          struct search_index *x, const struct topology_map *m, int empty,
                          const struct topology_room **out);
void topology_room_free(struct columns *k, struct topology_room *r);
/* Returns the row of the best node at positions [from, to), by score, then by name; NO_ROW if
 * none. */
uint32_t topology_room_best(const struct topology_room *r, const struct search_index *x,
                            const struct view_cache *v, uint32_t from, uint32_t to);

#endif
