/*
 * reassign_bound.h -- a lower bound of the cost of every assignment: the load and balance costs of
 * one machine that has the amounts of all machines together.
 *
 * The bound is valid because a sum of positive parts is at least the positive part of the sum, and
 * because the amounts of all machines together do not depend on the assignment. Moves have no part
 * in it.
 */
#ifndef LSCHED_CLI_REASSIGN_BOUND_H
#define LSCHED_CLI_REASSIGN_BOUND_H

#include "cli/reassign/reassign.h"

int64_t reassign_bound(const struct reassign *p);

#endif
