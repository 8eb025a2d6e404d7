/*
 * series.h -- one series of samples: slots, experts and horizons in one block of memory.
 *
 * Time is cut into slots. The value of a slot is its greatest sample; therefore the order of the
 * samples of a slot, and samples that come twice, change nothing. A slot closes when a sample of a
 * later slot comes, or when the time is told. A closed slot does not open again: a sample for it
 * is late and is only counted. A slot without a sample is a gap: nothing is learned from it.
 *
 * What always holds: the block has no pointers; a copy of its bytes is a copy of the series.
 * `open_slot` is after each closed slot. Cost: a sample O(1); a closed slot O(experts x horizons);
 * any number of gaps as much as one slot.
 */
#ifndef LIBSCHED_FORECAST_SERIES_H
#define LIBSCHED_FORECAST_SERIES_H

#include "forecast/series/horizon.h"

enum { HORIZONS = 4 };
/* A new series trusts its own forecast as if it had this many samples of the request. */
#define REQUEST_WORTH 12.0

struct series {
    int64_t slot_us;
    int64_t first_slot; /* slots are counted from this one in what horizons remember */
    int64_t open_slot;  /* the slot that gets samples; -1: there was no sample */
    int64_t last_slot;  /* the latest closed slot with a value; -1: none */
    double request;     /* 0: unknown */
    double open_value;  /* greatest sample of the open slot; -1: none */
    uint64_t samples, late, gap_slots, slots; /* learned, late, closed empty, closed with a value */
    float greatest;                           /* of all values */
    uint32_t repeats; /* how often the latest value came again, one after the other */
    struct experts experts;
    struct horizon horizons[HORIZONS];
};

struct series_opts {
    int64_t slot_us;
    uint32_t horizon_slots[HORIZONS]; /* ascending */
    double request, ewma_slots, hist_slots, moment_slots, sigmas;
};

struct outlook {
    double expected, upper;
    uint32_t middle, bound; /* experts */
    double confidence;
    int stale; /* the time is further from the latest value than any horizon reaches */
};

void series_begin(struct series *s, const struct series_opts *opts);
/* Closes all slots before that of `now_us`. A time in the past changes nothing. */
void series_advance(struct series *s, int64_t now_us);
/* Adds a sample. Returns 1, or 0 if its slot has closed. */
int series_add(struct series *s, int64_t at_us, double value);
/* What is to be expected at each horizon, and the bound above which the part `tail` lies. */
void series_outlook(const struct series *s, int64_t now_us, double tail,
                    struct outlook out[HORIZONS]);

#endif
