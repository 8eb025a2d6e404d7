/* check_links.h -- one step of columns_check(): columns that refer to rows or have few allowed
 * values. */
#ifndef LIBSCHED_CHECK_LINKS_H
#define LIBSCHED_CHECK_LINKS_H

#include "model/check/check_finding.h"

/* Checks that every reference is a live row or, if that is allowed for the column, NO_ROW. */
int32_t check_links(struct check *c);

#endif
