/*
 * explain_mig.h -- writes which memory slices of a device a task's MIG instance needs, and on how
 * many devices the instance fits now. Some devices have enough free slices, but not at a position
 * where the profile can start; the text counts these devices, too.
 */
#ifndef LIBSCHED_EXPLAIN_MIG_H
#define LIBSCHED_EXPLAIN_MIG_H

#include "engine/exclusions/explain_context.h"

/* Writes which slices the job's MIG instance needs, and how many devices have them free. Writes
 * nothing for a job without a MIG instance. */
void explain_mig(const struct explain *e);
/* Writes "; the 2 devices that could have it are never recut" if none of the devices with the
 * profile can be repartitioned. Else writes nothing. */
void explain_mig_put_fixed(const struct columns *k, uint32_t shape, struct text_out *o);

#endif
