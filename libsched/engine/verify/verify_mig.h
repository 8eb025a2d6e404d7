/*
 * verify_mig.h -- computes the MIG state of devices again. Tasks must be on slices that the MIG
 * table allows, and no two tasks on the same slice. The columns of used, coming and claimed slices
 * must equal what tasks hold, release and are nominated for. The instances on a device must be a
 * layout that the device can have, and every task on a MIG device must have an instance.
 */
#ifndef LIBSCHED_VERIFY_MIG_H
#define LIBSCHED_VERIFY_MIG_H

#include "model/check/check_finding.h"
#include "model/mig/mig.h"

/* Checks for each MIG device that its used slices and instances are those of its tasks, and that
 * the tables of MIG profiles allow them. */
int32_t verify_mig(struct check *c);
/* Returns the table of MIG profiles of a device, NULL if the device cannot be partitioned. */
const struct mig_table *verify_mig_table(const struct columns *k, uint32_t device);
/* Returns the index in table `t` of the profile that the shape asks for, found by name and size.
 * Returns t->n_profiles if the table has no such profile. */
uint32_t verify_mig_profile(const struct columns *k, const struct mig_table *t, uint32_t shape);

#endif
