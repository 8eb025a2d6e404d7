/*
 * mig80_jobs.h -- lists of jobs for one server of MIG GPUs. Each job has the MIG profile that it
 * needs, the profile that it asks for, and a run time. A file can contain several lists; each list
 * has a number, the seed with which the list was generated.
 *
 * The columns are seed, job, true_profile, requested_profile, duration_s. A profile is written with
 * its full name ("3g.40gb") or with its compute slices alone ("3g"). The short form means the
 * smallest profile that has this number of compute slices and no media engines.
 */
#ifndef LSCHED_CLI_MIG80_JOBS_H
#define LSCHED_CLI_MIG80_JOBS_H

#include <stdbool.h>

#include <libsched/libsched.h>

enum { MIG_PROFILES_MAX = 32, MIG_SLICES = 8 };

struct mig_profiles { /* the profiles of one table, which belongs to one GPU model */
    lsched_text table;
    lsched_mig_profile items[MIG_PROFILES_MAX];
    uint32_t n,  /* number of profiles */
        slices,  /* memory slices of a whole GPU */
        compute; /* compute slices of a whole GPU */
};

struct mig_job {
    lsched_text name;
    uint32_t line;  /* line of the job in the file */
    uint32_t needs, /* index of the smallest profile that is enough for the job */
        asks;       /* index of the profile that the job asks for */
    int64_t duration_us;
};

struct mig_seed {
    int64_t seed;
    size_t first, /* index of the seed's first job in mig_list.jobs */
        n;        /* number of the seed's jobs, which are adjacent and in order of arrival */
};

struct mig_list {
    struct mig_profiles profiles;
    struct mig_job *jobs; /* owned by this struct */
    struct mig_seed *seeds;
    size_t n_jobs, jobs_capacity, n_seeds, seeds_capacity;
};

/* Writes the profiles of the table with this name to *out. Returns false if no table has this
 * name. */
bool mig_profiles_of(const char *table, struct mig_profiles *out);
bool mig_is_list(const char *text, size_t len);
int32_t mig_list_read(const char *text, size_t len, struct mig_list *out, lsched_error *err);
void mig_list_free(struct mig_list *list);

#endif
