/*
 * bound_parts.h -- the parts that bounds are made of, as bound_run.c puts them together. Each is
 * a lower bound on what any plan needs that leaves nothing out, found by relaxing: a part of the
 * items, a part of the cells, one resource, capacity of the largest class. So each is valid
 * alone, and the greatest of them is.
 */
#ifndef LIBSCHED_PACK_BOUND_PARTS_H
#define LIBSCHED_PACK_BOUND_PARTS_H

#include "pack/problem/solvers.h"

/* ---- bound_dual.c: one list of sizes against one capacity ---- */

/* Descending, in place. */
void dual_sort(int32_t *sizes, uint32_t n);
/* Bins of this capacity that the sizes (descending, above 0) need at least. */
uint32_t dual_bins(const int32_t *sizes, uint32_t n, int32_t capacity, uint64_t *work);

/* ---- bound_fixed.c: FIXED, cell by cell ---- */

enum { BOUND_TOP_CELLS = 64, BOUND_SORTED_CLASSES = 64 };

struct fixed_bound {
    const struct pack_problem *p;
    int32_t capacity[LSCHED_PACK_RESOURCES_MAX]; /* of the largest class */
    uint8_t is_hard[LSCHED_PACK_RESOURCES_MAX];  /* sums bind: hard, or soft with sigmas */
    int64_t *load;                               /* [n_cells + 1] of one resource */
    int64_t *rate;    /* [n_cells] price per hour of what is on, by load alone */
    uint32_t *need;   /* [n_cells] bins at least */
    uint32_t *active; /* [n_cells] items */
    uint32_t *order;  /* [n_items] */
    uint32_t *top;    /* [n_top] cells with the greatest needs, greatest first */
    int32_t *sizes;   /* [n_items] of a cell */
    uint32_t n_top;
    uint32_t resource, at;  /* where the pass over cells stands */
    uint32_t bins, bins_by; /* the greatest of need */
    uint8_t has_rates;
    int64_t left_out;   /* weight that cannot be placed, at least */
    int64_t open_price; /* by load alone */
};
void fixed_new(struct fixed_bound *f, const struct pack_problem *p, struct pack_arena *arena);
/* Loads of all cells: the first call. */
void fixed_loads(struct fixed_bound *f, struct pack_meter *m);
/* One cell and resource more; 0: that was all. */
int fixed_step(struct fixed_bound *f, struct pack_meter *m);
/* Price that a plan without anything left out has at least, given that it uses `bins` bins. */
int64_t fixed_price(const struct fixed_bound *f, uint32_t bins);
int64_t fixed_end(const struct pack_problem *p);

/* Does an item's amount in a cell of its range; cells of constant items are all the same. */
static inline int32_t bound_amount(const struct pack_problem *p, const struct pack_item *item,
                                   uint32_t resource, uint32_t cell) {
    const struct pack_config *c = &p->configs[item->first_config];
    uint64_t at =
        c->is_profile ? (uint64_t)resource * c->n_span + (cell - item->first_cell) : resource;
    return p->amounts[c->amounts + at];
}
/* Price of the cheapest so many bins. */
int64_t bound_open_price(const struct pack_problem *p, uint32_t bins);

/* ---- bound_graph.c: FIXED, pairs of items ---- */

struct graph_bound {
    const struct pack_problem *p;
    const struct fixed_bound *fixed;
    uint32_t n, words;   /* 0: too many items, or cells alone say as much */
    uint64_t *conflicts; /* [n][words] pairs that no bin holds */
    uint32_t row;        /* of conflicts that is next */
    uint32_t *degree;    /* [n] conflicts of an item */
    uint32_t *rank;      /* [n] items, most conflicts first */
    uint32_t *set;       /* of the pairs; below by place in it */
    uint32_t *mate, *base, *parent, *queue;
    uint64_t *in_set;
    uint8_t *mark, *in_blossom;
};
void graph_new(struct graph_bound *g, const struct fixed_bound *f, struct pack_arena *arena);
/* One row of conflicts more; 0: all are there. */
int graph_step(struct graph_bound *g, struct pack_meter *m);
/* Items that exclude each other pairwise: a large set, found greedily. */
uint32_t graph_clique(struct graph_bound *g, struct pack_meter *m);
/* Of a set of which no three fit one bin: its size less a greatest matching of pairs that may
 * fit. */
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
/* Goes on; the longest item is there at once. */
int time_parts_run(struct time_parts *t, struct time_bound *out, struct pack_meter *m);

/* ---- bound_columns.c: FIXED, linear programme over patterns ---- */

struct tableau;
struct tableau *columns_new(const struct fixed_bound *f, const struct graph_bound *g,
                            struct pack_arena *arena);
/* Goes on; PACK_DONE: no more to find. *bins grows; `upper`: bins that are enough, stops when
 * met. */
int columns_run(struct tableau *c, uint32_t *bins, uint32_t upper, const struct pack_best *best,
                struct pack_meter *m);

#endif
