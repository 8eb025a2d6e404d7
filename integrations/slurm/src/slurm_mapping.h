/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_mapping.h -- what nodes and jobs of Slurm are in libsched.
 *
 * The table of options in README.md says what each option becomes.
 */
#ifndef SLURM_MAPPING_H
#define SLURM_MAPPING_H

#include <libsched/libsched.h>

#include "slurm_snapshot.h"

/* Supply of a licence, and the parts of one licence that its amounts count. */
#define MAPPING_LICENCE       "slurm.licence."
#define MAPPING_LICENCE_PARTS INT64_C(65536)

struct mapping {
    lsched_cluster *cluster;
    struct snapshot_arena *arena; /* descriptions live here */
    bool slurm_priority; /* priority is Slurm's number, and not the tier of the partition */
    bool make_queues;    /* no file of queues: each account gets a queue when it is first seen */
    const char *default_queue; /* of jobs without an account */
    /* MPS and shards that each GPU has; 0: none, or the nodes differ */
    uint64_t mps_of_gpu, shards_of_gpu;
};

/* Notes what parts of GPUs the nodes have. */
void mapping_parts(struct mapping *mapping, const struct snapshot *snapshot);
/* The option of a job that has no image in libsched; NULL: it has one. */
const char *mapping_unmapped(struct mapping *mapping, const struct snapshot_job *job);

/* Adds the topology of switches if topology.conf has one and the cluster does not know it. */
int32_t mapping_topology(struct mapping *mapping, uint32_t levels, lsched_error *err);
/* Adds the supply of a licence if the cluster does not have it. */
int32_t mapping_licence(struct mapping *mapping, const char *name, lsched_error *err);
/* Describe an object in the arena. Return LSCHED_OK, LSCHED_E_NOMEM, or the error of a resource
 * kind that cannot be added. A job that runs is described by what it holds. */
int32_t mapping_node(struct mapping *mapping, const struct snapshot_node *node,
                     lsched_node_desc *out, lsched_error *err);
int32_t mapping_job(struct mapping *mapping, const struct snapshot_job *job, lsched_job_desc *out,
                    lsched_error *err);
/* What Slurm can change of a job that runs. */
struct mapping_terms {
    int64_t duration_us, release_us;
    int32_t priority;
};
struct mapping_terms mapping_terms(const struct mapping *mapping, const struct snapshot_job *job);
/* Equal numbers: the descriptions are equal. `devices_only`: the part that an update cannot change.
 * */
uint64_t mapping_node_hash(const struct snapshot_node *node, bool devices_only);
uint64_t mapping_job_hash(const struct mapping *mapping, const struct snapshot_job *job);
uint64_t mapping_account_hash(const struct snapshot_account *account);
/* Tag of a queue that was made for a job of an account which was not known then. */
#define MAPPING_MADE 1
/* Name of the leaf queue for the jobs of an account that has accounts below it. */
#define MAPPING_USERS "%s:users"
/* The queue of the account; makes it if there is no file of queues. */
const char *mapping_queue(struct mapping *mapping, const struct snapshot_job *job,
                          lsched_error *err);

#endif
