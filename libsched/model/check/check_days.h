/* check_days.h -- one step of columns_check(): curves of daily demand. */
#ifndef LIBSCHED_CHECK_DAYS_H
#define LIBSCHED_CHECK_DAYS_H

#include "model/check/check_finding.h"

/* Checks that each curve of daily demand is in exactly one list, and that the curves of shapes
 * are equal to their canonical bytes. */
int32_t check_days(struct check *c);

#endif
