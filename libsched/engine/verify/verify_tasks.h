/*
 * verify_tasks.h -- checks that the state of a task agrees with its other columns, and that a task
 * is on a node that its shape allows, in the domain that its group requires. The tasks of a task
 * block (slice) must be in one domain. Each open decision must name a task that agrees with it.
 */
#ifndef LIBSCHED_VERIFY_TASKS_H
#define LIBSCHED_VERIFY_TASKS_H

#include "model/check/check_finding.h"

/* Checks that each task is on a node that its shape, devices and topology allow, and that the task
 * agrees with its open decision. */
int32_t verify_tasks(struct check *c);

#endif
