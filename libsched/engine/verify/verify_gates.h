/* verify_gates.h -- checks what the gates of jobs say. */
#ifndef LIBSCHED_VERIFY_GATES_H
#define LIBSCHED_VERIFY_GATES_H

#include "model/check/check_finding.h"

/* Checks that each dependency is in the state that follows from what has happened to the other job,
 * that the sums of a gate are those of its dependencies, that a gate is closed if it has a begin or
 * dependencies, and that it is due when it opens or its job expires. */
int32_t verify_gates(struct check *c);
/* Returns the reason for which a job with a closed gate waits, by its dependencies, and sets *until
 * to the time at which the gate opens. */
uint32_t verify_gates_code(const struct columns *k, uint32_t gate, int64_t *until);
/* True if the code is that of a held job. */
int verify_gates_holds(uint32_t code);

#endif
