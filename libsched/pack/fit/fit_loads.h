/*
 * fit_loads.h -- loops that find the greatest load in a range of columns of a row (fit_state.h).
 * The loops read groups of FIT_GROUP columns. gcc and clang translate a group of constant length to
 * vector instructions. A loop stops after a group whose load is too high.
 *
 * A long profile is checked first at eight columns: in each eighth of the profile, at the column
 * with the highest demand. The loads at these columns reject most bins that cannot take the item.
 */
#ifndef LIBSCHED_FIT_LOADS_H
#define LIBSCHED_FIT_LOADS_H

#include <string.h>

#include "pack/fit/fit_state.h"

/* A vector of four 32-bit numbers; gcc and clang support it on every 64-bit target. */
typedef int32_t fit_lanes __attribute__((vector_size(16)));

static inline fit_lanes fit_lanes_at(const int32_t *from) {
    fit_lanes v;
    memcpy(&v, from, sizeof v);
    return v;
}
static inline fit_lanes fit_greater(fit_lanes a, fit_lanes b) {
    fit_lanes above = a > b;
    return (a & above) | (b & ~above);
}
static inline int32_t fit_greatest(fit_lanes v) {
    int32_t a = v[0] > v[1] ? v[0] : v[1], b = v[2] > v[3] ? v[2] : v[3];
    return a > b ? a : b;
}

/* Returns the greatest load in columns [low, high), 0 if the range is empty. If a group has a load
 * above `most`, the loop stops after that group; the result is then some load above `most`. */
static inline int32_t fit_top_constant(const int32_t *row, uint32_t low, uint32_t high,
                                       int32_t most) {
    fit_lanes lanes = {0, 0, 0, 0};
    uint32_t c = low;
    for (; high - c >= FIT_GROUP; c += FIT_GROUP) {
        fit_lanes x = fit_greater(fit_lanes_at(row + c), fit_lanes_at(row + c + 4));
        fit_lanes y = fit_greater(fit_lanes_at(row + c + 8), fit_lanes_at(row + c + 12));
        lanes = fit_greater(lanes, fit_greater(x, y));
        if (high - c >= 2 * FIT_GROUP && fit_greatest(lanes) > most) return fit_greatest(lanes);
    }
    for (; high - c >= FIT_LANES; c += FIT_LANES) lanes = fit_greater(lanes, fit_lanes_at(row + c));
    int32_t top = fit_greatest(lanes);
    for (; c < high; c++) top = row[c] > top ? row[c] : top;
    return top;
}

static inline int32_t fit_top_profile(const int32_t *row, uint32_t low, uint32_t high,
                                      const int32_t *v, int32_t most) {
    fit_lanes lanes = {0, 0, 0, 0};
    uint32_t n = high - low, c = 0;
    row += low;
    for (; n - c >= FIT_GROUP; c += FIT_GROUP) {
        fit_lanes x = fit_greater(fit_lanes_at(row + c) + fit_lanes_at(v + c),
                                  fit_lanes_at(row + c + 4) + fit_lanes_at(v + c + 4));
        fit_lanes y = fit_greater(fit_lanes_at(row + c + 8) + fit_lanes_at(v + c + 8),
                                  fit_lanes_at(row + c + 12) + fit_lanes_at(v + c + 12));
        lanes = fit_greater(lanes, fit_greater(x, y));
        if (n - c >= 2 * FIT_GROUP && fit_greatest(lanes) > most) return fit_greatest(lanes);
    }
    for (; n - c >= FIT_LANES; c += FIT_LANES)
        lanes = fit_greater(lanes, fit_lanes_at(row + c) + fit_lanes_at(v + c));
    int32_t top = fit_greatest(lanes);
    for (; c < n; c++) top = row[c] + v[c] > top ? row[c] + v[c] : top;
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

/* Returns the item's demand in a column. `v` is the list of the item's amounts of one resource. */
static inline int32_t fit_value_at(const struct fit_item *it, const int32_t *v, uint32_t column) {
    if (column < it->low || column >= it->high) return 0;
    return it->span ? v[column - it->low] : *v;
}
static inline const int32_t *fit_amounts(const struct fit_item *it, uint32_t resource) {
    return it->amounts + (uint64_t)resource * (it->span ? it->span : 1);
}

#endif
