/*
 * explain_devices.h -- writes for a device claim how many devices each required property excludes,
 * and for each alternative of a task how many nodes could hold it.
 */
#ifndef LIBSCHED_EXPLAIN_DEVICES_H
#define LIBSCHED_EXPLAIN_DEVICES_H

#include "engine/exclusions/explain_context.h"

/* Writes a line about devices if the task has a device claim or required models, and lines for each
 * further alternative of the task. Writes nothing for a task without claim, models and
 * alternatives. */
void explain_devices(const struct explain *e);
/* Writes how many devices that the task allows take no task, because they are cordoned or failed,
 * such as "; 2 devices are out of service (1 failed)". Writes nothing if there is none, or if the
 * task asks for no device. */
void explain_devices_put_closed(const struct columns *k, uint32_t shape, struct text_out *o);

#endif
