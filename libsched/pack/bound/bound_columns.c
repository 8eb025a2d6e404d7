/*
 * bound_columns.c -- the linear programme over patterns (Dantzig and Wolfe): the least number of
 * patterns that cover all items, where a pattern is a set of items that one bin holds. A programme
 * over all cells would be too large, and most cells do not limit the plan. Therefore the programme
 * is solved for a window of few cells, with the items that are active there and the patterns that
 * fit there. Then the cell that the patterns in use overload most is added to the window, as long
 * as there is room. Then the next window follows (after Ratushnyi and Kochetov 2021, who begin with
 * the most loaded times). Each window is a relaxation of the problem, so its bound holds for the
 * problem.
 *
 * Proof of a bound: prices of items, rounded down to integers, and an upper bound z on the value of
 * any pattern at these prices, which the pricing problem computes in integers. Prices / z are then
 * feasible for the dual programme, so the sum of prices / z, rounded up, is a lower bound (Farley
 * 1990), even if the simplex method has not finished. Items that are equal in the window form one
 * row with a demand.
 *
 * The steps are: open a window; pivot; process one candidate of a pricing; grow the window. A
 * pricing with few labels comes first; a pricing with many labels follows only if the first one
 * finds nothing.
 */
#include <string.h>

#include "pack/bound/bound_master.h"
#include "pack/bound/bound_parts.h"
#include "pack/bound/bound_price.h"
#include "pack/bound/bound_sets.h"
#include "base/sort.h"

enum {
    ITEMS_ROOM = 1024,
    ROWS_ROOM = 320,
    COLUMNS_ROOM = 1536,
    COLUMN_ITEMS = 48,
    SINGLE_WINDOWS = 24,
    GROWING_WINDOWS = 4,
    PER_PRICING = 4,
    SET_STEPS = 200000, /* steps of the search over sets in one pricing */
    TABLEAU_NO_ROW = 0xFFFF
};
enum { OPEN, PIVOT, NARROW, WIDE, SETS, GROW, NEXT, DONE };

struct tableau {
    const struct pack_problem *p;
    const struct fixed_bound *fixed;
    const struct graph_bound *graph;
    struct pricer pricer;
    /* search over sets, used in place of labels if pairs of items exclude each other */
    struct sets sets;
    uint32_t set_steps;
    uint32_t *place; /* [n_check] position of a cell in the arrays of `sets` */
    struct master master;
    /* resources whose sums are limited */
    uint32_t resource[LSCHED_PACK_RESOURCES_MAX], n_resources;
    uint32_t room_items, room_rows, room_dims, room_candidates, room_columns;
    /* The next members describe the window. */
    uint32_t *cells; /* positions in p->check, ascending */
    uint32_t n_cells;
    uint32_t *item; /* [n_items] active items; equal items are neighbours */
    uint32_t n_items;
    /* [n_items][dims] demands of each item; a dimension is one resource in one cell */
    int32_t *amount;
    uint32_t *row_item; /* [n_rows + 1] index in `item` of the row's first item */
    uint32_t *demand;   /* [n_rows] number of equal items in each row */
    uint32_t *turn;     /* [n_rows] which of the equal items the next pattern uses */
    uint32_t n_rows;
    /* [p->n_items] row of each item; TABLEAU_NO_ROW if the item is not in the window */
    uint16_t *row_of;
    uint16_t *candidate_row;
    /* The next members hold the patterns, which are the columns of the programme. */
    uint32_t *column_item; /* [columns][COLUMN_ITEMS] items of each pattern */
    uint16_t *column_row;
    uint8_t *column_n;
    uint8_t *column_keep;
    uint32_t n_columns;
    /* The next members hold the state of the search. */
    uint32_t state, window, next_top, pricings;
    uint8_t grows;
    uint8_t *seen;  /* [n_check] true if the cell was in a window */
    double *broken; /* [n_check] how many patterns in use overload the cell */
    int32_t *load;  /* [n_check] load of one pattern */
    /* [n_check] loads of the items in the window, and of all other items */
    int64_t *old_load, *new_load;
    int32_t *dims_load; /* [dims] load of the pattern that is built */
};

static uint32_t bound_columns_least_of(uint64_t a, uint64_t b) {
    return (uint32_t)(a < b ? a : b);
}

