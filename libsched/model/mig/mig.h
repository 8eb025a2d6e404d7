/*
 * mig.h -- MIG: how an accelerator may be cut into instances. Exact placement tables by model, and
 * every question about one device as arithmetic on the mask of its used memory slices. Pure: no
 * columns, no allocation.
 *
 * An instance of a profile occupies `slices` consecutive memory slices from one of its `starts`.
 * The mask of used slices says all: where instances may lie already keeps the compute slices at 7
 * or fewer (a test proves it over every state). The one rule beside the mask: of the profiles with
 * the device's media engines (+me) one instance exists at a time.
 *
 * Geometry: a nibble per memory slice, profile number + 1 where an instance begins, else 0. An
 * instance is busy if its first slice is in the busy mask; the others are idle and may be
 * destroyed.
 *
 * Which start: the one after which the most stays placeable. worth(mask) = sum over profiles of
 * weight x slices x number of instances that still fit = the slices that tasks of the mix could
 * still fill. Weights equal unless given; ties go to the lowest start. Why times slices: without it
 * a second 3g would rather break a whole device than fill the half that is left. Cost: 3 shifts for
 * the free starts, one word of a table per start for the best. Why not feasible[profile][mask] in
 * memory: the windows of a power of two are three shifts, less than a miss of the cache; the worth
 * of a mask is a table of 256 words.
 */
#ifndef LIBSCHED_MIG_H
#define LIBSCHED_MIG_H

#include <libsched/libsched.h>

#define MIG_SLICES       8
#define MIG_PROFILES_MAX 8 /* of one table */
#define MIG_NONE         0xFFu
#define MIG_WEIGHT_MAX   1000000u
#define MIG_PROFILES_EVEN \
    6u /* that count in the worth of a mask with equal weights, on a device of eight slices */

struct mig_profile {
    const char *name;
    uint8_t slices;   /* memory slices, a power of two */
    uint8_t compute;  /* compute slices */
    uint8_t starts;   /* bit s: may begin at slice s */
    uint8_t max;      /* instances per device */
    uint8_t media;    /* 1: has the media engines that exist once (+me) */
    uint8_t vendor;   /* number that nvidia-smi shows */
    uint16_t sms;     /* 0: not stated here */
    uint32_t mem_mib; /* usable memory */
};

struct mig_table {
    const char *name;     /* "h100-80gb" */
    const char *model;    /* word of a device model's name: "H100" */
    const uint16_t *even; /* worth of each mask, with equal weights */
    uint32_t memory_gb;   /* nominal memory */
    uint32_t slices;      /* memory slices: 8, or 4 */
    uint32_t n_profiles;
    struct mig_profile profiles[MIG_PROFILES_MAX];
};

/* Tables by their number, which saved state holds: append only. NULL past the last. */
const struct mig_table *mig_table_at(uint32_t i);
uint32_t mig_table_number(const struct mig_table *t);
/* By its name. NULL: none of that name. */
const struct mig_table *mig_table_named(lsched_text name);
/* For a device: its model's name has the table's model as a word (letters of any case) and its
 * memory is what the table's model has, within a tenth. Memory 0 is unknown: the name then says it
 * ("80GB"), unless only one table has the model. */
const struct mig_table *mig_table_for(lsched_text model, int64_t memory_bytes);
int mig_profile_is(const struct mig_table *t, uint32_t profile, lsched_text name);
/* Number of the profile; MIG_NONE: the table has none of that name. */
uint32_t mig_profile_named(const struct mig_table *t, lsched_text name);

/* What is known of a profile by its name alone, over the tables that devices of these models may
 * have; no models, or none of a model that a table knows: over all tables. */
enum { MIG_VARIANTS_MAX = 2 };
/* Its memory slices, ascending: 1g.10gb has 1 on 80 GB and 2 on 40 GB. Returns how many differ; 0:
 * no such profile. */
uint32_t mig_profile_slices(lsched_text profile, const lsched_text *models, uint32_t n_models,
                            uint8_t slices[MIG_VARIANTS_MAX]);
/* Charge in milli-GPU of an instance of this profile with so many slices. 0: no table has one. */
uint32_t mig_nominal_milli(lsched_text profile, uint32_t slices);
/* "1g.10gb, 1g.10gb+me, ..." of all these tables, each once, cut to `room` bytes with the end. For
 * messages. */
void mig_profile_list(const lsched_text *models, uint32_t n_models, char *out, size_t room);

static inline uint32_t mig_bits(const struct mig_table *t, uint32_t profile, uint32_t start) {
    return ((1u << t->profiles[profile].slices) - 1) << start;
}
/* What an instance is charged of its device, in milli: memory slices of all slices. */
static inline uint32_t mig_milli(const struct mig_table *t, uint32_t profile) {
    return t->profiles[profile].slices * 1000 / t->slices;
}

/* Starts where the profile fits beside what is used. */
uint32_t mig_starts(const struct mig_table *t, uint32_t profile, uint32_t used);
/* Worth of what a mask leaves; weights by profile, at most MIG_WEIGHT_MAX each, or NULL: equal, 1
 * each without +me. */
uint64_t mig_worth(const struct mig_table *t, uint32_t used, const uint32_t *weights);
/* Of these starts, the one that leaves the most worth; MIG_NONE for none. */
uint32_t mig_best(const struct mig_table *t, uint32_t profile, uint32_t used, uint32_t starts,
                  const uint32_t *weights);

/* ---- geometry ---- */

/* Profile of the instance that begins at a slice; MIG_NONE: none does. */
static inline uint32_t mig_at(uint32_t geometry, uint32_t start) {
    return ((geometry >> 4 * start & 15) - 1) & MIG_NONE;
}
static inline uint32_t mig_add(uint32_t geometry, uint32_t profile, uint32_t start) {
    return geometry | (profile + 1) << 4 * start;
}
static inline uint32_t mig_remove(uint32_t geometry, uint32_t start) {
    return geometry & ~(15u << 4 * start);
}
/* Slices under the instances that begin at these slices. */
uint32_t mig_covered(const struct mig_table *t, uint32_t geometry, uint32_t starts);
/* Slices where instances begin. */
uint32_t mig_begins(uint32_t geometry);
/* Is this a geometry that the device can have: profiles known, starts legal, nothing overlaps, +me
 * once. */
int mig_geometry_legal(const struct mig_table *t, uint32_t geometry);

/* Where one more instance of a profile comes to lie. */
struct mig_choice {
    uint32_t start;
    uint32_t destroys; /* starts of the idle instances that must go */
    uint32_t creates;  /* 0: an idle instance is taken as it is */
};
/* The choice on a device with this geometry and these busy slices; 0: none. An idle instance of the
 * profile first, the one whose use leaves the most worth; else, if cuts are allowed, the start that
 * leaves the most worth, then destroys the fewest, then the lowest. */
int mig_choose(const struct mig_table *t, uint32_t profile, uint32_t geometry, uint32_t busy,
               int cuts, const uint32_t *weights, struct mig_choice *out);
/* What choosing this very start means; 0: it cannot be. */
int mig_choose_at(const struct mig_table *t, uint32_t profile, uint32_t geometry, uint32_t busy,
                  int cuts, uint32_t start, struct mig_choice *out);
/* The geometry after it. */
uint32_t mig_cut(uint32_t geometry, uint32_t profile, const struct mig_choice *choice);

#endif
