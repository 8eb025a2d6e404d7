/* check_refusals.h -- one step of columns_check(): refusals. */
#ifndef LIBSCHED_CHECK_REFUSALS_H
#define LIBSCHED_CHECK_REFUSALS_H

#include "model/check/check_finding.h"

/* Checks that each head has the correct number of node rows, and each queue the correct number of
 * refusals. */
int32_t check_refusals(struct check *c);

#endif