struct tableau *columns_new(const struct fixed_bound *f, const struct graph_bound *g,
                            struct pack_arena *arena) {
    const struct pack_problem *p = f->p;
    struct tableau none = {0}, *c = pack_take(arena, 1, sizeof *c), *to = c ? c : &none;
    memset(to, 0, sizeof *to);
    to->p = p;
    to->fixed = f;
    to->graph = g;
    for (uint32_t r = 0; r < p->n_resources; r++)
        if (f->is_hard[r] && f->capacity[r] > 0) to->resource[to->n_resources++] = r;
    to->room_items = bound_columns_least_of(p->n_items, ITEMS_ROOM);
    to->room_rows = bound_columns_least_of(p->n_items, ROWS_ROOM);
    to->room_candidates = bound_columns_least_of(p->n_items, PRICE_CANDIDATES);
    to->room_dims = bound_columns_least_of((uint64_t)p->n_check * to->n_resources, PRICE_DIMS);
    to->state = to->n_resources && p->n_items ? NEXT : DONE;
    uint64_t items = to->room_items, rows = to->room_rows, dims = to->room_dims;
    uint64_t patterns = bound_columns_least_of(8 * rows + 64, COLUMNS_ROOM);
    to->cells = pack_take(arena, dims, sizeof *to->cells);
    to->item = pack_take(arena, items, sizeof *to->item);
    to->amount = pack_take(arena, items * dims, sizeof *to->amount);
    to->row_item = pack_take(arena, items + 1, sizeof *to->row_item);
    to->demand = pack_take(arena, items, sizeof *to->demand);
    to->turn = pack_take(arena, items, sizeof *to->turn);
    to->row_of = pack_take(arena, p->n_items, sizeof *to->row_of);
    to->candidate_row = pack_take(arena, PRICE_CANDIDATES, sizeof *to->candidate_row);
    to->column_item = pack_take(arena, patterns * COLUMN_ITEMS, sizeof *to->column_item);
    to->column_row = pack_take(arena, patterns * COLUMN_ITEMS, sizeof *to->column_row);
    to->column_n = pack_take(arena, patterns, 1);
    to->column_keep = pack_take(arena, patterns, 1);
    to->room_columns = (uint32_t)patterns;
    to->seen = pack_take(arena, p->n_check, 1);
    to->broken = pack_take(arena, p->n_check, sizeof *to->broken);
    to->load = pack_take(arena, p->n_check, sizeof *to->load);
    to->old_load = pack_take(arena, p->n_check, sizeof *to->old_load);
    to->new_load = pack_take(arena, p->n_check, sizeof *to->new_load);
    to->dims_load = pack_take(arena, dims, sizeof *to->dims_load);
    pricer_new(&to->pricer, to->room_candidates, (uint32_t)dims, g->n > 0, arena);
    master_new(&to->master, (uint32_t)rows, arena);
    to->place = pack_take(arena, g->n ? p->n_check : 0, sizeof *to->place);
    if (g->n) sets_new(&to->sets, (uint32_t)rows, p->n_check, to->n_resources, arena);
    return c;
}

/* ---- the window ---- */

static const int32_t *bound_columns_amounts_of(const struct tableau *c, uint32_t k) {
    return c->amount + (uint64_t)k * c->pricer.dims;
}

/* Reads the demands of an item in the window. Returns 0 if the item has none there, or does not fit
 * any bin. */
static int bound_columns_read_amounts(const struct tableau *c, uint32_t i, int32_t *to) {
    const struct pack_problem *p = c->p;
    const struct pack_item *item = &p->items[i];
    int any = 0;
    for (uint32_t s = 0; s < c->n_cells; s++) {
        uint32_t cell = p->check[c->cells[s]];
        int active = item->first_cell <= cell && cell < item->end_cell;
        for (uint32_t k = 0; k < c->n_resources; k++) {
            uint32_t r = c->resource[k];
            int32_t amount = active ? bound_amount(p, item, r, cell) : 0;
            if (amount > c->fixed->capacity[r]) return 0;
            if (amount > 0) any = 1;
            *to++ = amount;
        }
    }
    return any;
}

/* Size of an item: the share of a bin in the dimension where the share is largest; with conflicts,
 * the number of conflicts. */
static int64_t bound_columns_size_of(const struct tableau *c, uint32_t i, const int32_t *amount) {
    int64_t most = 0;
    if (c->pricer.has_excludes) return c->graph->degree[i];
    for (uint32_t d = 0; d < c->pricer.dims; d++) {
        int64_t part = ((int64_t)amount[d] << 20) / c->pricer.capacity[d];
        if (part > most) most = part;
    }
    return most;
}

