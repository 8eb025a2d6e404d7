/* wave_exact_fixed.c -- see wave_exact_fixed.h. */
#include "pack/wave/wave_exact_fixed.h"

#include <string.h>

#include "pack/cost/cost.h"
#include "pack/wave/wave_rows.h"
#include "base/sort.h"

enum { DEPTH_MAX = LSCHED_PACK_EXACT_MAX };
#define BYTES_MAX ((uint64_t)64 << 20)

struct exact_frame {
    /* next bin to try; n_bins means to leave the item out, and a greater number that no choice
     * remains */
    uint32_t next;
    uint32_t bin;            /* bin that holds the item; PACK_NO_BIN if no bin does */
    uint32_t under;          /* version of that bin before the item was added */
    int64_t left_out, price; /* sums over the items of all smaller depths */
};

struct exact_fixed {
    const struct pack_problem *p;
    struct pack_cost *cost;
    struct wave_rows rows;
    uint32_t *refs;   /* [n_bins] version of each bin (wave_rows.h) */
    uint8_t *is_home; /* [n_bins] true if the bin is the present bin of an item */
    struct pack_spot *spots;
    struct exact_frame frames[DEPTH_MAX + 1];
    uint32_t order[DEPTH_MAX];
    uint32_t depth;
    uint8_t too_big, is_over;
};

static int starts_before(const struct pack_problem *p, uint32_t a, uint32_t b) {
    uint32_t x = p->items[a].first_cell, y = p->items[b].first_cell;
    return x != y ? x < y : a < b;
}

SORT_IN_PLACE(sort_by_start, uint32_t, const struct pack_problem *, starts_before)

struct exact_fixed *exact_fixed_new(const struct pack_problem *p, struct pack_cost *cost,
                                    struct pack_arena *arena) {
    struct exact_fixed dry = {0};
    struct exact_fixed *taken = pack_take(arena, 1, sizeof *taken), *x = taken ? taken : &dry;
    x->p = p;
    x->cost = cost;
    x->too_big = p->n_items > DEPTH_MAX ||
                 (DEPTH_MAX + 1 + wave_rows_bases(p)) * wave_rows_bytes(p) > BYTES_MAX;
    if (x->too_big) return taken;
    wave_rows_new(&x->rows, p, DEPTH_MAX + 1, arena);
    x->rows.no_overload = 1;
    x->refs = pack_take(arena, p->n_bins, sizeof *x->refs);
    x->is_home = pack_take(arena, p->n_bins, 1);
    x->spots = pack_take(arena, p->n_tasks, sizeof *x->spots);
    if (!arena->base) return taken;
    memcpy(x->refs, x->rows.bin_base, p->n_bins * sizeof *x->refs);
    for (uint32_t i = 0; i < p->n_items; i++)
        if (p->items[i].now && p->items[i].now[0] < p->n_bins) x->is_home[p->items[i].now[0]] = 1;
    for (uint32_t i = 0; i < p->n_items; i++) x->order[i] = i;
    sort_by_start(p, x->order, p->n_items);
    x->frames[0].bin = PACK_NO_BIN;
    return taken;
}

/* True if the bin is equal to the bin with the index before it: the two bins are empty, have the
 * same version, and neither is the present bin of an item. */
static int is_same_as_before(const struct exact_fixed *x, uint32_t bin) {
    return bin > 0 && !x->is_home[bin] && !x->is_home[bin - 1] &&
           x->refs[bin] == x->refs[bin - 1] && x->rows.rows[x->refs[bin]].n_items == 0;
}

/* Removes the item of this depth from its bin. */
static void take_back(struct exact_fixed *x) {
    struct exact_frame *f = &x->frames[x->depth];
    if (f->bin == PACK_NO_BIN) return;
    x->rows.free[x->rows.n_free++] = x->refs[f->bin];
    x->refs[f->bin] = f->under;
    f->bin = PACK_NO_BIN;
}

static void go_down(struct exact_fixed *x, int64_t left_out, int64_t price) {
    x->depth++;
    x->frames[x->depth] =
        (struct exact_frame){.bin = PACK_NO_BIN, .left_out = left_out, .price = price};
}

/* Takes the item of this depth out of its bin and tries its next place. Returns 1 if it has placed
 * the item or left it out and gone one level deeper, 0 if no choice remains. */
static int try_next(struct exact_fixed *x, const struct pack_best *best, struct pack_meter *m) {
    struct exact_frame *f = &x->frames[x->depth];
    const struct pack_item *it = &x->p->items[x->order[x->depth]];
    wave_rows_item(&x->rows, x->order[x->depth]);
    take_back(x);
    m->done += x->p->n_bins / 64;
    while (f->next < x->p->n_bins) {
        uint32_t bin = f->next++;
        if (is_same_as_before(x, bin) || !pack_allows(it, x->p->bin_class[bin])) continue;
        if (it->is_pinned && it->now && it->now[0] != bin) continue;
        m->done++;
        const struct wave_fit *fit = wave_rows_check(&x->rows, x->refs[bin]);
        if (!fit->fits) continue;
        int moved = it->now && it->now[0] < x->p->n_bins && it->now[0] != bin;
        struct pack_value least = {f->left_out, pack_price_add(f->price, fit->price)};
        if (moved) least.price = pack_price_add(least.price, it->move_price);
        m->states++;
        if (pack_best_meets(best, least)) {
            m->pruned++;
            continue;
        }
        f->under = x->refs[bin];
        f->bin = bin;
        x->refs[bin] = wave_rows_place(&x->rows, f->under);
        go_down(x, least.left_out, least.price);
        return 1;
    }
    if (f->next++ > x->p->n_bins) return 0;
    struct pack_value least = {f->left_out + it->weight, f->price};
    if (pack_best_meets(best, least)) return 0;
    go_down(x, least.left_out, least.price);
    return 1;
}

static void wave_exact_fixed_offer(struct exact_fixed *x, struct pack_best *best) {
    const struct pack_problem *p = x->p;
    for (uint32_t d = 0; d < p->n_items; d++) {
        const struct pack_item *it = &p->items[x->order[d]];
        x->spots[it->first_task] =
            (struct pack_spot){.bin = x->frames[d].bin, .slice = PACK_NO_SLICE, .start = it->ready};
    }
    struct pack_value value;
    uint32_t bad;
    if (pack_value_of(x->cost, x->spots, &value, &bad, NULL) == 0)
        pack_best_offer(best, p, x->spots, value, LSCHED_PACK_METHOD_EXACT);
}

int exact_fixed_run(struct exact_fixed *x, struct pack_best *best, struct pack_meter *m,
                    const struct pack_value *bound, int *proved) {
    *proved = 0;
    if (x->too_big) return PACK_DONE;
    while (!x->is_over) {
        if (best->has_plan && bound && !pack_value_less(*bound, best->value)) x->is_over = 1;
        if (pack_meter_spent(m)) return PACK_MORE;
        m->done++;
        if (x->depth == x->p->n_items) {
            wave_exact_fixed_offer(x, best);
            m->done += x->p->n_items;
        } else if (try_next(x, best, m)) {
            continue;
        }
        if (x->depth == 0)
            x->is_over = 1;
        else
            x->depth--;
    }
    *proved = 1;
    return PACK_DONE;
}
