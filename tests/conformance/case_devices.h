/*
 * case_devices.h -- which devices the running work of a case is on.
 */
#ifndef CONFORMANCE_CASE_DEVICES_H
#define CONFORMANCE_CASE_DEVICES_H

#include "case_form.h"

/* Whether the task is given to be on a node, in any state. */
int task_is_on_node(const struct task_form *task);
struct node_form *node_by_name(struct case_form *c, const char *name);
/* Devices of the task: how many it has a part of. */
uint32_t task_device_set(const struct job_form *job, const struct task_form *task);

/* Sets device_mask of all tasks that are on nodes; 0 where there are too few devices: the library then picks. */
void case_assign_devices(struct case_form *c);

#endif
