/*
 * mig80_jobs.h -- lists of jobs for one server of MIG GPUs: the profile that each job needs, the
 * profile that it asks for, and how long it runs. A file may have many seeds, each with its own
 * list.
 *
 * The columns are seed, job, true_profile, requested_profile, duration_s. A profile is written as
 * in its table ("3g.40gb") or by its compute slices ("3g"). The latter means the smallest profile
 * with that many compute slices and without media engines.
 */
#ifndef LSCHED_CLI_MIG80_JOBS_H
#define LSCHED_CLI_MIG80_JOBS_H

#include <stdbool.h>

#include <libsched/libsched.h>

enum { MIG_PROFILES_MAX = 32, MIG_SLICES = 8 };

struct mig_profiles { /* the profiles of one table */
    lsched_text table;
    lsched_mig_profile items[MIG_PROFILES_MAX];
    /* n: number of profiles; slices, compute: memory and compute slices of a whole GPU */
    uint32_t n, slices, compute;
};

struct mig_job {
    lsched_text name;
    uint32_t line;
    uint32_t needs, asks; /* indexes of profiles */
    int64_t duration_us;
};

struct mig_seed {
    int64_t seed;
    size_t first, n; /* indexes of the seed's jobs, in order of arrival */
};

struct mig_list {
    struct mig_profiles profiles;
    struct mig_job *jobs; /* owned by this struct */
    struct mig_seed *seeds;
    size_t n_jobs, jobs_capacity, n_seeds, seeds_capacity;
};

/* Reads the profiles of a table. Returns false if there is no such table. */
bool mig_profiles_of(const char *table, struct mig_profiles *out);
bool mig_is_list(const char *text, size_t len);
int32_t mig_list_read(const char *text, size_t len, struct mig_list *out, lsched_error *err);
void mig_list_free(struct mig_list *list);

#endif
