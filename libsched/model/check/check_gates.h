/* check_gates.h -- one step of columns_check(): gates of jobs, and the lists of dependencies. */
#ifndef LIBSCHED_CHECK_GATES_H
#define LIBSCHED_CHECK_GATES_H

#include "model/check/check_finding.h"

/* Checks that each gate and its job name each other, that each dependency is in the list of the
 * gate that waits and in that of the gate for which it waits, and that the list of news has the
 * gates that are marked. engine/verify/verify_gates.c checks the values. */
int32_t check_gates(struct check *c);

#endif
