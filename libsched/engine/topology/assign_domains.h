/*
 * assign_domains.h -- assigns the tasks of one shape to the domains of a topology, given how many
 * tasks each deepest domain can hold.
 *
 *   fewest    at every level to as few domains as possible: to the domain with the least room that
 *             holds all remaining tasks, else to the one with the most room. Domains that hold
 *             tasks of the group already come first, because they add no domain.
 *   balanced  to as few domains, and among these so that the domain with the fewest tasks gets as
 *             many as possible; of domains that could take an even share, those with the least room
 *   slices    in task blocks: `tasks` together in one domain of `level`, with several levels inside
 *             each other. What a domain of that level can take is rounded down to whole blocks;
 *             what a wider domain can take is the sum of that. Whether a gang fits is then exact.
 *
 * Levels are decided from the top, each for itself: as few blocks as possible, then as few racks
 * as possible within each block. Kueue and Slurm do the same. The fewest racks over all blocks
 * together would be a knapsack problem. Callers use assign_deal() in assign_deal.h. Cost: O(d
 * log d) for the d domains below the root. The functions only read arrays and write arrays.
 */
#ifndef LIBSCHED_ASSIGN_DOMAINS_H
#define LIBSCHED_ASSIGN_DOMAINS_H

#include "engine/indexes/topology_map.h"

struct tree_slice {
    uint32_t level, tasks;
};

/* A number of tasks in one domain of the deepest level. */
struct tree_part {
    uint32_t number, tasks;
};

struct assign_domains {
    const struct topology_map *map;
    uint32_t n_slices, balanced;
    /* level that a balanced leaf group without placed tasks prefers (assign_evenly.h), NO_ROW if
     * none */
    uint32_t even_level;
    struct tree_slice slice
        /* widest level first; the tasks of each entry divide those of the entry before */
        [LSCHED_SLICES_MAX];
    const int64_t *cap; /* by domain number: tasks that fit, in whole task blocks */
    /* by domain number: tasks that fit before rounding to task blocks; among equal `cap` the least
     * comes first. NULL if equal to cap. */
    const int64_t *raw;
    /* by domain number: tasks of the group that the domain holds already; NULL if none */
    const uint32_t *held;
    /* scratch arrays of n_domains entries each */
    int64_t *share, *squares;
    uint32_t *list, *tmp;
};

/* Returns the number of tasks that must stay together below a level: the tasks of the task block,
 * 1 without task blocks. */
uint32_t assign_domains_unit(const struct assign_domains *d, uint32_t level);
/* Computes cap[] of all domains from cap[] of the deepest level, which the caller fills. A domain
 * of limit_level gets at most limit[number] (NULL: no limit). All values are rounded down to whole
 * task blocks, limits too. */
void assign_domains_caps(const struct assign_domains *d, int64_t *cap, uint32_t limit_level,
                         const int64_t *limit);

/* The following functions are for assign_deal.c and assign_evenly.c only. */
/* Assigns `tasks` to the children of root, which are of `level`, and writes share[]. True if the
 * children can take that many. */
int assign_domains_one(const struct assign_domains *d, uint32_t root, uint32_t level,
                       int64_t tasks);
/* Assigns `tasks` evenly to the domains list[0, n) and nothing to the other domains of the level
 * below root; writes share[]. Returns the number of tasks without a domain. */
int64_t assign_domains_even(const struct assign_domains *d, uint32_t n, int64_t tasks, int64_t unit,
                            uint32_t level, uint32_t root);
/* Assigns share[] of the level's domains below root further down to the deepest domains. Writes
 * parts[] and returns their number, 0 if a domain cannot take its share. */
uint32_t assign_domains_below(const struct assign_domains *d, uint32_t root, uint32_t level,
                              struct tree_part *parts);

#endif
