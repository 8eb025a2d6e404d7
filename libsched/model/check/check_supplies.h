/* check_supplies.h -- one step of columns_check(): supplies and their places. */
#ifndef LIBSCHED_CHECK_SUPPLIES_H
#define LIBSCHED_CHECK_SUPPLIES_H

#include "model/check/check_finding.h"

/* Checks that each supply has one place for the whole cluster, that each other place is in the list
 * of the domain that its values name and in no other list, and that no two places are of one supply
 * and one domain. The sums of places are checked by engine/verify/verify_supplies.c. */
int32_t check_supplies(struct check *c);

#endif
