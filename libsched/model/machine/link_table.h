/*
 * link_table.h -- which devices of a node a task gets, by how they are linked; looked up, not
 * searched.
 *
 * Of all sets of k free devices the best one is that with the greatest bottleneck (the slowest link
 * between two of its devices), then the greatest sum of links, then the one that leaves the most to
 * others, then the devices that are nearest to each other (same NUMA node, same NIC), then the
 * nearest left to others, then the lowest mask. What a rest can offer is, over all sizes of 2 and
 * more, the sum of the bottlenecks of its best sets, then the sum of their sums.
 *
 * A row of a table says for one k and one least kind of link, for every mask of free devices, the
 * answer: 2^n words. Rows are made at their first use, exactly, by going through all pairs of
 * disjoint sets (3^n at most over all k); n <= 8 takes microseconds, 16 some milliseconds per row,
 * once per kind of machine. A machine whose links are all equal needs no row: the lowest devices
 * are the best. A table is a cache: without memory for one, link_search() gives the same answer,
 * only slower.
 * Why not a list of sets by preference: what a set costs depends on the rest, so no fixed order of
 * sets is right for all masks.
 */
#ifndef LIBSCHED_LINK_TABLE_H
#define LIBSCHED_LINK_TABLE_H

#include "base/alloc.h"

#define LINK_DEVICES LSCHED_DEVICES_PER_NODE_MAX
#define LINK_NEAR    3u /* the greatest `near` */
#define LINK_KINDS   8u

/* Symmetric; the diagonal is not read. kind: below LINK_KINDS, the greater the better. */
struct link_matrix {
    uint32_t n;
    uint32_t mbps[LINK_DEVICES][LINK_DEVICES];
    uint8_t kind[LINK_DEVICES][LINK_DEVICES];
    uint8_t near[LINK_DEVICES][LINK_DEVICES]; /* 0 to LINK_NEAR */
};

/* How fast a set of devices is: compared by bottleneck, then sum. One device has no link: 0, 0. */
struct link_worth {
    uint64_t bottleneck, sum;
};

struct link_table {
    struct link_matrix m;
    int equal;         /* every link is like every other: no rows */
    uint32_t n_levels; /* kinds of links that there are, least first */
    uint8_t level[LINK_KINDS];
    uint64_t *set, *rest; /* by mask: the parts of the key by which sets are compared */
    uint16_t *row[LINK_KINDS][LINK_DEVICES + 1]; /* [level][k], by mask of free devices; or NULL */
    uint64_t bytes;
};

/* LSCHED_OK or LSCHED_E_NOMEM. */
int32_t link_table_open(struct link_table *t, struct alloc *alloc, const struct link_matrix *m);
/* Without memory: link_pick() searches. */
void link_table_bare(struct link_table *t, const struct link_matrix *m);
void link_table_close(struct link_table *t, struct alloc *alloc);
/* Make the row that link_pick() would use. Without it, it searches. */
int32_t link_table_ready(struct link_table *t, struct alloc *alloc, uint32_t k, uint8_t least);
/* The best k of the free devices between every two of which the link is of kind `least` or
 * better; 0 if there are none. */
uint32_t link_pick(const struct link_table *t, uint32_t k, uint8_t least, uint32_t free);

/* The same without a table: all sets are gone through. */
uint32_t link_search(const struct link_matrix *m, uint32_t k, uint8_t least, uint32_t free);
struct link_worth link_worth_of(const struct link_matrix *m, uint32_t set);
/* Are all links inside the set of kind `least` or better. */
int link_all_least(const struct link_matrix *m, uint32_t set, uint8_t least);
static inline int link_worth_order(struct link_worth a, struct link_worth b) {
    if (a.bottleneck != b.bottleneck) return a.bottleneck < b.bottleneck ? -1 : 1;
    return a.sum < b.sum ? -1 : a.sum > b.sum;
}

#endif
