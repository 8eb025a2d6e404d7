/*
 * mig80_jobs.h -- lists of jobs for one server of MIG GPUs: what each needs, what it asks for, how
 * long it runs; many seeds in one file.
 *
 * Columns: seed, job, true_profile, requested_profile, duration_s. A profile is named as in its
 * table ("3g.40gb") or by its compute slices ("3g"): then it is the smallest of that name without
 * media engines.
 */
#ifndef LSCHED_CLI_MIG80_JOBS_H
#define LSCHED_CLI_MIG80_JOBS_H

#include <stdbool.h>

#include <libsched/libsched.h>

enum { MIG_PROFILES_MAX = 32, MIG_SLICES = 8 };

struct mig_profiles { /* of one table */
    lsched_text table;
    lsched_mig_profile items[MIG_PROFILES_MAX];
    uint32_t n, slices, compute; /* of a whole GPU */
};

struct mig_job {
    lsched_text name;
    uint32_t line;
    uint32_t needs, asks; /* profiles */
    int64_t duration_us;
};

struct mig_seed {
    int64_t seed;
    size_t first, n; /* jobs, in order of arrival */
};

struct mig_list {
    struct mig_profiles profiles;
    struct mig_job *jobs; /* owned */
    struct mig_seed *seeds;
    size_t n_jobs, jobs_capacity, n_seeds, seeds_capacity;
};

/* false: there is no such table. */
bool mig_profiles_of(const char *table, struct mig_profiles *out);
bool mig_is_list(const char *text, size_t len);
int32_t mig_list_read(const char *text, size_t len, struct mig_list *out, lsched_error *err);
void mig_list_free(struct mig_list *list);

#endif
