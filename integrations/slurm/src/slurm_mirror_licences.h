/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_mirror_licences.h -- licences of the whole cluster as supplies of libsched.
 */
#ifndef SLURM_MIRROR_LICENCES_H
#define SLURM_MIRROR_LICENCES_H

#include "slurm_mirror.h"

/* Adds supplies for licences that are new. To be called before jobs are described. */
int32_t mirror_licences_add(struct mirror *mirror, const struct snapshot *snapshot,
                            lsched_error *err);
/* Notes what each task of a job needs, as it was described to libsched. False without memory. */
bool mirror_licences_note(struct mirror_job *entry, const lsched_group_desc *group);
/* Leaves of each supply as much as Slurm has left. To be called after all jobs were reported. */
int32_t mirror_licences_set(struct mirror *mirror, const struct snapshot *snapshot,
                            lsched_error *err);
/* Writes which licence a job waits for, in Slurm's numbers. False: it finds enough of all. */
bool mirror_licences_text(const struct mirror *mirror, const struct mirror_job *entry, char *out,
                          size_t capacity);

#endif
