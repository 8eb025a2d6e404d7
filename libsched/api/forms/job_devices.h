/*
 * job_devices.h -- checks the device requests of a group of tasks; each request becomes a task
 * shape, one alternative of the group's leaf.
 *
 * A request is complete: it says how many devices, of which kind, and what of each. The group's
 * other amounts (cpu, memory, ...) are the same in all alternatives. If a MIG profile has different
 * numbers of slices on different models, the request becomes one alternative per number of slices.
 */
#ifndef LIBSCHED_JOB_DEVICES_H
#define LIBSCHED_JOB_DEVICES_H

#include "model/shapes/shape.h"

/* Appends the alternatives of the group: their number, then the bytes of each. t: the task without
 * its devices. */
int32_t job_devices_encode(const struct columns *k, const lsched_group_desc *g,
                           const struct task_spec *t, struct bytes *b, const char *where,
                           lsched_error *err);
/* Appends only the first alternative, without the number: the task mix counts with the first
 * one. */
int32_t job_devices_encode_task(const struct columns *k, const lsched_group_desc *g,
                                const struct task_spec *t, struct bytes *b, const char *where,
                                lsched_error *err);

#endif
