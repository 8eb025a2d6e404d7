/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_cycle.h -- one cycle: read Slurm, plan, carry the plan out, report.
 */
#ifndef SLURM_CYCLE_H
#define SLURM_CYCLE_H

#include "slurm_mirror.h"
#include "slurm_site.h"
#include "slurm_texts.h"

struct cycle_counts {
    uint64_t cycles, starts, refused, raced, warned, requeued, not_requeued, failed_reports;
    /* CPU time with the write lock: of all cycles that took it, and the longest without a break */
    uint64_t lock_cycles, lock_holds, lock_cpu_us, lock_cpu_us_max; /* a cycle can have breaks */
};

struct cycle {
    struct site *site;
    struct mirror mirror;
    struct texts texts;
    struct cycle_counts counts;
    bool put_off;        /* Slurm put decisions off: the next cycle must not wait for a change */
    bool texts_only;     /* in: nothing but texts of waits is left to do */
    int64_t stop_us;     /* the next time at which a warned job is to be stopped; 0: none */
    int64_t accounts_us; /* when the accounts are to be read again */
    int64_t last_us;     /* time of the latest plan: time must not go back */
};

void cycle_init(struct cycle *cycle, struct site *site);
void cycle_free(struct cycle *cycle); /* not the site */
/* The account tree changed in a way that only a new cluster can follow. */
#define CYCLE_REBUILD 1
/* Runs one cycle. Returns LSCHED_OK, CYCLE_REBUILD, or an error after which the cluster must be built anew. */
int32_t cycle_run(struct cycle *cycle, lsched_error *err);

#endif
