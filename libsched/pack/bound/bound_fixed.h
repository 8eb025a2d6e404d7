/*
 * bound_fixed.h -- lower bounds of FIXED problems that look at one cell at a time. The first bound
 * divides the load of each resource by the greatest capacity of a class. The second one uses dual
 * feasible functions of the demands of the active items. The number of bins that each cell needs is
 * kept, because the bounds of the price of hours and of the price of switches are computed from the
 * needs of all cells.
 *
 * Cost of the loads: for each resource one pass over items and cells, and over the cells of
 * profiles. Cost of the dual feasible functions: the number of active items, for each cell. The
 * cells that need the most bins come first. Each pair of a cell and a resource is a step of its
 * own.
 *
 * Open prices: every plan uses at least as many bins as the greatest need of a cell, at the lowest
 * prices; and it buys at least the capacity of the peak load, at the lowest price per unit. The
 * greater amount is the bound. Hours: the same two amounts are compared in each cell. Switches:
 * each bin that is on in a cell has an active item. Therefore the number of bins that are on is
 * between the cell's need and its number of active items. The number of switches is least if the
 * number of bins that are on rises only where the need requires it, and falls only where there are
 * too few items.
 */
#ifndef LIBSCHED_PACK_BOUND_FIXED_H
#define LIBSCHED_PACK_BOUND_FIXED_H

#include "pack/problem/problem.h"

enum { BOUND_TOP_CELLS = 64, BOUND_SORTED_CLASSES = 64 };

struct fixed_bound {
    const struct pack_problem *p;
    int32_t capacity[LSCHED_PACK_RESOURCES_MAX]; /* greatest capacity of a bin, over all classes */
    /* [n_resources] true if the sum of demands is limited: the resource is hard, or soft with
     * z_milli above 0 */
    uint8_t is_hard[LSCHED_PACK_RESOURCES_MAX];
    int64_t *load; /* [n_cells + 1] load of the resource that is processed */
    /* [n_cells] lower bound of the price per hour of the bins that are on, from the load alone */
    int64_t *rate;
    uint32_t *need;   /* [n_cells] lower bound of the number of bins that the cell needs */
    uint32_t *active; /* [n_cells] number of active items */
    uint32_t *order;  /* [n_items] work space: heap of items by weight per amount */
    uint32_t *top;    /* [n_top] cells that need the most bins, in descending order of need */
    int32_t *sizes;   /* [n_items] work space: demands of the active items of a cell */
    uint32_t n_top;
    uint32_t resource, at; /* resource and index of the cell for the next step */
    /* `bins` is the greatest value in `need`; `bins_by` is the kind of bound that found it
     * (LSCHED_PACK_BY_*) */
    uint32_t bins, bins_by;
    uint8_t has_rates;
    int64_t left_out;   /* lower bound of the weight that must be left out */
    int64_t open_price; /* lower bound of the sum of the open prices, from the load alone */
};
void fixed_new(struct fixed_bound *f, const struct pack_problem *p, struct pack_arena *arena);
/* Computes the loads of all cells, and the bounds that follow from them. The caller must call it
 * before fixed_step and fixed_price. */
void fixed_loads(struct fixed_bound *f, struct pack_meter *m);
/* Computes dual feasible functions for one more pair of a cell and a resource. Returns 0 if no pair
 * remains. */
int fixed_step(struct fixed_bound *f, struct pack_meter *m);
/* Returns a lower bound of the price of every plan that leaves nothing out and uses at least `bins`
 * bins. */
int64_t fixed_price(const struct fixed_bound *f, uint32_t bins);
int64_t fixed_end(const struct pack_problem *p);

/* Returns an item's demand of a resource in a cell. The item must be active in the cell. */
static inline int32_t bound_amount(const struct pack_problem *p, const struct pack_item *item,
                                   uint32_t resource, uint32_t cell) {
    const struct pack_config *c = &p->configs[item->first_config];
    uint64_t at =
        c->is_profile ? (uint64_t)resource * c->n_span + (cell - item->first_cell) : resource;
    return p->amounts[c->amounts + at];
}
/* Returns the sum of the open prices of the `bins` cheapest bins. */
int64_t bound_open_price(const struct pack_problem *p, uint32_t bins);

#endif
