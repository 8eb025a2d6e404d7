/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_release.h -- what has another name, place or argument in other releases of Slurm.
 *
 * The files that include headers of slurmctld write what 24.11 has; for 22.05, this file gives it
 * the same names. 22.05 is what the plug-in is tested with. Against 24.11 it compiles, and was not
 * run. Releases between them, and newer ones, were not at hand.
 */
#ifndef SLURM_RELEASE_H
#define SLURM_RELEASE_H

#include "slurm/slurm_version.h"

#define RELEASE_24_11 (SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0))

#if RELEASE_24_11
#include "src/interfaces/gres.h"
#include "src/interfaces/preempt.h"
#include "src/interfaces/topology.h"
#include "src/slurmctld/proc_req.h"
#else
#include "src/common/gres.h"
#include "src/common/slurm_topology.h"
#include "src/slurmctld/preempt.h"
#include "src/slurmctld/srun_comm.h"
#endif
#include "src/slurmctld/licenses.h"
#include "src/slurmctld/node_scheduler.h"
#include "src/slurmctld/slurmctld.h"

#if RELEASE_24_11

/* The plug-in topology/tree keeps the switches to itself: Slurm looks at --switches at the start. */
#define RELEASE_HAS_SWITCHES 0

static inline uint32_t release_licences_missing(const licenses_t *licence) {
    return licence->last_deficit;
}

static inline bool release_array_split(job_record_t *record) {
    return job_array_split(record, true) != NULL;
}

static inline void release_array_started(job_record_t *record) {
    (void)job_array_post_sched(record, true);
}

static inline int release_select_nodes(job_record_t *record) {
    job_node_select_t select = {.job_ptr = record};
    return select_nodes(&select, false, false, SLURMDB_JOB_FLAG_SCHED);
}

#else

#define RELEASE_HAS_SWITCHES 1

typedef struct listIterator list_itr_t;
typedef struct xlist list_t;
typedef struct job_details job_details_t;

#define cluster_license_list    license_list
#define job_state_reason_string job_reason_string

/* The total of a remote licence has shrunk already. */
static inline uint32_t release_licences_missing(const licenses_t *licence) {
    (void)licence;
    return 0;
}

static inline bool release_array_split(job_record_t *record) {
    return job_array_split(record) != NULL;
}

static inline void release_array_started(job_record_t *record) {
    (void)job_array_post_sched(record);
}

static inline int release_select_nodes(job_record_t *record) {
    return select_nodes(record, false, NULL, NULL, false, SLURMDB_JOB_FLAG_SCHED);
}

#endif
#endif