/* Collects the items that are active in the window. If there are too many items, keeps the items
 * with the most conflicts; without conflicts, where equal items share a row, returns 0. */
static int bound_columns_gather(struct tableau *c) {
    const struct pack_problem *p = c->p;
    uint32_t dims = c->pricer.dims, room = c->room_items;
    /* with conflicts, each item has a row of its own */
    if (c->pricer.has_excludes && room > c->room_rows) room = c->room_rows;
    c->n_items = 0;
    for (uint32_t i = 0; i < p->n_items; i++) {
        c->row_of[i] = TABLEAU_NO_ROW;
        int32_t *to = c->dims_load;
        if (!bound_columns_read_amounts(c, i, to)) continue;
        uint32_t at = c->n_items;
        if (at == room) {
            if (!c->pricer.has_excludes) return 0;
            uint32_t least = 0;
            for (uint32_t k = 1; k < at; k++)
                if (bound_columns_size_of(c, c->item[k], bound_columns_amounts_of(c, k)) <
                    bound_columns_size_of(c, c->item[least], bound_columns_amounts_of(c, least)))
                    least = k;
            if (bound_columns_size_of(c, i, to) <=
                bound_columns_size_of(c, c->item[least], bound_columns_amounts_of(c, least)))
                continue;
            at = least;
        } else {
            c->n_items++;
        }
        c->item[at] = i;
        memcpy(c->amount + (uint64_t)at * dims, to, dims * sizeof *to);
    }
    return c->n_items > 0;
}

static uint32_t first_cell_of(const struct tableau *c, uint32_t k) {
    const int32_t *a = bound_columns_amounts_of(c, k);
    uint32_t d = 0;
    while (a[d] == 0) d++;
    return d / c->n_resources;
}

/* Orders items by first cell, then by descending demands, so that equal items are neighbours. With
 * conflicts, items with more conflicts come first among those with the same first cell, because
 * they leave the least to try. */
static int order_of(const struct tableau *c, uint32_t a, uint32_t b) {
    const int32_t *x = bound_columns_amounts_of(c, a), *y = bound_columns_amounts_of(c, b);
    if (c->pricer.has_excludes) {
        uint32_t first = first_cell_of(c, a), other = first_cell_of(c, b);
        uint32_t more = c->graph->degree[c->item[a]], less = c->graph->degree[c->item[b]];
        if (first != other) return first < other ? -1 : 1;
        if (more != less) return more > less ? -1 : 1;
    }
    for (uint32_t d = 0; d < c->pricer.dims; d++)
        if (x[d] != y[d]) return x[d] > y[d] ? -1 : 1;
    return 0;
}

static void swap_items(struct tableau *c, uint32_t a, uint32_t b) {
    uint32_t dims = c->pricer.dims, i = c->item[a];
    int32_t *x = c->amount + (uint64_t)a * dims, *y = c->amount + (uint64_t)b * dims;
    c->item[a] = c->item[b];
    c->item[b] = i;
    for (uint32_t d = 0; d < dims; d++) {
        int32_t t = x[d];
        x[d] = y[d];
        y[d] = t;
    }
}

/* Equal items compare as equal. Their order in a row decides which of them the next pattern uses,
 * and so influences the search. The heap sort makes that order the same in each run; breaking ties
 * by number would give a different search. */
#define PLACE_BEFORE(c, a, b) (order_of(c, a, b) < 0)
SORT_IN_PLACE(sort_places, uint32_t, const struct tableau *, PLACE_BEFORE)

/* Sorts the items and their amounts. The positions are sorted first; then both lists are permuted
 * in place, cycle by cycle. row_item, which is not in use yet, holds the positions. */
static void sort_tableau(struct tableau *c) {
    uint32_t *from = c->row_item;
    for (uint32_t k = 0; k < c->n_items; k++) from[k] = k;
    sort_places(c, from, c->n_items);
    for (uint32_t k = 0; k < c->n_items; k++) {
        uint32_t at = k;
        for (uint32_t next; (next = from[at]) != k; at = next) {
            swap_items(c, at, next);
            from[at] = at;
        }
        from[at] = at;
    }
}

/* Makes one row for each group of equal items. Returns 0 if there are too many rows. */
static int make_rows(struct tableau *c) {
    sort_tableau(c);
    c->n_rows = 0;
    for (uint32_t k = 0; k < c->n_items; k++) {
        if (k == 0 || c->pricer.has_excludes || order_of(c, k - 1, k) != 0) {
            if (c->n_rows == c->room_rows) return 0;
            c->row_item[c->n_rows] = k;
            c->demand[c->n_rows] = 0;
            c->turn[c->n_rows++] = 0;
        }
        c->demand[c->n_rows - 1]++;
        c->row_of[c->item[k]] = (uint16_t)(c->n_rows - 1);
    }
    c->row_item[c->n_rows] = c->n_items;
    return 1;
}

