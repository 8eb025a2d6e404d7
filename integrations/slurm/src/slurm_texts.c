/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_texts.c -- one line for each job that waits, written when it differs from what Slurm shows.
 *
 * An explanation looks at every node, and with 1,000 nodes it takes about a millisecond. Thousands
 * of them in one cycle would delay the starts of jobs for seconds. So a cycle pays for NODE_LOOKS
 * nodes in all. New jobs are the first, and the others have their turn in rounds.
 *
 * A text is itself a change of Slurm, and it can tell a time that is left, which goes on changing
 * while the cluster stands still. Therefore rounds take at most a quarter of the time. Without a
 * change, a round begins after STALE_US, so that such a time is right.
 */
#include "slurm_texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slurm_mirror_licences.h"

#define TEXT_BYTES 400
#define NODE_LOOKS 20000u            /* by all explanations of a cycle: some 25 ms of CPU */
#define JOBS_MOST  500u              /* that a cycle looks at */
#define JOBS_LEAST 4u                /* also on the largest sites */
#define PAUSE_US   INT64_C(5000000)  /* between two rounds, at least */
#define PAUSES     3                 /* and so many times as long as a round takes */
#define STALE_US   INT64_C(60000000) /* after which a round begins without a change */

/* Returns false if there is nothing to say. */
static bool describe(const struct mirror *mirror, const struct mirror_job *entry, char *text,
                     int64_t *start_us) {
    lsched_waiting record = {.size = sizeof record};
    *start_us = 0;
    if (!entry->id) {
        if (entry->refusal) snprintf(text, TEXT_BYTES, "libsched: %s", entry->refusal);
        return entry->refusal != NULL;
    }
    if (lsched_waiting_get(mirror->cluster, entry->id, &record, NULL) != 1) return false;
    if (record.code == LSCHED_WAIT_SUPPLY && mirror_licences_text(mirror, entry, text, TEXT_BYTES))
        return true;
    if (lsched_waiting_text(mirror->cluster, &record, text, TEXT_BYTES, NULL) < 0) return false;
    if (record.starts_us > 0 && record.starts_us != LSCHED_NEVER_US) *start_us = record.starts_us;
    return true;
}

static uint32_t jobs_of_cycle(uint32_t n_nodes) {
    uint32_t jobs = n_nodes ? NODE_LOOKS / n_nodes : JOBS_MOST;
    if (jobs < JOBS_LEAST) return JOBS_LEAST;
    return jobs < JOBS_MOST ? jobs : JOBS_MOST;
}

/* Looks at one job that waits. Returns false without memory. */
static bool collect(struct texts *texts, const struct mirror *mirror, struct mirror_job *entry,
                    struct snapshot_arena *arena) {
    char text[TEXT_BYTES];
    struct texts_line line = {.job = entry->slurm};
    bool says = describe(mirror, entry, text, &line.start_us);
    if (!says || (entry->said && strcmp(entry->said, text) == 0)) {
        entry->told = true;
        return true;
    }
    char *said = strdup(text);
    line.text = snapshot_text(arena, text);
    if (!said || !line.text) {
        free(said);
        return false;
    }
    free(entry->said);
    entry->said = said;
    entry->told = true;
    texts->lines[texts->n++] = line;
    return true;
}

void texts_note_change(struct texts *texts) {
    texts->changed = true;
}

static bool begins(const struct texts *texts, int64_t now_us) {
    if (now_us < texts->began_us) return true; /* the clock was set back */
    return now_us >= texts->must_us || (texts->changed && now_us >= texts->may_us);
}

bool texts_are_due(const struct texts *texts, int64_t now_us) {
    return texts->left > 0 || begins(texts, now_us);
}

static void begin_round(struct texts *texts, const struct mirror *mirror, int64_t now_us) {
    texts->left = mirror->n_jobs;
    texts->began_us = now_us;
    texts->changed = false;
}

static void end_round(struct texts *texts, int64_t now_us) {
    int64_t pause_us = PAUSES * (now_us - texts->began_us);
    texts->may_us = now_us + (pause_us > PAUSE_US ? pause_us : PAUSE_US);
    texts->must_us = now_us + (pause_us > STALE_US ? pause_us : STALE_US);
}

/* Goes on with the present round. */
static void collect_round(struct texts *texts, struct mirror *mirror, struct snapshot_arena *arena,
                          uint32_t jobs) {
    for (; texts->left && jobs; texts->left--) {
        if (texts->next >= mirror->n_jobs) texts->next = 0;
        struct mirror_job *entry = &mirror->jobs[texts->next++];
        if (!entry->used || !entry->waits) continue;
        if (!collect(texts, mirror, entry, arena)) return;
        jobs--;
    }
}

void texts_collect(struct texts *texts, struct mirror *mirror, struct snapshot_arena *arena,
                   uint32_t n_nodes, int64_t now_us) {
    uint32_t jobs = jobs_of_cycle(n_nodes);
    texts->n = 0;
    texts->lines = snapshot_alloc(arena, jobs, sizeof *texts->lines);
    if (!texts->lines) return;
    for (uint32_t i = 0; i < mirror->n_jobs && jobs; i++) {
        struct mirror_job *entry = &mirror->jobs[i];
        if (!entry->used || !entry->waits || entry->told) continue;
        if (!collect(texts, mirror, entry, arena)) return;
        jobs--;
    }
    if (texts->left > mirror->n_jobs) texts->left = mirror->n_jobs;
    if (!texts->left && begins(texts, now_us)) begin_round(texts, mirror, now_us);
    bool on = texts->left > 0 || texts->began_us == now_us;
    collect_round(texts, mirror, arena, jobs);
    if (on && !texts->left) end_round(texts, now_us);
}

void texts_say(const struct texts *texts) {
    for (uint32_t i = 0; i < texts->n; i++)
        compat_say(texts->lines[i].job, texts->lines[i].text, texts->lines[i].start_us);
}
