/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_mirror.c -- jobs of the mirror: submitted, changed, imported, failed, ended.
 *
 * lsched_find() by name and the tag of a job lead to its entry, so there is no other index. Each
 * job is one call, so that a bad one stops no other.
 */
#include "slurm_mirror.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slurm_mirror_licences.h"
#include "slurm_mirror_nodes.h"
#include "slurm_mirror_queues.h"

/* A run that begins in the second in which the last one was revoked fails on its node. */
#define AGAIN_US INT64_C(3000000)

static const lsched_batch_opts tolerant = {sizeof tolerant,
                                           LSCHED_BATCH_PARTIAL | LSCHED_BATCH_IDEMPOTENT};

void mirror_init(struct mirror *mirror, lsched_cluster *cluster) {
    memset(mirror, 0, sizeof *mirror);
    mirror->cluster = mirror->mapping.cluster = cluster;
}

static void forget(struct mirror_job *entry) {
    free(entry->said);
    free(entry->refusal);
    free(entry->needs);
    memset(entry, 0, sizeof *entry);
}

void mirror_free(struct mirror *mirror) {
    for (uint32_t i = 0; i < mirror->n_jobs; i++) forget(&mirror->jobs[i]);
    free(mirror->jobs);
    free(mirror->node_hashes);
    memset(mirror, 0, sizeof *mirror);
}

struct mirror_job *mirror_entry(struct mirror *mirror, uint64_t tag) {
    return tag < mirror->n_jobs && mirror->jobs[tag].used ? &mirror->jobs[tag] : NULL;
}

/* ---- entries ---- */

static struct mirror_job *new_entry(struct mirror *mirror) {
    uint32_t at = mirror->free_hint;
    while (at < mirror->n_jobs && mirror->jobs[at].used) at++;
    if (at == mirror->jobs_capacity) {
        uint32_t capacity = at ? at * 2 : 256;
        struct mirror_job *jobs = realloc(mirror->jobs, capacity * sizeof *jobs);
        if (!jobs) return NULL;
        mirror->jobs = jobs, mirror->jobs_capacity = capacity;
    }
    if (at == mirror->n_jobs) mirror->n_jobs++;
    memset(&mirror->jobs[at], 0, sizeof mirror->jobs[at]);
    mirror->jobs[at].used = true;
    mirror->free_hint = at + 1;
    return &mirror->jobs[at];
}

static bool same_job(struct compat_job a, struct compat_job b) {
    return a.job_id == b.job_id && a.array_task == b.array_task;
}

static struct compat_job key_of(const struct snapshot_job *job) {
    bool element = job->array_task != SNAPSHOT_NO_TASK;
    return (struct compat_job){element ? job->array_job : job->job_id, job->array_task};
}

/* Jobs that libsched refused have no id and are few: they are found by looking. */
static struct mirror_job *find_entry(struct mirror *mirror, const struct snapshot_job *job) {
    char name[64];
    snapshot_job_name(job, name, sizeof name);
    lsched_id id = lsched_find(mirror->cluster, LSCHED_KIND_JOB, lsched_cstr(name));
    lsched_job_info info = LSCHED_INIT(lsched_job_info);
    if (id && lsched_job_get(mirror->cluster, id, &info, NULL) >= 0)
        return mirror_entry(mirror, info.tag);
    struct compat_job key = key_of(job);
    for (uint32_t i = 0, left = mirror->n_refused; left && i < mirror->n_jobs; i++) {
        if (!mirror->jobs[i].used || mirror->jobs[i].id) continue;
        if (same_job(mirror->jobs[i].slurm, key)) return &mirror->jobs[i];
        left--;
    }
    return NULL;
}

static void drop(struct mirror *mirror, struct mirror_job *entry) {
    if (entry->id) (void)lsched_jobs_remove(mirror->cluster, &entry->id, 1, &tolerant, NULL, NULL);
    uint32_t at = (uint32_t)(entry - mirror->jobs);
    forget(entry);
    if (at < mirror->free_hint) mirror->free_hint = at;
}

