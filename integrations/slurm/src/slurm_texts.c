/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_texts.c -- one line for each job that waits, written when it differs from what Slurm shows.
 */
#include "slurm_texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slurm_mirror_licences.h"

#define TEXT_BYTES 400

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

void texts_collect(struct texts *texts, struct mirror *mirror, struct snapshot_arena *arena,
                   uint32_t most) {
    char text[TEXT_BYTES];
    texts->n = 0;
    texts->lines = snapshot_alloc(arena, most, sizeof *texts->lines);
    if (!texts->lines) return;
    if (texts->next >= mirror->n_jobs) texts->next = 0;
    for (uint32_t i = 0; i < mirror->n_jobs && texts->n < most; i++) {
        uint32_t at = texts->next;
        texts->next = at + 1 < mirror->n_jobs ? at + 1 : 0;
        struct mirror_job *entry = &mirror->jobs[at];
        struct texts_line line = {.job = entry->slurm};
        if (!entry->used || !entry->waits || !describe(mirror, entry, text, &line.start_us))
            continue;
        if (entry->said && strcmp(entry->said, text) == 0) continue;
        char *said = strdup(text);
        line.text = snapshot_text(arena, text);
        if (!said || !line.text) {
            free(said);
            return;
        }
        free(entry->said);
        entry->said = said;
        texts->lines[texts->n++] = line;
    }
}

void texts_say(const struct texts *texts) {
    for (uint32_t i = 0; i < texts->n; i++)
        compat_say(texts->lines[i].job, texts->lines[i].text, texts->lines[i].start_us);
}
