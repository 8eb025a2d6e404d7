/*
 * domain.h -- topology trees. A tree is a list of label keys, widest first; a domain is one place
 * of one level, made when the first node with such labels joins and freed when the last one leaves.
 * A node stands in the list of its deepest domain; wider ones are reached through the tree. Row t
 * of TOPOLOGY uses the columns NODE.DOMAIN<t>, which is why there are at most four.
 */
#ifndef LIBSCHED_DOMAIN_H
#define LIBSCHED_DOMAIN_H

#include "model/store/intern.h"

int32_t topology_add(struct columns *k, lsched_text name, const lsched_text *levels,
                     uint32_t n_levels, uint64_t tag, uint32_t *row);
/* Row of a tree by name, or the only one if the name is empty; NO_ROW. */
uint32_t topology_find(const struct columns *k, lsched_text name);
/* Number of a level by its label key, NO_ROW. */
uint32_t topology_level(const struct columns *k, uint32_t topology, lsched_text key);
lsched_text topology_level_key(const struct columns *k, uint32_t topology, uint32_t level);

int32_t domains_join(struct columns *k, uint32_t node); /* in every tree */
void domains_leave(struct columns *k, uint32_t node);
/* The domain of a level that a node is in, or NO_ROW. */
uint32_t domain_of_node(const struct columns *k, uint32_t topology, uint32_t node, uint32_t level);
int domain_contains(const struct columns *k, uint32_t domain, uint32_t node);
/* Walk the domains below root in depth-first order without recursion: start with at = root; NO_ROW
 * at the end. */
uint32_t domain_next(const struct columns *k, uint32_t root, uint32_t at);
static inline uint32_t domain_first_node(const struct columns *k, uint32_t domain) {
    return k->c[C_DOMAIN_NODE_FIRST].u32[domain];
}
static inline uint32_t domain_next_node(const struct columns *k, uint32_t domain, uint32_t node) {
    return k->c[C_NODE_DNEXT0 + k->c[C_DOMAIN_TOPOLOGY].u32[domain]].u32[node];
}

#endif
