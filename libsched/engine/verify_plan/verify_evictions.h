/*
 * verify_evictions.h -- checks the evictions of a plan against the state after the plan. Each
 * eviction must be for a job that gets a place or a nomination in the same decision group, or have
 * a reason that needs no such job. No eviction stops a protected task, and guarantees hold.
 */
#ifndef LIBSCHED_VERIFY_EVICTIONS_H
#define LIBSCHED_VERIFY_EVICTIONS_H

#include "model/check/check_finding.h"

struct verify_under;
/* The decisions of one plan. The caller has checked that each decision names live rows and agrees
 * with them. */
struct verify_decisions {
    uint32_t *row, /* row of each decision */
        *to_node;  /* row of the node to which each decision moves its task, NO_ROW if none */
    size_t n;      /* number of decisions */
    const struct verify_under *under;
};
/* Checks the evictions of the plan: which tasks they stop, for which jobs, and whether a guarantee
 * protects these tasks. */
int32_t verify_evictions(struct check *c, const struct verify_decisions *plan);

#endif
