/*
 * run_guard.h -- checks that a failed call of the library leaves the cluster's image unchanged.
 * The functions compare the image hash before and after the call where the scenario expects an
 * error, and for every call with LSCHED_RUN_VERIFY. Otherwise a guard costs nothing.
 */
#ifndef LIBSCHED_RUN_GUARD_H
#define LIBSCHED_RUN_GUARD_H

#include "config/run/scenario_runner.h"

/* Called before and after one call of the library. If that call failed and the image hash changed,
 * the run gets a failure. run_guard_begin returns 1 if it took the hash; run_guard_end gets that
 * result as `guarded`. */
int run_guard_begin(struct runner *r);
void run_guard_end(struct runner *r, int guarded, struct mark mark, int32_t code);

#endif
