/* fit_ruin.c -- see fit_ruin.h. */
#include "pack/fit/fit_ruin.h"

#include "pack/fit/fit_eject.h"
#include "pack/fit/fit_place.h"
#include "base/sort.h"

#include <string.h>

#include "pack/cost/cost.h"

enum fit_phase { FIT_BEGIN, FIT_CLOSE, FIT_FILL, FIT_TUNE };

enum {
    OLD_MOST = 32,  /* greatest number of items of the pool that one step tries to place */
    RUIN_MOST = 24, /* about the greatest number of items that one step removes from one bin */
    /* one ruin in 16 removes all items of a bin, not only those that overlap the chosen item */
    WHOLE = 16,
    /* greatest number of items removed from one bin if the chosen item is a profile, and in half of
     * the other ruins */
    FEW = 3,
    /* a step is kept if the penalty of the pool rises by at most n times the base penalty of the
     * step's item, where n is random and less than 20 */
    SLACK = 20,
    /* steps of a round in the first cycle of rounds, in addition to 8 per item; the sum doubles
     * with each cycle, at most PHASE_DOUBLINGS times */
    PHASE_STEPS = 256,
    PHASE_DOUBLINGS = 10,
    SWAP_EACH = 8,  /* one step in 8 of a tune round exchanges the items of two bins */
    SWAP_MOST = 64, /* greatest number of items that such two bins have together */
    /* a step that removes random items removes fewer than this number, and one item more */
    SCATTER = 6,
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

/* Removes the items that overlap columns [low, high) from the bin. If there are more than `most`,
 * it removes a random selection of about `most` of them. */
static void ruin_bin(struct fit *f, uint32_t b, uint32_t low, uint32_t high, uint32_t most) {
    uint32_t n = 0;
    /* the range stands for all items, also those that have no column */
    int all = low == 0 && high == UINT32_MAX;
    f->ruined[f->n_ruined++] = b;
    for (uint32_t i = f->bins[b].first; i != FIT_NONE; i = f->items[i].next)
        n += (all || (f->items[i].low < high && low < f->items[i].high)) && !f->items[i].is_pinned;
    for (uint32_t i = f->bins[b].first, next; i != FIT_NONE; i = next) {
        const struct fit_item *it = &f->items[i];
        next = it->next;
        if ((!all && (it->low >= high || low >= it->high)) || it->is_pinned) continue;
        if (n > most && pack_random_below(&f->random, n) >= most) continue;
        remove_item(f, i);
    }
    f->work += f->bins[b].n_items / 16;
}

/* Removes the items that overlap item i from random bins, until items of `bins` bins were removed
 * in this step. The first of these bins must be allowed for item i. One call in WHOLE removes all
 * items of its bins. */
static void ruin_around(struct fit *f, uint32_t i, uint32_t bins, uint32_t most) {
    const struct fit_item *it = &f->items[i];
    int all = pack_random_below(&f->random, WHOLE) == 0;
    for (uint32_t tries = 0; f->n_listed && f->n_ruined < bins && tries < bins * TRIES; tries++) {
        uint32_t b = f->listed[pack_random_below(&f->random, f->n_listed)];
        if (f->bins[b].first == FIT_NONE || is_ruined(f, b)) continue;
        if (f->n_ruined == 0 && !fit_is_allowed(f, i, b)) continue;
        ruin_bin(f, b, all ? 0 : it->low, all ? UINT32_MAX : it->high, all ? RUIN_MOST : most);
    }
}

/* Adds item i and the next items of the pool, OLD_MOST in all, to the list of items that this step
 * tries to place. */
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
    f->rule = pack_random_below(&f->random, 2) ? FIT_FULL : FIT_TIGHT;
    f->n_order = f->n_undo = f->n_ruined = 0;
}

/* ---- recreate ---- */

#define STEP_BEFORE(f, a, b) ((f)->keys[a] > (f)->keys[b])
SORT_STABLE(sort_step_order, uint32_t, const struct fit *, STEP_BEFORE)

static void sort_step(struct fit *f) {
    uint32_t how = pack_random_below(&f->random, f->p->has_now ? 6 : 3);
    for (uint32_t x = 0; x < f->n_order; x++) {
        uint32_t i = f->order[x];
        const struct fit_item *it = &f->items[i];
        int64_t v = how == 0   ? it->size
                    : how == 1 ? it->area
                    : how == 2 ? (int64_t)(it->grudge << 8 & INT64_MAX)
                               : (int64_t)(uint32_t)(pack_random(&f->random) >> 32);
        f->keys[i] = v + (v >> 12) * (int64_t)((uint32_t)(pack_random(&f->random) >> 32) & 255);
    }
    sort_step_order(f, f->order, f->spare, f->n_order);
    f->work += f->n_order / 2;
}

