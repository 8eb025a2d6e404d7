/*
 * supply.h -- supplies: amounts of things that belong to places and not to single nodes, such as
 * licences (the whole cluster), watts (a rack, a row), channels and shares of a network.
 *
 * The mechanism, which is the smallest that holds for all of these: a supply is a name. A *place*
 * of a supply is the whole cluster or one domain of a topology, with an amount, what others use of
 * it (FOREIGN), and two sums over the tasks below it: USED, what tasks hold now, and COMING, what
 * releasing tasks will give back less what nominated tasks will take, as for the amounts of a node
 * (node.h). A task says what it needs of a supply. Its use counts at every place of this supply on
 * the path from its node to the whole cluster, in each topology, and every place on the path must
 * have enough left. A place exists once a call has set its amount; a domain without a place sets no
 * limit. What the places of a supply have need not add up: a row can have less than its racks.
 *
 * Invariants: USED and COMING are the sums over the tasks that hold, release or are nominated below
 * the place. Amounts can be set below the use, and imports and foreign use can exceed them: nothing
 * stops for that, and no task that needs the supply is placed below the place until it has enough
 * left. A place keeps its amounts while its domain has no node (DOMAIN is NO_ROW).
 *
 * The amounts of the whole cluster do not depend on the node; the rules of queues check them. Those
 * of domains are checked for each node that is chosen, as affinity rules are, and not by
 * node_fits(). So an index of scores depends on no supply, and a domain that comes to its amount
 * changes no index.
 *
 * Cost: a shape that needs no supply pays one test of SHAPE.N_SUPPLIES for each change of its
 * tasks. Else O(topologies x levels x places of one domain) for each supply that the shape needs.
 * Setting the amount of a domain for the first time costs O(nodes and tasks below it).
 */
#ifndef LIBSCHED_SUPPLY_H
#define LIBSCHED_SUPPLY_H

#include "model/shapes/shape.h"
#include "model/shapes/supply_need.h"

/* What is left at a place for tasks that start now, for tasks that start when releasing tasks are
 * gone, and when nothing uses the supply there. */
enum supply_when { SUPPLY_NOW = 0, SUPPLY_LATER = 1, SUPPLY_IN_ALL = 2 };

/* What a place lacks for tasks: `have` is what it has left (never below 0), less than `need`. */
struct supply_lack {
    uint32_t place; /* row of PLACE */
    int64_t need, have;
};

/* Functions that return int32_t return LSCHED_OK or LSCHED_E_NOMEM unless they say something else;
 * after an error the caller must roll back. */
int32_t supply_add(struct columns *k, lsched_text name, uint64_t tag, int64_t amount);
/* Returns the row of the supply's place at the domain, or for the whole cluster if domain is
 * NO_ROW; NO_ROW if there is none. */
uint32_t supply_place(const struct columns *k, uint32_t supply, uint32_t domain);
/* Makes the place of the supply at the domain, which has no limit yet, and counts what tasks below
 * it hold. */
int32_t supply_place_add(struct columns *k, uint32_t supply, uint32_t domain, uint32_t *place);
void supply_place_set(struct columns *k, uint32_t place, int64_t amount, int64_t foreign);

/* Returns what the place has left; below 0 if more is used than it has. LSCHED_UNLIMITED: it sets
 * no limit. */
int64_t supply_left(const struct columns *k, uint32_t place, enum supply_when when);
/* True if the whole cluster has enough of each supply for n tasks of the shape. Else fills *lack,
 * unless it is NULL. */
int supply_cluster_has(const struct columns *k, uint32_t shape, int64_t n, enum supply_when when,
                       struct supply_lack *lack);
/* True if all domains of the node have enough of each supply for one task of the shape. Else fills
 * *lack, unless it is NULL: with the place of the widest level that lacks. */
int supply_domains_have(const struct columns *k, uint32_t shape, uint32_t node,
                        enum supply_when when, struct supply_lack *lack);

/* supply_any_is_over(): true if a place will have less than nothing left when releasing tasks are
 * gone and nominated tasks have started. supply_is_over(): true if such a place is above the node
 * and one task of the shape needs its supply. Cost: O(places). */
int supply_any_is_over(const struct columns *k);
int supply_is_over(const struct columns *k, uint32_t node, uint32_t shape);
/* True if the node is below the place. */
int supply_place_is_above(const struct columns *k, uint32_t place, uint32_t node);

/* Adds what one task of the shape needs to the use of the places above the node. `now` and `later`
 * are 1, 0 or -1, as for hold_add() in node.c. The caller calls it only for shapes that need a
 * supply. */
void supply_charge(struct columns *k, uint32_t node, uint32_t shape, int now, int later);

/* A node that is about to leave its domains: the domains with places that it is in. */
struct supply_leaving {
    uint32_t n, domain[LSCHED_TOPOLOGIES_MAX * LSCHED_TOPOLOGY_LEVELS_MAX];
    uint32_t first[LSCHED_TOPOLOGIES_MAX * LSCHED_TOPOLOGY_LEVELS_MAX];
};
/* supply_node_leaves() is called before a node without tasks leaves its domains, supply_node_left()
 * after it, and supply_node_joined() after a node has joined domains: places of a domain that ends
 * or begins are taken off the domain or put to it. supply_node_leaves() makes the room in the undo
 * log that supply_node_left() needs, and leaves LIMIT_UNDO_SPARE records for other writes. */
int32_t supply_node_leaves(struct columns *k, uint32_t node, struct supply_leaving *out);
void supply_node_left(struct columns *k, const struct supply_leaving *was);
int32_t supply_node_joined(struct columns *k, uint32_t node);

#endif
