/*
 * run_guard.h -- a call of the library that fails must leave the cluster's image as it was. The
 * hash of the image is taken where an error is expected, and under LSCHED_RUN_VERIFY for every
 * call; elsewhere a guard costs nothing.
 */
#ifndef LIBSCHED_RUN_GUARD_H
#define LIBSCHED_RUN_GUARD_H

#include "config/run/scenario_runner.h"

/* Around one call of the library: if it fails, the image hash must be as before. */
int run_guard_begin(struct runner *r);
void run_guard_end(struct runner *r, int guarded, struct mark mark, int32_t code);

#endif
