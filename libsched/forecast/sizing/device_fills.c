/* device_fills.c -- see device_fills.h. The slices are filled from the first one on: at each slice
 * either an instance begins or the slice stays empty. `level[s]` has the sets of instances that
 * cover only slices below s. */
#include "forecast/sizing/device_fills.h"

struct fill_level {
    uint64_t *fills;
    uint32_t n;
};

/* Adds a fill to a level that does not have it. Returns 0 if the level is full. */
static int fill_add(struct fill_level *level, uint64_t fill) {
    for (uint32_t i = 0; i < level->n; i++)
        if (level->fills[i] == fill) return 1;
    if (level->n == FILLS_MAX) return 0;
    level->fills[level->n++] = fill;
    return 1;
}

static uint32_t fill_compute(const struct device_fills *f, uint64_t fill) {
    uint32_t sum = 0;
    for (uint32_t p = 0; p < f->n_profiles; p++) sum += fill_of(fill, p) * f->profiles[p].compute;
    return sum;
}

/* Adds what can begin at slice s after `fill`. Returns 0 if a level is full. */
static int fill_grow(const struct device_fills *f, struct fill_level *levels, uint32_t s,
                     uint64_t fill) {
    int room = fill_add(&levels[s + 1], fill);
    for (uint32_t p = 0; p < f->n_profiles; p++) {
        const struct fill_profile *profile = &f->profiles[p];
        uint64_t more = fill + fill_one(p);
        if (profile->media || !(profile->starts >> s & 1) || s + profile->slices > f->slices)
            continue;
        if (fill_of(fill, p) == profile->max || fill_compute(f, more) > f->compute) continue;
        room &= fill_add(&levels[s + profile->slices], more);
    }
    return room;
}

/* True if `a` has all instances of `b`. */
static int fill_contains(const struct device_fills *f, uint64_t a, uint64_t b) {
    for (uint32_t p = 0; p < f->n_profiles; p++)
        if (fill_of(a, p) < fill_of(b, p)) return 0;
    return 1;
}

static int fill_is_greatest(const struct device_fills *f, const struct fill_level *all,
                            uint64_t fill) {
    for (uint32_t i = 0; i < all->n; i++)
        if (all->fills[i] != fill && fill_contains(f, all->fills[i], fill)) return 0;
    return 1;
}

int device_fills_find(struct device_fills *f, uint64_t *spare) {
    struct fill_level levels[FILL_SLICES + 1];
    for (uint32_t s = 0; s <= FILL_SLICES; s++)
        levels[s] = (struct fill_level){spare + (size_t)s * FILLS_MAX, 0};
    int room = fill_add(&levels[0], 0);
    for (uint32_t s = 0; s < f->slices; s++)
        for (uint32_t i = 0; i < levels[s].n; i++)
            room &= fill_grow(f, levels, s, levels[s].fills[i]);
    const struct fill_level *all = &levels[f->slices];
    f->n_greatest = 0;
    for (uint32_t i = 0; room && i < all->n; i++) {
        if (!fill_is_greatest(f, all, all->fills[i])) continue;
        if (f->n_greatest == FILLS_GREATEST_MAX) return 0;
        f->greatest[f->n_greatest++] = all->fills[i];
    }
    return room;
}
