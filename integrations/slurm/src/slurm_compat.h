/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_compat.h -- all that touches Slurm itself: locks, reading, starting and stopping jobs,
 * texts.
 *
 * slurm_compat.c and slurm_read.c are the only files that include headers of slurmctld. A new
 * release of Slurm is met there and nowhere else.
 */
#ifndef SLURM_COMPAT_H
#define SLURM_COMPAT_H

#include "slurm_snapshot.h"

enum compat_lock { COMPAT_READ, COMPAT_WRITE };
/* Takes or gives back slurmctld's locks: READ for compat_read, WRITE for all calls that change. */
void compat_lock(enum compat_lock kind);
void compat_unlock(enum compat_lock kind);

/* True if this slurmctld is the one that schedules: not a backup, not on its way down, and with its
 * node records in place. */
bool compat_is_primary(void);
/* Seconds of the latest change of jobs, nodes or partitions. Needs no lock. */
int64_t compat_changed(void);
/* True if the association manager has accounts. */
bool compat_has_accounts(void);
/* Copies the value of NAME=VALUE in SchedulerParameters; NULL: not set. The caller frees it. */
char *compat_parameter(const char *name);
/* The folder of slurm.conf, with no slash at its end. The caller frees it. */
char *compat_config_folder(void);

/* Fills *snapshot under the READ lock. Returns false without memory. `window` is the greatest
 * number of waiting elements of one array that are read. */
bool compat_read(struct snapshot *snapshot, uint32_t window);

/* Names a job: `array_task` SNAPSHOT_NO_TASK, or an element of the array `job_id`. */
struct compat_job {
    uint32_t job_id, array_task;
};
struct compat_start {
    struct compat_job job;
    const char **nodes; /* exactly these */
    uint32_t n_nodes;
    bool later;      /* out: Slurm takes no job there for a moment: try again with the same nodes */
    bool raced;      /* out: the job or a node changed since the snapshot, so nothing was tried */
    bool everywhere; /* out: the reason of the refusal holds on all nodes */
    char words[200]; /* out: why the job was not started */
    struct snapshot_share *shares; /* out, in the arena: what it got, in the order of `nodes` */
    uint32_t n_shares;
};
/* Starts a waiting job on the nodes, under the WRITE lock. Returns true if it runs. */
bool compat_start(struct compat_start *start, struct snapshot_arena *arena);
/* Tells a running job that it is about to be stopped (SIGCONT, SIGTERM), under the WRITE lock. */
void compat_warn(struct compat_job job);
/* Stops a running job so that it waits again, under the WRITE lock. On false, words says why.
 * *later: the job started a moment ago, and its launch must not be overtaken. */
bool compat_requeue(struct compat_job job, bool *later, char *words, size_t capacity);
/* Lets a job run again that failed after its warning and before its stop, under the WRITE lock. */
void compat_requeue_failed(struct compat_job job);
/* Lets a requeued job start at once, under the WRITE lock: Slurm gives it a begin time of its own.
 * */
void compat_eligible(struct compat_job job);
/* Lets Slurm look at the dependencies of a job, under the WRITE lock. */
void compat_depends(struct compat_job job);
/* Shows why a waiting job waits, and when it is expected to start (0: unknown), under the WRITE
 * lock. */
void compat_say(struct compat_job job, const char *text, int64_t start_us);

/* Off: slurmctld starts no job of its own accord. On: it does, in its own order. Takes locks. */
void compat_slurm_order(bool on);
/* Lets slurmctld run one cycle of its own order. Takes locks. */
void compat_slurm_cycle(void);

/* Lines of slurmctld's log. */
void compat_log(const char *text);
void compat_error(const char *text);

#endif
