/*
 * fit_ruin.c -- ruin and recreate for FIXED problems, in rounds.
 *
 * Close: a round begins from the best plan and takes out the bins with the least load for their
 * price until the price is below that of the best plan; the items of these bins are the pool. A
 * step takes an item of the pool, removes the items that overlap it from 1 to 4 bins, and puts all
 * of them back, in one of four orders, each where it fits most tightly, never beyond the price.
 * Each failure to place an item raises the item's penalty (its grudge). A step is kept if the total
 * penalty of the pool does not grow, or grows only a little; so items that are hard to place
 * displace easy ones. When the weight of the pool is no more than what the best plan leaves out,
 * the plan becomes the best and the next round begins. Simulated annealing of the number of bins
 * would see a plateau where the penalties give a slope.
 *
 * Fill: the same steps with a limited number of bins and with items left out, at any price.
 *
 * Tune: for plans with other prices than those of opening bins. A step is kept if the price does
 * not grow, or grows by less than a heat; the heat falls to zero within the round. The next round
 * begins from the best plan.
 *
 * An item that was out before the step cannot fit in a bin that the step has not touched, so such
 * an item is checked against few bins.
 * Cost of a step: items moved x bins checks, a few microseconds for some tens of bins.
 */
#include "pack/fit/fit_state.h"
#include "base/sort.h"

#include <string.h>

#include "pack/cost/cost.h"

enum fit_phase { FIT_BEGIN, FIT_CLOSE, FIT_FILL, FIT_TUNE };

enum {
    OLD_MOST = 32,     /* items of the pool in one step */
    RUIN_MOST = 24,    /* items out of one bin in one step */
    WHOLE = 16,        /* one ruin of so many is of whole bins */
    FEW = 3,           /* of those in which every item overlaps */
    SLACK = 20,        /* grudges by which the pool may grow in a step */
    PHASE_STEPS = 256, /* of the first cycle, doubling */
    PHASE_DOUBLINGS = 10,
    SWAP_EACH = 8,  /* one step of so many changes the places of two bins */
    SWAP_MOST = 64, /* items in both */
    SCATTER = 6,    /* items from anywhere in one step */
    TRIES = 8
};

static int64_t base_grudge(const struct fit *f, uint32_t i) {
    int64_t weight = f->p->items[i].weight;
    return weight < 1 << 24 ? weight : 1 << 24;
}

/* ---- ruin ---- */

static int is_ruined(const struct fit *f, uint32_t b) {
    for (uint32_t x = 0; x < f->n_ruined; x++)
        if (f->ruined[x] == b) return 1;
    return 0;
}

static void remove_item(struct fit *f, uint32_t i) {
    f->undo_items[f->n_undo] = i;
    f->undo_bins[f->n_undo++] = f->items[i].bin;
    f->items[i].was_out = 0;
    f->order[f->n_order++] = i;
    fit_take(f, i);
}

/* What overlaps columns [low, high) out of the bin; of many, some. */
static void ruin_bin(struct fit *f, uint32_t b, uint32_t low, uint32_t high, uint32_t most) {
    uint32_t n = 0;
    int all = low == 0 && high == UINT32_MAX; /* also items without a column */
    f->ruined[f->n_ruined++] = b;
    for (uint32_t i = f->bins[b].first; i != FIT_NONE; i = f->items[i].next)
        n += (all || (f->items[i].low < high && low < f->items[i].high)) && !f->items[i].is_pinned;
    for (uint32_t i = f->bins[b].first, next; i != FIT_NONE; i = next) {
        const struct fit_item *it = &f->items[i];
        next = it->next;
        if ((!all && (it->low >= high || low >= it->high)) || it->is_pinned) continue;
        if (n > most && fit_below(f, n) >= most) continue;
        remove_item(f, i);
    }
    f->work += f->bins[b].n_items / 16;
}

/* From up to `bins` bins, beginning with those that may hold item i: what overlaps it, now and then
 * all. */
