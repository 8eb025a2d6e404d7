/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_snapshot.c -- the memory of snapshots, and names of jobs.
 */
#include "slurm_snapshot.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)256 * 1024)

struct snapshot_chunk {
    struct snapshot_chunk *next;
    size_t used, size;
    _Alignas(16) char bytes[];
};

void *snapshot_alloc(struct snapshot_arena *arena, size_t n, size_t element) {
    if (element == 0 || n > (SIZE_MAX / 2) / element) return NULL;
    size_t bytes = (n * element + 15) & ~(size_t)15;
    struct snapshot_chunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        chunk = malloc(sizeof *chunk + size);
        if (!chunk) return NULL;
        chunk->next = arena->chunks, chunk->used = 0, chunk->size = size;
        arena->chunks = chunk;
    }
    void *out = chunk->bytes + chunk->used;
    chunk->used += bytes;
    return memset(out, 0, bytes);
}

char *snapshot_text(struct snapshot_arena *arena, const char *text) {
    if (!text) return NULL;
    size_t n = strlen(text) + 1;
    char *copy = snapshot_alloc(arena, n, 1);
    return copy ? memcpy(copy, text, n) : NULL;
}

char *snapshot_format(struct snapshot_arena *arena, const char *format, ...) {
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return snapshot_text(arena, text);
}

void snapshot_free(struct snapshot_arena *arena) {
    while (arena->chunks) {
        struct snapshot_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
}

void snapshot_clear(struct snapshot *snapshot) {
    snapshot_free(&snapshot->arena);
    free(snapshot->jobs);
    memset(snapshot, 0, sizeof *snapshot);
}

struct snapshot_job *snapshot_add_job(struct snapshot *snapshot) {
    if (snapshot->n_jobs == snapshot->jobs_capacity) {
        uint32_t capacity = snapshot->jobs_capacity ? snapshot->jobs_capacity * 2 : 256;
        struct snapshot_job *jobs = realloc(snapshot->jobs, capacity * sizeof *jobs);
        if (!jobs) {
            snapshot->skipped++;
            return NULL;
        }
        snapshot->jobs = jobs, snapshot->jobs_capacity = capacity;
    }
    struct snapshot_job *job = &snapshot->jobs[snapshot->n_jobs++];
    memset(job, 0, sizeof *job);
    job->array_task = SNAPSHOT_NO_TASK;
    return job;
}

bool snapshot_is_part(const char *gres) {
    return gres && (strcmp(gres, "mps") == 0 || strcmp(gres, "shard") == 0);
}

bool snapshot_close_mps(struct snapshot *snapshot) {
    size_t n = (size_t)snapshot->n_nodes + 1;
    int64_t *first_mps = snapshot_alloc(&snapshot->arena, n, sizeof *first_mps);
    int64_t *last_gpu = snapshot_alloc(&snapshot->arena, n, sizeof *last_gpu);
    if (!first_mps || !last_gpu) return false;
    for (size_t i = 0; i < n; i++) first_mps[i] = INT64_MAX, last_gpu[i] = INT64_MIN;
    for (uint32_t i = 0; i < snapshot->n_jobs; i++) {
        const struct snapshot_job *job = &snapshot->jobs[i];
        if (job->state != SNAPSHOT_RUNNING && job->state != SNAPSHOT_REQUEUING) continue;
        for (uint32_t s = 0; s < job->n_shares; s++) {
            const struct snapshot_share *share = &job->shares[s];
            bool mps = share->part_name && strcmp(share->part_name, "mps") == 0;
            if (share->node >= snapshot->n_nodes) continue;
            if (mps && job->start_us < first_mps[share->node])
                first_mps[share->node] = job->start_us;
            if (share->n_gpus && job->start_us > last_gpu[share->node])
                last_gpu[share->node] = job->start_us;
        }
    }
    for (uint32_t i = 0; i < snapshot->n_nodes; i++)
        snapshot->nodes[i].mps_closed = last_gpu[i] >= first_mps[i];
    return true;
}

void snapshot_job_name(const struct snapshot_job *job, char *out, size_t capacity) {
    if (job->array_task == SNAPSHOT_NO_TASK)
        snprintf(out, capacity, "%u", job->job_id);
    else
        snprintf(out, capacity, "%u_%07u", job->array_job, job->array_task);
}
