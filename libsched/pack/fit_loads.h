/*
 * fit_loads.h -- the loops over rows of loads (fit_state.h): greatest load over a range, in groups of FIT_GROUP columns of
 * constant length, which gcc and clang make into vector instructions without being asked for a vector type, and which
 * stop after the group that is beyond what fits.
 *
 * Profiles are looked at first where each eighth of them is highest: of the bins that cannot take an item, most are told by
 * these eight loads.
 */
#ifndef LIBSCHED_FIT_LOADS_H
#define LIBSCHED_FIT_LOADS_H

#include "pack/fit_state.h"

/* Greatest load in [low, high), 0 of none; stops above `most`. The group that the range ends in is masked. */
static inline int32_t fit_top_constant(const int32_t *row, uint32_t low, uint32_t high,
                                       int32_t most) {
    int32_t top = 0;
    uint32_t c = low;
    for (; high - c >= FIT_GROUP; c += FIT_GROUP) {
        for (uint32_t k = 0; k < FIT_GROUP; k++) top = row[c + k] > top ? row[c + k] : top;
        if (top > most) return top;
    }
    int32_t n = (int32_t)(high - c);
    for (int32_t k = 0; k < FIT_GROUP; k++) {
        int32_t v = k < n ? row[c + (uint32_t)k] : 0;
        top = v > top ? v : top;
    }
    return top;
}

static inline int32_t fit_top_profile(const int32_t *row, uint32_t low, uint32_t high,
                                      const int32_t *v, int32_t most) {
    int32_t top = 0;
    uint32_t n = high - low, c = 0;
    row += low;
    for (; n - c >= FIT_GROUP; c += FIT_GROUP) {
        for (uint32_t k = 0; k < FIT_GROUP; k++) {
            int32_t sum = row[c + k] + v[c + k];
            top = sum > top ? sum : top;
        }
        if (top > most) return top;
    }
    for (; c < n; c++) {
        int32_t sum = row[c] + v[c];
        top = sum > top ? sum : top;
    }
    return top;
}

static inline int fit_hot_fits(const struct fit *f, uint32_t i, uint32_t h, const int32_t *row,
                               const int32_t *v, int32_t most) {
    const uint32_t *hot = f->hot + ((uint64_t)i * f->n_hard + h) * FIT_HOT;
    int32_t top = 0;
    for (uint32_t k = 0; k < FIT_HOT; k++) {
        int32_t sum = row[hot[k]] + v[hot[k]];
        top = sum > top ? sum : top;
    }
    return top <= most;
}

/* What it takes in a column; v: of the resource. */
static inline int32_t fit_value_at(const struct fit_item *it, const int32_t *v, uint32_t column) {
    if (column < it->low || column >= it->high) return 0;
    return it->span ? v[column - it->low] : *v;
}
static inline const int32_t *fit_amounts(const struct fit_item *it, uint32_t resource) {
    return it->amounts + (uint64_t)resource * (it->span ? it->span : 1);
}

#endif
