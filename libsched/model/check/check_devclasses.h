/* check_devclasses.h -- one step of columns_check(): device classes and selectors. */
#ifndef LIBSCHED_CHECK_DEVCLASSES_H
#define LIBSCHED_CHECK_DEVCLASSES_H

#include "model/check/check_finding.h"

/* Checks that the canonical bytes of each device class and selector decode to the values of its
 * row. */
int32_t check_devclasses(struct check *c);

#endif
