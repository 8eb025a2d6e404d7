/* check_lists.h -- one step of columns_check(): lists and trees. */
#ifndef LIBSCHED_CHECK_LISTS_H
#define LIBSCHED_CHECK_LISTS_H

#include "model/check/check_finding.h"

/* Checks that lists and trees agree with the columns of their members. */
int32_t check_lists(struct check *c);

#endif
