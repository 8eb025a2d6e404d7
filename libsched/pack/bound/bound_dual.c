/* bound_dual.c -- see bound_dual.h. */
#include "pack/bound/bound_dual.h"

#include "base/sort.h"

enum { ROUND_STEPS = 24, PIECE_SIZES = 48 };

#define SIZE_BEFORE(of, a, b) ((a) > (b))
SORT_IN_PLACE(sort_sizes, int32_t, const void *, SIZE_BEFORE)

void dual_sort(int32_t *a, uint32_t n) {
    sort_sizes(NULL, a, n);
}

static uint32_t bound_dual_bins_of(int64_t sum, int64_t whole) {
    return (uint32_t)((sum + whole - 1) / whole);
}

/* Tries the thresholds of Martello and Toth, from half the capacity down. With each lower
 * threshold, fewer sizes count as a whole bin, and fewer sizes count as nothing. */
static uint32_t by_threshold(const int32_t *d, uint32_t n, int32_t capacity) {
    uint32_t whole = 0, end = 0;
    int64_t sum = 0;
    while (end < n && 2 * (int64_t)d[end] > capacity) end++;
    whole = end;
    uint32_t most = whole;
    while (end < n) {
        int32_t t = d[end];
        while (end < n && d[end] == t) sum += d[end++];
        while (whole > 0 && d[whole - 1] <= capacity - t) sum += d[--whole];
        uint32_t bins = whole + bound_dual_bins_of(sum, capacity);
        if (bins > most) most = bins;
    }
    return most;
}

static uint32_t by_rounding(const int32_t *d, uint32_t n, int32_t capacity, int64_t k) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t x = (k + 1) * d[i];
        /* the sum is in units of 1 / (k x capacity) of a bin */
        sum += x % capacity ? x / capacity * capacity : k * d[i];
    }
    return bound_dual_bins_of(sum, k * capacity);
}

static uint32_t by_pieces(const int32_t *d, uint32_t n, int32_t capacity, int32_t t) {
    int64_t whole = capacity / t, sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t twice = 2 * (int64_t)d[i];
        sum += twice > capacity    ? 2 * (whole - (capacity - d[i]) / t)
               : twice == capacity ? whole
                                   : 2 * (d[i] / t);
    }
    return bound_dual_bins_of(sum, 2 * whole);
}

uint32_t dual_bins(const int32_t *d, uint32_t n, int32_t capacity, uint64_t *work) {
    if (n == 0 || capacity <= 0) return 0;
    uint32_t most = by_threshold(d, n, capacity);
    uint32_t functions = 1, pieces = 0;
    for (int64_t k = 2; k <= ROUND_STEPS && most < n; k++, functions++) {
        uint32_t bins = by_rounding(d, n, capacity, k);
        if (bins > most) most = bins;
    }
    for (uint32_t i = 0; i < n && pieces < PIECE_SIZES && most < n; i++) {
        if (2 * (int64_t)d[i] > capacity || d[i] <= 0 || (i > 0 && d[i] == d[i - 1])) continue;
        uint32_t bins = by_pieces(d, n, capacity, d[i]);
        if (bins > most) most = bins;
        pieces++;
        functions++;
    }
    *work += 1 + (uint64_t)functions * n / 16;
    return most;
}