static void ruin_around(struct fit *f, uint32_t i, uint32_t bins, uint32_t most) {
    const struct fit_item *it = &f->items[i];
    int all = fit_below(f, WHOLE) == 0;
    for (uint32_t tries = 0; f->n_listed && f->n_ruined < bins && tries < bins * TRIES; tries++) {
        uint32_t b = f->listed[fit_below(f, f->n_listed)];
        if (f->bins[b].first == FIT_NONE || is_ruined(f, b)) continue;
        if (f->n_ruined == 0 && !fit_is_allowed(f, i, b)) continue;
        ruin_bin(f, b, all ? 0 : it->low, all ? UINT32_MAX : it->high, all ? RUIN_MOST : most);
    }
}

/* Item i and others of the pool, to be tried in this step. */
static void take_old(struct fit *f, uint32_t i) {
    uint32_t n = f->n_pool < OLD_MOST ? f->n_pool : OLD_MOST;
    uint32_t from = f->items[i].pool_at;
    for (uint32_t x = 0; x < n; x++) {
        uint32_t old = f->pool[(from + x) % f->n_pool];
        f->items[old].was_out = 1;
        f->order[f->n_order++] = old;
    }
}

static void begin_step(struct fit *f) {
    f->rule = fit_below(f, 2) ? FIT_FULL : FIT_TIGHT;
    f->n_order = f->n_undo = f->n_ruined = 0;
}

/* ---- recreate ---- */

#define STEP_BEFORE(f, a, b) ((f)->keys[a] > (f)->keys[b])
SORT_STABLE(sort_step_order, uint32_t, const struct fit *, STEP_BEFORE)

static void sort_step(struct fit *f) {
    uint32_t how = fit_below(f, f->p->has_now ? 6 : 3);
    for (uint32_t x = 0; x < f->n_order; x++) {
        uint32_t i = f->order[x];
        const struct fit_item *it = &f->items[i];
        int64_t v = how == 0   ? it->size
                    : how == 1 ? it->area
                    : how == 2 ? (int64_t)(it->grudge << 8 & INT64_MAX)
                               : (int64_t)fit_random(f);
        f->keys[i] = v + (v >> 12) * (int64_t)(fit_random(f) & 255);
    }
    sort_step_order(f, f->order, f->spare, f->n_order);
    f->work += f->n_order / 2;
}

/* Among the ruined bins and new ones. */
static uint32_t choose_ruined(struct fit *f, uint32_t i, int64_t limit) {
    struct fit_pick pick;
    fit_pick_begin(&pick, limit);
    for (uint32_t x = 0; x < f->n_ruined; x++) fit_pick_try(f, &pick, i, f->ruined[x]);
    if (pick.bin == FIT_NONE) fit_pick_fresh(f, &pick, i);
    return pick.bin;
}

static void fit_ruin_recreate(struct fit *f) {
    for (uint32_t x = 0; x < f->n_order; x++) {
        uint32_t i = f->order[x];
        if (f->items[i].bin != FIT_NONE) continue;
        int64_t limit = f->target == INT64_MAX ? INT64_MAX : f->target - f->price;
        uint32_t b = f->items[i].was_out && f->phase != FIT_TUNE
                         ? choose_ruined(f, i, limit)
                         : fit_choose_some(f, i, limit, f->ruined, f->n_ruined);
        if (b != FIT_NONE) fit_put(f, i, b);
    }
}

static void undo(struct fit *f) {
    for (uint32_t x = f->n_order; x > 0; x--)
        if (f->items[f->order[x - 1]].bin != FIT_NONE) fit_take(f, f->order[x - 1]);
    for (uint32_t x = f->n_undo; x > 0; x--) fit_put(f, f->undo_items[x - 1], f->undo_bins[x - 1]);
}

/* ---- rounds ---- */

static void reset_grudges(struct fit *f) {
    f->grudges = 0;
    for (uint32_t i = 0; i < f->p->n_items; i++) f->items[i].grudge = (uint64_t)base_grudge(f, i);
    for (uint32_t x = 0; x < f->n_pool; x++) f->grudges += f->items[f->pool[x]].grudge;
}

/* What emptying the bin saves at most, less what it costs to move what is at home in it; -1: it
 * cannot be emptied. */
