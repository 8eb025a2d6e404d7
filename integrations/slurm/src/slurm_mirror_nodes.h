/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_mirror_nodes.h -- nodes of the mirror, and what Slurm uses there beyond libsched's tasks.
 */
#ifndef SLURM_MIRROR_NODES_H
#define SLURM_MIRROR_NODES_H

#include "slurm_mirror.h"

int32_t mirror_nodes(struct mirror *mirror, struct snapshot *snapshot, lsched_error *err);
/* Slurm rounds amounts up, and has jobs that libsched does not: the rest is foreign use of the
 * node. */
int32_t mirror_foreign(struct mirror *mirror, struct snapshot *snapshot, lsched_error *err);
/* The index in the snapshot of a node of libsched; snapshot->n_nodes: it is not there. */
uint32_t mirror_node_index(struct mirror *mirror, const struct snapshot *snapshot, lsched_id node);

#endif
