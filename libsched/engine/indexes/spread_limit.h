/*
 * spread_limit.h -- checks the limits on the number of tasks of a leaf group in one domain and on
 * one node (the fields spread_level, spread_max and max_tasks_per_node of a leaf group). A leaf
 * group can have both limits, and then both must hold.
 *
 * Tasks that hold room or are nominated count, including imported tasks. Releasing tasks do not
 * count. If imported tasks exceed the limit of a domain or node, these tasks keep running, and the
 * domain or node gets no more tasks of the leaf group. Nodes outside the topology get no task of a
 * leaf group that has a limit for domains.
 */
#ifndef LIBSCHED_SPREAD_LIMIT_H
#define LIBSCHED_SPREAD_LIMIT_H

#include "engine/indexes/ask.h"

struct spread_limit {
    uint32_t topology, level; /* `level` is NO_ROW if the leaf group has no limit for domains */
    uint32_t max;
    uint32_t rows; /* number of rows of DOMAIN */
    /* by row of DOMAIN: number of tasks of the leaf group, for domains of `level` */
    uint32_t *held;
    uint32_t node_max;  /* most tasks on one node; 0: any number */
    uint32_t node_rows; /* number of rows of NODE */
    uint32_t *on_node;  /* by row of NODE: number of tasks of the leaf group; NULL: no limit */
};

static inline int spread_limit_asked(const struct columns *k, const struct ask *a) {
    return group_is_spread(k, a->row);
}
/* True if the limits allow one more task of the leaf group on the node. Cost: O(tasks of the leaf
 * group). */
int spread_limit_allows(const struct columns *k, const struct ask *a, uint32_t node);

/* Counts the tasks of a leaf group in each domain and on each node, if it has such limits. Returns
 * LSCHED_OK or LSCHED_E_NOMEM. After an error, spread_limit_close() need not be called. */
int32_t spread_limit_open(struct spread_limit *s, const struct columns *k, const struct ask *a);
/* Returns how many more tasks of the leaf group the limit for nodes allows on the node. The limit
 * for domains is not read. Cost: O(1). */
static inline uint32_t spread_limit_node_left(const struct spread_limit *s, uint32_t node) {
    if (!s->on_node) return UINT32_MAX;
    return s->on_node[node] < s->node_max ? s->node_max - s->on_node[node] : 0;
}
/* True if the limits allow one more task of the leaf group on the node. Cost: O(1). */
int spread_limit_takes(const struct spread_limit *s, const struct columns *k, uint32_t node);
void spread_limit_close(struct spread_limit *s, const struct columns *k);

#endif
