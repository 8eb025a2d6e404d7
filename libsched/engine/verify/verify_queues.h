/*
 * verify_queues.h -- checks the columns of queues against their jobs and tasks: the use, the demand
 * and the non-preemptible use of the whole queue tree, the numbers of jobs, and the amounts that
 * queues do not lend. Also checks the flags and names of user queues, decayed use, and that the
 * totals of the cluster are the sums over its nodes, and the prices that allowances charge tasks.
 */
#ifndef LIBSCHED_VERIFY_QUEUES_H
#define LIBSCHED_VERIFY_QUEUES_H

#include "model/check/check_finding.h"

/* Checks the sums, the lending, the user queues and the decayed use of queues, and the totals of
 * the cluster. */
int32_t verify_queues(struct check *c);

#endif