/* Chooses a bin for item i among the bins from which this step removed items. If none takes the
 * item, it chooses among the empty bins. */
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

/* Returns the greatest price that emptying the bin could save. The open, on and switch prices of
 * the bin count. The move price of an item is subtracted if this bin is its present bin (`now`),
 * and added if the item has another present bin. Returns -1 if the bin is empty or has a pinned
 * item. */
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

/* Returns the bin in use with the least area of items per unit of price that emptying it could save
 * (saving_of); FIT_NONE if no bin can be emptied. In the first cycle of rounds, or if opening bins
 * is the only price, all bins are compared; else a random number of bins. */
static uint32_t lightest_bin(struct fit *f) {
    uint32_t lightest = FIT_NONE, all = f->n_listed;
    int64_t best = 0;
    uint32_t n = f->cycle < 3 || f->is_plain ? all : 1 + pack_random_below(&f->random, all);
    uint32_t at = all ? pack_random_below(&f->random, all) : 0;
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

/* Empties bins until the price is below the target. Returns 0 if the price is still too high and no
 * bin can be emptied. */
static int close_bins(struct fit *f) {
    while (f->price >= f->target) {
        uint32_t b = lightest_bin(f);
        f->work += f->n_listed;
        if (b == FIT_NONE) return 0;
        while (f->bins[b].first != FIT_NONE) fit_take(f, f->bins[b].first);
    }
    return 1;
}

/* Returns the number of steps of the round; UINT64_MAX if a round of another kind could not improve
 * the plan. */
static uint64_t fit_ruin_steps_of(const struct fit *f, const struct pack_best *best) {
    uint64_t doublings = f->cycle / 3 < PHASE_DOUBLINGS ? f->cycle / 3 : PHASE_DOUBLINGS;
    if (f->is_plain && best->value.left_out == 0 && f->phase == FIT_CLOSE) return UINT64_MAX;
    return (PHASE_STEPS + 8 * (uint64_t)f->p->n_items) << doublings;
}

/* Returns the kind of the next round. The kinds that can improve the plan alternate. If items have
 * present bins, closing bins comes before tuning; for new items, tuning comes first. */
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
            fit_put(f, i, b); /* index x of the pool now holds another item */
    }
}

/* Removes items so that item i of the pool can be placed. In half of the cases, it removes the one
 * item for which item i can be exchanged. Otherwise, or if there is no such item, it removes the
 * items that overlap item i from a few bins. If item i is a profile, it removes at most FEW items
 * per bin, because all profiles overlap. */
static void ruin_for(struct fit *f, uint32_t i) {
    uint32_t most = f->items[i].span || pack_random_below(&f->random, 2)
                        ? 1 + pack_random_below(&f->random, FEW)
                        : RUIN_MOST;
    uint32_t other =
        f->n_soft || pack_random_below(&f->random, 2) ? FIT_NONE : fit_find_exchange(f, i);
    if (other == FIT_NONE) {
        ruin_around(f, i, 1 + pack_random_below(&f->random, f->items[i].span ? 2 : FIT_BINS_MAX),
                    most);
        sort_step(f);
        return;
    }
    /* the list is not sorted here: item i is placed first, the removed item last */
    f->ruined[f->n_ruined++] = f->items[other].bin;
    remove_item(f, other);
}

/* Makes one step of a close or fill round. */
static void step_by_grudge(struct fit *f) {
    uint64_t before = f->grudges;
    uint32_t i = f->pool[pack_random_below(&f->random, f->n_pool)];
    begin_step(f);
    take_old(f, i);
    ruin_for(f, i);
    fit_ruin_recreate(f);
    uint64_t slack = (uint64_t)base_grudge(f, i) * pack_random_below(&f->random, SLACK);
    if (f->grudges > before + slack) undo(f);
    for (uint32_t x = 0; x < f->n_order; x++) {
        struct fit_item *it = &f->items[f->order[x]];
        if (it->pool_at == FIT_NONE) continue;
        it->grudge += (uint64_t)base_grudge(f, f->order[x]);
        f->grudges += (uint64_t)base_grudge(f, f->order[x]);
    }
}

/* Returns a random item whose bin is not its present bin (`now`); FIT_NONE if a few tries find
 * none. */
static uint32_t find_moved(struct fit *f) {
    for (uint32_t tries = 0; f->p->has_now && tries < TRIES; tries++) {
        uint32_t i = pack_random_below(&f->random, f->p->n_items);
        const struct fit_item *it = &f->items[i];
        if (it->now != FIT_NONE && it->bin != FIT_NONE && it->bin != it->now && !it->is_pinned)
            return i;
    }
    return FIT_NONE;
}

