/* check_releasing.h -- one step of columns_check(): releasing and nominated tasks. */
#ifndef LIBSCHED_CHECK_RELEASING_H
#define LIBSCHED_CHECK_RELEASING_H

#include "model/check/check_finding.h"

/* Checks the counts of releasing and nominated tasks, and that each releasing row has a task
 * row. */
int32_t check_releasing(struct check *c);

#endif
