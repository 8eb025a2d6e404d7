/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_cycle.c -- plans without Slurm's locks, then carries the plan out under them.
 *
 * Between the snapshot and the write lock, Slurm can change. So each decision is checked again by
 * compat_start(), and what no longer holds is rejected and planned anew in the next cycle.
 */
#include "slurm_cycle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RETRY_US     INT64_C(30000000) /* after a reason that holds on all nodes */
#define ACCOUNTS_US  INT64_C(5000000)  /* between two looks at the account tree */
#define RACED_US     INT64_C(500000)
#define SLICE_CPU_US INT64_C(2000) /* after which the write lock is given back for a moment */

static const lsched_batch_opts tolerant = {sizeof tolerant,
                                           LSCHED_BATCH_PARTIAL | LSCHED_BATCH_IDEMPOTENT};

/* The decisions about one job. */
struct work {
    lsched_id job;
    struct mirror_job *entry;
    const lsched_decision *places, *evictions;
    uint32_t n_places, n_evictions;
    struct compat_start start;
    bool done, later;
    char words[200];
};

struct batch {
    struct work *list;
    uint32_t n;
};

void cycle_init(struct cycle *cycle, struct site *site) {
    memset(cycle, 0, sizeof *cycle);
    cycle->site = site;
    mirror_init(&cycle->mirror, site->cluster);
    cycle->mirror.mapping.make_queues = site->make_queues;
    cycle->mirror.mapping.slurm_priority = site->slurm_priority;
    cycle->mirror.mapping.default_queue = site->default_queue;
}

void cycle_free(struct cycle *cycle) {
    mirror_free(&cycle->mirror);
    memset(cycle, 0, sizeof *cycle);
}

/* ---- what the plan says, job by job ---- */

static int by_job(const void *a, const void *b) {
    const lsched_decision *x = a, *y = b;
    if (x->job != y->job) return x->job < y->job ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return x->task_index < y->task_index ? -1 : x->task_index > y->task_index;
}

/* All decisions that are not settled: those of this plan, and those that Slurm put off. */
static lsched_decision *open_decisions(const lsched_cluster *cluster, struct snapshot_arena *arena,
                                       size_t *n) {
    lsched_cluster_stats stats = {.size = sizeof stats};
    lsched_decision one = {.size = sizeof one};
    uint64_t cursor = 0;
    *n = 0;
    if (lsched_cluster_stats_get(cluster, &stats, NULL) < 0) return NULL;
    size_t most = stats.decisions_open;
    lsched_decision *all = snapshot_alloc(arena, most + 1, sizeof *all);
    while (all && *n < most && lsched_decisions_next(cluster, &cursor, &one, NULL) == 1) {
        bool ours = one.kind == LSCHED_DECIDE_PLACE || one.kind == LSCHED_DECIDE_EVICT;
        if (ours && one.state == LSCHED_DECISION_PROPOSED) all[(*n)++] = one;
    }
    return all;
}

/* Each job's decisions stand together after the sort: PLACE first, then EVICT. */
static bool group_by_job(struct cycle *cycle, struct snapshot_arena *arena, struct batch *out) {
    size_t n = 0;
    lsched_decision *all = open_decisions(cycle->mirror.cluster, arena, &n);
    out->list = snapshot_alloc(arena, n + 1, sizeof *out->list);
    out->n = 0;
    if (!all || !out->list) return false;
    qsort(all, n, sizeof *all, by_job);
    struct work *work = NULL;
    for (size_t i = 0; i < n; i++) {
        if (!work || work->job != all[i].job) {
            work = &out->list[out->n++];
            work->job = all[i].job;
            work->entry = mirror_entry(&cycle->mirror, all[i].job_tag);
        }
        bool place = all[i].kind == LSCHED_DECIDE_PLACE;
        const lsched_decision **list = place ? &work->places : &work->evictions;
        uint32_t *count = place ? &work->n_places : &work->n_evictions;
        if (!*list) *list = &all[i];
        ++*count;
    }
    return true;
}

