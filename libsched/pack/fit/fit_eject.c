/* fit_eject.c -- see fit_eject.h. */
#include "pack/fit/fit_eject.h"

#include "pack/fit/fit_loads.h"

/* True if a row of loads fits with item i added and item j removed. Items i (demand v) and j
 * (demand w) are profiles over the same n columns. */
static int profiles_fit(const int32_t *row, const int32_t *v, const int32_t *w, uint32_t n,
                        int32_t most) {
    uint32_t c = 0;
    for (; n - c >= FIT_GROUP; c += FIT_GROUP) {
        int32_t top = 0;
        for (uint32_t k = 0; k < FIT_GROUP; k++) {
            int32_t sum = row[c + k] + v[c + k] - w[c + k];
            top = sum > top ? sum : top;
        }
        if (top > most) return 0;
    }
    for (; c < n; c++)
        if (row[c] + v[c] - w[c] > most) return 0;
    return 1;
}

/* True if a row of loads fits with item i (`it`, demand v) added and item j (`out`, demand w)
 * removed. The demands of both items are constant. The function checks the columns that both items
 * have, and the other columns of item i before and after these. */
static int constants_fit(const int32_t *row, const struct fit_item *it, const struct fit_item *out,
                         int32_t v, int32_t w, int32_t most) {
    uint32_t low = it->low > out->low ? it->low : out->low;
    uint32_t high = it->high < out->high ? it->high : out->high;
    int32_t both = most - v + w, alone = most - v;
    return fit_top_constant(row, low, high, both) <= both &&
           (it->low >= low || fit_top_constant(row, it->low, low, alone) <= alone) &&
           (it->high <= high || fit_top_constant(row, high, it->high, alone) <= alone);
}

static int columns_fit(const int32_t *row, const struct fit_item *it, const struct fit_item *out,
                       const int32_t *v, const int32_t *w, int32_t most) {
    for (uint32_t c = it->low; c < it->high; c++)
        if (row[c] + fit_value_at(it, v, c) - fit_value_at(out, w, c) > most) return 0;
    return 1;
}

static int hot_fits_without(const struct fit *f, uint32_t i, uint32_t h, const int32_t *row,
                            const struct fit_item *out, const int32_t *v, const int32_t *w,
                            int32_t most) {
    const uint32_t *hot = f->hot + ((uint64_t)i * f->n_hard + h) * FIT_HOT;
    for (uint32_t k = 0; k < FIT_HOT; k++) {
        uint32_t c = f->items[i].low + hot[k];
        if (row[c] + v[hot[k]] - fit_value_at(out, w, c) > most) return 0;
    }
    return 1;
}

int fit_without(struct fit *f, uint32_t i, uint32_t b, uint32_t j) {
    const struct fit_item *it = &f->items[i], *out = &f->items[j];
    f->work++;
    for (uint32_t h = 0; h < f->n_hard; h++) {
        const int32_t *row = fit_row(f, b, h);
        const int32_t *v = fit_amounts(it, f->hard[h]), *w = fit_amounts(out, f->hard[h]);
        int32_t most = fit_class(f, b)->capacity[f->hard[h]];
        int fits;
        if (it->span && !hot_fits_without(f, i, h, row, out, v, w, most)) return 0;
        f->work += (it->high - it->low) / 64;
        if (!it->span && !out->span)
            fits = constants_fit(row, it, out, *v, *w, most);
        else if (it->span && out->span && it->low == out->low && it->high == out->high)
            fits = profiles_fit(row + it->low, v, w, it->high - it->low, most);
        else
            fits = columns_fit(row, it, out, v, w, most);
        if (!fits) return 0;
    }
    return 1;
}

uint32_t fit_find_exchange(struct fit *f, uint32_t i) {
    const struct fit_item *it = &f->items[i];
    uint32_t least = FIT_NONE, n = f->n_listed < FIT_SOME ? f->n_listed : FIT_SOME;
    uint32_t at = n ? pack_random_below(&f->random, f->n_listed) : 0;
    for (uint32_t x = 0; x < n; x++) {
        uint32_t b = f->listed[at];
        at = at + 1 < f->n_listed ? at + 1 : 0;
        if (f->bins[b].first == FIT_NONE || !fit_is_allowed(f, i, b)) continue;
        for (uint32_t j = f->bins[b].first; j != FIT_NONE; j = f->items[j].next) {
            const struct fit_item *out = &f->items[j],
                                  *other = &f->items[least == FIT_NONE ? j : least];
            if (out->is_pinned || out->grudge > it->grudge || out->low >= it->high ||
                it->low >= out->high)
                continue;
            if (least != FIT_NONE && (out->grudge > other->grudge ||
                                      (out->grudge == other->grudge && out->size >= other->size)))
                continue;
            if (fit_without(f, i, b, j)) least = j;
        }
        f->work += f->bins[b].n_items / 4;
    }
    return least;
}
