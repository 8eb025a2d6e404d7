/*
 * wave_rows.h -- versions of bins of a FIXED problem: what is left of each resource in each cell.
 *
 * States of the programme differ in a few bins each, so a bin is not copied with a state: a state
 * names a version per bin, and placing an item makes one new version. An item is checked against a
 * version once, however many states share it. Versions are dropped by mark and sweep when the pool
 * is empty; counting references would cost a walk over all bins for each state made.
 *
 * Invariant: left >= 0 but for soft resources that are only priced; signature = sum over cells of
 * left x a number of the cell, so that it follows from the old one and the item's own without a
 * walk. Cost of a check: one pass over the cells that the item touches, 16 at a time.
 */
#ifndef LIBSCHED_WAVE_ROWS_H
#define LIBSCHED_WAVE_ROWS_H

#include "base/wide.h"
#include "pack/problem/problem.h"

#define WAVE_NO_ROW UINT32_MAX

/* What placing the item of the layer in a version would mean. */
struct wave_fit {
    int64_t price; /* more than before, without moves */
    int64_t rise;  /* of the peaks, in 2^-20 of the capacity, over resources */
    int64_t peak;  /* afterwards, likewise */
    uint8_t fits;
};

struct wave_row {
    uint32_t base; /* number of the bin's untouched version: equal for bins that are alike */
    uint32_t class_row;
    uint32_t n_items;
    uint32_t mark;  /* of the last sweep that found it */
    uint32_t stamp; /* layer that `fit` is of */
    uint32_t seen;  /* expansion that met it last */
    uint32_t runs;  /* intervals in which it is on */
    uint8_t on_now;
    int64_t on_us;
    int64_t price; /* open, on, switch, overload */
    uint64_t signature;
    wide_u128 area[LSCHED_PACK_RESOURCES_MAX]; /* of overload, pack_overload x us */
    int32_t least_left[LSCHED_PACK_RESOURCES_MAX];
    struct wave_fit fit;
};

struct wave_rows {
    const struct pack_problem *p;
    struct wave_row *rows;
    int32_t *left;      /* [room][n_resources][stride] */
    uint64_t *variance; /* likewise, if a soft resource is uncertain */
    uint8_t *on;        /* [room][n_cells], if time has a price */
    uint64_t *number;   /* [n_resources][stride]: of cells, for signatures */
    int64_t *scale;     /* [n_classes][n_resources] 2^40 / capacity */
    uint32_t *free;     /* rows without a use */
    uint32_t *bin_base; /* [n_bins] */
    uint32_t room, n_free, n_bases, stride, n_pos, sweep, layer;
    uint8_t all_cells, has_on, has_sigma;
    uint8_t no_overload; /* prices are without it */
    /* the item of the layer */
    uint32_t item, from, len;
    uint64_t item_signature;
    int64_t demand_peak[LSCHED_PACK_RESOURCES_MAX];
    int32_t *demand;  /* [n_resources][stride], padded with zeros to whole blocks */
    uint64_t *square; /* sigma^2, [n_resources][stride] */
};

/* Bytes of one version, to choose `room` by. */
uint64_t wave_rows_bytes(const struct pack_problem *p);
/* Versions of untouched bins, which are always there. */
uint32_t wave_rows_bases(const struct pack_problem *p);
/* `room` versions besides those of untouched bins. */
void wave_rows_new(struct wave_rows *w, const struct pack_problem *p, uint64_t room,
                   struct pack_arena *arena);
/* All versions but the untouched are free again. */
void wave_rows_clear(struct wave_rows *w);
/* Sets the item that is asked about from now on. */
void wave_rows_item(struct wave_rows *w, uint32_t item);
/* Does it fit, and what does it mean. */
const struct wave_fit *wave_rows_check(struct wave_rows *w, uint32_t row);
/* A new version with the item in it, which must fit. WAVE_NO_ROW: the pool is empty. */
uint32_t wave_rows_place(struct wave_rows *w, uint32_t row);
/* Signature of the version that placing would make. */
static inline uint64_t wave_rows_signature(const struct wave_rows *w, uint32_t row) {
    return w->rows[row].signature - w->item_signature;
}
/* Frees what was not marked since the last call of wave_rows_sweep: mark all that lives, then
 * sweep. */
static inline void wave_rows_mark(struct wave_rows *w, uint32_t row) {
    w->rows[row].mark = w->sweep;
}
void wave_rows_sweep(struct wave_rows *w);

#endif