static int64_t saving_of(const struct fit *f, uint32_t b) {
    const struct fit_bin *bin = &f->bins[b];
    const struct pack_class *k = fit_class(f, b);
    wide_i128 saving = (wide_i128)k->open_price + pack_hours_price(bin->on_us, k->on_price) +
                       (wide_i128)bin->intervals * k->switch_price;
    if (bin->first == FIT_NONE) return -1;
    for (uint32_t i = bin->first; i != FIT_NONE; i = f->items[i].next) {
        if (f->items[i].is_pinned) return -1;
        if (f->items[i].now == b) saving -= f->p->items[i].move_price;
        if (f->items[i].now != b && f->items[i].now != FIT_NONE)
            saving += f->p->items[i].move_price;
    }
    return saving < 0 ? 0 : saving > PACK_PRICE_MAX ? PACK_PRICE_MAX : (int64_t)saving;
}

/* The bin in use with the least load for what it saves; where that has failed, the best of a few.
 * FIT_NONE: there is none. */
static uint32_t lightest_bin(struct fit *f) {
    uint32_t lightest = FIT_NONE, all = f->n_listed;
    int64_t best = 0;
    uint32_t n = f->cycle < 3 || f->is_plain ? all : 1 + fit_below(f, all);
    uint32_t at = all ? fit_below(f, all) : 0;
    for (uint32_t l = 0; l < all && (l < n || lightest == FIT_NONE); l++) {
        uint32_t b = f->listed[at];
        at = at + 1 < all ? at + 1 : 0;
        int64_t saving = saving_of(f, b);
        if (saving < 0) continue;
        if (lightest != FIT_NONE) {
            wide_i128 mine = (wide_i128)f->bins[b].area * (best + 1);
            wide_i128 its = (wide_i128)f->bins[lightest].area * (saving + 1);
            if (mine > its || (mine == its && b > lightest)) continue;
        }
        lightest = b;
        best = saving;
    }
    return lightest;
}

/* Empties bins until the price is below the target. 0: there is none to empty. */
static int close_bins(struct fit *f) {
    while (f->price >= f->target) {
        uint32_t b = lightest_bin(f);
        f->work += f->n_listed;
        if (b == FIT_NONE) return 0;
        while (f->bins[b].first != FIT_NONE) fit_take(f, f->bins[b].first);
    }
    return 1;
}

/* Steps of the round; for ever where there is nothing else to do. */
static uint64_t fit_ruin_steps_of(const struct fit *f, const struct pack_best *best) {
    uint64_t doublings = f->cycle / 3 < PHASE_DOUBLINGS ? f->cycle / 3 : PHASE_DOUBLINGS;
    if (f->is_plain && best->value.left_out == 0 && f->phase == FIT_CLOSE) return UINT64_MAX;
    return (PHASE_STEPS + 8 * (uint64_t)f->p->n_items) << doublings;
}

/* Phases that can gain something take turns. What is placed already is best closed bin by bin, what
 * is new is best tuned first. */
static enum fit_phase next_phase(struct fit *f, const struct pack_best *best) {
    static const enum fit_phase turns[2][3] = {{FIT_FILL, FIT_TUNE, FIT_CLOSE},
                                               {FIT_FILL, FIT_CLOSE, FIT_TUNE}};
    const enum fit_phase *turn = turns[f->p->has_now && !f->is_plain];
    if (f->cycle % 3 == 0 && best->value.left_out == 0) f->cycle++;
    if (f->cycle % 3 == 1 && f->is_plain) f->cycle++;
    return turn[f->cycle % 3];
}

static void begin_round(struct fit *f, const struct pack_best *best) {
    fit_load(f, best->spots);
    f->phase = (uint8_t)next_phase(f, best);
    f->rule = FIT_TIGHT;
    f->may_open = 1;
    f->best_price = f->price;
    f->target = f->phase == FIT_CLOSE ? f->price : INT64_MAX;
    f->steps = f->all_steps = fit_ruin_steps_of(f, best);
    reset_grudges(f);
    if (f->phase == FIT_CLOSE && !close_bins(f)) {
        f->is_over = f->is_plain && best->value.left_out == 0;
        f->steps = 1;
        return;
    }
    if (f->phase == FIT_TUNE) return;
    for (uint32_t x = 0; x < f->n_pool;) {
        uint32_t i = f->pool[x];
        uint32_t b = fit_choose(f, i, f->target == INT64_MAX ? INT64_MAX : f->target - f->price);
        if (b == FIT_NONE)
            x++;
        else
            fit_put(f, i, b); /* another is at x now */
    }
}

