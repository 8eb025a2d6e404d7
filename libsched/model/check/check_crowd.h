/*
 * check_crowd.h -- counts again which kinds of work are on which device (devices/contention.h).
 */
#ifndef LIBSCHED_CHECK_CROWD_H
#define LIBSCHED_CHECK_CROWD_H

#include "model/check/check_finding.h"

/* Checks that exactly the nodes with devices that tasks can share have CROWD rows while there is a
 * table of slow-downs, and that the rows have the numbers of the tasks there. */
int32_t check_crowd(struct check *c);

#endif