/* Makes candidates for the pricing: as many of each row as one bin can hold. Returns 0 if there are
 * too many candidates. */
static int make_candidates(struct tableau *c) {
    struct pricer *pr = &c->pricer;
    uint32_t n = 0, dims = pr->dims;
    for (uint32_t t = 0; t < c->n_rows; t++) {
        const int32_t *a = bound_columns_amounts_of(c, c->row_item[t]);
        uint32_t first = 0, copies = c->demand[t];
        while (a[first] == 0) first++;
        for (uint32_t d = first; d < dims; d++)
            if (a[d] > 0 && (uint32_t)(pr->capacity[d] / a[d]) < copies)
                copies = (uint32_t)(pr->capacity[d] / a[d]);
        if (n + copies > c->room_candidates) return 0;
        for (; copies > 0; copies--, n++) {
            memcpy(pr->amount + (uint64_t)n * dims, a, dims * sizeof *a);
            pr->first[n] = first - first % c->n_resources;
            c->candidate_row[n] = (uint16_t)t;
        }
    }
    pr->n = n;
    pricer_open(pr);
    for (uint32_t i = 0; pr->has_excludes && i < n; i++) {
        uint64_t *set = pr->excludes + (uint64_t)i * pr->words;
        memset(set, 0, pr->words * sizeof *set);
        for (uint32_t j = 0; j < n; j++)
            if (graph_excludes(c->graph, c->item[c->row_item[c->candidate_row[i]]],
                               c->item[c->row_item[c->candidate_row[j]]]))
                set[j / 64] |= UINT64_C(1) << j % 64;
    }
    return 1;
}

