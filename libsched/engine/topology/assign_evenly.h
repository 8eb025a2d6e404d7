/*
 * assign_evenly.h -- dealing out a leaf evenly where it prefers a level: how Kueue's balanced
 * placement chooses, so that the domain with the least gets as much as possible.
 *
 * Siblings are the domains of the preferred level below one domain, the root. Lower are the domains
 * one level below them that hold whole slices, or the siblings themselves where there is no such
 * level.
 *
 *   threshold  the fewest lower domains below the root that hold all, the roomiest first, are k. No
 *              deal over k domains gives each of them more than 1/k of the slices, or more than the
 *              last of them holds: the lesser of the two is the threshold. Lower domains with less
 *              room than that are left out.
 *   root       the one with the highest threshold; of these the one whose siblings do with fewest,
 *              then the tightest, then by name
 *   deal       to the fewest siblings, the tightest that do, the evener inside of equal ones; to
 *              the fewest lower domains in these, again the tightest, of equal ones from each
 *              sibling in turn; evenly over them. Below that to as few domains as possible
 *              (assign_domains.h).
 *
 * So two racks may be taken where one would do: an even deal goes before a single domain. Nothing
 * is dealt where the fewest lower domains cannot each have the threshold, or where a sibling would
 * get more than a spread lets it hold; the caller divides as without a preferred level then.
 *
 * The tightest that do are k neighbours in the order of room, the last of them exchanged for the
 * tightest that does. Why not the best of all sets of k: that is a knapsack, and gangs of thousands
 * of tasks over thousands of nodes come here. Cost: O(d log d) for the d domains of the two levels
 * below the root. Pure: reads arrays, writes arrays.
 */
#ifndef LIBSCHED_ASSIGN_EVENLY_H
#define LIBSCHED_ASSIGN_EVENLY_H

#include "engine/topology/assign_domains.h"

/* How evenly what a leaf needs can be dealt out below a root. */
struct even_rank {
    int64_t slices; /* that each lower domain gets at least; 0: it does not fit */
    uint32_t n;     /* siblings that are needed */
};

/* Siblings are of d->even_level, below root (NO_ROW: the whole tree, of level 0). */
struct even_rank even_rank(const struct division *d, uint32_t root, int64_t tasks);
/* As division_deal(): parts, 0 if it cannot be dealt out so. */
uint32_t even_deal(const struct division *d, uint32_t root, int64_t tasks, struct tree_part *parts);

#endif
