/*
 * run_guard.h -- checks that a failed call of the library leaves the cluster's image unchanged. If
 * the step expects an error, or if the run has the flag LSCHED_RUN_VERIFY, the functions compare
 * the image hash before the call with the image hash after it. Otherwise the functions do nothing.
 */
#ifndef LIBSCHED_RUN_GUARD_H
#define LIBSCHED_RUN_GUARD_H

#include "config/run/scenario_runner.h"

/* Called before a call of the library. Computes the image hash if the call is guarded, and then
 * returns 1; otherwise returns 0. */
int run_guard_begin(struct runner *r);
/* Called after the call of the library, which returned `code`. `guarded` is the result of
 * run_guard_begin(). If a guarded call failed and the image hash has changed, the function reports
 * a failed expectation. */
void run_guard_end(struct runner *r, int guarded, struct mark mark, int32_t code);

#endif
