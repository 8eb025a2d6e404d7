/*
 * bound_parts.h -- the partial bounds that bound_run.c combines. Each partial bound is a lower
 * bound for every plan that leaves nothing out, and is computed on a relaxed problem: some of the
 * items, some of the cells, one resource, or the capacity of the largest class. Each partial bound
 * is therefore valid alone, and so is the greatest of them.
 */
#ifndef LIBSCHED_PACK_BOUND_PARTS_H
#define LIBSCHED_PACK_BOUND_PARTS_H

#include "pack/problem/solvers.h"

/* ---- bound_dual.c: one list of sizes against one capacity ---- */

/* Sorts the sizes in descending order, in place. */
void dual_sort(int32_t *sizes, uint32_t n);
/* Returns a lower bound on the bins of this capacity that the sizes (descending, above 0) need. */
uint32_t dual_bins(const int32_t *sizes, uint32_t n, int32_t capacity, uint64_t *work);

/* ---- bound_fixed.c: FIXED, cell by cell ---- */

enum { BOUND_TOP_CELLS = 64, BOUND_SORTED_CLASSES = 64 };

struct fixed_bound {
    const struct pack_problem *p;
    int32_t capacity[LSCHED_PACK_RESOURCES_MAX]; /* greatest capacity of any class */
    /* true if the sum of demands is limited: a hard resource, or a soft one with z_milli above 0 */
    uint8_t is_hard[LSCHED_PACK_RESOURCES_MAX];
    int64_t *load; /* [n_cells + 1] load of one resource */
    /* [n_cells] lower bound, from the load alone, on the price per hour of the bins that are on */
    int64_t *rate;
    uint32_t *need;   /* [n_cells] lower bound on the bins that the cell needs */
    uint32_t *active; /* [n_cells] number of active items */
    uint32_t *order;  /* [n_items] work space: items ordered by weight per amount */
    uint32_t *top;    /* [n_top] cells with the greatest needs, in descending order */
    int32_t *sizes;   /* [n_items] sizes of the items of a cell */
    uint32_t n_top;
    uint32_t resource, at;  /* next resource and cell of the pass over cells */
    uint32_t bins, bins_by; /* bins: greatest of `need`; bins_by: LSCHED_PACK_BY_* that found it */
    uint8_t has_rates;
    int64_t left_out;   /* lower bound on the weight that must be left out */
    int64_t open_price; /* lower bound on the open prices, from the load alone */
};
void fixed_new(struct fixed_bound *f, const struct pack_problem *p, struct pack_arena *arena);
/* Computes the loads of all cells. Must be called first. */
void fixed_loads(struct fixed_bound *f, struct pack_meter *m);
/* Computes dual feasible functions for one more pair of a cell and a resource. Returns 0 if no pair
 * remains. */
int fixed_step(struct fixed_bound *f, struct pack_meter *m);
/* Returns a lower bound on the price of a plan that leaves nothing out and uses at least `bins`
 * bins. */
int64_t fixed_price(const struct fixed_bound *f, uint32_t bins);
int64_t fixed_end(const struct pack_problem *p);

/* Returns an item's demand in a cell of its range. A constant item has the same demand in all
 * cells. */
static inline int32_t bound_amount(const struct pack_problem *p, const struct pack_item *item,
                                   uint32_t resource, uint32_t cell) {
    const struct pack_config *c = &p->configs[item->first_config];
    uint64_t at =
        c->is_profile ? (uint64_t)resource * c->n_span + (cell - item->first_cell) : resource;
    return p->amounts[c->amounts + at];
}
/* Returns the sum of the open prices of the `bins` cheapest bins. */
int64_t bound_open_price(const struct pack_problem *p, uint32_t bins);

/* ---- bound_graph.c: FIXED, pairs of items ---- */

struct graph_bound {
    const struct pack_problem *p;
    const struct fixed_bound *fixed;
    /* n: number of items; 0 if there are too many items, or if pairs cannot prove more than single
     * cells */
    uint32_t n, words;
    uint64_t *conflicts; /* [n][words] pairs of items that no bin holds together */
    uint32_t row;        /* next row of `conflicts` to compute */
    uint32_t *degree;    /* [n] number of conflicts of each item */
    uint32_t *rank;      /* [n] items, most conflicts first */
    /* items of the set of graph_pairs; the arrays below are indexed by position in it */
    uint32_t *set;
    uint32_t *mate, *base, *parent, *queue;
    uint64_t *in_set;
    uint8_t *mark, *in_blossom;
};
void graph_new(struct graph_bound *g, const struct fixed_bound *f, struct pack_arena *arena);
/* Computes one more row of conflicts. Returns 0 if all rows are complete. */
int graph_step(struct graph_bound *g, struct pack_meter *m);
/* Returns the size of a large set of items that exclude each other pairwise, found greedily. */
uint32_t graph_clique(struct graph_bound *g, struct pack_meter *m);
/* Finds a set of items of which no three fit one bin. Returns its size less the size of a greatest
 * matching of pairs that can fit. */
uint32_t graph_pairs(struct graph_bound *g, struct pack_meter *m);
static inline int graph_excludes(const struct graph_bound *g, uint32_t i, uint32_t j) {
    return g->n && (g->conflicts[(uint64_t)i * g->words + j / 64] >> j % 64 & 1);
}

/* ---- bound_time.c: FLEXIBLE ---- */

struct time_bound {
    int64_t end;
    uint32_t end_by;
    uint32_t bins;
    int64_t price;
};
struct time_parts;
struct time_parts *time_parts_new(const struct pack_problem *p, struct pack_arena *arena);
/* Continues to compute the bounds of a FLEXIBLE problem. The bound by the longest item is complete
 * in the first call. */
int time_parts_run(struct time_parts *t, struct time_bound *out, struct pack_meter *m);

/* ---- bound_columns.c: FIXED, linear programme over patterns ---- */

struct tableau;
struct tableau *columns_new(const struct fixed_bound *f, const struct graph_bound *g,
                            struct pack_arena *arena);
/* Continues to solve the linear programme, and raises *bins. Stops when *bins reaches `upper`.
 * Returns PACK_DONE if no better bound can be found. */
int columns_run(struct tableau *c, uint32_t *bins, uint32_t upper, const struct pack_best *best,
                struct pack_meter *m);

#endif