/* The nodes of the placements, each once. */
static bool fill_start(struct work *work, const struct snapshot *snapshot,
                       struct snapshot_arena *arena) {
    struct compat_start *start = &work->start;
    uint8_t *there = snapshot_alloc(arena, snapshot->n_nodes, 1);
    start->job = work->entry->slurm;
    start->nodes = snapshot_alloc(arena, work->n_places, sizeof *start->nodes);
    if (!start->nodes || !there) return false;
    for (uint32_t i = 0; i < work->n_places; i++) {
        uint64_t node = work->places[i].node_tag;
        if (node >= snapshot->n_nodes || there[node]) continue;
        there[node] = 1;
        start->nodes[start->n_nodes++] = snapshot->nodes[node].name;
    }
    return true;
}

/* ---- carrying out, under the write lock ---- */

/* A job with a time of grace is warned now and stopped later. */
static void stop(struct cycle *cycle, struct work *work, int64_t now_us) {
    if (work->entry->warning_us > 0) {
        compat_warn(work->entry->slurm);
        work->entry->stop_us = now_us + work->entry->warning_us;
        work->done = true, work->later = false;
        cycle->counts.warned++;
        return;
    }
    work->done = compat_requeue(work->entry->slurm, &work->later, work->words, sizeof work->words);
    if (work->later) return;
    if (work->done) work->entry->stopping = true;
    *(work->done ? &cycle->counts.requeued : &cycle->counts.not_requeued) += 1;
    if (work->done || !cycle->site->debug) return;
    char line[300];
    snprintf(line, sizeof line, "job %u was not stopped: %s", work->entry->slurm.job_id,
             work->words);
    compat_log(line);
}

/* Stops the jobs whose time of grace is over. One that ended meanwhile is no longer there. */
static void stop_warned(struct cycle *cycle, int64_t now_us) {
    struct mirror *mirror = &cycle->mirror;
    bool due = cycle->stop_us && cycle->stop_us <= now_us;
    for (uint32_t i = 0; due && i < mirror->n_jobs; i++) {
        struct mirror_job *entry = &mirror->jobs[i];
        char words[200];
        bool later = false;
        if (!entry->used || !entry->stop_us || entry->stop_us > now_us) continue;
        entry->stopping = compat_requeue(entry->slurm, &later, words, sizeof words);
        if (!later) entry->stop_us = 0;
        cycle->counts.requeued += entry->stopping;
    }
}

static void note_next_stop(struct cycle *cycle) {
    cycle->stop_us = 0;
    for (uint32_t i = 0; i < cycle->mirror.n_jobs; i++) {
        const struct mirror_job *entry = &cycle->mirror.jobs[i];
        if (!entry->used || !entry->stop_us) continue;
        if (!cycle->stop_us || entry->stop_us < cycle->stop_us) cycle->stop_us = entry->stop_us;
    }
}

static void start(struct cycle *cycle, struct work *work, struct snapshot *snapshot) {
    char line[320];
    if (!fill_start(work, snapshot, &snapshot->arena)) return;
    work->done = compat_start(&work->start, &snapshot->arena);
    work->later = work->start.later;
    if (work->later) return;
    uint64_t *count = work->done          ? &cycle->counts.starts
                      : work->start.raced ? &cycle->counts.raced
                                          : &cycle->counts.refused;
    ++*count;
    if (work->done || (work->start.raced && !cycle->site->debug)) return;
    snprintf(line, sizeof line, "job %u %s on %s%s: %s", work->start.job.job_id,
             work->start.raced ? "changed before its start" : "was not started",
             work->start.nodes[0], work->start.n_nodes > 1 ? " ..." : "", work->start.words);
    compat_log(line);
}

/* ---- the write lock ---- */

struct held_lock {
    struct cycle_counts *counts;
    int64_t from_us;
};

static int64_t cpu_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void take_lock(struct held_lock *lock) {
    compat_lock(COMPAT_WRITE);
    lock->from_us = cpu_us();
}

static void give_lock_back(struct held_lock *lock) {
    uint64_t took = (uint64_t)(cpu_us() - lock->from_us);
    compat_unlock(COMPAT_WRITE);
    lock->counts->lock_holds++;
    lock->counts->lock_cpu_us += took;
    if (took > lock->counts->lock_cpu_us_max) lock->counts->lock_cpu_us_max = took;
}

