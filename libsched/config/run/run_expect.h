/* run_expect.h -- checks the expectations of a step against the cluster and the last plan. */
#ifndef LIBSCHED_RUN_EXPECT_H
#define LIBSCHED_RUN_EXPECT_H

#include "config/run/scenario_runner.h"

/* Makes all checks of the current step. */
int32_t run_checks(struct runner *r);
/* Compares the result of a call with the error that the current step expects. Returns 1 if the call
 * failed as expected; otherwise reports a failed expectation and returns 0. */
int run_check_error(struct runner *r, int32_t code, const lsched_error *err);

#endif
