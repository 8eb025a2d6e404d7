/*
 * assign_evenly.h -- assigns a leaf group's tasks evenly to the domains of a preferred topology
 * level, like Kueue's balanced placement. The domain that gets the fewest tasks gets as many
 * tasks as possible.
 *
 * The *siblings* are the domains of the preferred level below one domain, the root. The *lower
 * domains* are the domains one level below the siblings. If there is no level below, or if task
 * blocks (slices) would not fit into its domains, the siblings are also the lower domains.
 *
 *   threshold  The threshold is the number of task blocks that each chosen lower domain gets at
 *              least. Let k be the least number of lower domains below the root that can take all
 *              tasks, where domains with the most room come first. The threshold is 1/k of the task
 *              blocks, rounded down, or the room of the smallest of the k domains if that is less.
 *              No division over these k domains can give every domain more. Lower domains with
 *              less room than the threshold are not used.
 *   root       If the caller can choose the root, it takes the root with the highest threshold.
 *              Among roots of equal threshold, the caller takes the root that needs the fewest
 *              siblings, then the root with the least room, then the first name.
 *   siblings   The assignment uses the fewest siblings that can take all tasks, and prefers
 *              siblings with less room. Among siblings of equal room, it prefers siblings whose
 *              lower domains differ less in room.
 *   lower      In these siblings, the assignment uses the fewest lower domains that can take all
 *   domains    tasks, and prefers lower domains with less room. Among lower domains of equal room,
 *              it takes one from each sibling in turn. The tasks are divided evenly over the
 *              chosen lower domains. Inside a lower domain, as few domains as possible get tasks
 *              (assign_domains.h).
 *
 * The assignment can use two racks even if one rack could take all tasks, because an even
 * assignment is preferred to a single domain. An even assignment is not possible if one of the
 * chosen lower domains would get less than the threshold, or if a sibling would get more tasks
 * than a topology spread allows. In these cases the caller assigns the tasks as if the group had
 * no preferred level.
 *
 * The function chooses k domains that are adjacent in the list sorted by room. Then it replaces
 * the last of them by the domain with the least room with which all tasks still fit. Why not the
 * best of all sets of k domains: that is a knapsack problem, and gangs of thousands of tasks must
 * be assigned to thousands of nodes. Cost: O(d log d) for the d domains of the two levels below
 * the root. The functions only read and write arrays.
 */
#ifndef LIBSCHED_ASSIGN_EVENLY_H
#define LIBSCHED_ASSIGN_EVENLY_H

#include "engine/topology/assign_domains.h"

/* The quality of the even assignment of a leaf group's tasks below a root. */
struct assign_rank {
    /* threshold: least number of task blocks in a chosen lower domain; 0 if the tasks do not fit */
    int64_t slices;
    uint32_t n; /* number of siblings that the assignment uses */
};

/* Computes the threshold and the number of siblings for an even assignment of `tasks` below root.
 * If root is NO_ROW, the assignment is for the whole topology, and d->even_level must be 0. */
struct assign_rank assign_evenly_rank(const struct assign_domains *d, uint32_t root, int64_t tasks);
/* Assigns `tasks` evenly below root, and writes parts[] like assign_deal(). Returns the number of
 * parts, 0 if an even assignment is not possible. */
uint32_t assign_evenly(const struct assign_domains *d, uint32_t root, int64_t tasks,
                       struct tree_part *parts);

#endif
