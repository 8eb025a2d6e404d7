/* check_heaps.h -- one step of columns_check(): the heaps. */
#ifndef LIBSCHED_CHECK_HEAPS_H
#define LIBSCHED_CHECK_HEAPS_H

#include "model/check/check_finding.h"

/* Checks that the heaps of bundles, jobs, refusals and timers are ordered. */
int32_t check_heaps(struct check *c);

#endif