/* ---- tasks of a job ---- */

struct tasks {
    lsched_task_info *list;
    uint32_t n, capacity;
};

/* All tasks of the job that run or are to stop. */
static bool list_tasks(struct mirror *mirror, lsched_id job, struct tasks *out) {
    uint64_t cursor = 0;
    lsched_task_info task = {.size = sizeof task};
    memset(out, 0, sizeof *out);
    while (lsched_tasks_next(mirror->cluster, job, 0, &cursor, &task, NULL) == 1) {
        if (task.state != LSCHED_TASK_RUNNING && task.state != LSCHED_TASK_RELEASING) continue;
        if (out->n == out->capacity) {
            uint32_t capacity = out->capacity ? out->capacity * 2 : 16;
            lsched_task_info *list = snapshot_alloc(mirror->mapping.arena, capacity, sizeof *list);
            if (!list) return false;
            if (out->n) memcpy(list, out->list, out->n * sizeof *list);
            out->list = list, out->capacity = capacity;
        }
        out->list[out->n++] = task;
    }
    return true;
}

static int32_t report(struct mirror *mirror, const lsched_task_info *task, uint32_t event,
                      lsched_error *err) {
    lsched_task_event one = {.size = sizeof one, .event = event, .job = task->job};
    one.task_index = task->task_index;
    return lsched_tasks_report(mirror->cluster, &one, 1, sizeof one, &tolerant, NULL, err);
}

static int32_t hold(struct mirror *mirror, struct mirror_job *entry, const char *words,
                    int64_t until_us, lsched_error *err) {
    lsched_job_hold one = LSCHED_JOB_HOLD_INIT;
    one.job = entry->id, one.reason = lsched_cstr(words), one.until_us = until_us;
    return lsched_jobs_hold(mirror->cluster, &one, 1, sizeof one, &tolerant, NULL, err);
}

/* A job that waits again: what ran of it is over, and its room is free. It is held until it is
 * submitted anew, as its description can differ. */
static int32_t end_run(struct mirror *mirror, struct mirror_job *entry, int64_t now_us,
                       lsched_error *err) {
    struct tasks tasks;
    if (!list_tasks(mirror, entry->id, &tasks)) return LSCHED_E_NOMEM;
    int32_t code = LSCHED_OK;
    for (uint32_t i = 0; code >= 0 && i < tasks.n; i++)
        code = report(mirror, &tasks.list[i], LSCHED_EVENT_FAILED, err);
    entry->running = false;
    entry->again_us = now_us + AGAIN_US;
    entry->hash = 0;
    return code < 0 ? code : hold(mirror, entry, "its last run is being cleared away", 0, err);
}

/* ---- submitting and importing ---- */

static void note_refusal(struct mirror_job *entry, const char *text) {
    free(entry->refusal);
    entry->refusal = strdup(text);
}

static int32_t hold_unmapped(struct mirror *mirror, struct mirror_job *entry, const char *option,
                             lsched_error *err) {
    const char *words = snapshot_format(
        mirror->mapping.arena, "the option %s has no image in libsched; change the job", option);
    return words ? hold(mirror, entry, words, 0, err) : LSCHED_E_NOMEM;
}

static void note_request(struct mirror_job *entry, const struct snapshot_job *job,
                         const lsched_job_desc *desc) {
    const lsched_group_desc *group = desc->groups;
    entry->needs_part = false;
    for (uint32_t i = 0; i < job->n_gres; i++)
        entry->needs_part |= snapshot_is_part(job->gres[i].name);
    entry->task_cpu_milli = entry->task_memory_bytes = 0;
    for (uint32_t i = 0; i < group->n_request; i++) {
        if (group->request[i].kind == LSCHED_CPU) entry->task_cpu_milli = group->request[i].amount;
        if (group->request[i].kind == LSCHED_MEMORY)
            entry->task_memory_bytes = group->request[i].amount;
    }
}