/* Returns the position of a cell in p->check. */
static uint32_t check_of(const struct pack_problem *p, uint32_t cell) {
    uint32_t low = 0, high = p->n_check - 1;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (p->check[mid] < cell)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Copies the candidates to `sets`, with the demands in all cells. The cells with most load come
 * first, because a misfit shows there soonest. */
static void fill_sets(struct tableau *c) {
    const struct pack_problem *p = c->p;
    const struct fixed_bound *f = c->fixed;
    uint32_t *place = c->place, n = 0;
    for (uint32_t at = 0; at < p->n_check; at++) place[at] = UINT32_MAX;
    for (uint32_t k = 0; k < f->n_top; k++) place[check_of(p, f->top[k])] = n++;
    for (uint32_t at = 0; at < p->n_check; at++)
        if (place[at] == UINT32_MAX) place[at] = n++;
    struct sets *s = &c->sets;
    s->n = c->pricer.n;
    s->value = c->pricer.value;
    s->excludes = c->pricer.excludes;
    for (uint32_t k = 0; k < c->n_resources; k++)
        s->capacity[k] = c->fixed->capacity[c->resource[k]];
    memset(s->amount, 0, (uint64_t)s->n * s->dims * sizeof *s->amount);
    for (uint32_t i = 0; i < s->n; i++) {
        const struct pack_item *item = &p->items[c->item[c->row_item[c->candidate_row[i]]]];
        for (uint32_t k = 0; k < c->n_resources; k++)
            for (uint32_t at = item->first_check; at < item->end_check; at++)
                s->amount[(uint64_t)i * s->dims + k * s->cells + place[at]] =
                    bound_amount(p, item, c->resource[k], p->check[at]);
    }
}

/* ---- patterns ---- */

/* Writes a new column at `to`, with the given items in order, without the items that do not fit in
 * addition to the earlier ones. Returns the number of its items. */
static uint32_t put_column(struct tableau *c, uint32_t to, const uint32_t *items, uint32_t n) {
    const struct pricer *pr = &c->pricer;
    uint32_t *list = c->column_item + (uint64_t)to * COLUMN_ITEMS, kept = 0;
    uint16_t *rows = c->column_row + (uint64_t)to * COLUMN_ITEMS;
    memset(c->dims_load, 0, pr->dims * sizeof *c->dims_load);
    for (uint32_t k = 0; k < n && kept < COLUMN_ITEMS; k++) {
        uint32_t i = items[k], row = c->row_of[i];
        if (row == TABLEAU_NO_ROW) continue;
        const int32_t *a = bound_columns_amounts_of(c, c->row_item[row]);
        uint32_t d = 0;
        while (d < pr->dims && c->dims_load[d] + a[d] <= pr->capacity[d]) d++;
        for (uint32_t j = 0; pr->has_excludes && d == pr->dims && j < kept; j++)
            if (graph_excludes(c->graph, i, list[j])) d = 0;
        if (d < pr->dims) continue;
        for (d = 0; d < pr->dims; d++) c->dims_load[d] += a[d];
        list[kept] = i;
        rows[kept++] = (uint16_t)row;
    }
    c->column_n[to] = (uint8_t)kept;
    return kept;
}

/* Makes room for n more columns: if there is too little, removes all columns that are not in the
 * basis. */
static void bound_columns_make_room(struct tableau *c, uint32_t n) {
    if (c->n_columns + n <= c->room_columns) return;
    memset(c->column_keep, 0, c->n_columns);
    for (uint32_t i = 0; i < c->master.m; i++)
        if (!(c->master.basis[i] & MASTER_SLACK)) c->column_keep[c->master.basis[i]] = 1;
    uint32_t to = 0;
    for (uint32_t k = 0; k < c->n_columns; k++) {
        uint64_t from = (uint64_t)k * COLUMN_ITEMS, at = (uint64_t)to * COLUMN_ITEMS;
        if (!c->column_keep[k]) continue;
        for (uint32_t i = 0; i < c->master.m; i++)
            if (c->master.basis[i] == k) c->master.basis[i] = to;
        memmove(c->column_item + at, c->column_item + from, COLUMN_ITEMS * sizeof *c->column_item);
        memmove(c->column_row + at, c->column_row + from, COLUMN_ITEMS * sizeof *c->column_row);
        c->column_n[to++] = c->column_n[k];
    }
    c->n_columns = to;
}

/* Adds the patterns that the bins of the best plan form in the window. */
static void columns_of_plan(struct tableau *c, const struct pack_best *best) {
    uint32_t items[COLUMN_ITEMS];
    if (!best || !best->has_plan) return;
    for (uint32_t k = 0; k < c->n_items; k++) {
        uint32_t bin = best->spots[c->p->items[c->item[k]].first_task].bin, n = 0, j = 0;
        if (bin == PACK_NO_BIN) continue;
        while (best->spots[c->p->items[c->item[j]].first_task].bin != bin) j++;
        if (j < k) continue; /* the pattern of this bin was added at the first item of the bin */
        for (; j < c->n_items && n < COLUMN_ITEMS; j++)
            if (best->spots[c->p->items[c->item[j]].first_task].bin == bin) items[n++] = c->item[j];
        if (c->n_columns < c->room_columns && put_column(c, c->n_columns, items, n) > 1)
            c->n_columns++;
    }
}

/* Starts the programme with single items, with the patterns of the previous window as far as they
 * fit the current window (moved behind the single items), and with the patterns of the best
 * plan. */
static void open_master(struct tableau *c, const struct pack_best *best) {
    uint32_t old = c->n_columns, singles = c->n_rows;
    uint32_t keep = old + singles <= c->room_columns ? old : c->room_columns - singles;
    memmove(c->column_item + (uint64_t)singles * COLUMN_ITEMS,
            c->column_item + (uint64_t)(old - keep) * COLUMN_ITEMS,
            (uint64_t)keep * COLUMN_ITEMS * sizeof *c->column_item);
    memmove(c->column_n + singles, c->column_n + (old - keep), keep);
    for (uint32_t t = 0; t < singles; t++) put_column(c, t, &c->item[c->row_item[t]], 1);
    c->n_columns = singles;
    for (uint32_t k = 0; k < keep; k++) {
        uint32_t items[COLUMN_ITEMS], n = c->column_n[singles + k];
        memcpy(items, c->column_item + (uint64_t)(singles + k) * COLUMN_ITEMS, n * sizeof *items);
        if (put_column(c, c->n_columns, items, n) > 1) c->n_columns++;
    }
    columns_of_plan(c, best);
    master_open(&c->master, c->n_rows, c->demand, 0);
}

static int open_window(struct tableau *c, const struct pack_best *best, struct pack_meter *m) {
    struct pricer *pr = &c->pricer;
    pr->dims = c->n_cells * c->n_resources;
    for (uint32_t d = 0; d < pr->dims; d++)
        pr->capacity[d] = c->fixed->capacity[c->resource[d % c->n_resources]];
    m->done += 16 + c->p->n_items / 4 + (uint64_t)c->room_items * pr->dims / 16;
    if (!bound_columns_gather(c) || !make_rows(c) || !make_candidates(c)) return 0;
    if (c->sets.room_n) fill_sets(c);
    open_master(c, best);
    c->pricings = 0;
    return 1;
}

/* ---- master and pricing ---- */

/* Makes one pivot. Returns 0 if the restricted programme is solved. */
static int bound_columns_pivot(struct tableau *c, struct pack_meter *m) {
    struct master *s = &c->master;
    uint32_t best = c->n_columns;
    double least = -1e-7;
    m->done += 1 + (uint64_t)s->m * s->m / 48 + c->n_columns / 4;
    if (master_relax(s)) return 1;
    for (uint32_t k = 0; k < c->n_columns; k++) {
        double reduced =
            master_reduced(s, c->column_row + (uint64_t)k * COLUMN_ITEMS, c->column_n[k]);
        if (reduced >= least) continue;
        least = reduced;
        best = k;
    }
    return best < c->n_columns &&
           master_enter(s, best, c->column_row + (uint64_t)best * COLUMN_ITEMS, c->column_n[best]);
}

static void set_values(struct tableau *c) {
    for (uint32_t i = 0; i < c->pricer.n; i++) {
        double price = c->master.price[c->candidate_row[i]];
        price = price < 0 ? 0 : price > 1 ? 1 : price;
        c->pricer.value[i] = (int64_t)(price * (double)PRICE_ONE);
    }
    c->pricings++;
}

static void start_pricing(struct tableau *c, uint32_t beam, struct pack_meter *m) {
    set_values(c);
    pricer_start(&c->pricer, PRICE_ONE, beam, m);
}

static int64_t greatest_worth(const struct pricer *pr) {
    int64_t most = PRICE_ONE;
    for (uint32_t k = 0; k < pr->n_list; k++)
        if (pr->worth[pr->list[k]] > most) most = pr->worth[pr->list[k]];
    return most;
}

/* Lower bound on the bins by Farley: prices / z are feasible for the dual programme if no pattern
 * is worth more than z. */
static uint32_t bound_of_prices(const struct tableau *c, int64_t z) {
    int64_t sum = 0;
    for (uint32_t i = 0, row = UINT32_MAX; i < c->pricer.n; i++) {
        if (c->candidate_row[i] == row) continue;
        row = c->candidate_row[i];
        sum += c->pricer.value[i] * c->demand[row];
    }
    return (uint32_t)((sum + z - 1) / z);
}

static void add_column(struct tableau *c, uint32_t slot) {
    const struct pricer *pr = &c->pricer;
    const uint64_t *set = pr->members + (uint64_t)slot * pr->words;
    uint32_t items[COLUMN_ITEMS], n = 0;
    for (uint32_t i = 0; i < pr->n && n < COLUMN_ITEMS; i++) {
        if (!(set[i / 64] >> i % 64 & 1)) continue;
        uint32_t t = c->candidate_row[i];
        items[n++] = c->item[c->row_item[t] + c->turn[t]++ % c->demand[t]];
    }
    if (put_column(c, c->n_columns, items, n) > 0) c->n_columns++;
}

/* Adds the best patterns that the pricing found, such that no two of them share a candidate.
 * Returns the number of patterns. */
static uint32_t take_columns(struct tableau *c, struct pack_meter *m) {
    const struct pricer *pr = &c->pricer;
    uint64_t taken[PRICE_CANDIDATES / 64] = {0};
    uint32_t n = 0;
    bound_columns_make_room(c, PER_PRICING);
    for (; n < PER_PRICING; n++) {
        uint32_t best = UINT32_MAX;
        int64_t most = PRICE_ONE + (PRICE_ONE >> 22);
        for (uint32_t k = 0; k < pr->n_list; k++) {
            uint32_t slot = pr->list[k];
            const uint64_t *set = pr->members + (uint64_t)slot * pr->words;
            uint64_t both = 0;
            if (pr->worth[slot] <= most) continue;
            for (uint32_t w = 0; w < pr->words; w++) both |= set[w] & taken[w];
            if (both) continue;
            best = slot;
            most = pr->worth[slot];
        }
        if (best == UINT32_MAX) break;
        for (uint32_t w = 0; w < pr->words; w++)
            taken[w] |= pr->members[(uint64_t)best * pr->words + w];
        add_column(c, best);
    }
    m->done += pr->n_list / 4;
    return n;
}

/* ---- growth ---- */

/* Computes for each cell how many patterns in use overload the cell, weighted by their values in
 * the solution. */
static void bound_columns_find_broken(struct tableau *c, struct pack_meter *m) {
    const struct pack_problem *p = c->p;
    for (uint32_t s = 0; s < p->n_check; s++) c->broken[s] = 0;
    for (uint32_t b = 0; b < c->master.m; b++) {
        if ((c->master.basis[b] & MASTER_SLACK) || c->master.x[b] < 1e-4) continue;
        const uint32_t *list = c->column_item + (uint64_t)c->master.basis[b] * COLUMN_ITEMS;
        uint32_t n = c->column_n[c->master.basis[b]];
        for (uint32_t k = 0; k < c->n_resources; k++) {
            uint32_t r = c->resource[k];
            memset(c->load, 0, p->n_check * sizeof *c->load);
            for (uint32_t j = 0; j < n; j++) {
                const struct pack_item *item = &p->items[list[j]];
                for (uint32_t s = item->first_check; s < item->end_check; s++) {
                    c->load[s] += bound_amount(p, item, r, p->check[s]);
                    if (c->load[s] <= c->fixed->capacity[r]) continue;
                    c->broken[s] += c->master.x[b];
                    c->load[s] = INT32_MIN / 2; /* count each pattern once per cell */
                }
            }
            m->done += (uint64_t)n * p->n_check / 16;
        }
    }
}

static void add_cell(struct tableau *c, uint32_t check) {
    uint32_t at = c->n_cells++;
    for (; at > 0 && c->cells[at - 1] > check; at--) c->cells[at] = c->cells[at - 1];
    c->cells[at] = check;
    c->seen[check] = 1;
}

/* Computes for each cell the load of the items in the window and the load of the other items, in
 * shares of a bin. */
static void bound_columns_find_loads(struct tableau *c, struct pack_meter *m) {
    const struct pack_problem *p = c->p;
    memset(c->old_load, 0, p->n_check * sizeof *c->old_load);
    memset(c->new_load, 0, p->n_check * sizeof *c->new_load);
    for (uint32_t i = 0; i < p->n_items; i++) {
        const struct pack_item *item = &p->items[i];
        int64_t *load = c->row_of[i] == TABLEAU_NO_ROW ? c->new_load : c->old_load;
        for (uint32_t k = 0; k < c->n_resources; k++) {
            uint32_t r = c->resource[k];
            for (uint32_t s = item->first_check; s < item->end_check; s++)
                load[s] +=
                    ((int64_t)bound_amount(p, item, r, p->check[s]) << 12) / c->fixed->capacity[r];
        }
        m->done += (item->end_check - item->first_check) * c->n_resources / 8;
    }
}

/* Returns the cell that limits plans most: a cell that patterns in use overload; otherwise a cell
 * with a high load, to which both items of the window and other items contribute, because the other
 * items then compete with patterns of the window. UINT32_MAX if there is none. */
static uint32_t next_cell(const struct tableau *c) {
    uint32_t broken = 0, best = UINT32_MAX;
    int64_t most = 0;
    for (uint32_t s = 1; s < c->p->n_check; s++)
        if (c->broken[s] > c->broken[broken]) broken = s;
    if (c->broken[broken] > 0.01) return broken;
    for (uint32_t s = 0; s < c->p->n_check; s++) {
        int64_t old = c->old_load[s], other = c->new_load[s];
        int64_t score = old + other + (old < other ? old : other);
        if (c->broken[s] < 0 || other == 0 || score <= most) continue;
        most = score;
        best = s;
    }
    return best;
}

static int bound_columns_grow(struct tableau *c, struct pack_meter *m) {
    uint32_t added = 0, most = 1 + c->n_cells / 4;
    bound_columns_find_broken(c, m);
    bound_columns_find_loads(c, m);
    for (uint32_t s = 0; s < c->n_cells; s++) c->broken[c->cells[s]] = -1;
    for (; added < most && (c->n_cells + 1) * c->n_resources <= c->room_dims; added++) {
        uint32_t cell = next_cell(c);
        if (cell == UINT32_MAX) break;
        c->broken[cell] = -1;
        add_cell(c, cell);
    }
    return added > 0;
}

/* Opens the next window. The first windows are single cells, those with the greatest needs. The
 * later windows begin with the same cells and grow. A growing window begins with a cell that was in
 * no earlier growing window. */
static int next_window(struct tableau *c, uint32_t bins) {
    const struct fixed_bound *f = c->fixed;
    c->n_cells = 0;
    if (c->n_resources > c->room_dims) return 0;
    if (!c->grows && (c->next_top == f->n_top || c->window == SINGLE_WINDOWS || c->graph->n)) {
        c->grows = 1;
        c->next_top = c->window = 0;
        memset(c->seen, 0, c->p->n_check);
    }
    for (; c->next_top < f->n_top && c->window < (c->grows ? GROWING_WINDOWS : SINGLE_WINDOWS);
         c->next_top++) {
        uint32_t cell = f->top[c->next_top], check = check_of(c->p, cell);
        if (c->seen[check] || f->active[cell] <= bins) continue;
        c->window++;
        add_cell(c, check);
        return 1;
    }
    return 0;
}

/* ---- steps ---- */

static void bound_columns_raise_bins(uint32_t *bins, uint32_t bound) {
    if (bound > *bins) *bins = bound;
}

/* Adds the patterns that the search over sets found. Returns their number. */
static uint32_t take_sets(struct tableau *c) {
    const struct sets *s = &c->sets;
    uint32_t n = s->n_found < SETS_FOUND ? s->n_found : SETS_FOUND;
    bound_columns_make_room(c, SETS_FOUND);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t items[COLUMN_ITEMS];
        for (uint32_t j = 0; j < s->found_n[k]; j++)
            items[j] = c->item[c->row_item[c->candidate_row[s->found[k * SETS_DEPTH + j]]]];
        if (put_column(c, c->n_columns, items, s->found_n[k]) > 0) c->n_columns++;
    }
    return n;
}

