/*
 * fit_ruin.c -- ruin and recreate for FIXED problems, in rounds of three kinds. A step of a round
 * removes some items from their bins (ruin) and puts them back in another order (recreate).
 *
 * Close: a round begins from the best plan and empties the bins with the least load for their
 * price, until the price is below that of the best plan. The items of these bins form the pool. A
 * step takes an item of the pool, removes the items that overlap it from 1 to 4 bins, and puts all
 * of them back in a random one of several orders. Each item goes where it fits most tightly or to
 * the fullest bin, and the price never reaches that of the best plan. Each failure to place an item
 * raises the penalty of the item (its grudge). A step is kept if the total penalty of the pool does
 * not grow, or grows only a little; items that are hard to place therefore displace easy ones. When
 * the plan leaves out no more weight than the best plan and costs less, it becomes the best plan,
 * and the next round begins. Simulated annealing of the number of bins would see a plateau where
 * the penalties give a slope.
 *
 * Fill: the same steps with a limited number of bins and with items left out, at any price.
 *
 * Tune: for plans with more prices than the open prices of bins. A step is kept if the price does
 * not grow, or grows by less than a threshold (the heat), which falls to zero within the round. The
 * next round begins from the best plan.
 *
 * An item that had no bin before the step cannot fit in a bin that the step has not changed, so it
 * is checked against few bins. Cost of a step: the number of moved items x bins checks, which is a
 * few microseconds for some tens of bins.
 */
#include "pack/fit/fit_state.h"
#include "base/sort.h"

#include <string.h>

#include "pack/cost/cost.h"

enum fit_phase { FIT_BEGIN, FIT_CLOSE, FIT_FILL, FIT_TUNE };

enum {
    OLD_MOST = 32,  /* items of the pool in one step, at most */
    RUIN_MOST = 24, /* items removed from one bin in one step, about at most */
    /* one ruin in 16 removes items of the whole horizon, not only overlapping ones */
    WHOLE = 16,
    /* items removed from one bin where all items overlap, and in half of the other ruins, at
     * most */
    FEW = 3,
    /* a step can raise the penalty of the pool by less than 20 times the base penalty of its
     * item */
    SLACK = 20,
    /* steps of a round in the first cycle, in addition to 8 per item; doubled with each cycle */
    PHASE_STEPS = 256,
    PHASE_DOUBLINGS = 10,
    SWAP_EACH = 8,  /* one step in 8 of a tune round exchanges the items of two bins */
    SWAP_MOST = 64, /* items in both bins together, at most */
    SCATTER = 6,    /* items removed from any bins in one step, fewer than this */
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

/* Removes from the bin the items that overlap columns [low, high); if there are more than `most`, a
 * random selection of about `most`. */
static void ruin_bin(struct fit *f, uint32_t b, uint32_t low, uint32_t high, uint32_t most) {
    uint32_t n = 0;
    int all = low == 0 && high == UINT32_MAX; /* also removes items that have no column */
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

/* Removes the items that overlap item i from random bins until `bins` bins are ruined. The first
 * bin must be allowed for item i. Sometimes all items are removed. */
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

/* Adds item i and other items of the pool to the items that this step tries to place. */
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

/* Chooses among the bins of this ruin and empty bins. */
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

/* Returns what emptying the bin saves at most, less the move prices of the items whose present bin
 * (`now`) is this bin; -1 if the bin cannot be emptied. */
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

/* Returns the bin in use with the least load for what emptying it saves; FIT_NONE if there is none.
 * If the first cycles have not helped and there are other prices than opening, only a random number
 * of bins is compared. */
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

/* Empties bins until the price is below the target. Returns 0 if no bin is left that can be
 * emptied. */
static int close_bins(struct fit *f) {
    while (f->price >= f->target) {
        uint32_t b = lightest_bin(f);
        f->work += f->n_listed;
        if (b == FIT_NONE) return 0;
        while (f->bins[b].first != FIT_NONE) fit_take(f, f->bins[b].first);
    }
    return 1;
}

/* Number of steps of the round; UINT64_MAX if no other kind of round could gain anything. */
static uint64_t fit_ruin_steps_of(const struct fit *f, const struct pack_best *best) {
    uint64_t doublings = f->cycle / 3 < PHASE_DOUBLINGS ? f->cycle / 3 : PHASE_DOUBLINGS;
    if (f->is_plain && best->value.left_out == 0 && f->phase == FIT_CLOSE) return UINT64_MAX;
    return (PHASE_STEPS + 8 * (uint64_t)f->p->n_items) << doublings;
}

/* Returns the kind of the next round; the kinds that can gain something alternate. If items have
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
            fit_put(f, i, b); /* the pool now has another item at x */
    }
}

