/*
 * verify_warnings.h -- checks right after a cycle that the plan tells tasks their ends
 * (model/warnings/warning.h), with ends that are computed again from the columns. Between cycles,
 * the end by an allowance moves with other work, and nothing is checked. What the cycle had no room
 * for is due, and that is no error.
 */
#ifndef LIBSCHED_VERIFY_WARNINGS_H
#define LIBSCHED_VERIFY_WARNINGS_H

#include "model/check/check_finding.h"

/* Checks that every running task whose end is near was told it, and that a cycle looks at each
 * other one before its end by the time limit or its node is near. */
int32_t verify_warned(struct check *c);
/* Returns what is wrong with the WARN decision of the row, NULL if nothing is. */
const char *verify_warning_wrong(const struct columns *k, uint32_t decision);

#endif