/* Half of the time an exchange of item i for another, else a ruin: of few items per bin if all
 * overlap, and of few bins. */
static void ruin_for(struct fit *f, uint32_t i) {
    uint32_t most = f->items[i].span || fit_below(f, 2) ? 1 + fit_below(f, FEW) : RUIN_MOST;
    uint32_t other = f->n_soft || fit_below(f, 2) ? FIT_NONE : fit_find_exchange(f, i);
    if (other == FIT_NONE) {
        ruin_around(f, i, 1 + fit_below(f, f->items[i].span ? 2 : FIT_BINS_MAX), most);
        sort_step(f);
        return;
    }
    /* the order as it is: item i first, the other last */
    f->ruined[f->n_ruined++] = f->items[other].bin;
    remove_item(f, other);
}

/* Close and fill. */
static void step_by_grudge(struct fit *f) {
    uint64_t before = f->grudges;
    uint32_t i = f->pool[fit_below(f, f->n_pool)];
    begin_step(f);
    take_old(f, i);
    ruin_for(f, i);
    fit_ruin_recreate(f);
    uint64_t slack = (uint64_t)base_grudge(f, i) * fit_below(f, SLACK);
    if (f->grudges > before + slack) undo(f);
    for (uint32_t x = 0; x < f->n_order; x++) {
        struct fit_item *it = &f->items[f->order[x]];
        if (it->pool_at == FIT_NONE) continue;
        it->grudge += (uint64_t)base_grudge(f, f->order[x]);
        f->grudges += (uint64_t)base_grudge(f, f->order[x]);
    }
}

/* An item that is not where it was; FIT_NONE: not easily found. */
static uint32_t find_moved(struct fit *f) {
    for (uint32_t tries = 0; f->p->has_now && tries < TRIES; tries++) {
        uint32_t i = fit_below(f, f->p->n_items);
        const struct fit_item *it = &f->items[i];
        if (it->now != FIT_NONE && it->bin != FIT_NONE && it->bin != it->now && !it->is_pinned)
            return i;
    }
    return FIT_NONE;
}

/* Item i, and those in its old bin that were not there before. */
static void ruin_home(struct fit *f, uint32_t i) {
    uint32_t home = f->items[i].now, n = 0;
    f->ruined[f->n_ruined++] = home;
    f->ruined[f->n_ruined++] = f->items[i].bin;
    remove_item(f, i);
    for (uint32_t j = f->bins[home].first, next; j != FIT_NONE && n < RUIN_MOST; j = next) {
        next = f->items[j].next;
        if (f->items[j].now == home || f->items[j].is_pinned || fit_below(f, 4) == 0) continue;
        remove_item(f, j);
        n++;
    }
}

/* Where many prices meet, many ways to ruin: a whole bin, to be left empty if that is possible;
 * items from anywhere; what overlaps item i; what keeps an item from its old place. */
static void ruin_by_price(struct fit *f, uint32_t i) {
    enum { BIN, SCATTERED, OVERLAP, HOME } how = fit_below(f, f->p->has_now ? 6 : 3);
    uint32_t most = fit_below(f, 2) ? 1 + fit_below(f, FEW) : RUIN_MOST;
    uint32_t moved = how >= HOME ? find_moved(f) : FIT_NONE;
    if (f->n_pool) take_old(f, f->pool[fit_below(f, f->n_pool)]);
    f->may_open = how != BIN;
    if (moved != FIT_NONE) {
        ruin_home(f, moved);
        return; /* it comes first */
    }
    for (uint32_t n = fit_below(f, SCATTER); how == SCATTERED && n > 0; n--) {
        uint32_t other = fit_below(f, f->p->n_items);
        if (f->items[other].bin != FIT_NONE && !f->items[other].is_pinned) remove_item(f, other);
    }
    if (f->items[i].bin != FIT_NONE && !f->items[i].is_pinned) {
        if (how == BIN)
            ruin_bin(f, f->items[i].bin, 0, UINT32_MAX, RUIN_MOST);
        else if (how == SCATTERED)
            remove_item(f, i);
        else
            ruin_bin(f, f->items[i].bin, f->items[i].low, f->items[i].high, most);
    }
    if (how == OVERLAP || (how == BIN && fit_below(f, 2)))
        ruin_around(f, i, 1 + fit_below(f, FIT_BINS_MAX), most);
    sort_step(f);
}

