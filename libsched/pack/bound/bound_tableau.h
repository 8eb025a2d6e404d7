/*
 * bound_tableau.h -- the linear programme of bound_columns.h for one window: the cells of the
 * window, the items that are active there, one row for each group of equal items, and the patterns.
 *
 * A window is a set of cells. tableau_open reads the items of the window. bound_columns.c makes and
 * changes the patterns. Cost of tableau_open: items x dimensions, and a sort.
 */
#ifndef LIBSCHED_PACK_BOUND_TABLEAU_H
#define LIBSCHED_PACK_BOUND_TABLEAU_H

#include "pack/bound/bound_graph.h"
#include "pack/bound/bound_master.h"
#include "pack/bound/bound_price.h"
#include "pack/bound/bound_sets.h"

enum {
    ITEMS_ROOM = 1024,
    ROWS_ROOM = 320,
    COLUMNS_ROOM = 1536,
    COLUMN_ITEMS = 48,
    TABLEAU_NO_ROW = 0xFFFF
};

struct tableau {
    const struct pack_problem *p;
    const struct fixed_bound *fixed;
    const struct graph_bound *graph;
    struct pricer pricer;
    /* search over sets, used instead of the pricer's labels if pairs of items exclude each other */
    struct sets sets;
    uint32_t set_steps;
    uint32_t *place; /* [n_check] index of each cell in the arrays of `sets` */
    struct master master;
    /* list of the resources whose sum of demands is limited */
    uint32_t resource[LSCHED_PACK_RESOURCES_MAX], n_resources;
    uint32_t room_items, room_rows, room_dims, room_candidates, room_columns;
    /* The members from here on describe the window. */
    uint32_t *cells; /* cells of the window, as ascending indices in p->check */
    uint32_t n_cells;
    uint32_t *item; /* [n_items] items that are active in the window; equal items are neighbours */
    uint32_t n_items;
    /* [n_items][dims] demands of each item; a dimension is one resource in one cell */
    int32_t *amount;
    uint32_t *row_item; /* [n_rows + 1] index in `item` of the row's first item */
    uint32_t *demand;   /* [n_rows] number of equal items in each row */
    /* [n_rows] counter that selects which of the row's equal items the next pattern uses */
    uint32_t *turn;
    uint32_t n_rows;
    /* [p->n_items] row of each item; TABLEAU_NO_ROW if the item is not in the window */
    uint16_t *row_of;
    uint16_t *candidate_row;
    /* The members from here on hold the patterns, which are the columns of the programme. */
    uint32_t *column_item; /* [columns][COLUMN_ITEMS] items of each pattern */
    uint16_t *column_row;
    uint8_t *column_n;
    uint8_t *column_keep;
    uint32_t n_columns;
    /* The members from here on hold the state of the search. */
    uint32_t state, window, next_top, pricings;
    uint8_t grows;
    /* [n_check] true if the cell was in a window of the same kind (single cell or growing) */
    uint8_t *seen;
    double *broken; /* [n_check] sum of the values of the patterns that overload the cell */
    int32_t *load;  /* [n_check] work space: load of one pattern */
    /* [n_check] `old_load` is the load of the items in the window; `new_load` is the load of all
     * other items */
    int64_t *old_load, *new_load;
    int32_t *dims_load; /* [dims] work space: load of the pattern that is being made */
};

/* Returns the demands of item k of the window, by dimension. */
static inline const int32_t *tableau_amounts(const struct tableau *c, uint32_t k) {
    return c->amount + (uint64_t)k * c->pricer.dims;
}

/* Reads the items that are active in the window, and makes rows and candidates from them. Returns 0
 * if there are no items, or too many items, rows or candidates. */
int tableau_open(struct tableau *c);
void tableau_add_cell(struct tableau *c, uint32_t check);
/* Returns the index of a cell in p->check. */
uint32_t tableau_check_of(const struct pack_problem *p, uint32_t cell);

#endif
