/*
 * link_table.h -- chooses the devices of a node that a task gets, by the links between the
 * devices. A table has the best choice for each mask of free devices.
 *
 * Among all sets of k free devices, the best set has the fastest bottleneck (the slowest link
 * between two of its devices). Ties are decided in this order: the greatest sum of its links; the
 * greatest value of the remaining devices; the nearest devices (same NUMA node, same network
 * card); the nearest remaining devices; the lowest mask. The value of the remaining devices has
 * two numbers. For each size of 2 and more, take the best set of that size out of the remaining
 * devices: the first number is the sum of the bottlenecks of these sets, the second number is the
 * sum of their link sums.
 *
 * A row of a table belongs to one k and one least kind of link. It has 2^n words: the best set
 * for each mask of free devices. A row is made when it is first used, by going through all pairs
 * of disjoint sets (at most 3^n pairs for all k together). With n <= 8 devices this takes
 * microseconds, with n = 16 some milliseconds for each row, once for each kind of machine. A
 * machine whose links are all equal needs no rows, because its lowest devices are always the best
 * set. A table is a cache: without memory for it, link_search() gives the same result more
 * slowly. Why not a list of sets ordered by preference: the remaining devices depend on the mask
 * of free devices, therefore no fixed order of sets is correct for all masks.
 */
#ifndef LIBSCHED_LINK_TABLE_H
#define LIBSCHED_LINK_TABLE_H

#include "base/alloc.h"

/* A row has a word for each set of devices, so that a greater number costs too much memory. */
#define LINK_DEVICES ((uint32_t)LSCHED_MACHINE_DEVICES_MAX)
#define LINK_KINDS   8u

/* Links between devices. Each matrix is symmetric; its diagonal is not read. kind[i][j] is below
 * LINK_KINDS; a greater kind is a better link. */
struct link_matrix {
    uint32_t n;
    uint32_t mbps[LINK_DEVICES][LINK_DEVICES];
    uint8_t kind[LINK_DEVICES][LINK_DEVICES];
    /* how near two devices are, from 0 to 3 (machine_shape.h) */
    uint8_t near[LINK_DEVICES][LINK_DEVICES];
};

/* Speed of a set of devices, in megabytes per second. Sets are compared by bottleneck, then by
 * sum. For a set of one device, both are 0. */
struct link_worth {
    uint64_t bottleneck, sum;
};

struct link_table {
    struct link_matrix m;
    int equal; /* 1: all links are equal, and the table has no rows */
    /* number of different kinds of links in the matrix; level[] has these kinds, the worst kind
     * first */
    uint32_t n_levels;
    uint8_t level[LINK_KINDS];
    /* set[mask], rest[mask]: the key of a choice is set[taken devices] + rest[remaining free
     * devices]; the choice with the greatest key is the best */
    uint64_t *set, *rest;
    /* row[level][k]: the best set for each mask of free devices; NULL if the row is not made yet */
    uint16_t *row[LINK_KINDS][LINK_DEVICES + 1];
    uint64_t bytes;
};

/* Opens a table. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t link_table_open(struct link_table *t, struct alloc *alloc, const struct link_matrix *m);
/* Opens a table that needs no memory. With this table, link_pick() always searches. */
void link_table_bare(struct link_table *t, const struct link_matrix *m);
void link_table_close(struct link_table *t, struct alloc *alloc);
/* Makes the row that link_pick() uses for k and `least`. If the row does not exist, link_pick()
 * searches. */
int32_t link_table_ready(struct link_table *t, struct alloc *alloc, uint32_t k, uint8_t least);
/* Returns the best set of k devices out of the mask `free` in which each link between two devices
 * is of kind `least` or better; 0 if there is no such set. */
uint32_t link_pick(const struct link_table *t, uint32_t k, uint8_t least, uint32_t free);

/* Returns the same set as link_pick(), but uses no table: it goes through all sets. */
uint32_t link_search(const struct link_matrix *m, uint32_t k, uint8_t least, uint32_t free);
struct link_worth link_worth_of(const struct link_matrix *m, uint32_t set);
/* Returns 1 if all links inside the set are of kind `least` or better. */
int link_all_least(const struct link_matrix *m, uint32_t set, uint8_t least);
static inline int link_worth_order(struct link_worth a, struct link_worth b) {
    if (a.bottleneck != b.bottleneck) return a.bottleneck < b.bottleneck ? -1 : 1;
    return a.sum < b.sum ? -1 : a.sum > b.sum;
}

#endif
