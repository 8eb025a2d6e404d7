/*
 * frag_table.h -- how much of a node's idle GPUs the expected mix can use, in a few table look-ups.
 *
 *   F(node)    = sum over classes of popularity * F(node, class)             [FGD, ATC'23]
 *   F(node, c) = all idle GPU if c cannot run there: too little cpu (or another kind), too few
 *                pieces as large as its share, another model, or no devices asked for;
 *                else the sum of the idle pieces that are smaller than its share
 *              = idle - usable(node, c)
 *
 * So F = popularity * idle - usable, and usable needs no walk over the classes: what cpu and the
 * other kinds allow is a *row*, popularity summed over classes by number of devices and by share
 * (at most so much). One such row is kept per model and step of cpu; a piece of g milli adds g
 * times the popularity of the classes with a share of at most g. Classes that want k devices see no
 * piece larger than the k-th.
 *
 * Cost: a binary search over the steps of cpu and about two look-ups per device. Classes that the
 * node is short of another kind for are taken out of the row one by one; when the table would pass
 * FRAG_CELLS_MAX, the row is summed from the classes that cpu admits; nodes with several models
 * walk the classes. All give the same number. Units: milli-GPU times FRAG_ONE.
 */
#ifndef LIBSCHED_FRAG_TABLE_H
#define LIBSCHED_FRAG_TABLE_H

#include "algorithms/support/frag_mix.h"
#include "algorithms/support/place_pieces.h"

#define FRAG_CELLS_MAX   ((size_t)1 << 20) /* 4 MiB */
#define FRAG_GROUPS_MAX  LSCHED_DEVICES_PER_NODE_MAX
#define FRAG_WHOLE_MILLI 1000

struct frag_table {
    struct frag_mix mix;
    uint32_t n_steps;        /* different cpu requests of classes with devices */
    uint32_t n_shares;       /* different shares */
    uint32_t n_groups;       /* different numbers of devices, one first */
    uint32_t n_models;       /* with rows in the table: those that nodes have, and the other */
    uint32_t row_cells;      /* n_groups * (n_shares + 1) */
    uint32_t gang_share_min; /* the least share that a class of several devices asks for */
    uint16_t group_devices[FRAG_GROUPS_MAX];
    uint16_t rank[FRAG_WHOLE_MILLI + 1]; /* how many of the shares are at most so large */
    int64_t *step;                       /* n_steps, ascending */
    uint32_t *admitted; /* n_steps + 1: classes that the first i steps admit, as a prefix */
    int64_t *most;      /* (n_steps + 1) * n_others: the largest request among them */
    uint16_t *group_of; /* per class with devices; FRAG_GROUPS_MAX: no node has so many devices */
    uint32_t *rows;     /* n_models * (n_steps + 1) * row_cells; NULL: summed when needed */
    uint32_t *scratch;  /* one row */
    void *block;
    size_t block_bytes;
};

/* A zeroed struct is an empty table. On error it is empty. */
int32_t frag_table_read(struct frag_table *table, const lsched_algorithm_env *env,
                        const lsched_view *view, const struct frag_rule *rule);
void frag_table_free(struct frag_table *table, const lsched_algorithm_env *env);

/* How many groups can find enough pieces of a node: the first so many. `free_milli` descending. */
uint32_t frag_groups(const struct frag_table *table, uint32_t n, const uint16_t *free_milli);

/* The row of what runs on devices of the model with this number when `room` is free of each kind.
 * Only its first `groups` groups are meant to be read. Valid until the next call. */
const uint32_t *frag_row(const struct frag_table *table, uint32_t model, const int64_t *room,
                         uint32_t groups);

/* usable(node, c) over the classes of one device, and over those of several, whose pieces are
 * `free_milli`, descending. */
int64_t frag_usable_single(const struct frag_table *table, const uint32_t *row, uint32_t n,
                           const uint16_t *free_milli);
int64_t frag_usable_gang(const struct frag_table *table, const uint32_t *row, uint32_t groups,
                         uint32_t n, const uint16_t *free_milli);
/* Both, class by class, for a node of several models. */
int64_t frag_usable_mixed(const struct frag_table *table, const int64_t *room,
                          const struct place_pieces *pieces);

/* Popularity of the classes of one device that can use a piece of this size. */
static inline int64_t frag_wanted(const struct frag_table *table, const uint32_t *row,
                                  uint32_t free_milli) {
    return row[table->rank[free_milli]];
}

#endif
