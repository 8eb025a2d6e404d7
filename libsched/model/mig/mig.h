/*
 * mig.h -- how one GPU can be partitioned into MIG instances: which instances fit, and where they
 * begin. The module has a placement table for each device model, and answers every question about
 * one device by arithmetic on the mask of the device's used memory slices. The functions are pure:
 * they use no columns and allocate nothing.
 *
 * An instance of a profile occupies `slices` consecutive memory slices, and begins at one of the
 * profile's `starts`. Compute slices need no count of their own, because the legal starts never
 * allow more than 7 of them (a test checks every state). Only one rule does not follow from the
 * mask: at most one instance of a device can have a profile with the media engines (+me).
 *
 * A *geometry* is the layout of a device, with four bits for each memory slice: the profile's
 * index + 1 if an instance begins at the slice, else 0. An instance is busy if its first slice is
 * in the busy mask. All other instances are idle and can be destroyed.
 *
 * A new instance begins at the start that leaves the greatest worth. worth(mask) = sum over
 * profiles of weight x slices x number of starts at which an instance still fits beside the used
 * slices in the mask. The worth measures how many slices tasks of the expected mix could still
 * fill. Weights are equal unless the caller gives weights. Ties are decided by the lowest start.
 * Why the factor `slices`: without it, a second 3g would be placed on an empty device instead of
 * the free half of a used device. Cost: 3 shifts find all possible starts, and one word of a
 * table for each start gives the worth (256 words, one for each mask). Why not a table of
 * possible starts by profile and mask: three shifts cost less than a cache miss.
 */
#ifndef LIBSCHED_MIG_H
#define LIBSCHED_MIG_H

#include <libsched/libsched.h>

#define MIG_SLICES       8
#define MIG_PROFILES_MAX 8 /* largest number of profiles of one table */
#define MIG_NONE         0xFFu
#define MIG_WEIGHT_MAX   1000000u
/* number of profiles that count in the worth with equal weights, on a device of eight slices */
#define MIG_PROFILES_EVEN 6u

struct mig_profile {
    const char *name;
    uint8_t slices;   /* number of memory slices, a power of two */
    uint8_t compute;  /* number of compute slices */
    uint8_t starts;   /* bit s: an instance can begin at slice s */
    uint8_t max;      /* largest number of instances of this profile on a device */
    uint8_t media;    /* 1: the instance has the device's only set of media engines (+me) */
    uint8_t vendor;   /* profile id that nvidia-smi shows */
    uint16_t sms;     /* number of streaming multiprocessors; 0: unknown */
    uint32_t mem_mib; /* usable memory in MiB */
};

struct mig_table {
    const char *name;     /* name of the table, such as "h100-80gb" */
    const char *model;    /* word that the name of the device model must have: "H100" */
    const uint16_t *even; /* even[mask]: worth with the used slices `mask` and equal weights */
    uint32_t memory_gb;   /* nominal memory in GB */
    uint32_t slices;      /* number of memory slices: 8 or 4 */
    uint32_t n_profiles;
    struct mig_profile profiles[MIG_PROFILES_MAX];
};

/* Returns the table with index i, NULL if there is none. Images have these indexes, therefore new
 * tables must be appended at the end. */
const struct mig_table *mig_table_at(uint32_t i);
uint32_t mig_table_number(const struct mig_table *t);
/* Returns the table with this name, NULL if there is none. */
const struct mig_table *mig_table_named(lsched_text name);
/* Returns the table of a device: the table's model must be a word of the device model's name (in
 * upper or lower case), and the memory must differ by at most a tenth from the nominal memory of
 * the table. memory_bytes 0: the memory is unknown. In that case the name must have the memory
 * ("80GB"), unless only one table has the model. Returns NULL if there is no such table. */
const struct mig_table *mig_table_for(lsched_text model, int64_t memory_bytes);
int mig_profile_is(const struct mig_table *t, uint32_t profile, lsched_text name);
/* Returns the index of the profile with this name in the table, MIG_NONE if there is none. */
uint32_t mig_profile_named(const struct mig_table *t, lsched_text name);

/* The next functions answer for the name of a profile without a device. They look at the tables
 * that devices of the given models can have. If no models are given, or if no table knows one of
 * the models, they look at all tables. */
enum { MIG_VARIANTS_MAX = 2 };
/* Sets slices[] to the different numbers of memory slices that the profile has in these tables,
 * ascending, and returns their number; 0 if no table has the profile. Example: 1g.10gb has 1
 * slice on a device of 80 GB and 2 slices on a device of 40 GB. */