/* Submits the job for the first time or anew. A refusal is kept for the user. */
static int32_t submit(struct mirror *mirror, struct mirror_job *entry,
                      const struct snapshot_job *job, lsched_error *err) {
    lsched_job_desc desc;
    int32_t code = mapping_job(&mirror->mapping, job, &desc, err);
    if (code < 0) return code;
    desc.tag = (uint64_t)(entry - mirror->jobs);
    code = lsched_jobs_submit(mirror->cluster, &desc, 1, sizeof desc, NULL, &entry->id, NULL, err);
    entry->layout = job->layout;
    entry->terms = mapping_terms(&mirror->mapping, job);
    note_request(entry, job, &desc);
    if (!mirror_licences_note(entry, desc.groups)) code = LSCHED_E_NOMEM;
    if (code < 0) {
        entry->id = 0;
        note_refusal(entry, err->message);
        return code == LSCHED_E_NOMEM ? code : LSCHED_OK;
    }
    free(entry->refusal);
    entry->refusal = NULL;
    bool waits = job->state == SNAPSHOT_PENDING || job->state == SNAPSHOT_SLURM;
    const char *option = waits ? mapping_unmapped(&mirror->mapping, job) : NULL;
    return option ? hold_unmapped(mirror, entry, option, err) : LSCHED_OK;
}

static int32_t import(struct mirror *mirror, struct mirror_job *entry,
                      const struct snapshot *snapshot, const struct snapshot_job *job,
                      lsched_error *err) {
    int32_t code = LSCHED_OK;
    for (uint32_t i = 0; code >= 0 && i < job->n_shares; i++) {
        const struct snapshot_share *share = &job->shares[i];
        lsched_task_import task = LSCHED_TASK_IMPORT_INIT;
        task.job = entry->id, task.task_index = i;
        task.node_name = lsched_cstr(snapshot->nodes[share->node].name);
        task.start_us = job->start_us < snapshot->now_us ? job->start_us : snapshot->now_us;
        memcpy(task.device_words, share->gpus, sizeof task.device_words);
        code = lsched_tasks_import(mirror->cluster, &task, 1, sizeof task, NULL, NULL, err);
        if (code == LSCHED_E_INVAL ||
            code == LSCHED_E_RANGE) { /* uneven shares: no exact devices */
            memset(task.device_words, 0, sizeof task.device_words);
            code = lsched_tasks_import(mirror->cluster, &task, 1, sizeof task, NULL, NULL, err);
        }
    }
    return code;
}

/* ---- the states of a job ---- */

static bool push(struct mirror *mirror, struct compat_job **list, uint32_t *n, uint32_t most,
                 struct compat_job job) {
    if (*n && same_job((*list)[*n - 1], job)) return true;
    if (!*list) *list = snapshot_alloc(mirror->mapping.arena, most, sizeof **list);
    if (!*list) return false;
    (*list)[(*n)++] = job;
    return true;
}

/* A change of a job that waits: a new description keeps its place in the queue by its submit time.
 * */
static int32_t change(struct mirror *mirror, struct mirror_job *entry,
                      const struct snapshot_job *job, lsched_error *err) {
    if (entry->id) (void)lsched_jobs_remove(mirror->cluster, &entry->id, 1, &tolerant, NULL, NULL);
    entry->id = 0;
    return submit(mirror, entry, job, err);
}

