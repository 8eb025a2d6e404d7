/*
 * domain.h -- topology trees. A tree is a list of label keys, the widest level first. A domain is
 * one place of one level; it is made when the first node with such labels joins and freed when
 * the last node leaves. A node is in the list of its deepest domain only; wider domains are
 * reached through the tree. Row t of TOPOLOGY uses the columns NODE.DOMAIN<t>, therefore there
 * are at most four trees.
 */
#ifndef LIBSCHED_DOMAIN_H
#define LIBSCHED_DOMAIN_H

#include "model/store/intern.h"

int32_t topology_add(struct columns *k, lsched_text name, const lsched_text *levels,
                     uint32_t n_levels, uint64_t tag, uint32_t *row);
/* Returns the row of a tree by name, or of the only tree if the name is empty; NO_ROW if there is
 * none. */
uint32_t topology_find(const struct columns *k, lsched_text name);
/* Returns the index of the level with this label key, NO_ROW if there is none. */
uint32_t topology_level(const struct columns *k, uint32_t topology, lsched_text key);
lsched_text topology_level_key(const struct columns *k, uint32_t topology, uint32_t level);

/* domains_join() adds a node to every tree, domains_leave() removes it */
int32_t domains_join(struct columns *k, uint32_t node);
void domains_leave(struct columns *k, uint32_t node);
/* Returns the domain of a level to which a node belongs, NO_ROW if there is none. */
uint32_t domain_of_node(const struct columns *k, uint32_t topology, uint32_t node, uint32_t level);
int domain_contains(const struct columns *k, uint32_t domain, uint32_t node);
/* Returns the domain after `at` in a depth-first walk below root, without recursion. Start with
 * at = root; NO_ROW at the end. */
uint32_t domain_next(const struct columns *k, uint32_t root, uint32_t at);
static inline uint32_t domain_first_node(const struct columns *k, uint32_t domain) {
    return k->c[C_DOMAIN_NODE_FIRST].u32[domain];
}
static inline uint32_t domain_next_node(const struct columns *k, uint32_t domain, uint32_t node) {
    return k->c[C_NODE_DNEXT0 + k->c[C_DOMAIN_TOPOLOGY].u32[domain]].u32[node];
}

#endif