static uint32_t set_step(struct tableau *c, uint32_t *bins, struct pack_meter *m) {
    int more = sets_step(&c->sets, m);
    if (more && c->set_steps++ < SET_STEPS) return SETS;
    if (!more) bound_columns_raise_bins(bins, bound_of_prices(c, c->sets.best));
    return take_sets(c) > 0 && c->pricings < 8 * c->n_rows + 200 ? PIVOT : DONE;
}

static uint32_t after_pricing(struct tableau *c, uint32_t *bins, struct pack_meter *m) {
    if (c->state == WIDE) {
        int64_t z = greatest_worth(&c->pricer);
        bound_columns_raise_bins(bins, bound_of_prices(c, c->pricer.over > z ? c->pricer.over : z));
    }
    uint32_t found = take_columns(c, m);
    if (found > 0) return c->pricings < 4 * c->n_rows + 200 ? PIVOT : NEXT;
    if (c->state == NARROW) {
        start_pricing(c, PRICE_LABELS, m);
        return WIDE;
    }
    /* If the pricing dropped sets of high value, a larger window would drop more, so the next
     * window follows. With conflicts a larger window leaves fewer sets to try, so the window
     * grows. */
    return c->pricer.over > PRICE_ONE + (PRICE_ONE >> 6) && !c->pricer.has_excludes ? NEXT : GROW;
}