/* Lets others have the lock when this cycle has had it for long. Each decision is checked again when
 * its turn comes, so nothing is lost by a break. Returns false if no more may be carried out. */
static bool may_go_on(struct held_lock *lock) {
    if (cpu_us() - lock->from_us >= SLICE_CPU_US) {
        give_lock_back(lock);
        take_lock(lock);
    }
    return compat_is_primary();
}

/* Jobs with a part of a GPU start first, since whole GPUs close their node to MPS
 * (snapshot_close_mps). Slurm lays the tasks of a job with EACH_TASK out itself, so these start
 * after all others, whose room they could otherwise take. */
enum { START_ROUNDS = 3 };

static uint32_t start_round(const struct mirror_job *entry) {
    if (entry->layout == SNAPSHOT_EACH_TASK) return 2;
    return entry->needs_part ? 0 : 1;
}

static void carry_out(struct cycle *cycle, struct batch *batch, struct snapshot *snapshot,
                      struct held_lock *lock) {
    for (uint32_t i = 0; i < batch->n; i++) batch->list[i].later = batch->list[i].entry != NULL;
    stop_warned(cycle, snapshot->now_us);
    for (uint32_t i = 0; i < batch->n && may_go_on(lock); i++)
        if (batch->list[i].entry && batch->list[i].n_evictions)
            stop(cycle, &batch->list[i], snapshot->now_us);
    for (uint32_t round = 0; round < START_ROUNDS; round++) {
        for (uint32_t i = 0; i < batch->n && may_go_on(lock); i++) {
            struct work *work = &batch->list[i];
            if (!work->entry || !work->n_places || work->n_evictions) continue;
            if (start_round(work->entry) == round) start(cycle, work, snapshot);
        }
    }
}

static void change_slurm(struct cycle *cycle, struct batch *batch, struct snapshot *snapshot) {
    struct mirror *mirror = &cycle->mirror;
    struct held_lock lock = {.counts = &cycle->counts};
    bool stops = cycle->stop_us && cycle->stop_us <= snapshot->now_us;
    bool orders = mirror->n_depends || mirror->n_eligible || mirror->n_warned;
    if (!batch->n && !orders && !cycle->texts.n && !stops) return;
    take_lock(&lock);
    cycle->counts.lock_cycles++;
    for (uint32_t i = 0; i < mirror->n_eligible; i++) compat_eligible(mirror->eligible[i]);
    for (uint32_t i = 0; i < mirror->n_warned; i++) compat_requeue_failed(mirror->warned[i]);
    for (uint32_t i = 0; i < mirror->n_depends; i++) compat_depends(mirror->depends[i]);
    carry_out(cycle, batch, snapshot, &lock);
    texts_say(&cycle->texts);
    give_lock_back(&lock);
}

/* ---- telling libsched what became of it ---- */

static void note_failure(struct cycle *cycle, const char *what, const lsched_error *err) {
    char line[LSCHED_MESSAGE_BYTES + 100];
    cycle->counts.failed_reports++;
    if (!cycle->site->debug) return;
    snprintf(line, sizeof line, "%s: %s: %s", what, lsched_error_name(err->code), err->message);
    compat_log(line);
}

static void reject(struct cycle *cycle, const struct work *work, const lsched_decision *decision,
                   int64_t now_us) {
    lsched_refusal refusal = {.size = sizeof refusal};
    const char *words = work->start.words[0] ? work->start.words : work->words;
    refusal.words = lsched_cstr(words);
    if (work->start.everywhere || work->start.raced) refusal.avoid = LSCHED_AVOID_ANYWHERE;
    if (work->start.everywhere) refusal.until_us = now_us + RETRY_US;
    if (work->start.raced) refusal.until_us = now_us + RACED_US;
    lsched_settlement answer = {sizeof answer, LSCHED_OUTCOME_REJECTED, decision->id,
                                LSCHED_TEXT("slurm"), &refusal};
    lsched_error err = LSCHED_ERROR_INIT;
    if (decision->kind != LSCHED_DECIDE_PLACE) answer.refusal = NULL;
    if (lsched_settle(cycle->mirror.cluster, &answer, 1, sizeof answer, &tolerant, NULL, NULL,
                      &err) < 0 &&
        err.code != LSCHED_E_STATE && err.code != LSCHED_E_STALE)
        note_failure(cycle, "a rejection", &err);
}

