/*
 * link_table.h -- chooses which devices of a node a task gets, by the links between the devices.
 * The choice is looked up in a table, not searched.
 *
 * Among all sets of k free devices the best one has the greatest bottleneck (the slowest link
 * between two of its devices). Ties are decided in this order: the greatest sum of links; the set
 * that leaves the most to other tasks; the devices nearest to each other (same NUMA node, same
 * NIC); the set that leaves the nearest devices to other tasks; the lowest mask. The value of the
 * remaining devices is, over all sizes of 2 and more, the sum of the bottlenecks of their best
 * sets, then the sum of the link sums of these sets.
 *
 * A row of a table holds, for one k and one least kind of link, the answer for every mask of free
 * devices: 2^n words. A row is made exactly at its first use, by going through all pairs of
 * disjoint sets (3^n at most over all k). n <= 8 takes microseconds, n = 16 some milliseconds per
 * row, once per kind of machine. A machine whose links are all equal needs no row: the lowest
 * devices are the best. A table is a cache: without memory for a table, link_search() gives the
 * same answer more slowly. Why not a list of sets by preference: what a set leaves depends on the
 * other free devices, so no fixed order of sets is right for all masks.
 */
#ifndef LIBSCHED_LINK_TABLE_H
#define LIBSCHED_LINK_TABLE_H

#include "base/alloc.h"

#define LINK_DEVICES LSCHED_DEVICES_PER_NODE_MAX
#define LINK_NEAR    3u /* greatest value of `near` */
#define LINK_KINDS   8u

/* Links between devices. Symmetric; the diagonal is not read. kind: below LINK_KINDS; a greater
 * kind is a better link. */
struct link_matrix {
    uint32_t n;
    uint32_t mbps[LINK_DEVICES][LINK_DEVICES];
    uint8_t kind[LINK_DEVICES][LINK_DEVICES];
    uint8_t near[LINK_DEVICES][LINK_DEVICES]; /* nearness of two devices, 0 to LINK_NEAR */
};

/* Speed of a set of devices: compared by bottleneck, then by sum, in megabytes per second. One
 * device has no link: 0, 0. */
struct link_worth {
    uint64_t bottleneck, sum;
};

struct link_table {
    struct link_matrix m;
    int equal;         /* 1: all links are equal, and there are no rows */
    uint32_t n_levels; /* number of kinds of links that occur; level[] has them, least first */
    uint8_t level[LINK_KINDS];
    /* by mask of devices: the key of a choice is set[devices taken] + rest[free devices that
     * remain]; the choice with the greatest key is the best */
    uint64_t *set, *rest;
    /* [level][k], by mask of free devices; NULL if not made */
    uint16_t *row[LINK_KINDS][LINK_DEVICES + 1];
    uint64_t bytes;
};

/* Opens a table. LSCHED_OK or LSCHED_E_NOMEM. */
int32_t link_table_open(struct link_table *t, struct alloc *alloc, const struct link_matrix *m);
/* Opens a table that needs no memory: link_pick() then searches. */
void link_table_bare(struct link_table *t, const struct link_matrix *m);
void link_table_close(struct link_table *t, struct alloc *alloc);
/* Makes the row that link_pick() would use. Without the row link_pick() searches. */
int32_t link_table_ready(struct link_table *t, struct alloc *alloc, uint32_t k, uint8_t least);
/* Returns the best k of the free devices such that each link between two of them is of kind
 * `least` or better; 0 if there is no such set. */
uint32_t link_pick(const struct link_table *t, uint32_t k, uint8_t least, uint32_t free);

/* Returns what link_pick() returns, without a table: it goes through all sets. */
uint32_t link_search(const struct link_matrix *m, uint32_t k, uint8_t least, uint32_t free);
struct link_worth link_worth_of(const struct link_matrix *m, uint32_t set);
/* Returns 1 if all links inside the set are of kind `least` or better. */
int link_all_least(const struct link_matrix *m, uint32_t set, uint8_t least);
static inline int link_worth_order(struct link_worth a, struct link_worth b) {
    if (a.bottleneck != b.bottleneck) return a.bottleneck < b.bottleneck ? -1 : 1;
    return a.sum < b.sum ? -1 : a.sum > b.sum;
}

#endif