static int32_t update_waiting(struct mirror *mirror, struct mirror_job *entry,
                              const struct snapshot *snapshot, const struct snapshot_job *job,
                              lsched_error *err) {
    uint64_t hash = mapping_job_hash(&mirror->mapping, job);
    int32_t code = LSCHED_OK;
    entry->waits = true;
    if (!job->described && entry->said) { /* a change of the job in Slurm clears its text */
        free(entry->said);
        entry->said = NULL;
        entry->told = false;
    }
    if (entry->running && entry->id) code = end_run(mirror, entry, snapshot->now_us, err);
    if (code < 0) return code;
    if (hash != entry->hash) entry->told = false;
    if (hash != entry->hash) code = change(mirror, entry, job, err);
    entry->hash = hash;
    bool early = entry->again_us > snapshot->now_us;
    int64_t until_us = entry->again_us;
    entry->again_us = 0;
    entry->running = entry->stopping = false;
    entry->stop_us = 0;
    if (code < 0 || !early || !entry->id || mapping_unmapped(&mirror->mapping, job)) return code;
    return hold(mirror, entry, "its last run is being cleared away", until_us, err);
}

/* An administrator can change the time limit and the priority of a job that runs. */
static int32_t update_terms(struct mirror *mirror, struct mirror_job *entry,
                            const struct snapshot_job *job, lsched_error *err) {
    struct mapping_terms now = mapping_terms(&mirror->mapping, job), *known = &entry->terms;
    lsched_job_update update = LSCHED_JOB_UPDATE_INIT;
    if (now.duration_us != known->duration_us) update.set |= LSCHED_JOB_SET_DURATION;
    if (now.release_us != known->release_us) update.set |= LSCHED_JOB_SET_RELEASE;
    if (now.priority != known->priority) update.set |= LSCHED_JOB_SET_PRIORITY;
    if (!update.set) return LSCHED_OK;
    update.job = entry->id, update.priority = now.priority;
    update.duration_us = now.duration_us, update.release_us = now.release_us;
    entry->terms = now;
    return lsched_jobs_update(mirror->cluster, &update, 1, sizeof update, &tolerant, NULL, err);
}

/* Places of a running job: what left a node has ended, what is somewhere else is imported anew. */
static int32_t update_running(struct mirror *mirror, struct mirror_job *entry,
                              const struct snapshot *snapshot, const struct snapshot_job *job,
                              lsched_error *err) {
    struct tasks tasks = {0};
    entry->waits = false;
    if (!job->n_shares) return LSCHED_OK;
    if (entry->id && !list_tasks(mirror, entry->id, &tasks)) return LSCHED_E_NOMEM;
    uint8_t *there = snapshot_alloc(mirror->mapping.arena, snapshot->n_nodes, 1);
    if (!there) return LSCHED_E_NOMEM;
    for (uint32_t i = 0; i < job->n_shares; i++) there[job->shares[i].node] = 1;
    entry->warning_us = job->warning_us;
    int32_t code = LSCHED_OK;
    uint32_t known = 0;
    for (uint32_t i = 0; code >= 0 && i < tasks.n; i++) {
        uint32_t node = mirror_node_index(mirror, snapshot, tasks.list[i].node);
        if (node < snapshot->n_nodes && there[node]) {
            known += there[node] == 1;
            there[node] = 2;
        } else if (job->state == SNAPSHOT_RUNNING) {
            code = report(mirror, &tasks.list[i], LSCHED_EVENT_ENDED, err);
        }
    }
    entry->running = true;
    if (code >= 0 && known == job->n_shares) return update_terms(mirror, entry, job, err);
    if (code < 0) return code;
    entry->hash = 0; /* its description is that of what it holds: differs when it waits again */
    code = change(mirror, entry, job, err);
    return code < 0 || !entry->id ? code : import(mirror, entry, snapshot, job, err);
}

/* A job that Slurm keeps back is not in libsched, but for one that was just requeued: it is
 * remembered for a moment, so that it does not start too early. */
