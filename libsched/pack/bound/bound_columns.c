/* bound_columns.c -- see bound_columns.h. */
#include "pack/bound/bound_columns.h"

#include <string.h>

#include "pack/bound/bound_tableau.h"

enum {
    SINGLE_WINDOWS = 24,
    GROWING_WINDOWS = 4,
    PER_PRICING = 4,
    SET_STEPS = 200000 /* greatest number of steps of the search over sets in one pricing */
};
enum { OPEN, PIVOT, NARROW, WIDE, SETS, GROW, NEXT, DONE };

static uint32_t columns_least_of(uint64_t a, uint64_t b) {
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
    to->room_items = columns_least_of(p->n_items, ITEMS_ROOM);
    to->room_rows = columns_least_of(p->n_items, ROWS_ROOM);
    to->room_candidates = columns_least_of(p->n_items, PRICE_CANDIDATES);
    to->room_dims = columns_least_of((uint64_t)p->n_check * to->n_resources, PRICE_DIMS);
    to->state = to->n_resources && p->n_items ? NEXT : DONE;
    uint64_t items = to->room_items, rows = to->room_rows, dims = to->room_dims;
    uint64_t patterns = columns_least_of(8 * rows + 64, COLUMNS_ROOM);
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

/* ---- patterns ---- */

/* Writes a pattern as column `to`. The pattern takes the n given items one after another and skips
 * each item that does not fit together with the items taken before. Returns the number of items of
 * the pattern. */
static uint32_t put_column(struct tableau *c, uint32_t to, const uint32_t *items, uint32_t n) {
    const struct pricer *pr = &c->pricer;
    uint32_t *list = c->column_item + (uint64_t)to * COLUMN_ITEMS, kept = 0;
    uint16_t *rows = c->column_row + (uint64_t)to * COLUMN_ITEMS;
    memset(c->dims_load, 0, pr->dims * sizeof *c->dims_load);
    for (uint32_t k = 0; k < n && kept < COLUMN_ITEMS; k++) {
        uint32_t i = items[k], row = c->row_of[i];
        if (row == TABLEAU_NO_ROW) continue;
        const int32_t *a = tableau_amounts(c, c->row_item[row]);
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

/* Makes room for n more columns. If there is too little room, removes all columns that are not in
 * the basis. */
static void columns_make_room(struct tableau *c, uint32_t n) {
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

/* Adds one pattern for each bin of the best plan: the bin's items that are in the window. */
static void columns_of_plan(struct tableau *c, const struct pack_best *best) {
    uint32_t items[COLUMN_ITEMS];
    if (!best || !best->has_plan) return;
    for (uint32_t k = 0; k < c->n_items; k++) {
        uint32_t bin = best->spots[c->p->items[c->item[k]].first_task].bin, n = 0, j = 0;
        if (bin == PACK_NO_BIN) continue;
        while (best->spots[c->p->items[c->item[j]].first_task].bin != bin) j++;
        /* the pattern of this bin was added when k was the first item of the bin */
        if (j < k) continue;
        for (; j < c->n_items && n < COLUMN_ITEMS; j++)
            if (best->spots[c->p->items[c->item[j]].first_task].bin == bin) items[n++] = c->item[j];
        if (c->n_columns < c->room_columns && put_column(c, c->n_columns, items, n) > 1)
            c->n_columns++;
    }
}

/* Starts the programme with three kinds of patterns: one pattern for each row with a single item;
 * the patterns of the previous window, reduced to what fits in the current window; and the patterns
 * of the best plan. */
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
    if (!tableau_open(c)) return 0;
    open_master(c, best);
    c->pricings = 0;
    return 1;
}

/* ---- master and pricing ---- */

/* Makes one pivot of the simplex method. Returns 0 if the programme with the present patterns is
 * solved. */
static int pivot(struct tableau *c, struct pack_meter *m) {
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

/* Returns Farley's lower bound of the number of bins. If no pattern has a value above z, the prices
 * divided by z are feasible for the dual programme; therefore their sum is a lower bound. */
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

/* Adds the patterns of greatest value that the pricing found, but no two patterns with a common
 * candidate. Returns the number of added patterns. */
static uint32_t take_columns(struct tableau *c, struct pack_meter *m) {
    const struct pricer *pr = &c->pricer;
    uint64_t taken[PRICE_CANDIDATES / 64] = {0};
    uint32_t n = 0;
    columns_make_room(c, PER_PRICING);
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

/* Computes, for each cell, the sum of the solution's values of the patterns that overload the
 * cell. */
static void columns_find_broken(struct tableau *c, struct pack_meter *m) {
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
                    c->load[s] = INT32_MIN / 2; /* makes each pattern count only once per cell */
                }
            }
            m->done += (uint64_t)n * p->n_check / 16;
        }
    }
}

/* Computes, for each cell, the load of the window's items and the load of all other items, in 2^-12
 * of a bin. */
static void find_loads(struct tableau *c, struct pack_meter *m) {
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

/* Returns the cell to add to the window: the cell that patterns in use overload most. If patterns
 * in use overload no cell, returns a cell with a high load from items of the window and from other
 * items, because these other items then compete with the window's patterns. Returns UINT32_MAX if
 * there is no such cell. */
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

static int columns_grow(struct tableau *c, struct pack_meter *m) {
    uint32_t added = 0, most = 1 + c->n_cells / 4;
    columns_find_broken(c, m);
    find_loads(c, m);
    for (uint32_t s = 0; s < c->n_cells; s++) c->broken[c->cells[s]] = -1;
    for (; added < most && (c->n_cells + 1) * c->n_resources <= c->room_dims; added++) {
        uint32_t cell = next_cell(c);
        if (cell == UINT32_MAX) break;
        c->broken[cell] = -1;
        tableau_add_cell(c, cell);
    }
    return added > 0;
}

/* Opens the next window. Each of the first windows is a single cell, in descending order of the
 * cells' needs. Each later window begins with one of these cells and grows; cells that were in an
 * earlier growing window are skipped. Returns 0 if no window remains. */
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
        uint32_t cell = f->top[c->next_top], check = tableau_check_of(c->p, cell);
        if (c->seen[check] || f->active[cell] <= bins) continue;
        c->window++;
        tableau_add_cell(c, check);
        return 1;
    }
    return 0;
}

