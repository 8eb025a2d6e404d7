/* bound_tableau.c -- see bound_tableau.h. */
#include "pack/bound/bound_tableau.h"

#include <string.h>

#include "base/bisect.h"
#include "base/sort.h"

/* Writes the demands of item i in the window's dimensions to `to`. Returns 0 if the item has no
 * demand in the window, or fits no bin. */
static int read_amounts(const struct tableau *c, uint32_t i, int32_t *to) {
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

/* Returns the size of an item. If pairs of items exclude each other, the size is the item's number
 * of conflicts. Otherwise it is the share of a bin that the item takes, in the dimension in which
 * this share is greatest. */
static int64_t size_of(const struct tableau *c, uint32_t i, const int32_t *amount) {
    int64_t most = 0;
    if (c->pricer.has_excludes) return c->graph->degree[i];
    for (uint32_t d = 0; d < c->pricer.dims; d++) {
        int64_t part = ((int64_t)amount[d] << 20) / c->pricer.capacity[d];
        if (part > most) most = part;
    }
    return most;
}

/* Collects the items that are active in the window. If there are too many, it keeps the items with
 * the most conflicts if pairs of items exclude each other; otherwise it returns 0. */
static int tableau_gather(struct tableau *c) {
    const struct pack_problem *p = c->p;
    uint32_t dims = c->pricer.dims, room = c->room_items;
    /* if pairs of items exclude each other, each item has a row of its own */
    if (c->pricer.has_excludes && room > c->room_rows) room = c->room_rows;
    c->n_items = 0;
    for (uint32_t i = 0; i < p->n_items; i++) {
        c->row_of[i] = TABLEAU_NO_ROW;
        int32_t *to = c->dims_load;
        if (!read_amounts(c, i, to)) continue;
        uint32_t at = c->n_items;
        if (at == room) {
            if (!c->pricer.has_excludes) return 0;
            uint32_t least = 0;
            for (uint32_t k = 1; k < at; k++)
                if (size_of(c, c->item[k], tableau_amounts(c, k)) <
                    size_of(c, c->item[least], tableau_amounts(c, least)))
                    least = k;
            if (size_of(c, i, to) <= size_of(c, c->item[least], tableau_amounts(c, least)))
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
    const int32_t *a = tableau_amounts(c, k);
    uint32_t d = 0;
    while (a[d] == 0) d++;
    return d / c->n_resources;
}

/* Orders items by first cell, then by descending demands; therefore equal items are neighbours. If
 * pairs of items exclude each other, the number of conflicts comes before the demands: among items
 * with the same first cell, the item with the most conflicts comes first, because it leaves the
 * fewest sets to try. */
static int order_of(const struct tableau *c, uint32_t a, uint32_t b) {
    const int32_t *x = tableau_amounts(c, a), *y = tableau_amounts(c, b);
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

/* Equal items compare as equal. The order of the items of a row decides which of them the next
 * pattern uses; therefore it influences the search. The heap sort gives the same order in each run.
 * An order by index among equal items would give another search. */
#define PLACE_BEFORE(c, a, b) (order_of(c, a, b) < 0)
SORT_IN_PLACE(sort_places, uint32_t, const struct tableau *, PLACE_BEFORE)

/* Sorts the items and their amounts. First it sorts indices, for which it uses the array
 * row_item, because that has no other use yet. Then it permutes items and amounts in place, cycle
 * by cycle. */
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

/* Makes candidates for the pricing: for each row, as many candidates as one bin can hold of its
 * items. Returns 0 if there are too many candidates. */
static int make_candidates(struct tableau *c) {
    struct pricer *pr = &c->pricer;
    uint32_t n = 0, dims = pr->dims;
    for (uint32_t t = 0; t < c->n_rows; t++) {
        const int32_t *a = tableau_amounts(c, c->row_item[t]);
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

uint32_t tableau_check_of(const struct pack_problem *p, uint32_t cell) {
    uint32_t low = 0, high = p->n_check - 1;
    BISECT_FIRST(low, high, mid, p->check[mid] >= cell);
    return low;
}

/* Copies the candidates to `sets`, with their demands in all cells. The cells with the most load
 * come first, because a set that does not fit is found soonest in these cells. */
static void fill_sets(struct tableau *c) {
    const struct pack_problem *p = c->p;
    const struct fixed_bound *f = c->fixed;
    uint32_t *place = c->place, n = 0;
    for (uint32_t at = 0; at < p->n_check; at++) place[at] = UINT32_MAX;
    for (uint32_t k = 0; k < f->n_top; k++) place[tableau_check_of(p, f->top[k])] = n++;
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

int tableau_open(struct tableau *c) {
    if (!tableau_gather(c) || !make_rows(c) || !make_candidates(c)) return 0;
    if (c->sets.room_n) fill_sets(c);
    return 1;
}

void tableau_add_cell(struct tableau *c, uint32_t check) {
    uint32_t at = c->n_cells++;
    for (; at > 0 && c->cells[at - 1] > check; at--) c->cells[at] = c->cells[at - 1];
    c->cells[at] = check;
    c->seen[check] = 1;
}
