/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_mirror.h -- keeps a cluster of libsched equal to what Slurm says, by difference.
 *
 * Slurm's records are the truth. The mirror reports what differs: new, changed and lost nodes, jobs
 * that wait, run, were requeued or ended. A mirror that starts empty imports everything, so nothing
 * has to be saved.
 */
#ifndef SLURM_MIRROR_H
#define SLURM_MIRROR_H

#include <libsched/libsched.h>

#include "slurm_compat.h"
#include "slurm_mapping.h"

/* What each task of a job needs of a supply. */
struct mirror_need {
    char supply[LSCHED_NAME_BYTES_MAX + 1];
    int64_t amount;
};

struct mirror_job {
    lsched_id id; /* 0: the entry is free, or libsched does not have the job */
    struct compat_job slurm;
    uint64_t hash;
    uint32_t pass; /* latest pass that saw the job */
    enum snapshot_layout layout;
    bool used, running, stopping; /* stopping: we asked Slurm to requeue it */
    bool waits;                   /* Slurm would start it */
    bool needs_part;              /* of a GPU: MPS or shards */
    bool told;                    /* slurm_texts.c has looked at its present wait */
    int64_t warning_us;           /* time between the warning and the stop */
    int64_t stop_us;              /* it was warned and is to be stopped then; 0: it is not */
    struct mapping_terms terms;   /* of its run, as libsched knows them */
    int64_t again_us; /* it may start again from then on: credentials of its last run are revoked */
    int64_t task_cpu_milli, task_memory_bytes; /* request of each task */
    struct mirror_need *needs;                 /* of licences, for each of licence_tasks tasks */
    uint32_t n_needs, licence_tasks;
    char *said;    /* the text that Slurm shows; NULL: none of ours */
    char *refusal; /* why libsched does not have the job; NULL: it does */
};

struct mirror {
    lsched_cluster *cluster;
    struct mapping mapping;
    struct mirror_job *jobs; /* index = tag of the libsched job */
    uint32_t n_jobs, jobs_capacity, free_hint;
    uint64_t *node_hashes; /* 2 for each node, index = tag of the libsched node */
    uint32_t n_nodes, nodes_capacity;
    uint32_t pass, n_refused; /* n_refused: entries without an id when the pass began */
    bool rebuild;             /* a change of the account tree needs a new cluster */
    bool waits_again;         /* a job that was stopped has to wait for its again_us */
    /* what Slurm has to do after this pass, under its write lock */
    struct compat_job *depends, *eligible;
    struct compat_job *warned; /* ended after their warning: those that failed run again */
    uint32_t n_depends, n_eligible, n_warned;
};

void mirror_init(struct mirror *mirror, lsched_cluster *cluster);
void mirror_free(struct mirror *mirror); /* not the cluster */
/* Reports all differences. A job that libsched refuses is no error: its entry has the refusal.
 * Returns LSCHED_OK, or an error after which the mirror must be built anew. */
int32_t mirror_update(struct mirror *mirror, struct snapshot *snapshot, lsched_error *err);
/* The entry of a job of libsched, by its tag. */
struct mirror_job *mirror_entry(struct mirror *mirror, uint64_t tag);

#endif