/* Ruins for item i: in half of the cases exchanges it for another item, else removes items that
 * overlap it from a few bins; few items per bin if the items are profiles, which all overlap. */
static void ruin_for(struct fit *f, uint32_t i) {
    uint32_t most = f->items[i].span || fit_below(f, 2) ? 1 + fit_below(f, FEW) : RUIN_MOST;
    uint32_t other = f->n_soft || fit_below(f, 2) ? FIT_NONE : fit_find_exchange(f, i);
    if (other == FIT_NONE) {
        ruin_around(f, i, 1 + fit_below(f, f->items[i].span ? 2 : FIT_BINS_MAX), most);
        sort_step(f);
        return;
    }
    /* keep the order: item i is placed first, the removed item last */
    f->ruined[f->n_ruined++] = f->items[other].bin;
    remove_item(f, other);
}

/* One step of a close or fill round. */
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

/* Returns a random item whose bin is not its present bin (`now`); FIT_NONE if a few tries find
 * none. */
static uint32_t find_moved(struct fit *f) {
    for (uint32_t tries = 0; f->p->has_now && tries < TRIES; tries++) {
        uint32_t i = fit_below(f, f->p->n_items);
        const struct fit_item *it = &f->items[i];
        if (it->now != FIT_NONE && it->bin != FIT_NONE && it->bin != it->now && !it->is_pinned)
            return i;
    }
    return FIT_NONE;
}

/* Removes item i from its bin. Also removes the items from the present bin (`now`) of item i that
 * have another present bin. */
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

/* Ruins by one of four ways, because several prices interact: removes the items of a whole bin,
 * which should stay empty; removes items from random bins; removes items that overlap item i; or
 * removes the items that keep a moved item from its present bin. */
static void ruin_by_price(struct fit *f, uint32_t i) {
    enum { BIN, SCATTERED, OVERLAP, HOME } how = fit_below(f, f->p->has_now ? 6 : 3);
    uint32_t most = fit_below(f, 2) ? 1 + fit_below(f, FEW) : RUIN_MOST;
    uint32_t moved = how >= HOME ? find_moved(f) : FIT_NONE;
    if (f->n_pool) take_old(f, f->pool[fit_below(f, f->n_pool)]);
    f->may_open = how != BIN;
    if (moved != FIT_NONE) {
        ruin_home(f, moved);
        return; /* the moved item is placed first */
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

/* Moves the items of bin a to bin b and those of b to a, where they fit: a plan can be good except
 * that two bins should be exchanged. */
static void swap_bins(struct fit *f, uint32_t a, uint32_t b) {
    ruin_bin(f, a, 0, UINT32_MAX, SWAP_MOST);
    uint32_t n_first = f->n_order;
    ruin_bin(f, b, 0, UINT32_MAX, SWAP_MOST);
    for (uint32_t x = 0; x < f->n_order; x++) {
        uint32_t to = x < n_first ? b : a;
        if (fit_check(f, f->order[x], to) != FIT_NO_FIT) fit_put(f, f->order[x], to);
    }
}

/* Exchanges the items of item i's bin and of a random listed bin. Returns 0 if the two bins cannot
 * be exchanged. */
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
    /* in every other cycle the heat is a falling part of the mean price per item */
    int64_t share = f->cycle / 3 % 2 ? price / ((int64_t)f->p->n_items + 1) + 1 : 0;
    int64_t heat = (int64_t)wide_mul_div((uint64_t)share, f->steps, f->all_steps, INT64_MAX);
    heat = (int64_t)wide_mul_div((uint64_t)heat, fit_below(f, 1024), 1024, INT64_MAX);
    if (f->left_out > left_out || (f->left_out == left_out && f->price > price + heat)) undo(f);
}

static int fit_ruin_is_better(const struct fit *f, const struct pack_best *best) {
    if (f->left_out != best->value.left_out) return f->left_out < best->value.left_out;
    /* prices kept by difference; fit_offer compares exact prices */
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