uint32_t mig_profile_slices(lsched_text profile, const lsched_text *models, uint32_t n_models,
                            uint8_t slices[MIG_VARIANTS_MAX]);
/* Returns the charge of an instance of this profile with `slices` memory slices, in milli-GPUs; 0
 * if no table has the profile with that number of slices. */
uint32_t mig_nominal_milli(lsched_text profile, uint32_t slices);
/* Writes the names of all profiles of these tables for messages, each name once: "1g.10gb,
 * 1g.10gb+me, ...". The text is truncated to `room` bytes, the final NUL included. */
void mig_profile_list(const lsched_text *models, uint32_t n_models, char *out, size_t room);

static inline uint32_t mig_bits(const struct mig_table *t, uint32_t profile, uint32_t start) {
    return ((1u << t->profiles[profile].slices) - 1) << start;
}
/* Returns the charge of an instance in thousandths of its device: its memory slices divided by
 * all slices. */
static inline uint32_t mig_milli(const struct mig_table *t, uint32_t profile) {
    return t->profiles[profile].slices * 1000 / t->slices;
}

/* Returns the mask of starts at which an instance of the profile overlaps no used slice. */
uint32_t mig_starts(const struct mig_table *t, uint32_t profile, uint32_t used);
/* Returns the worth of a device with the used slices `used`. weights[p]: weight of profile p, at
 * most MIG_WEIGHT_MAX. weights NULL: weight 1 for each profile without +me, 0 for the others. */
uint64_t mig_worth(const struct mig_table *t, uint32_t used, const uint32_t *weights);
/* Returns the start out of the mask `starts` at which an instance of the profile leaves the
 * greatest worth; MIG_NONE if the mask is empty. */
uint32_t mig_best(const struct mig_table *t, uint32_t profile, uint32_t used, uint32_t starts,
                  const uint32_t *weights);

/* ---- geometry ---- */

/* Returns the profile of the instance that begins at the slice `start`; MIG_NONE if no instance
 * begins at that slice. */
static inline uint32_t mig_at(uint32_t geometry, uint32_t start) {
    return ((geometry >> 4 * start & 15) - 1) & MIG_NONE;
}
static inline uint32_t mig_add(uint32_t geometry, uint32_t profile, uint32_t start) {
    return geometry | (profile + 1) << 4 * start;
}
static inline uint32_t mig_remove(uint32_t geometry, uint32_t start) {
    return geometry & ~(15u << 4 * start);
}
/* Returns the mask of the slices that the instances occupy that begin at the slices `starts`. */
uint32_t mig_covered(const struct mig_table *t, uint32_t geometry, uint32_t starts);
/* Returns the mask of the slices at which instances begin. */
uint32_t mig_begins(uint32_t geometry);
/* Returns 1 if a device can have this geometry: all profiles are in the table, all starts are
 * legal, no instances overlap, and at most one instance has +me. */
int mig_geometry_legal(const struct mig_table *t, uint32_t geometry);

/* Where one more instance of a profile is, and what must be done for it. */
struct mig_choice {
    uint32_t start;
    uint32_t destroys; /* mask of the starts of the idle instances that must be destroyed */
    uint32_t creates;  /* 1 if an instance must be created; 0 if an idle instance is used */
};
/* Chooses the position of one more instance on a device with this geometry and these busy slices,
 * and sets *out; returns 0 if no position is possible. If the device has idle instances of the
 * profile, the function chooses among them the one that leaves the greatest worth. Otherwise, if
 * `cuts` is 1 (new instances can be created), it chooses the start that leaves the greatest
 * worth; ties are decided by the fewest destroyed instances, then by the lowest start. */
int mig_choose(const struct mig_table *t, uint32_t profile, uint32_t geometry, uint32_t busy,
               int cuts, const uint32_t *weights, struct mig_choice *out);
/* Does what mig_choose() does for the given start; returns 0 if no instance of the profile is
 * possible at that start. */
int mig_choose_at(const struct mig_table *t, uint32_t profile, uint32_t geometry, uint32_t busy,
                  int cuts, uint32_t start, struct mig_choice *out);
/* Returns the geometry after the choice is carried out. */
uint32_t mig_cut(uint32_t geometry, uint32_t profile, const struct mig_choice *choice);

#endif
