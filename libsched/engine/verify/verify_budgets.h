/*
 * verify_budgets.h -- checks what counts for the disruption budgets of jobs and for the policy's
 * evictions per hour against the open decisions.
 */
#ifndef LIBSCHED_VERIFY_BUDGETS_H
#define LIBSCHED_VERIFY_BUDGETS_H

#include "model/check/check_finding.h"

/* Checks that only evictions and moves count, that a job counts at least the disruptions that can
 * still be given back, and that the hour counts at least its open evictions. */
int32_t verify_budgets(struct check *c);

#endif
