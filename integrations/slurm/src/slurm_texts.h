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
    uint32_t left; /* entries that the present round has not looked at; 0: no round is on */
    bool changed;  /* something changed since the latest round began */
    /* when the present or the latest round began; from when on the next one may begin because of a
     * change; and when it begins anyway */
    int64_t began_us, may_us, must_us;
};

/* Something has changed that can be a reason for other texts. */
void texts_note_change(struct texts *texts);
/* True if a cycle is due for texts alone. */
bool texts_are_due(const struct texts *texts, int64_t now_us);
/* Collects texts that have changed, in the arena. One call looks at a bounded number of jobs; it
 * begins with those that were never looked at, and goes on with the present round. */
void texts_collect(struct texts *texts, struct mirror *mirror, struct snapshot_arena *arena,
                   uint32_t n_nodes, int64_t now_us);
/* Shows them, under the WRITE lock. */
void texts_say(const struct texts *texts);

#endif
