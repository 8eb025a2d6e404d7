/*
 * assign_evenly.h -- assigns a leaf group's tasks evenly where the group prefers a topology level,
 * like Kueue's balanced placement: the domain with the fewest tasks gets as many as possible.
 *
 * Siblings are the domains of the preferred level below one domain, the root. Lower domains are
 * the domains one level below the siblings that can hold whole task blocks (slices), or the
 * siblings themselves if there is no such level.
 *
 *   threshold  k is the least number of lower domains below the root that can take all tasks,
 *              those with the most room first. However the task blocks are divided over these k
 *              domains, at least one domain gets no more than 1/k of the blocks, and not every
 *              domain can get more than the smallest one can hold. The lesser of the two numbers is
 *              the threshold. Lower domains with less room are left out.
 *   root       the one with the highest threshold; among equal ones, the one that needs the fewest
 *              siblings, then the one with the least room, then by name
 *   assignment to the fewest siblings that suffice: those with the least room, and among siblings
 *              of equal room those whose domains differ less in room. In these siblings, to the
 *              fewest lower domains, again those with the least room; among domains of equal room,
 *              one from each sibling in turn. The tasks are divided evenly over these lower
 *              domains, and inside each one over as few domains as possible (assign_domains.h).
 *
 * Two racks may therefore be taken where one would suffice: an even assignment is preferred to a
 * single domain. Nothing is assigned if the fewest lower domains cannot each have the threshold,
 * or if a sibling would get more than a topology spread allows. The caller then assigns as without
 * a preferred level.
 *
 * The chosen k domains are adjacent in the order of room, and the last of them is exchanged for
 * the one with the least room that suffices. Why not the best of all sets of k domains: that is a
 * knapsack problem, and gangs of thousands of tasks over thousands of nodes must be assigned.
 * Cost: O(d log d) for the d domains of the two levels below the root. The functions only read
 * arrays and write arrays.
 */
#ifndef LIBSCHED_ASSIGN_EVENLY_H
#define LIBSCHED_ASSIGN_EVENLY_H

#include "engine/topology/assign_domains.h"

/* How evenly the tasks of a leaf group can be assigned below a root. */
struct assign_rank {
    /* task blocks that each lower domain gets at least; 0 if the tasks do not fit */
    int64_t slices;
    uint32_t n; /* number of siblings that are needed */
};

/* Computes how evenly `tasks` can be assigned below root (NO_ROW: the whole topology;
 * d->even_level is then 0). */
struct assign_rank assign_evenly_rank(const struct assign_domains *d, uint32_t root, int64_t tasks);
/* Assigns `tasks` evenly and writes parts[], like assign_deal(). Returns the number of parts, 0
 * if an even assignment is not possible. */
uint32_t assign_evenly(const struct assign_domains *d, uint32_t root, int64_t tasks,
                       struct tree_part *parts);

#endif
