/* verify_supplies.h -- checks what the places of supplies have in use. */
#ifndef LIBSCHED_VERIFY_SUPPLIES_H
#define LIBSCHED_VERIFY_SUPPLIES_H

#include "model/check/check_finding.h"

/* Checks that each place of a supply counts as used and as coming what the tasks below it need, by
 * the canonical bytes of their shapes. */
int32_t verify_supplies(struct check *c);
/* Checks that no place of a supply which the task needs has less than nothing left, for a task that
 * a plan places (nominated 0) or nominates (1). */
int32_t verify_supplies_placed(struct check *c, uint32_t task, int nominated);

#endif
