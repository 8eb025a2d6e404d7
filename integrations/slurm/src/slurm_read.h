/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_read.h -- reads single records of Slurm into the structs of a snapshot.
 */
#ifndef SLURM_READ_H
#define SLURM_READ_H

#include "slurm_snapshot.h"

#include "src/slurmctld/slurmctld.h"

/* Reads a node; the amounts in use are those of jobs and stay 0. */
bool read_node(struct snapshot_arena *arena, node_record_t *record, struct snapshot_node *node);
/* Reads what a job holds on each of its nodes. `nodes` maps the index of a node record to the index
 * of the share's node; NULL: equal. Returns the number of shares. */
uint32_t read_shares(struct snapshot_arena *arena, job_record_t *record, const uint32_t *nodes,
                     struct snapshot_share **out);
/* Reads what a job asks for, and names the option that has no image. */
void read_request(struct snapshot_arena *arena, job_record_t *record, struct snapshot_job *job);
/* What does not depend on the request: owner, partitions, times. */
void read_owner(struct snapshot_arena *arena, job_record_t *record, struct snapshot_job *job);

/* Reads the licences of the whole cluster, remote ones, too. */
bool read_licences(struct snapshot *snapshot);
/* Reads the accounts of the association manager; none if Slurm has no database. */
bool read_accounts(struct snapshot *snapshot);

#endif