/* Removes item i from its bin. Also removes three in four of the items that are in the present bin
 * (`now`) of item i and have another present bin themselves. */
static void ruin_home(struct fit *f, uint32_t i) {
    uint32_t home = f->items[i].now, n = 0;
    f->ruined[f->n_ruined++] = home;
    f->ruined[f->n_ruined++] = f->items[i].bin;
    remove_item(f, i);
    for (uint32_t j = f->bins[home].first, next; j != FIT_NONE && n < RUIN_MOST; j = next) {
        next = f->items[j].next;
        if (f->items[j].now == home || f->items[j].is_pinned ||
            pack_random_below(&f->random, 4) == 0)
            continue;
        remove_item(f, j);
        n++;
    }
}

/* Removes items by one of four methods, because several prices interact:
 *   BIN        the items of item i's bin, which should then stay empty
 *   SCATTERED  random items of any bins, and item i
 *   OVERLAP    items that overlap item i, from its bin and a few others
 *   HOME       a moved item, and items that keep it from its present bin */
static void ruin_by_price(struct fit *f, uint32_t i) {
    enum {
        BIN,
        SCATTERED,
        OVERLAP,
        HOME
    } how = pack_random_below(&f->random, f->p->has_now ? 6 : 3);
    uint32_t most =
        pack_random_below(&f->random, 2) ? 1 + pack_random_below(&f->random, FEW) : RUIN_MOST;
    uint32_t moved = how >= HOME ? find_moved(f) : FIT_NONE;
    if (f->n_pool) take_old(f, f->pool[pack_random_below(&f->random, f->n_pool)]);
    f->may_open = how != BIN;
    if (moved != FIT_NONE) {
        ruin_home(f, moved);
        return; /* the list is not sorted here, because the moved item must be placed first */
    }
    for (uint32_t n = pack_random_below(&f->random, SCATTER); how == SCATTERED && n > 0; n--) {
        uint32_t other = pack_random_below(&f->random, f->p->n_items);
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
    if (how == OVERLAP || (how == BIN && pack_random_below(&f->random, 2)))
        ruin_around(f, i, 1 + pack_random_below(&f->random, FIT_BINS_MAX), most);
    sort_step(f);
}

/* Moves the items of bin a to bin b and the items of bin b to bin a, except items that do not fit.
 * This helps if a plan is good except that two bins should be exchanged. */
static void swap_bins(struct fit *f, uint32_t a, uint32_t b) {
    ruin_bin(f, a, 0, UINT32_MAX, SWAP_MOST);
    uint32_t n_first = f->n_order;
    ruin_bin(f, b, 0, UINT32_MAX, SWAP_MOST);
    for (uint32_t x = 0; x < f->n_order; x++) {
        uint32_t to = x < n_first ? b : a;
        if (fit_check(f, f->order[x], to) != FIT_NO_FIT) fit_put(f, f->order[x], to);
    }
}

/* Exchanges the items of the bin of item i for the items of a random listed bin. Returns 0 if that
 * is not possible. */
static int step_by_swap(struct fit *f, uint32_t i) {
    uint32_t a = f->items[i].bin, b = f->listed[pack_random_below(&f->random, f->n_listed)];
    if (a == FIT_NONE || a == b || f->bins[a].n_items + f->bins[b].n_items > SWAP_MOST) return 0;
    swap_bins(f, a, b);
    return 1;
}

static void step_by_price(struct fit *f) {
    int64_t price = f->price, left_out = f->left_out;
    uint32_t i = pack_random_below(&f->random, f->p->n_items);
    begin_step(f);
    if (pack_random_below(&f->random, SWAP_EACH) || !f->n_listed || !step_by_swap(f, i))
        ruin_by_price(f, i);
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
    /* The heat is 0 in every other cycle of rounds. In the other cycles, it falls from the mean
     * price per item to 0 during the round. */
    int64_t share = f->cycle / 3 % 2 ? price / ((int64_t)f->p->n_items + 1) + 1 : 0;
    int64_t heat = (int64_t)wide_mul_div((uint64_t)share, f->steps, f->all_steps, INT64_MAX);
    heat =
        (int64_t)wide_mul_div((uint64_t)heat, pack_random_below(&f->random, 1024), 1024, INT64_MAX);
    if (f->left_out > left_out || (f->left_out == left_out && f->price > price + heat)) undo(f);
}

static int fit_ruin_is_better(const struct fit *f, const struct pack_best *best) {
    if (f->left_out != best->value.left_out) return f->left_out < best->value.left_out;
    /* compares the prices that the state keeps; fit_offer compares exact prices */
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
        if (fit_offer(f, best, LSCHED_PACK_METHOD_RUIN) && f->phase != FIT_TUNE)
            f->phase = FIT_BEGIN;
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