/* What bins a and b hold changes places, as far as it fits: a plan may be good but for the names of
 * its bins. */
static void swap_bins(struct fit *f, uint32_t a, uint32_t b) {
    ruin_bin(f, a, 0, UINT32_MAX, SWAP_MOST);
    uint32_t n_first = f->n_order;
    ruin_bin(f, b, 0, UINT32_MAX, SWAP_MOST);
    for (uint32_t x = 0; x < f->n_order; x++) {
        uint32_t to = x < n_first ? b : a;
        if (fit_check(f, f->order[x], to) != FIT_NO_FIT) fit_put(f, f->order[x], to);
    }
}

/* Item i's bin with one that is listed: in use, or special. 0: there is no other. */
static int step_by_swap(struct fit *f, uint32_t i) {
    uint32_t a = f->items[i].bin, b = f->listed[fit_below(f, f->n_listed)];
    if (a == FIT_NONE || a == b || f->bins[a].n_items + f->bins[b].n_items > SWAP_MOST) return 0;
    swap_bins(f, a, b);
    return 1;
}

static void step_by_price(struct fit *f) {
    int64_t price = f->price, left_out = f->left_out;
    uint32_t i = fit_below(f, f->p->n_items);
    begin_step(f);
    if (fit_below(f, SWAP_EACH) || !f->n_listed || !step_by_swap(f, i)) ruin_by_price(f, i);
    fit_ruin_recreate(f);
    if (!f->may_open) {
        f->may_open = 1;
        for (uint32_t x = 0; x < f->n_order; x++) {
            uint32_t b = f->items[f->order[x]].bin == FIT_NONE
                             ? fit_choose(f, f->order[x], INT64_MAX)
                             : FIT_NONE;
            if (b != FIT_NONE) fit_put(f, f->order[x], b);
        }
    }
    /* in every other cycle a falling part of an item's share of the price */
    int64_t share = f->cycle / 3 % 2 ? price / ((int64_t)f->p->n_items + 1) + 1 : 0;
    int64_t heat = (int64_t)wide_mul_div((uint64_t)share, f->steps, f->all_steps, INT64_MAX);
    heat = (int64_t)wide_mul_div((uint64_t)heat, fit_below(f, 1024), 1024, INT64_MAX);
    if (f->left_out > left_out || (f->left_out == left_out && f->price > price + heat)) undo(f);
}

static int fit_ruin_is_better(const struct fit *f, const struct pack_best *best) {
    if (f->left_out != best->value.left_out) return f->left_out < best->value.left_out;
    /* by own reckoning; exact when offered */
    return f->price < f->best_price;
}

static void fit_ruin_step(struct fit *f, struct pack_best *best) {
    f->work++;
    if (f->phase == FIT_TUNE)
        step_by_price(f);
    else if (f->n_pool)
        step_by_grudge(f);
    f->steps--;
    if (fit_ruin_is_better(f, best)) {
        f->best_price = f->price;
        if (fit_offer(f, best, LSCHED_PACK_RUIN) && f->phase != FIT_TUNE) f->phase = FIT_BEGIN;
    }
    if (f->steps == 0 && f->phase != FIT_BEGIN) {
        f->phase = FIT_BEGIN;
        f->cycle++;
    }
}

int fit_ruin(struct fit *f, struct pack_best *best, struct pack_meter *m,
             const struct pack_value *bound) {
    f->work = 0;
    while (!pack_meter_spent(m)) {
        if (f->is_over || f->p->n_items == 0 || !pack_value_less(*bound, best->value))
            return PACK_DONE;
        if (f->phase == FIT_BEGIN)
            begin_round(f, best);
        else
            fit_ruin_step(f, best);
        m->done += f->work;
        f->work = 0;
    }
    return PACK_MORE;
}
