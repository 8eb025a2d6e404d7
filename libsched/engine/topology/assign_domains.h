/*
 * assign_domains.h -- dealing out the tasks of one shape to the domains of a tree, given how many
 * tasks each deepest domain holds.
 *
 *   fewest    at every level to as few domains as possible: the tightest that holds all that is
 *             left, else the one with most room. Domains that the group is in already come first:
 *             they are no more domains than before.
 *   balanced  to as few, and among these so that the one with the least gets as many as possible;
 *             of domains that could take an even share the tightest
 *   slices    in units: `tasks` together in one domain of `level`, several levels within each
 *             other. What a domain of that level can take is rounded down to whole slices; what
 *             wider ones can take is the sum of that. So "does it fit" is exact, not a guess.
 *
 * Levels are decided from the top, each for itself: as few blocks as possible, then within each as
 * few racks as possible. That is what Kueue and Slurm do; fewest racks over all blocks together
 * would be a knapsack. assign_deal.h is the entrance. Cost: O(d log d) for the d domains below the
 * root. Pure: reads arrays, writes arrays.
 */
#ifndef LIBSCHED_ASSIGN_DOMAINS_H
#define LIBSCHED_ASSIGN_DOMAINS_H

#include "engine/indexes/topology_map.h"

struct tree_slice {
    uint32_t level, tasks;
};

/* So many tasks, in a domain of the deepest level. */
struct tree_part {
    uint32_t number, tasks;
};

struct division {
    const struct tree_map *map;
    uint32_t n_slices, balanced;
    uint32_t even_level; /* preferred by a balanced leaf that holds nothing yet (assign_evenly.h);
                            NO_ROW: none */
    struct tree_slice slice
        [LSCHED_SLICES_MAX]; /* widest level first; tasks of each divide those of the one before */
    const int64_t *cap;      /* by number: tasks that fit, in whole slices */
    const int64_t *raw;      /* by number: before slices; of equal caps the least. NULL: as cap */
    const uint32_t *held;    /* by number: tasks of the group that are there; NULL: none are */
    /* scratch, n_domains each */
    int64_t *share, *squares;
    uint32_t *list, *tmp;
};

/* Tasks that may be dealt out one way only below a level: 1 without slices. */
uint32_t division_unit(const struct division *d, uint32_t level);
/* From what deepest domains hold to what all domains of the tree can take: no more than
 * limit[number] at limit_level (NULL: no limit), in whole slices: a limit that is no multiple of
 * the slices below it is rounded down, too. cap[] of the deepest level is given. */
void division_caps(const struct division *d, int64_t *cap, uint32_t limit_level,
                   const int64_t *limit);

/* For assign_deal.h and assign_evenly.h. */
/* share[] of the domains of a level that are children of root: `tasks` as the division says. True
 * if they can take that many. */
int division_one(const struct division *d, uint32_t root, uint32_t level, int64_t tasks);
/* share[] of the level's domains below root: so many tasks evenly over list[0, n), the others
 * nothing. What is left over. */
int64_t division_even(const struct division *d, uint32_t n, int64_t tasks, int64_t unit,
                      uint32_t level, uint32_t root);
/* From share[] of the level's domains below root down to the deepest: parts; 0 if one cannot. */
uint32_t division_below(const struct division *d, uint32_t root, uint32_t level,
                        struct tree_part *parts);

#endif
