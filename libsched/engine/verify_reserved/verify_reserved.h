/*
 * verify_reserved.h -- the part of the verifier about reservations: whether their rows fit their
 * nodes and holders, and the two questions of the verifier of plans.
 *
 * It shares no code with the planner: it walks up from the queue of a job itself, and goes from one
 * window to the next itself. Cost: O(nodes + queues + reservations^2) for the rows; O(depth) for a
 * question.
 */
#ifndef LIBSCHED_VERIFY_RESERVED_H
#define LIBSCHED_VERIFY_RESERVED_H

#include "model/check/check_finding.h"

/* Checks the rows of RESERVATION, and the columns of nodes and queues that name or count them. */
int32_t verify_reserved(struct check *c);
/* True if the node is in a reservation whose holder is the queue of the job, or one above it. */
int verify_reserved_admits(const struct columns *k, uint32_t node, uint32_t job);
/* True if a reservation of its own queue protects the task at the time `at` from the other job. */
int verify_reserved_protects(const struct columns *k, uint32_t task, uint32_t other, int64_t at);

#endif
