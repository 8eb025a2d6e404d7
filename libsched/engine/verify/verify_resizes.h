/* verify_resizes.h -- one step of verify_state(): tasks that were resized where they run. */
#ifndef LIBSCHED_VERIFY_RESIZES_H
#define LIBSCHED_VERIFY_RESIZES_H

#include "model/check/check_finding.h"

/* Checks the sizes of tasks, their wishes, and the sums of leaves that follow from them. */
int32_t verify_resizes(struct check *c);

#endif
