/*
 * frag_table.h -- computes, with a few table look-ups, how much of a node's idle GPU capacity the
 * expected task mix can use.
 *
 *   F(node)    = sum over classes c of popularity(c) * F(node, c)            [FGD, ATC'23]
 *   F(node, c) = the whole idle GPU amount if a task of class c cannot run there: too little cpu
 *                (or another kind), too few devices with as much free share as the class asks for,
 *                another device model, or a class that asks for no device;
 *                else the sum of the idle shares that are smaller than the share of the class
 *              = idle - usable(node, c)
 *
 * Hence F(node) = popularity * idle - usable, with the sums of all classes. To compute the sum
 * `usable`, no walk over the classes is needed. The popularities of the classes that the free cpu
 * and the other kinds allow are summed up in a *row*. A row has one cell for each device count and
 * each share; cell i holds the popularity of all classes with the i-th share or a smaller one. The
 * table keeps one row for each device model and each step of cpu. A step is a cpu request that
 * occurs in the mix. A device with g milli-GPU free adds g times the popularity of the classes
 * whose share is at most g. For classes that ask for k devices, the share must also be at most the
 * free share of the node's k-th largest device, because a class with a larger share does not find k
 * devices.
 *
 * Cost: a binary search over the steps of cpu and about two look-ups per device. Three cases cost
 * more, with the same result. If the node has too little of another kind for some classes, these
 * classes, which lead the list by_request, are subtracted from the row one by one. If the table
 * would have more than FRAG_CELLS_MAX cells, no table is kept, and each row is summed from the
 * classes that the free cpu allows. If a node has devices of several models, all classes are
 * walked. Units: milli-GPU times FRAG_ONE.
 */
#ifndef LIBSCHED_FRAG_TABLE_H
#define LIBSCHED_FRAG_TABLE_H

#include "algorithms/support/frag_mix.h"
#include "algorithms/support/place_pieces.h"

#define FRAG_CELLS_MAX   ((size_t)1 << 20) /* FRAG_CELLS_MAX cells take 4 MiB */
#define FRAG_GROUPS_MAX  LSCHED_DEVICES_PER_NODE_MAX
#define FRAG_WHOLE_MILLI 1000

struct frag_table {
    struct frag_mix mix;
    uint32_t n_steps;  /* number of different cpu requests of classes with devices */
    uint32_t n_shares; /* number of different shares of a device that classes ask for */
    /* Number of groups. A group consists of all classes that ask for the same number of devices.
     * Group 0 asks for one device. */
    uint32_t n_groups;
    /* number of models for which there are rows: the models that nodes have, and one entry for all
     * other models */
    uint32_t n_models;
    uint32_t row_cells; /* number of cells of a row: n_groups * (n_shares + 1) */
    /* smallest share that a class with several devices asks for, in milli-GPU */
    uint32_t gang_share_min;
    uint16_t group_devices[FRAG_GROUPS_MAX];
    /* rank[m]: number of different shares that are at most m milli-GPU */
    uint16_t rank[FRAG_WHOLE_MILLI + 1];
    int64_t *step; /* the n_steps different cpu requests, ascending */
    /* n_steps + 1 entries. Entry i is the number of classes whose cpu request is among the first i
     * steps. These classes are the first ones in the mix. */
    uint32_t *admitted;
    /* at [i * n_others + o]: the largest request for the other resource kind o, among the classes
     * that the first i steps admit */
    int64_t *most;
    /* at [o * mix.n_gpu + i]: the classes with devices, by their request for the other kind o, the
     * largest request first */
    uint32_t *by_request;
    /* group of each class with devices; FRAG_GROUPS_MAX if the class asks for more devices than a
     * node can have */
    uint16_t *group_of;
    /* n_models * (n_steps + 1) rows of row_cells cells; NULL if rows are summed when they are
     * needed */
    uint32_t *rows;
    uint32_t *scratch; /* memory for one row */
    void *block;
    size_t block_bytes;
};

/* Builds the table from the view. A zeroed struct is an empty table. Returns LSCHED_OK,
 * LSCHED_PREPARED_SAME if the table already held the same, or an error code; on an error the table
 * is empty. */
int32_t frag_table_read(struct frag_table *table, const lsched_algorithm_env *env,
                        const lsched_view *view, const struct frag_rule *rule);
void frag_table_free(struct frag_table *table, const lsched_algorithm_env *env);

/* Returns the number of groups for which a node has enough devices; these groups are the first
 * ones. `free_milli` lists the free shares of the node's n devices, descending. */
uint32_t frag_groups(const struct frag_table *table, uint32_t n, const uint16_t *free_milli);

/* Returns the row of the classes that can run on devices of one model. `model` is the model number,
 * and `room` has the free amount of each resource kind. Only the cells of the first `groups` groups
 * are valid. The row is valid until the next call of frag_row. */
const uint32_t *frag_row(const struct frag_table *table, uint32_t model, const int64_t *room,
                         uint32_t groups);

/* frag_usable_single returns the sum of popularity(c) * usable(node, c) over the classes that ask
 * for one device; frag_usable_gang, over the classes that ask for several devices. `free_milli`
 * lists the free shares of the node's n devices, descending. */
int64_t frag_usable_single(const struct frag_table *table, const uint32_t *row, uint32_t n,
                           const uint16_t *free_milli);
int64_t frag_usable_gang(const struct frag_table *table, const uint32_t *row, uint32_t groups,
                         uint32_t n, const uint16_t *free_milli);
/* Returns the sum of popularity(c) * usable(node, c) over all classes c with devices. The sum is
 * computed class by class; it is for a node whose devices have several models. */
int64_t frag_usable_mixed(const struct frag_table *table, const int64_t *room,
                          const struct place_pieces *pieces);

/* Returns the popularity of the classes that ask for one device and can use a device with this free
 * share. */
static inline int64_t frag_wanted(const struct frag_table *table, const uint32_t *row,
                                  uint32_t free_milli) {
    return row[table->rank[free_milli]];
}

#endif
