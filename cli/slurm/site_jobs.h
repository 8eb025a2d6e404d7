/*
 * site_jobs.h -- the meaning of a record of a job: what it asks for, and what becomes of it.
 */
#ifndef LSCHED_CLI_SITE_JOBS_H
#define LSCHED_CLI_SITE_JOBS_H

#include "cli/slurm/site.h"

/* Adds the job of a record of `scontrol show job`, `squeue --json` or `scontrol show jobs
 * --json`. */
int32_t site_jobs_add(struct site *site, const char *file, const struct record *record,
                      lsched_error *err);

#endif
