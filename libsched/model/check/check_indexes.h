/* check_indexes.h -- one step of columns_check(): the hash indexes. */
#ifndef LIBSCHED_CHECK_INDEXES_H
#define LIBSCHED_CHECK_INDEXES_H

#include "model/check/check_finding.h"

/* Checks that each hash index finds every live row by its key, and contains no other rows. */
int32_t check_indexes(struct check *c);

#endif