static int32_t update_kept_back(struct mirror *mirror, struct mirror_job *entry,
                                const struct snapshot *snapshot, const struct snapshot_job *job,
                                lsched_error *err) {
    int32_t code = LSCHED_OK;
    struct compat_job key = key_of(job);
    if (job->depends && !push(mirror, &mirror->depends, &mirror->n_depends, snapshot->n_jobs, key))
        return LSCHED_E_NOMEM;
    if (!entry) return LSCHED_OK;
    entry->waits = false;
    if (entry->running && entry->id) code = end_run(mirror, entry, snapshot->now_us, err);
    bool over = snapshot->now_us >= entry->again_us;
    if (code < 0 || !entry->again_us || !job->begin_is_requeue || (over && !entry->stopping)) {
        drop(mirror, entry);
        return code;
    }
    entry->pass = mirror->pass;
    mirror->waits_again = true;
    bool start = over && entry->stopping;
    return !start || push(mirror, &mirror->eligible, &mirror->n_eligible, snapshot->n_jobs, key)
               ? LSCHED_OK
               : LSCHED_E_NOMEM;
}

static int32_t update_job(struct mirror *mirror, const struct snapshot *snapshot,
                          const struct snapshot_job *job, lsched_error *err) {
    struct mirror_job *entry = find_entry(mirror, job);
    bool waits = job->state == SNAPSHOT_PENDING;
    if (job->state == SNAPSHOT_SLURM) return update_kept_back(mirror, entry, snapshot, job, err);
    if (!entry) {
        if (!waits && !job->n_shares) return LSCHED_OK;
        entry = new_entry(mirror);
        if (!entry) return LSCHED_E_NOMEM;
        entry->slurm = key_of(job);
    }
    if (!waits && job->array_task == SNAPSHOT_NO_TASK) entry->slurm.job_id = job->job_id;
    entry->pass = mirror->pass;
    return waits ? update_waiting(mirror, entry, snapshot, job, err)
                 : update_running(mirror, entry, snapshot, job, err);
}

/* Jobs that Slurm no longer has: ended well if they ran, cancelled if they waited. */
static bool end_missing(struct mirror *mirror) {
    bool ok = true;
    for (uint32_t i = 0; i < mirror->n_jobs; i++) {
        struct mirror_job *entry = &mirror->jobs[i];
        if (!entry->used || entry->pass == mirror->pass) continue;
        if (entry->stop_us)
            ok = push(mirror, &mirror->warned, &mirror->n_warned, mirror->n_jobs, entry->slurm) &&
                 ok;
        if (entry->id && entry->running &&
            lsched_jobs_complete(mirror->cluster, &entry->id, 1, &tolerant, NULL, NULL) == 1)
            entry->id = 0;
        drop(mirror, entry);
    }
    return ok;
}

int32_t mirror_update(struct mirror *mirror, struct snapshot *snapshot, lsched_error *err) {
    mirror->mapping.arena = &snapshot->arena;
    mirror->pass++;
    mirror->waits_again = false;
    mirror->depends = mirror->eligible = mirror->warned = NULL;
    mirror->n_depends = mirror->n_eligible = mirror->n_warned = mirror->n_refused = 0;
    for (uint32_t i = 0; i < mirror->n_jobs; i++)
        mirror->n_refused += mirror->jobs[i].used && !mirror->jobs[i].id;
    if (!snapshot_close_mps(snapshot)) return LSCHED_E_NOMEM;
    int32_t code = mirror_queues(mirror, snapshot, err);
    if (code < 0 || mirror->rebuild) return code;
    code = mirror_nodes(mirror, snapshot, err);
    if (code >= 0) code = mirror_licences_add(mirror, snapshot, err);
    for (uint32_t i = 0; code >= 0 && i < snapshot->n_jobs; i++)
        code = update_job(mirror, snapshot, &snapshot->jobs[i], err);
    if (code < 0) return code;
    if (!end_missing(mirror)) return LSCHED_E_NOMEM;
    code = mirror_licences_set(mirror, snapshot, err);
    return code < 0 ? code : mirror_foreign(mirror, snapshot, err);
}
