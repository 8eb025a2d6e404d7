/*
 * device_fills.h -- what one device can be cut into: all sets of MIG instances that fit on it at
 * once, as numbers of instances of each profile.
 *
 * A fill is a word with 8 bits for each profile. What always holds: each subset of a fill is a
 * fill, too, because an instance can be left out. Therefore the greatest fills describe all.
 * Profiles with media engines are in no fill. Cost: once for each table, below 1 ms.
 */
#ifndef LIBSCHED_DEVICE_FILLS_H
#define LIBSCHED_DEVICE_FILLS_H

#include <libsched/sizing.h>

enum {
    FILL_PROFILES = LSCHED_FORECAST_LAYOUT_PROFILES,
    FILL_SLICES = 8,
    FILLS_MAX = 1024, /* sets of instances; the tables of libsched have at most 200 */
    FILLS_GREATEST_MAX = 64
};

struct fill_profile {
    uint32_t slices, compute, starts, max, milli, media;
};

struct device_fills {
    uint32_t n_profiles, slices, compute;
    struct fill_profile profiles[FILL_PROFILES];
    uint32_t n_greatest;
    uint64_t greatest[FILLS_GREATEST_MAX];
};

static inline uint32_t fill_of(uint64_t fill, uint32_t profile) {
    return (uint32_t)(fill >> 8 * profile) & 255u;
}
static inline uint64_t fill_one(uint32_t profile) {
    return (uint64_t)1 << 8 * profile;
}

/* `n_profiles`, `slices`, `compute` and `profiles` are set. Fills in the rest with `spare`,
 * which has room for (FILL_SLICES + 1) * FILLS_MAX words. Returns 0 if there are too many fills. */
int device_fills_find(struct device_fills *fills, uint64_t *spare);

#endif
