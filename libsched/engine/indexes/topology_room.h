/*
 * topology_room.h -- the number of additional tasks of one shape that each domain of a topology
 * can hold, and the best node of each domain by preference tier and score.
 *
 * A struct topology_room belongs to one index of search.h and one topology. It holds the number
 * of tasks that each node can take, and the sum of these numbers for each domain. The number of a
 * node is 0 if the index has no score for the node. A winner tree over the nodes' positions
 * compares nodes by their scores in the index. Numbers and tree are updated from the touch log,
 * like the index. For each changed node, the node's number is computed again, and the sums and
 * winners on the paths to the roots are updated. The same is done for each position at which the
 * map has put another node. The best node of a domain is the best node of a
 * range of positions, which the winner tree returns in O(log nodes). Therefore the cost of
 * placing a gang depends on the number of nodes that change, and not on the size of the gang's
 * domains.
 *
 * The numbers of tasks come from node_count() and are exact. Numbers for empty nodes
 * (TOPOLOGY_ROOM_EMPTY) come from node_count_above(). They are upper bounds if the devices of a
 * shape are chosen as a set.
 *
 * Invariant: dropping a struct topology_room changes no plan. The struct is freed together with
 * its index.
 */
#ifndef LIBSCHED_TOPOLOGY_ROOM_H
#define LIBSCHED_TOPOLOGY_ROOM_H

#include "engine/indexes/search.h"
#include "engine/indexes/topology_map.h"

struct topology_room {
    /* `built`: member `built` of the map.
     * `synced`: position in the touch log at the latest update.
     * `filled`: member `filled` of the index at the latest update.
     * `edition`: edition of the view at the latest update. */
    uint64_t built, synced, filled, edition;
    uint32_t moved;  /* number of entries of the map's list `moved` that were read */
    int empty;       /* TOPOLOGY_ROOM_* */
    uint32_t *tasks; /* by position: number of tasks that the node can take */
    /* by domain number: number of tasks that the nodes of the domain can take together */
    int64_t *room;
    /* winner tree: row of the best node below a tree node, NO_ROW if no node can take a task;
     * the leaf of a position is winner[leaves + position] */
    uint32_t *winner;
    uint32_t leaves, n_places, n_domains;
    uint64_t bytes;
};

/* TOPOLOGY_ROOM_FREE: the numbers of tasks are for the room that is free in the index.
 * TOPOLOGY_ROOM_EMPTY: the numbers of tasks are for nodes without any tasks. */
enum { TOPOLOGY_ROOM_FREE = 0, TOPOLOGY_ROOM_EMPTY = 1 };

/* Sets *out to the numbers of tasks for the index and the topology of the map. `empty` is
 * TOPOLOGY_ROOM_*. Before the call, the caller has brought the index up to date. Returns
 * LSCHED_OK or LSCHED_E_NOMEM. */
int32_t topology_room_get(struct search *s, struct columns *k, const struct view_cache *v,
                          struct search_index *x, const struct topology_map *m, int empty,
                          const struct topology_room **out);
void topology_room_free(struct columns *k, struct topology_room *r);
/* Returns the row of the best node at the positions [from, to): the highest score, then the first
 * name. Returns NO_ROW if none of these nodes can take a task. */
uint32_t topology_room_best(const struct topology_room *r, const struct search_index *x,
                            uint32_t from, uint32_t to);

#endif