/* ---- steps ---- */

static void raise_bins(uint32_t *bins, uint32_t bound) {
    if (bound > *bins) *bins = bound;
}

/* Adds the patterns that the search over sets (bound_sets.h) found. Returns the number of these
 * patterns. */
static uint32_t take_sets(struct tableau *c) {
    const struct sets *s = &c->sets;
    uint32_t n = s->n_found < SETS_FOUND ? s->n_found : SETS_FOUND;
    columns_make_room(c, SETS_FOUND);
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
    if (!more) raise_bins(bins, bound_of_prices(c, c->sets.best));
    return take_sets(c) > 0 && c->pricings < 8 * c->n_rows + 200 ? PIVOT : DONE;
}

static uint32_t after_pricing(struct tableau *c, uint32_t *bins, struct pack_meter *m) {
    if (c->state == WIDE) {
        int64_t z = greatest_worth(&c->pricer);
        raise_bins(bins, bound_of_prices(c, c->pricer.over > z ? c->pricer.over : z));
    }
    uint32_t found = take_columns(c, m);
    if (found > 0) return c->pricings < 4 * c->n_rows + 200 ? PIVOT : NEXT;
    if (c->state == NARROW) {
        start_pricing(c, PRICE_LABELS, m);
        return WIDE;
    }
    /* If the pricing dropped sets of high value, it would drop more of them in a larger window.
     * Therefore the next window follows. But if pairs of items exclude each other, a larger window
     * leaves fewer sets to try, and the window grows. */
    return c->pricer.over > PRICE_ONE + (PRICE_ONE >> 6) && !c->pricer.has_excludes ? NEXT : GROW;
}

static uint32_t step(struct tableau *c, uint32_t *bins, const struct pack_best *best,
                     struct pack_meter *m) {
    switch (c->state) {
    case NEXT: return next_window(c, *bins) ? OPEN : DONE;
    case OPEN: return open_window(c, best, m) ? PIVOT : NEXT;
    case PIVOT:
        if (pivot(c, m)) return PIVOT;
        /* The value of the programme is not above the known bound. More patterns can only lower
         * it. */
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
    case GROW: return c->grows && columns_grow(c, m) ? OPEN : NEXT;
    default: return DONE;
    }
}

int columns_run(struct tableau *c, uint32_t *bins, uint32_t upper, const struct pack_best *best,
                struct pack_meter *m) {
    while (c->state != DONE && *bins < upper) {
        if (pack_meter_spent(m)) return PACK_MORE;
        c->state = step(c, bins, best, m);
    }
    return PACK_DONE;
}
