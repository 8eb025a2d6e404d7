/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_fake.h -- a slurmctld in memory behind slurm_compat.h, for tests of mirror, mapping and
 * cycle without Slurm.
 *
 * The fake keeps its own books: it chooses GPUs itself, refuses what is taken, and remembers what
 * it was asked for. Each call aborts the test if it is made without the lock that it needs.
 */
#ifndef SLURM_FAKE_H
#define SLURM_FAKE_H

#include "../src/slurm_compat.h"

#define FAKE_NODES_MAX 128
#define FAKE_JOBS_MAX  512
#define FAKE_GPUS      8

struct fake_job {
    struct snapshot_job job; /* as compat_read() gives it; `shares` points to `held` */
    struct snapshot_share held[FAKE_NODES_MAX];
    bool there;
    uint32_t warned, requeued, starts, run_again;
    uint32_t start_number; /* of all starts of the fake, the latest one of this job */
    int64_t begin_us;      /* a requeue sets it; the job waits in Slurm until then */
    char said[400];
    int64_t said_start_us;
};

struct fake_slurm {
    struct snapshot_node nodes[FAKE_NODES_MAX];
    bool completing[FAKE_NODES_MAX];
    struct fake_job jobs[FAKE_JOBS_MAX];
    struct snapshot_account accounts[8];
    struct snapshot_licence licences[2]; /* `used` is counted by the fake */
    uint32_t n_nodes, n_jobs, n_accounts, switch_levels, n_licences;
    int64_t now_us;
    const char *refuse;   /* compat_start refuses with these words; NULL: it does not */
    bool refuse_anywhere; /* the refusal holds on all nodes */
    bool backup;          /* another slurmctld is the primary one */
    const char *config;   /* libsched_config of SchedulerParameters */
    uint32_t wrong;       /* starts that broke the fake's own books */
    uint32_t n_starts;
    enum { FAKE_UNLOCKED, FAKE_READ, FAKE_WRITE } lock;
    uint32_t write_locks;
    bool fail_read;       /* compat_read finds no memory */
    bool order_is_slurms; /* slurmctld's own order is on */
    uint32_t order_cycles;
    char log[16384]; /* what was logged, line by line */
};
extern struct fake_slurm fake;

/* For tests in which the plug-in's thread runs: the fake belongs to who is between these. */
void fake_take(void);
void fake_give_back(void);
void fake_reset(uint32_t nodes); /* each with 64 CPUs, 500 GB and 8 GPUs, in partition "main" */
/* A waiting job of `count` nodes with `gpus` on each, of the account. Its job_id is its number. */
struct fake_job *fake_submit(const char *account, uint32_t count, uint32_t gpus);
struct fake_job *fake_element(uint32_t array_job, uint32_t element, const char *account,
                              uint32_t gpus);
/* The whole job needs `count` of the licence "tool". */
void fake_needs(struct fake_job *job, uint32_t count);
uint32_t fake_licences_used(void);
void fake_end(struct fake_job *job); /* it ends or is cancelled, and Slurm forgets it */
/* All jobs on their way out are gone; requeued ones wait for their begin time. */
void fake_clear_away(void);
uint32_t fake_gpus_of(const char *account); /* that run */

#endif
