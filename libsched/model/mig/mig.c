/* mig.c -- see mig.h. Cost: a few words of arithmetic; mig_choose() costs O(starts of the profile
 * + instances of the device). */
#include "model/mig/mig.h"

uint32_t mig_starts(const struct mig_table *t, uint32_t profile, uint32_t used) {
    uint32_t slices = t->profiles[profile].slices, w = ~used & ((1u << t->slices) - 1);
    if (slices > 1) w &= w >> 1;
    if (slices > 2) w &= w >> 2;
    if (slices > 4) w &= w >> 4;
    return w & t->profiles[profile].starts;
}

uint64_t mig_worth(const struct mig_table *t, uint32_t used, const uint32_t *weights) {
    if (!weights) return t->even[used & 0xFF];
    uint64_t sum = 0;
    for (uint32_t p = 0; p < t->n_profiles; p++)
        sum += (uint64_t)weights[p] * t->profiles[p].slices *
               (uint32_t)__builtin_popcount(mig_starts(t, p, used));
    return sum;
}

uint32_t mig_best(const struct mig_table *t, uint32_t profile, uint32_t used, uint32_t starts,
                  const uint32_t *weights) {
    uint32_t best = MIG_NONE, slices = mig_bits(t, profile, 0);
    uint64_t most = 0;
    for (; starts; starts &= starts - 1) {
        uint32_t s = (uint32_t)__builtin_ctz(starts);
        uint64_t worth = mig_worth(t, used | slices << s, weights);
        if (best != MIG_NONE && worth <= most) continue;
        best = s;
        most = worth;
    }
    return best;
}

/* ---- geometry ---- */

uint32_t mig_begins(uint32_t geometry) {
    uint32_t any = geometry | geometry >> 1;
    any = (any | any >> 2) & 0x11111111u; /* bit 4s: an instance begins at slice s */
    any = (any | any >> 3) & 0x03030303u;
    any = (any | any >> 6) & 0x000F000Fu;
    return (any | any >> 12) & 0xFFu;
}

uint32_t mig_covered(const struct mig_table *t, uint32_t geometry, uint32_t starts) {
    uint32_t mask = 0;
    for (uint32_t m = starts; m; m &= m - 1) {
        uint32_t s = (uint32_t)__builtin_ctz(m);
        mask |= mig_bits(t, mig_at(geometry, s), s);
    }
    return mask;
}

int mig_geometry_legal(const struct mig_table *t, uint32_t geometry) {
    uint32_t used = 0, media = 0;
    for (uint32_t m = mig_begins(geometry); m; m &= m - 1) {
        uint32_t s = (uint32_t)__builtin_ctz(m), p = mig_at(geometry, s);
        if (p >= t->n_profiles || !(mig_starts(t, p, used) >> s & 1)) return 0;
        used |= mig_bits(t, p, s);
        media += t->profiles[p].media;
    }
    return media <= 1;
}

/* Returns the mask of the starts of instances with the media engines. */
static uint32_t with_media(const struct mig_table *t, uint32_t geometry) {
    uint32_t starts = 0;
    for (uint32_t m = mig_begins(geometry); m; m &= m - 1) {
        uint32_t s = (uint32_t)__builtin_ctz(m);
        if (t->profiles[mig_at(geometry, s)].media) starts |= 1u << s;
    }
    return starts;
}

/* Returns the mask of the starts of the idle instances that must be destroyed for a new instance
 * of the profile at `start`. */
static uint32_t displaced(const struct mig_table *t, uint32_t profile, uint32_t geometry,
                          uint32_t busy, uint32_t start) {
    uint32_t idle = mig_begins(geometry) & ~busy, bits = mig_bits(t, profile, start), out = 0;
    for (uint32_t m = idle; m; m &= m - 1) {
        uint32_t s = (uint32_t)__builtin_ctz(m);
        if (mig_bits(t, mig_at(geometry, s), s) & bits) out |= 1u << s;
    }
    if (t->profiles[profile].media) out |= with_media(t, geometry) & idle;
    return out;
}

/* Returns the mask of the starts of idle instances of the profile. All slices of such an instance
 * must be free. Checking only the first slice is not enough, because an imported task can hold
 * the other slices. */
static uint32_t mig_standing(const struct mig_table *t, uint32_t profile, uint32_t geometry,
                             uint32_t busy) {
    uint32_t differ = geometry ^ 0x11111111u * (profile + 1);
    return ~mig_begins(differ) & mig_starts(t, profile, busy);
}

/* Returns the mask of the starts at which an instance of the profile can be created: none of its
 * slices is busy, and, if the profile has +me, no busy instance has the media engines. */
static uint32_t cuttable(const struct mig_table *t, uint32_t profile, uint32_t geometry,
                         uint32_t busy) {
    if (t->profiles[profile].media && (with_media(t, geometry) & busy)) return 0;
    return mig_starts(t, profile, busy);
}

int mig_choose(const struct mig_table *t, uint32_t profile, uint32_t geometry, uint32_t busy,
               int cuts, const uint32_t *weights, struct mig_choice *out) {
    uint32_t have = mig_standing(t, profile, geometry, busy);
    *out = (struct mig_choice){MIG_NONE, 0, 0};
    if (have) {
        out->start = mig_best(t, profile, busy, have, weights);
        return 1;
    }
    if (!cuts) return 0;
    uint64_t most = 0;
    uint32_t fewest = 0;
    for (uint32_t m = cuttable(t, profile, geometry, busy); m; m &= m - 1) {
        uint32_t s = (uint32_t)__builtin_ctz(m);
        uint64_t worth = mig_worth(t, busy | mig_bits(t, profile, s), weights);
        if (out->creates && worth < most) continue;
        uint32_t gone = geometry ? displaced(t, profile, geometry, busy, s) : 0;
        uint32_t n = (uint32_t)__builtin_popcount(gone);
        if (out->creates && worth == most && n >= fewest) continue;
        *out = (struct mig_choice){s, gone, 1};
        most = worth;
        fewest = n;
    }
    return out->creates != 0;
}

int mig_choose_at(const struct mig_table *t, uint32_t profile, uint32_t geometry, uint32_t busy,
                  int cuts, uint32_t start, struct mig_choice *out) {
    *out = (struct mig_choice){MIG_NONE, 0, 0};
    if (start >= MIG_SLICES) return 0;
    if (mig_standing(t, profile, geometry, busy) >> start & 1) {
        out->start = start;
        return 1;
    }
    if (!cuts || !(cuttable(t, profile, geometry, busy) >> start & 1)) return 0;
    *out = (struct mig_choice){start, displaced(t, profile, geometry, busy, start), 1};
    return 1;
}

uint32_t mig_cut(uint32_t geometry, uint32_t profile, const struct mig_choice *choice) {
    if (!choice->creates) return geometry;
    for (uint32_t m = choice->destroys; m; m &= m - 1)
        geometry = mig_remove(geometry, (uint32_t)__builtin_ctz(m));
    return mig_add(geometry, profile, choice->start);
}
