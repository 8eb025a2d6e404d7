/*
 * mig.h -- MIG: how a GPU can be partitioned into MIG instances. The module has the exact
 * placement tables by model, and answers every question about one device by arithmetic on the
 * mask of the device's used memory slices. Pure: no columns, no allocation.
 *
 * An instance of a profile occupies `slices` consecutive memory slices from one of its `starts`.
 * The mask of used slices is enough: the legal starts alone keep the compute slices at 7 or fewer
 * (a test proves it over every state). There is one rule beside the mask: at most one instance at
 * a time has a profile with the device's media engines (+me).
 *
 * Geometry: the layout of a device, four bits per memory slice: profile number + 1 where an
 * instance begins, else 0. An instance is busy if its first slice is in the busy mask; the others
 * are idle and can be destroyed.
 *
 * Which start is chosen: the one after which the most can still be placed. worth(mask) = sum over
 * profiles of weight x slices x number of instances that still fit. The worth is the number of
 * slices that tasks of the expected task mix could still fill. Weights are equal unless given;
 * ties go to the lowest start. Why the factor of slices: without it a second 3g would be placed
 * on an empty device rather than fill the half of a device that is free. Cost: 3 shifts for the
 * free starts, one word of a table per start for the best. Why not a table
 * feasible[profile][mask]: windows of a power of two are three shifts, which cost less than a
 * cache miss. The worth of a mask is read from a table of 256 words.
 */
#ifndef LIBSCHED_MIG_H
#define LIBSCHED_MIG_H

#include <libsched/libsched.h>

#define MIG_SLICES       8
#define MIG_PROFILES_MAX 8 /* of one table */
#define MIG_NONE         0xFFu
#define MIG_WEIGHT_MAX   1000000u
/* number of profiles that count in the worth of a mask with equal weights, on a device of eight
 * slices */
#define MIG_PROFILES_EVEN 6u

struct mig_profile {
    const char *name;
    uint8_t slices;   /* memory slices, a power of two */
    uint8_t compute;  /* compute slices */
    uint8_t starts;   /* bit s: an instance can begin at slice s */
    uint8_t max;      /* most instances per device */
    uint8_t media;    /* 1: has the media engines (+me), of which a device has one set */
    uint8_t vendor;   /* profile number that nvidia-smi shows */
    uint16_t sms;     /* streaming multiprocessors; 0: not stated here */
    uint32_t mem_mib; /* usable memory in MiB */
};

struct mig_table {
    const char *name;     /* "h100-80gb" */
    const char *model;    /* word in a device model's name: "H100" */
    const uint16_t *even; /* worth of each mask, with equal weights */
    uint32_t memory_gb;   /* nominal memory in GB */
    uint32_t slices;      /* number of memory slices: 8 or 4 */
    uint32_t n_profiles;
    struct mig_profile profiles[MIG_PROFILES_MAX];
};

/* Returns a table by its number, NULL past the last. Saved state holds the numbers, therefore
 * tables are only appended. */
const struct mig_table *mig_table_at(uint32_t i);
uint32_t mig_table_number(const struct mig_table *t);
/* Returns the table with this name, NULL if there is none. */
const struct mig_table *mig_table_named(lsched_text name);
/* Returns the table of a device: the table's model must be a word of the device model's name
 * (letters of any case), and the memory must be that of the table's model within a tenth. Memory
 * 0 is unknown: then the name must state the memory ("80GB"), unless only one table has the
 * model. */
const struct mig_table *mig_table_for(lsched_text model, int64_t memory_bytes);
int mig_profile_is(const struct mig_table *t, uint32_t profile, lsched_text name);
/* Returns the index of the profile with this name in the table, MIG_NONE if there is none. */
uint32_t mig_profile_named(const struct mig_table *t, lsched_text name);

/* What the name of a profile alone says, over the tables that devices of these models can have.
 * Without models, or if no table knows one of them: over all tables. */
enum { MIG_VARIANTS_MAX = 2 };
/* Sets slices[] to the memory slices of the profile, ascending, and returns how many different
 * values there are; 0 if there is no such profile. Example: 1g.10gb has 1 slice on 80 GB and 2 on
 * 40 GB. */
uint32_t mig_profile_slices(lsched_text profile, const lsched_text *models, uint32_t n_models,
                            uint8_t slices[MIG_VARIANTS_MAX]);
/* Returns the charge of an instance of this profile with so many slices, in milli-GPUs; 0 if no
 * table has one. */
uint32_t mig_nominal_milli(lsched_text profile, uint32_t slices);
/* Writes "1g.10gb, 1g.10gb+me, ..." for messages: the profiles of all these tables, each once,
 * cut to `room` bytes including the end. */
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
/* Returns the worth of the slices that a mask leaves free. weights: by profile, at most
 * MIG_WEIGHT_MAX each; NULL: 1 for each profile without +me. */
uint64_t mig_worth(const struct mig_table *t, uint32_t used, const uint32_t *weights);
/* Returns the start among `starts` that leaves the most worth; MIG_NONE if there is none. */
uint32_t mig_best(const struct mig_table *t, uint32_t profile, uint32_t used, uint32_t starts,
                  const uint32_t *weights);

/* ---- geometry ---- */

/* Returns the profile of the instance that begins at a slice; MIG_NONE if none begins there. */
static inline uint32_t mig_at(uint32_t geometry, uint32_t start) {
    return ((geometry >> 4 * start & 15) - 1) & MIG_NONE;
}
static inline uint32_t mig_add(uint32_t geometry, uint32_t profile, uint32_t start) {
    return geometry | (profile + 1) << 4 * start;
}
static inline uint32_t mig_remove(uint32_t geometry, uint32_t start) {
    return geometry & ~(15u << 4 * start);
}
/* Returns the mask of slices under the instances that begin at these slices. */
uint32_t mig_covered(const struct mig_table *t, uint32_t geometry, uint32_t starts);
/* Returns the mask of slices where instances begin. */
uint32_t mig_begins(uint32_t geometry);
/* Returns 1 if the device can have this geometry: profiles known, starts legal, no overlap, +me
 * once. */
int mig_geometry_legal(const struct mig_table *t, uint32_t geometry);

/* Position of one more instance of a profile. */
struct mig_choice {
    uint32_t start;
    uint32_t destroys; /* starts of the idle instances that must be destroyed */
    uint32_t creates;  /* 1 if an instance must be created; 0 if an idle instance is used */
};
/* Chooses the position on a device with this geometry and these busy slices; returns 0 if there is
 * none. An idle instance of the profile comes first: the one whose use leaves the most worth.
 * Otherwise, if `cuts` allows new instances, the start that leaves the most worth, then the one
 * that destroys the fewest instances, then the lowest start. */
int mig_choose(const struct mig_table *t, uint32_t profile, uint32_t geometry, uint32_t busy,
               int cuts, const uint32_t *weights, struct mig_choice *out);
/* Sets *out for this very start; returns 0 if the start is not possible. */
int mig_choose_at(const struct mig_table *t, uint32_t profile, uint32_t geometry, uint32_t busy,
                  int cuts, uint32_t start, struct mig_choice *out);
/* Returns the geometry after the choice. */
uint32_t mig_cut(uint32_t geometry, uint32_t profile, const struct mig_choice *choice);

#endif