/* Takes the lowest `n` devices of a set. */
static void take_devices(uint64_t from[2], uint32_t n, uint64_t out[2]) {
    out[0] = out[1] = 0;
    for (uint32_t i = 0; i < 128 && n; i++) {
        uint64_t bit = UINT64_C(1) << (i % 64);
        if (!(from[i / 64] & bit)) continue;
        from[i / 64] &= ~bit, out[i / 64] |= bit;
        n--;
    }
}

static uint32_t devices_of(const lsched_decision *decision) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < LSCHED_DEVICE_WORDS; i++)
        n += (uint32_t)__builtin_popcountll(decision->device_words[i]);
    return n;
}

/* The GPUs that Slurm gave to one task were promised to another one: the report of the first
 * withdrew the decision of the second, which runs all the same, on other GPUs. */
static bool import_started(struct cycle *cycle, const lsched_decision *decision,
                           const lsched_task_event *event, lsched_error *err) {
    lsched_task_import task = LSCHED_TASK_IMPORT_INIT;
    task.job = decision->job, task.task_index = decision->task_index;
    task.node = decision->node, task.start_us = cycle->last_us;
    memcpy(task.device_words, event->device_words, sizeof task.device_words);
    return lsched_tasks_import(cycle->mirror.cluster, &task, 1, sizeof task, &tolerant, NULL,
                               err) == 1;
}

/* Slurm chooses the GPUs itself, so the report has the real ones. */
static void report_started(struct cycle *cycle, struct work *work,
                           const struct snapshot *snapshot) {
    for (uint32_t i = 0; i < work->n_places; i++) {
        const lsched_decision *decision = &work->places[i];
        lsched_task_event event = {.size = sizeof event, .event = LSCHED_EVENT_STARTED};
        event.job = decision->job, event.task_index = decision->task_index;
        const char *node = snapshot->nodes[decision->node_tag].name;
        for (uint32_t s = 0; s < work->start.n_shares; s++) {
            struct snapshot_share *share = &work->start.shares[s];
            if (strcmp(work->start.nodes[share->node], node) != 0) continue;
            uint64_t devices[2];
            uint32_t n = devices_of(decision);
            take_devices(share->gpus, n, devices);
            if ((uint32_t)__builtin_popcountll(devices[0]) +
                        (uint32_t)__builtin_popcountll(devices[1]) !=
                    n ||
                !n)
                break;
            event.node = decision->node;
            memcpy(event.device_words, devices, sizeof devices);
            break;
        }
        lsched_error err = LSCHED_ERROR_INIT;
        if (lsched_tasks_report(cycle->mirror.cluster, &event, 1, sizeof event, &tolerant, NULL,
                                &err) < 1 &&
            !import_started(cycle, decision, &event, &err))
            note_failure(cycle, "a start", &err);
    }
    work->entry->running = true;
    work->entry->waits = false;
    free(work->entry->said);
    work->entry->said = NULL;
    work->entry->told = false;
}

static void confirm(struct cycle *cycle, const lsched_decision *eviction) {
    lsched_settlement answer = {sizeof answer, LSCHED_OUTCOME_CONFIRMED, eviction->id,
                                LSCHED_TEXT(""), NULL};
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_settle(cycle->mirror.cluster, &answer, 1, sizeof answer, &tolerant, NULL, NULL,
                      &err) < 1)
        note_failure(cycle, "an eviction", &err);
}

/* What was done is reported first: a rejection can withdraw other decisions. What was put off stays
 * open and keeps its room. */
static void settle(struct cycle *cycle, struct batch *batch, const struct snapshot *snapshot) {
    for (uint32_t i = 0; i < batch->n; i++) {
        struct work *work = &batch->list[i];
        if (work->later || !work->done) continue;
        for (uint32_t d = 0; d < work->n_evictions; d++) confirm(cycle, &work->evictions[d]);
        if (work->n_evictions) continue;
        report_started(cycle, work, snapshot);
        work->entry->hash = 0; /* a new description when it waits again */
    }
    for (uint32_t i = 0; i < batch->n; i++) {
        struct work *work = &batch->list[i];
        if (work->later) continue;
        for (uint32_t d = 0; !work->done && d < work->n_evictions; d++)
            reject(cycle, work, &work->evictions[d], snapshot->now_us);
        for (uint32_t d = 0; (!work->done || work->n_evictions) && d < work->n_places; d++)
            reject(cycle, work, &work->places[d], snapshot->now_us);
    }
}