static uint32_t bound_columns_step(struct tableau *c, uint32_t *bins, const struct pack_best *best,
                                   struct pack_meter *m) {
    switch (c->state) {
    case NEXT: return next_window(c, *bins) ? OPEN : DONE;
    case OPEN: return open_window(c, best, m) ? PIVOT : NEXT;
    case PIVOT:
        if (bound_columns_pivot(c, m)) return PIVOT;
        /* the value of the programme is not above the known bound, and more patterns only lower
         * it */
        if (c->master.value <= *bins + 1e-3) return c->sets.room_n ? DONE : GROW;
        if (c->sets.room_n) {
            set_values(c);
            sets_start(&c->sets, PRICE_ONE + (PRICE_ONE >> 22), m);
            c->set_steps = 0;
            return SETS;
        }
        start_pricing(c, PRICE_NARROW, m);
        return NARROW;
    case NARROW:
    case WIDE: return pricer_step(&c->pricer, m) ? c->state : after_pricing(c, bins, m);
    case SETS: return set_step(c, bins, m);
    case GROW: return c->grows && bound_columns_grow(c, m) ? OPEN : NEXT;
    default: return DONE;
    }
}

int columns_run(struct tableau *c, uint32_t *bins, uint32_t upper, const struct pack_best *best,
                struct pack_meter *m) {
    while (c->state != DONE && *bins < upper) {
        if (pack_meter_spent(m)) return PACK_MORE;
        c->state = bound_columns_step(c, bins, best, m);
    }
    return PACK_DONE;
}
