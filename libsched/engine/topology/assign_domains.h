/*
 * assign_domains.h -- assigns the tasks of one shape to the domains of a topology. The caller
 * gives the number of tasks that each deepest domain can hold. The assignment can have these
 * properties:
 *
 *   fewest    This is the default: at every level, tasks go to as few domains as possible.
 *             Domains that already hold tasks of the group come first, because they add no
 *             domain to the group. Among the other domains, the domain with the least room that
 *             can hold all remaining tasks gets these tasks. If no domain can hold all of them,
 *             the domain with the most room gets as many tasks as it can hold.
 *   balanced  The number of domains is the same as for `fewest`, but the domain with the fewest
 *             tasks gets as many tasks as possible. Among domains that can take an even share,
 *             domains with less room are preferred.
 *   slices    Tasks are in task blocks: the `tasks` tasks of a block are together in one domain of
 *             `level`. Blocks of a narrower level can be inside blocks of a wider level. The number
 *             of tasks that fit into a domain of `level` is rounded down to whole blocks. For a
 *             wider domain, these rounded numbers are added. Therefore the test whether a gang fits
 *             is exact.
 *
 * Levels are decided one after the other, beginning with the widest level. For example, tasks go
 * to as few zones as possible, and then to as few racks as possible within each zone. Kueue and
 * Slurm do the same. Why not minimise the number of racks over all zones together: that is a
 * knapsack problem. Callers use assign_deal() in assign_deal.h. Cost: O(d log d) for the d
 * domains below the root. The functions only read and write arrays.
 */
#ifndef LIBSCHED_ASSIGN_DOMAINS_H
#define LIBSCHED_ASSIGN_DOMAINS_H

#include "engine/indexes/topology_map.h"

/* The size of task blocks: the tasks of a block are together in one domain of `level`. */
struct tree_slice {
    uint32_t level, tasks;
};

/* A number of tasks that are assigned to one domain of the deepest level. `number` is the domain
 * number. */
struct tree_part {
    uint32_t number, tasks;
};

struct assign_domains {
    const struct topology_map *map;
    uint32_t n_slices, balanced;
    /* level for assign_evenly.h: the preferred level of a leaf group that is to be balanced and
     * has no placed tasks; NO_ROW for other groups */
    uint32_t even_level;
    /* levels of task blocks, widest first; the `tasks` of an entry is a multiple of the `tasks`
     * of the next entry */
    struct tree_slice slice[LSCHED_SLICES_MAX];
    /* by domain number: number of tasks that fit, rounded down to whole task blocks */
    const int64_t *cap;
    /* by domain number: number of tasks that fit, not rounded. Among domains with equal cap[],
     * the domain with the smallest raw[] comes first. NULL if raw[] would be equal to cap[]. */
    const int64_t *raw;
    /* by domain number: number of tasks of the group that are already in the domain; NULL if the
     * group has no tasks in any domain */
    const uint32_t *held;
    /* scratch arrays of n_domains entries each */
    int64_t *share, *squares;
    uint32_t *list, *tmp;
};

/* Returns the number of tasks that a domain of the level must get together: the size of the
 * widest task block that is of this level or a narrower one; 1 if there is no such task block. */
uint32_t assign_domains_unit(const struct assign_domains *d, uint32_t level);
/* Computes cap[] of all domains. Before the call, the caller has filled cap[] of the deepest
 * level. For a domain of limit_level, cap[] is at most limit[], which is by domain number (NULL:
 * no limit). All numbers in cap[] are rounded down to whole task blocks, also those that come
 * from limit[]. */
void assign_domains_caps(const struct assign_domains *d, int64_t *cap, uint32_t limit_level,
                         const int64_t *limit);

/* The following functions are for assign_deal.c and assign_evenly.c only. */
/* Assigns `tasks` to the children of root and writes the numbers to share[]. `level` is the level
 * of the children. True if the children can take all tasks. */
int assign_domains_one(const struct assign_domains *d, uint32_t root, uint32_t level,
                       int64_t tasks);
/* Assigns `tasks` evenly to the domains list[0, n), which are of `level` below root, and writes
 * the numbers to share[]. The other domains of this level below root get 0. Returns the number of
 * tasks that no domain can take. */
int64_t assign_domains_even(const struct assign_domains *d, uint32_t n, int64_t tasks, int64_t unit,
                            uint32_t level, uint32_t root);
/* Before the call, share[] holds the numbers of tasks for the domains of `level` below root.
 * Assigns these tasks to the deepest domains and writes parts[]. Returns the number of parts, 0
 * if a domain cannot take its tasks. */
uint32_t assign_domains_below(const struct assign_domains *d, uint32_t root, uint32_t level,
                              struct tree_part *parts);

#endif
