/*
 * wave_rows.h -- versions of bins of a FIXED problem. A version holds the free amount of each
 * resource in each cell.
 *
 * States of the dynamic programme differ in few bins. Therefore bins are not copied with each
 * state. A state names one version for each bin, and placing an item makes one new version. An item
 * is checked against a version only once, however many states share the version. When the pool has
 * no free version, unused versions are freed by mark and sweep. Reference counts are not used,
 * because they would cost a walk over all bins for each new state.
 *
 * Invariants: free amounts are >= 0, except those of soft resources with a price and no limit. The
 * signature of a version is the sum over the cells of free amount x a random number of the cell.
 * Therefore the signature of a new version is computed from the old signature and the item's
 * signature, without a walk. Cost of a check: one pass over the cells of the item, 16 at a time.
 */
#ifndef LIBSCHED_WAVE_ROWS_H
#define LIBSCHED_WAVE_ROWS_H

#include "base/wide.h"
#include "pack/problem/problem.h"

#define WAVE_NO_ROW UINT32_MAX

/* The effect of placing the current item (wave_rows_item) in a version. */
struct wave_fit {
    int64_t price; /* increase of the bin's price; moves do not count */
    int64_t rise;  /* increase of the peak loads, summed over resources, in 2^-20 of the capacity */
    /* peak loads after the item is placed, summed over resources, in 2^-20 of the capacity */
    int64_t peak;
    uint8_t fits;
};

struct wave_row {
    /* index of the empty version (without items) that this version was derived from; the versions
     * of equal bins have the same index */
    uint32_t base;
    uint32_t class_row;
    uint32_t n_items;
    uint32_t mark;  /* number of the last sweep that found the version in use */
    uint32_t stamp; /* number of the layer for which `fit` was computed */
    uint32_t seen;  /* number of the last expansion of a state that tried the version */
    uint32_t runs;  /* number of intervals in which the bin is on */
    uint8_t on_now;
    int64_t on_us;
    int64_t price; /* price of the bin: opening, hours, switches and overload */
    uint64_t signature;
    wide_u128 area[LSCHED_PACK_RESOURCES_MAX]; /* sum of pack_overload x microseconds */
    int32_t least_left[LSCHED_PACK_RESOURCES_MAX];
    struct wave_fit fit;
};

struct wave_rows {
    const struct pack_problem *p;
    struct wave_row *rows;
    int32_t *left; /* [room][n_resources][stride] free amounts of each version */
    /* [room][n_resources][stride] sums of squared sigmas; only if there is a soft resource */
    uint64_t *variance;
    /* [room][n_cells] true for each cell in which the bin is on; only if a class has an on or
     * switch price */
    uint8_t *on;
    uint64_t *number;   /* [n_resources][stride] random number of each cell, for signatures */
    int64_t *scale;     /* [n_classes][n_resources] 2^40 divided by the capacity */
    uint32_t *free;     /* list of the versions that are not in use */
    uint32_t *bin_base; /* [n_bins] version of each bin without items */
    uint32_t room, n_free, n_bases, stride, n_pos, sweep, layer;
    uint8_t all_cells, has_on, has_sigma;
    uint8_t no_overload; /* true if prices do not include overload */
    /* The members from here on describe the current item. */
    uint32_t item, from, len;
    uint64_t item_signature;
    int64_t demand_peak[LSCHED_PACK_RESOURCES_MAX];
    /* [n_resources][stride] demand of the current item, padded with zeros to whole blocks */
    int32_t *demand;
    uint64_t *square; /* [n_resources][stride] squared sigmas of the current item */
};

/* Returns the memory of one version in bytes. The caller computes `room` from this number. */
uint64_t wave_rows_bytes(const struct pack_problem *p);
/* Returns the number of versions without items, which are never freed. */
uint32_t wave_rows_bases(const struct pack_problem *p);
/* Takes memory for `room` versions in addition to the versions without items. */
void wave_rows_new(struct wave_rows *w, const struct pack_problem *p, uint64_t room,
                   struct pack_arena *arena);
/* Frees all versions that have items. */
void wave_rows_clear(struct wave_rows *w);
/* Sets the current item, to which the following functions refer. */
void wave_rows_item(struct wave_rows *w, uint32_t item);
/* Checks whether the current item fits a version, and returns the effect of placing the item in
 * it. */
const struct wave_fit *wave_rows_check(struct wave_rows *w, uint32_t row);
/* Makes a new version that has the current item in addition; the item must fit. Returns WAVE_NO_ROW
 * if the pool has no free version. */
uint32_t wave_rows_place(struct wave_rows *w, uint32_t row);
/* Returns the signature of the version that wave_rows_place would make. */
static inline uint64_t wave_rows_signature(const struct wave_rows *w, uint32_t row) {
    return w->rows[row].signature - w->item_signature;
}
/* Before it calls wave_rows_sweep, the caller marks all versions in use with wave_rows_mark.
 * wave_rows_sweep frees all versions that were not marked since its last call. */
static inline void wave_rows_mark(struct wave_rows *w, uint32_t row) {
    w->rows[row].mark = w->sweep;
}
void wave_rows_sweep(struct wave_rows *w);

#endif
