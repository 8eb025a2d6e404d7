/* run_would.h -- checks what lsched_would_start answers for a job in a scenario. */
#ifndef LIBSCHED_RUN_WOULD_H
#define LIBSCHED_RUN_WOULD_H

#include "config/run/scenario_runner.h"

/* Runs a check of the kind CHECK_WOULD_START or CHECK_WOULD_HELP. */
int32_t run_would_check(struct runner *r, const struct expectation *c);

#endif
