/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_texts.h -- what users see in squeue: why a job waits, and when it is expected to start.
 */
#ifndef SLURM_TEXTS_H
#define SLURM_TEXTS_H

#include "slurm_mirror.h"

struct texts_line {
    struct compat_job job;
    const char *text;
    int64_t start_us; /* 0: unknown */
};
struct texts {
    struct texts_line *lines;
    uint32_t n;
    uint32_t next; /* entry at which the next look begins, so that each job has its turn */
    uint32_t left; /* entries to look at until all texts are those of the latest change */
};

/* Something has changed: each job is to be looked at again. */
void texts_again(struct texts *texts);
/* Collects texts that have changed, in the arena. One call looks at a bounded number of jobs; it
 * begins with those that were never looked at. */
void texts_collect(struct texts *texts, struct mirror *mirror, struct snapshot_arena *arena,
                   uint32_t n_nodes);
/* Shows them, under the WRITE lock. */
void texts_say(const struct texts *texts);

#endif
