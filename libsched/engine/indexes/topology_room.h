/*
 * topology_room.h -- how many tasks more the domains of a tree hold, and the best node of any of
 * them.
 *
 * Beside an index of search.h, for one tree: by position how many tasks the node takes (none
 * where the index has no score: no room, not ready, not able, filtered out), by domain the sum,
 * and a winner tree over positions by the index's scores. All of it is kept from the touch log,
 * as the index is: a node that changed costs one count, one path of sums and one path of winners.
 * The best node of a domain is a question about a range of positions, O(log nodes). So a gang
 * costs what it touches, whatever the size of its domains.
 *
 * Counts are those of node_count(): exact but for shapes whose devices are picked as a set, where
 * they are from above.
 *
 * Invariant: as of an index, dropping it changes no plan. It lives and dies with its index.
 */
#ifndef LIBSCHED_TOPOLOGY_ROOM_H
#define LIBSCHED_TOPOLOGY_ROOM_H

#include "engine/indexes/search.h"
#include "engine/indexes/topology_map.h"

struct tree_rooms {
    uint64_t node_set, synced, filled; /* the map's; the touch log; the index's */
    int empty;                         /* what nodes hold that have nothing on them */
    uint32_t *tasks;                   /* by position */
    int64_t *room;                     /* by number of the domain */
    uint32_t *winner;                  /* ranks, NO_ROW: none; leaves at [leaves + position] */
    uint32_t leaves, n_nodes, n_domains;
    uint64_t bytes;
};

enum { ROOMS_FREE = 0, ROOMS_EMPTY = 1 };

/* Of an index that is up to date. LSCHED_OK or LSCHED_E_NOMEM. */
int32_t tree_rooms_get(struct search *s, struct columns *k, const struct view_cache *v,
                       struct search_index *x, const struct tree_map *m, int empty,
                       const struct tree_rooms **out);
void tree_rooms_free(struct columns *k, struct tree_rooms *r);
/* Row of the best node at positions [from, to), by score, then by name; NO_ROW. */
uint32_t tree_rooms_best(const struct tree_rooms *r, const struct search_index *x,
                         const struct view_cache *v, uint32_t from, uint32_t to);

#endif
