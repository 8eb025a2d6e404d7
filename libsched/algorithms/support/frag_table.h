/*
 * frag_table.h -- computes how much of a node's idle GPU capacity the expected task mix can use,
 * with a few table look-ups.
 *
 *   F(node)    = sum over classes of popularity * F(node, class)             [FGD, ATC'23]
 *   F(node, c) = the whole idle GPU amount if a task of class c cannot run there: too little cpu
 *                (or another kind), too few devices with as much free share as the class asks for,
 *                another device model, or a class that asks for no device;
 *                else the sum of the idle shares that are smaller than the share of the class
 *              = idle - usable(node, c)
 *
 * Hence F = popularity * idle - usable. The sum `usable` needs no walk over the classes. The
 * classes that the free cpu and the other kinds allow are summed up in a *row*: the popularity of
 * classes by number of devices and by share (cell i counts all shares up to the i-th). The table
 * keeps one row per device model and per step of cpu, where a step is a cpu request that occurs. A
 * device with g milli-GPU free adds g times the popularity of the classes with a share of at most
 * g. For classes that want k devices, no device counts as larger than the k-th largest.
 *
 * Cost: a binary search over the steps of cpu and about two look-ups per device. If the node has
 * too little of another kind for some classes, these classes are subtracted from the row one by
 * one. If the table would exceed FRAG_CELLS_MAX cells, no table is kept, and each row is summed
 * from the classes that the free cpu admits. For nodes with several device models, all classes are
 * walked. All these ways give the same number. Units: milli-GPU times FRAG_ONE.
 */
#ifndef LIBSCHED_FRAG_TABLE_H
#define LIBSCHED_FRAG_TABLE_H

#include "algorithms/support/frag_mix.h"
#include "algorithms/support/place_pieces.h"

#define FRAG_CELLS_MAX   ((size_t)1 << 20) /* the cells take 4 MiB */
#define FRAG_GROUPS_MAX  LSCHED_DEVICES_PER_NODE_MAX
#define FRAG_WHOLE_MILLI 1000

struct frag_table {
    struct frag_mix mix;
    uint32_t n_steps;  /* number of different cpu requests of classes with devices */
    uint32_t n_shares; /* number of different shares of a device */
    /* number of groups; a group is all classes that ask for the same number of devices; group 0
     * asks for one device */
    uint32_t n_groups;
    /* number of models with rows: those that nodes have, and one for all others */
    uint32_t n_models;
    uint32_t row_cells;      /* n_groups * (n_shares + 1) */
    uint32_t gang_share_min; /* smallest share that a class with several devices asks for */
    uint16_t group_devices[FRAG_GROUPS_MAX];
    /* rank[m]: number of different shares that are at most m milli */
    uint16_t rank[FRAG_WHOLE_MILLI + 1];
    int64_t *step; /* n_steps different cpu requests, ascending */
    /* n_steps + 1 entries: entry i is the number of classes (a prefix of the classes) whose cpu
     * request is among the first i steps */
    uint32_t *admitted;
    /* (n_steps + 1) * n_others entries: the largest request of each other kind among the classes
     * that the first i steps admit */
    int64_t *most;
    /* group of each class with devices; FRAG_GROUPS_MAX: the class wants more devices than a node
     * can have */
    uint16_t *group_of;
    /* n_models * (n_steps + 1) * row_cells cells; NULL: rows are summed when needed */
    uint32_t *rows;
    uint32_t *scratch; /* one row */
    void *block;
    size_t block_bytes;
};

/* Builds the table from the view and drops its former content. A zeroed struct is an empty table.
 * On error the table is empty. */
int32_t frag_table_read(struct frag_table *table, const lsched_algorithm_env *env,
                        const lsched_view *view, const struct frag_rule *rule);
void frag_table_free(struct frag_table *table, const lsched_algorithm_env *env);

/* Returns how many groups can find enough devices on a node; these are the first groups.
 * `free_milli` lists the free share of the node's n devices, descending. */
uint32_t frag_groups(const struct frag_table *table, uint32_t n, const uint16_t *free_milli);

/* Returns the row of the classes that can run on devices of this model number when `room` is free
 * of each resource kind. Only the cells of the first `groups` groups are valid. The row is valid
 * until the next call. */
const uint32_t *frag_row(const struct frag_table *table, uint32_t model, const int64_t *room,
                         uint32_t groups);

/* Return the sum of usable(node, c) over the classes that ask for one device, and over those that
 * ask for several. `free_milli` lists the free shares of the node's n devices, descending. */
int64_t frag_usable_single(const struct frag_table *table, const uint32_t *row, uint32_t n,
                           const uint16_t *free_milli);
int64_t frag_usable_gang(const struct frag_table *table, const uint32_t *row, uint32_t groups,
                         uint32_t n, const uint16_t *free_milli);
/* Returns the sum over all classes with devices, computed class by class, for a node with several
 * device models. */
int64_t frag_usable_mixed(const struct frag_table *table, const int64_t *room,
                          const struct place_pieces *pieces);

/* Returns the popularity of the one-device classes that can use a device with this free share. */
static inline int64_t frag_wanted(const struct frag_table *table, const uint32_t *row,
                                  uint32_t free_milli) {
    return row[table->rank[free_milli]];
}

#endif
