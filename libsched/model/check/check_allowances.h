/* check_allowances.h -- checks allowances and the rows of METER (allowance.h, meter.h), but not the
 * rates, which depend on the devices of tasks: verify_queues() checks them. */
#ifndef LIBSCHED_CHECK_ALLOWANCES_H
#define LIBSCHED_CHECK_ALLOWANCES_H

#include "model/check/check_finding.h"

int32_t check_allowances(struct check *c);

#endif
