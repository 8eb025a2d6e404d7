/* parse_jobs.h -- reads `jobs:`, `submit:` and `update_jobs:`. */
#ifndef LIBSCHED_PARSE_JOBS_H
#define LIBSCHED_PARSE_JOBS_H

#include "config/objects/step_reader.h"

extern const struct field_home job_home;

/* Reads a list of jobs. `step` is a struct step_reader *. */
int32_t read_jobs(struct field_reader *r, uint32_t value, void *step);

/* Reads a list of updates of jobs that exist. `step` is a struct step_reader *. */
int32_t read_update_jobs(struct field_reader *r, uint32_t value, void *step);

#endif
