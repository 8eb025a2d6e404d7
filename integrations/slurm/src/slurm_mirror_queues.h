/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_mirror_queues.h -- keeps queues equal to the accounts of the association manager.
 */
#ifndef SLURM_MIRROR_QUEUES_H
#define SLURM_MIRROR_QUEUES_H

#include "slurm_mirror.h"

/* Adds and changes the queues of accounts that the site's file does not name. Sets
 * mirror->rebuild if the tree changed under a queue that has jobs: queues cannot move. */
int32_t mirror_queues(struct mirror *mirror, const struct snapshot *snapshot, lsched_error *err);

#endif