/* One line for each decision, with the names of all that it is about. */
static void log_decisions(const struct cycle *cycle, const lsched_plan *decisions) {
    for (size_t i = 0; i < lsched_plan_size(decisions); i++) {
        const lsched_decision *one = lsched_plan_at(decisions, i);
        char line[400];
        size_t job = 0, node = 0, winner = 0;
        const char *job_name = lsched_name(cycle->mirror.cluster, one->job, &job);
        const char *node_name = lsched_name(cycle->mirror.cluster, one->node, &node);
        const char *for_name = lsched_name(cycle->mirror.cluster, one->for_job, &winner);
        snprintf(line, sizeof line, "%s job %.*s task %u on %.*s%s%s%s%.*s",
                 lsched_decision_kind_name(one->kind), (int)job, job_name ? job_name : "",
                 one->task_index, (int)node, node_name ? node_name : "",
                 one->reason ? ", reason " : "", one->reason ? lsched_reason_name(one->reason) : "",
                 for_name ? ", for job " : "", (int)winner, for_name ? for_name : "");
        compat_log(line);
    }
    for (size_t i = 0; i < lsched_plan_withdrawn_size(decisions); i++)
        compat_log("a nomination or an eviction was withdrawn");
}

static int32_t plan(struct cycle *cycle, struct snapshot *snapshot, lsched_plan **out,
                    lsched_error *err) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    if (snapshot->now_us < cycle->last_us) snapshot->now_us = cycle->last_us;
    cycle->last_us = opts.now_us = snapshot->now_us;
    opts.decision_kinds =
        1u << LSCHED_DECIDE_PLACE | 1u << LSCHED_DECIDE_NOMINATE | 1u << LSCHED_DECIDE_EVICT;
    return lsched_schedule(cycle->mirror.cluster, &opts, out, err);
}

static int64_t wall_us(void) {
    return (int64_t)time(NULL) * 1000000;
}

int32_t cycle_run(struct cycle *cycle, lsched_error *err) {
    struct snapshot snapshot = {0};
    struct batch batch = {0};
    lsched_plan *decisions = NULL;
    snapshot.wants_accounts = wall_us() >= cycle->accounts_us;
    if (snapshot.wants_accounts) cycle->accounts_us = wall_us() + ACCOUNTS_US;
    compat_lock(COMPAT_READ);
    bool read = compat_read(&snapshot, cycle->site->window);
    compat_unlock(COMPAT_READ);
    int32_t code = read ? mirror_update(&cycle->mirror, &snapshot, err) : LSCHED_E_NOMEM;
    if (code >= 0 && cycle->mirror.rebuild) {
        snapshot_clear(&snapshot);
        return CYCLE_REBUILD;
    }
    if (code >= 0) code = plan(cycle, &snapshot, &decisions, err);
    if (code >= 0 && cycle->site->debug) log_decisions(cycle, decisions);
    if (code >= 0 && !group_by_job(cycle, &snapshot.arena, &batch)) code = LSCHED_E_NOMEM;
    if (code >= 0) {
        if (!cycle->texts_only || batch.n) texts_note_change(&cycle->texts);
        texts_collect(&cycle->texts, &cycle->mirror, &snapshot.arena, snapshot.n_nodes,
                      snapshot.now_us);
        change_slurm(cycle, &batch, &snapshot);
        settle(cycle, &batch, &snapshot);
        note_next_stop(cycle);
        cycle->put_off = cycle->mirror.waits_again;
        for (uint32_t i = 0; i < batch.n; i++) cycle->put_off |= batch.list[i].later;
        cycle->counts.cycles++;
    }
    lsched_plan_destroy(decisions);
    snapshot_clear(&snapshot);
    return code;
}
