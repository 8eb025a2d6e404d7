/* fit_place.c -- see fit_place.h. */
#include "pack/fit/fit_place.h"

void fit_pick_begin(struct fit_pick *pick, int64_t limit) {
    *pick = (struct fit_pick){.bin = FIT_NONE, .price = limit, .score = FIT_NO_FIT};
}

void fit_pick_try(struct fit *f, struct fit_pick *pick, uint32_t i, uint32_t b) {
    int64_t price = 0;
    if (!f->is_plain || f->bins[b].first == FIT_NONE) {
        price = fit_price(f, i, b);
        if (price > pick->price || (price == pick->price && pick->bin == FIT_NONE)) return;
    } else if (pick->price < 0 || (pick->price == 0 && pick->bin == FIT_NONE)) {
        return;
    }
    int64_t score = fit_check(f, i, b);
    if (score == FIT_NO_FIT) return;
    if (pick->bin != FIT_NONE && price == pick->price &&
        (score > pick->score || (score == pick->score && b > pick->bin)))
        return;
    *pick = (struct fit_pick){.bin = b, .price = price, .score = score};
}

/* Tries the first empty bin of each class. */
void fit_pick_fresh(struct fit *f, struct fit_pick *pick, uint32_t i) {
    const struct pack_item *item = &f->p->items[i];
    uint32_t n = item->n_allowed ? item->n_allowed : f->p->n_classes;
    for (uint32_t c = 0; c < n; c++) {
        uint32_t b = fit_fresh(f, item->n_allowed ? item->allowed[c] : c);
        if (b != FIT_NONE) fit_pick_try(f, pick, i, b);
    }
}

static uint32_t fit_place_finish(struct fit *f, struct fit_pick *pick, uint32_t i) {
    int is_done = f->is_plain && pick->bin != FIT_NONE && pick->price == 0;
    if (f->may_open && !is_done) fit_pick_fresh(f, pick, i);
    return pick->bin;
}

uint32_t fit_choose(struct fit *f, uint32_t i, int64_t limit) {
    struct fit_pick pick;
    fit_pick_begin(&pick, limit);
    if (f->items[i].is_pinned) {
        fit_pick_try(f, &pick, i, f->items[i].now);
        return pick.bin;
    }
    for (uint32_t l = 0; l < f->n_listed; l++)
        if (f->may_open || f->bins[f->listed[l]].first != FIT_NONE)
            fit_pick_try(f, &pick, i, f->listed[l]);
    return fit_place_finish(f, &pick, i);
}

uint32_t fit_choose_some(struct fit *f, uint32_t i, int64_t limit, const uint32_t *bins,
                         uint32_t n) {
    struct fit_pick pick;
    uint32_t n_some = f->n_listed < FIT_SOME ? f->n_listed : FIT_SOME;
    if (f->items[i].is_pinned) return fit_choose(f, i, limit);
    fit_pick_begin(&pick, limit);
    for (uint32_t x = 0; x < n; x++)
        if ((f->may_open || f->bins[bins[x]].first != FIT_NONE) &&
            pack_random_below(&f->random, FIT_BLINK))
            fit_pick_try(f, &pick, i, bins[x]);
    uint32_t at = n_some ? pack_random_below(&f->random, f->n_listed) : 0;
    for (uint32_t x = 0; x < n_some; x++) {
        uint32_t b = f->listed[at];
        at = at + 1 < f->n_listed ? at + 1 : 0;
        if (b == pick.bin || pack_random_below(&f->random, FIT_BLINK) == 0) continue;
        if (f->may_open || f->bins[b].first != FIT_NONE) fit_pick_try(f, &pick, i, b);
    }
    if (f->items[i].now != FIT_NONE && f->may_open) fit_pick_try(f, &pick, i, f->items[i].now);
    return fit_place_finish(f, &pick, i);
}

/* ---- plans ---- */

int fit_offer(struct fit *f, struct pack_best *best, uint32_t method) {
    struct pack_value value;
    uint32_t bad;
    for (uint32_t i = 0; i < f->p->n_items; i++)
        f->spots[i] =
            (struct pack_spot){.bin = f->items[i].bin == FIT_NONE ? PACK_NO_BIN : f->items[i].bin,
                               .slice = PACK_NO_SLICE,
                               .start = f->p->items[i].ready};
    f->work += f->p->n_items + (uint64_t)f->n_listed * f->n_columns / 16;
    if (pack_value_of(f->cost, f->spots, &value, &bad, NULL) != 0) return 0;
    return pack_best_offer(best, f->p, f->spots, value, method);
}

void fit_load(struct fit *f, const struct pack_spot *spots) {
    fit_clear(f);
    /* pinned items are placed first, because each can be in one bin only */
    for (int pinned = 1; pinned >= 0; pinned--)
        for (uint32_t i = 0; i < f->p->n_items; i++) {
            if (f->items[i].is_pinned != pinned) continue;
            uint32_t b = pinned ? f->items[i].now : spots ? spots[i].bin : PACK_NO_BIN;
            if (b != PACK_NO_BIN && fit_check(f, i, b) != FIT_NO_FIT) fit_put(f, i, b);
        }
}
