/*
 * job_devices.h -- checks the device requests of a task group. Each request becomes a task shape,
 * which is one shape alternative of the group.
 *
 * A request has the number of devices, their properties, and the share or amounts of each device.
 * The group's other amounts (cpu, memory, ...) are equal in all alternatives. If a MIG profile
 * has different numbers of slices on different models, the request becomes one alternative for
 * each number of slices.
 */
#ifndef LIBSCHED_JOB_DEVICES_H
#define LIBSCHED_JOB_DEVICES_H

#include "model/shapes/shape.h"

/* Appends the alternatives of the group to *b: their number, then the bytes of each. t: the
 * request of one task without its devices. */
int32_t job_devices_encode(const struct columns *k, const lsched_group_desc *g,
                           const struct task_spec *t, struct bytes *b, const char *where,
                           lsched_error *err);
/* Appends only the bytes of the first alternative, without a number. The task mix uses only the
 * first alternative. */
int32_t job_devices_encode_task(const struct columns *k, const lsched_group_desc *g,
                                const struct task_spec *t, struct bytes *b, const char *where,
                                lsched_error *err);

#endif
