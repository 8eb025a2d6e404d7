/*
 * job_devices.h -- the device requests of a group of tasks, checked: each becomes a task shape, one
 * alternative of the group's leaf.
 *
 * A request is complete in itself: it says how many devices, of which kind, and what of each; the
 * group's other amounts (cpu, memory, ...) are the same in all of them. A MIG profile that means
 * different numbers of slices on different models becomes one alternative per number, in the place
 * of its request.
 */
#ifndef LIBSCHED_JOB_DEVICES_H
#define LIBSCHED_JOB_DEVICES_H

#include "model/shapes/shape.h"

/* Append the alternatives of the group: their number, then the bytes of each. t: the task without
 * its devices. */
int32_t job_devices_encode(const struct columns *k, const lsched_group_desc *g,
                           const struct task_spec *t, struct bytes *b, const char *where,
                           lsched_error *err);
/* The first alone, without their number: for the task mix, which counts with it. */
int32_t job_devices_encode_task(const struct columns *k, const lsched_group_desc *g,
                                const struct task_spec *t, struct bytes *b, const char *where,
                                lsched_error *err);

#endif
