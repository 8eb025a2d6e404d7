/*
 * domain.h -- topology trees. A tree is given by a list of label keys, one for each level, the
 * widest level first. A domain is the set of nodes with the same label values down to one level.
 * A domain is made when its first node joins and freed when its last node leaves. A node is only
 * in the list of its deepest domain; the wider domains are found through the tree. Row t of
 * TOPOLOGY uses the columns NODE.DOMAIN<t>, therefore there are at most four trees.
 */
#ifndef LIBSCHED_DOMAIN_H
#define LIBSCHED_DOMAIN_H

#include "model/store/intern.h"

int32_t topology_add(struct columns *k, lsched_text name, const lsched_text *levels,
                     uint32_t n_levels, uint64_t tag, uint32_t *row);
/* Returns the row of the tree with this name. If the name is empty, returns the only tree of the
 * cluster. Returns NO_ROW if there is no such tree. */
uint32_t topology_find(const struct columns *k, lsched_text name);
/* Returns the index of the tree's level with this label key, NO_ROW if the tree has no such
 * level. */
uint32_t topology_level(const struct columns *k, uint32_t topology, lsched_text key);
lsched_text topology_level_key(const struct columns *k, uint32_t topology, uint32_t level);

/* domains_join() adds the node to its domains in every tree; domains_leave() removes it from
 * them. */
int32_t domains_join(struct columns *k, uint32_t node);
void domains_leave(struct columns *k, uint32_t node);
/* Returns the domain of the given level to which the node belongs, NO_ROW if the node is in no
 * domain of the tree. */
uint32_t domain_of_node(const struct columns *k, uint32_t topology, uint32_t node, uint32_t level);
int domain_contains(const struct columns *k, uint32_t domain, uint32_t node);
/* Returns the domain that follows `at` in a depth-first walk over the domains below `root`,
 * NO_ROW at the end. The first call of a walk passes at = root. The function uses no recursion. */
uint32_t domain_next(const struct columns *k, uint32_t root, uint32_t at);
static inline uint32_t domain_first_node(const struct columns *k, uint32_t domain) {
    return k->c[C_DOMAIN_NODE_FIRST].u32[domain];
}
static inline uint32_t domain_next_node(const struct columns *k, uint32_t domain, uint32_t node) {
    return k->c[C_NODE_DNEXT0 + k->c[C_DOMAIN_TOPOLOGY].u32[domain]].u32[node];
}

#endif
