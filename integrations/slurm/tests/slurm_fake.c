/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_fake.c -- see slurm_fake.h.
 */
#include "slurm_fake.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BEGIN_US INT64_C(120000000) /* the begin time that a requeue gives */

struct fake_slurm fake;
/* recursive: the thread that logs can have the lock or not */
static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void fake_take(void) {
    pthread_mutex_lock(&mutex);
}

void fake_give_back(void) {
    pthread_mutex_unlock(&mutex);
}

static void need(int lock, const char *call) {
    if ((int)fake.lock == lock) return;
    fprintf(stderr, "%s is called with lock %d, it needs %d\n", call, (int)fake.lock, lock);
    abort();
}

/* ---- the world ---- */

void fake_reset(uint32_t nodes) {
    static char names[FAKE_NODES_MAX][8];
    static const char *partitions[] = {"main"};
    static struct snapshot_gres gpus = {"gpu", NULL, FAKE_GPUS};
    memset(&fake, 0, sizeof fake);
    fake.now_us = INT64_C(1000000000000);
    fake.n_nodes = nodes;
    for (uint32_t i = 0; i < nodes; i++) {
        struct snapshot_node *node = &fake.nodes[i];
        snprintf(names[i], sizeof names[i], "n%u", i);
        node->name = names[i], node->ready = true;
        node->cpus = 64, node->memory_mb = 500000;
        node->partitions = partitions, node->n_partitions = 1;
        node->gres = &gpus, node->n_gres = 1;
    }
}

static struct snapshot_gres *gpus_of(uint32_t n) {
    static struct snapshot_gres table[FAKE_GPUS + 1];
    table[n] = (struct snapshot_gres){"gpu", NULL, n};
    return &table[n];
}

struct fake_job *fake_submit(const char *account, uint32_t count, uint32_t gpus) {
    static const char *partitions[] = {"main"};
    if (fake.n_jobs == FAKE_JOBS_MAX) abort();
    struct fake_job *out = &fake.jobs[fake.n_jobs++];
    struct snapshot_job *job = &out->job;
    out->there = true;
    job->job_id = fake.n_jobs, job->array_task = SNAPSHOT_NO_TASK;
    job->account = account, job->user = "user", job->partitions = partitions;
    job->n_partitions = 1, job->tier = 1;
    job->submit_us = fake.now_us, job->time_limit_us = INT64_C(3600000000);
    job->grace_us = 2000000, job->requeueable = true;
    job->count_min = job->count_max = count;
    job->cpus = 1, job->memory_mb = 100;
    if (gpus) job->gres = gpus_of(gpus), job->n_gres = 1;
    job->shares = out->held;
    return out;
}

struct fake_job *fake_element(uint32_t array_job, uint32_t element, const char *account,
                              uint32_t gpus) {
    struct fake_job *out = fake_submit(account, 1, gpus);
    out->job.array_job = array_job, out->job.array_task = element;
    return out;
}

void fake_needs(struct fake_job *job, uint32_t count) {
    static struct snapshot_gres table[8];
    if (count >= 8) abort();
    table[count] = (struct snapshot_gres){"tool", NULL, count};
    job->job.licences = &table[count], job->job.n_licences = 1;
}

/* A job gives its licences back when it begins to leave its nodes. */
uint32_t fake_licences_used(void) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < fake.n_jobs; i++) {
        const struct fake_job *job = &fake.jobs[i];
        if (job->there && job->job.state == SNAPSHOT_RUNNING && job->job.n_licences)
            sum += job->job.licences[0].count;
    }
    return (uint32_t)sum;
}

/* Licences of a reservation are for its jobs alone. */
static bool has_licences(const struct snapshot_job *job) {
    const struct snapshot_licence *tool = &fake.licences[0];
    uint64_t kept = job->reservation ? 0 : tool->reserved;
    return !job->n_licences || fake_licences_used() + kept + job->licences[0].count <= tool->total;
}

void fake_end(struct fake_job *job) {
    job->there = false;
}

void fake_clear_away(void) {
    for (uint32_t i = 0; i < fake.n_jobs; i++) {
        struct fake_job *job = &fake.jobs[i];
        if (job->job.state != SNAPSHOT_REQUEUING) continue;
        job->job.state = SNAPSHOT_SLURM, job->job.n_shares = 0;
        job->job.begin_is_requeue = true;
    }
    memset(fake.completing, 0, sizeof fake.completing);
}

static bool holds(const struct fake_job *job) {
    return job->there &&
           (job->job.state == SNAPSHOT_RUNNING || job->job.state == SNAPSHOT_REQUEUING);
}

uint32_t fake_gpus_of(const char *account) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < fake.n_jobs; i++) {
        const struct fake_job *job = &fake.jobs[i];
        if (!holds(job) || strcmp(job->job.account, account) != 0) continue;
        for (uint32_t s = 0; s < job->job.n_shares; s++) sum += job->held[s].n_gpus;
    }
    return sum;
}

static uint64_t taken_on(uint32_t node) {
    uint64_t taken = 0;
    for (uint32_t i = 0; i < fake.n_jobs; i++)
        for (uint32_t s = 0; holds(&fake.jobs[i]) && s < fake.jobs[i].job.n_shares; s++)
            if (fake.jobs[i].held[s].node == node) taken |= fake.jobs[i].held[s].gpus[0];
    return taken;
}

/* ---- slurm_compat.h ---- */

void compat_lock(enum compat_lock kind) {
    fake_take();
    need(FAKE_UNLOCKED, "compat_lock");
    fake.lock = kind == COMPAT_READ ? FAKE_READ : FAKE_WRITE;
    fake.write_locks += kind == COMPAT_WRITE;
}

void compat_unlock(enum compat_lock kind) {
    need(kind == COMPAT_READ ? FAKE_READ : FAKE_WRITE, "compat_unlock");
    fake.lock = FAKE_UNLOCKED;
    fake_give_back();
}

bool compat_is_primary(void) {
    return !fake.backup;
}

char *compat_parameter(const char *name) {
    if (strcmp(name, "libsched_verify") == 0) return strdup("1");
    return strcmp(name, "libsched_config") == 0 && fake.config ? strdup(fake.config) : NULL;
}

char *compat_config_folder(void) {
    return strdup("/nowhere");
}

bool compat_read(struct snapshot *snapshot, uint32_t window) {
    need(FAKE_READ, "compat_read");
    (void)window;
    if (fake.fail_read) return false;
    snapshot->now_us = fake.now_us;
    snapshot->nodes = snapshot_alloc(&snapshot->arena, fake.n_nodes + 1, sizeof fake.nodes[0]);
    if (!snapshot->nodes) return false;
    memcpy(snapshot->nodes, fake.nodes, fake.n_nodes * sizeof fake.nodes[0]);
    snapshot->n_nodes = fake.n_nodes, snapshot->switch_levels = fake.switch_levels;
    snapshot->licences = snapshot_alloc(&snapshot->arena, 2, sizeof fake.licences[0]);
    if (!snapshot->licences) return false;
    snapshot->n_licences = fake.n_licences;
    for (uint32_t i = 0; i < fake.n_licences; i++) {
        snapshot->licences[i] = fake.licences[i];
        snapshot->licences[i].used = i ? 0 : fake_licences_used();
    }
    if (snapshot->wants_accounts) {
        snapshot->accounts = fake.accounts, snapshot->n_accounts = fake.n_accounts;
    }
    for (uint32_t i = 0; i < fake.n_jobs; i++) {
        struct fake_job *from = &fake.jobs[i];
        if (!from->there) continue;
        if (from->job.begin_is_requeue && from->begin_us <= fake.now_us)
            from->job.state = SNAPSHOT_PENDING, from->job.begin_is_requeue = false;
        struct snapshot_job *job = snapshot_add_job(snapshot);
        if (!job) return false;
        *job = from->job;
        job->described = from->said[0] != 0;
        for (uint32_t s = 0; holds(from) && s < job->n_shares; s++) {
            struct snapshot_node *node = &snapshot->nodes[from->held[s].node];
            node->used_cpus += from->held[s].cpus;
            node->used_memory_mb += from->held[s].memory_mb;
            node->used_gpus[0] |= from->held[s].gpus[0];
        }
    }
    return true;
}

static struct fake_job *find(struct compat_job key) {
    for (uint32_t i = 0; i < fake.n_jobs; i++) {
        const struct snapshot_job *job = &fake.jobs[i].job;
        bool element = key.array_task != SNAPSHOT_NO_TASK;
        if (fake.jobs[i].there && job->array_task == key.array_task &&
            (element ? job->array_job : job->job_id) == key.job_id)
            return &fake.jobs[i];
    }
    return NULL;
}

/* As Slurm has it: when whole GPUs were given out after MPS, the node gives out no more MPS. */
static bool is_closed_to_mps(uint32_t node) {
    uint32_t first_mps = UINT32_MAX, last_gpu = 0;
    for (uint32_t i = 0; i < fake.n_jobs; i++) {
        const struct fake_job *job = &fake.jobs[i];
        for (uint32_t s = 0; holds(job) && s < job->job.n_shares; s++) {
            if (job->held[s].node != node) continue;
            if (job->held[s].part && job->start_number < first_mps) first_mps = job->start_number;
            if (job->held[s].n_gpus && job->start_number > last_gpu) last_gpu = job->start_number;
        }
    }
    return last_gpu > first_mps;
}

/* The node with the lowest GPUs that are free; false if the node does not have so many. */
static bool take(struct fake_job *job, uint32_t node, uint32_t at) {
    bool part = job->job.n_gres && snapshot_is_part(job->job.gres[0].name);
    uint32_t gpus = job->job.n_gres && !part ? (uint32_t)job->job.gres[0].count : 0;
    uint64_t taken = taken_on(node), got = 0;
    for (uint32_t i = 0; i < FAKE_GPUS && (uint32_t)__builtin_popcountll(got) < gpus; i++)
        if (!(taken >> i & 1)) got |= UINT64_C(1) << i;
    struct snapshot_share *share = &job->held[at];
    memset(share, 0, sizeof *share);
    share->node = node, share->cpus = job->job.cpus, share->memory_mb = job->job.memory_mb;
    share->gpus[0] = got, share->n_gpus = gpus;
    if (part) { /* of the last GPU, which whole ones reach last */
        if (is_closed_to_mps(node)) fake.wrong++;
        share->part = job->job.gres[0].count, share->part_name = "mps";
        share->gpus[0] = UINT64_C(1) << (FAKE_GPUS - 1);
    }
    return (uint32_t)__builtin_popcountll(got) == gpus;
}

bool compat_start(struct compat_start *start, struct snapshot_arena *arena) {
    need(FAKE_WRITE, "compat_start");
    struct fake_job *job = find(start->job);
    start->raced = !job || job->job.state != SNAPSHOT_PENDING;
    start->later = false;
    snprintf(start->words, sizeof start->words, "%s", fake.refuse ? fake.refuse : "raced");
    start->everywhere = fake.refuse && fake.refuse_anywhere;
    if (!job || start->raced || fake.refuse) return false;
    start->shares = snapshot_alloc(arena, start->n_nodes, sizeof *start->shares);
    if (!start->shares) return false;
    for (uint32_t i = 0; i < start->n_nodes; i++) {
        uint32_t node = (uint32_t)strtoul(start->nodes[i] + 1, NULL, 10);
        if (fake.completing[node]) start->later = true;
        if (!fake.nodes[node].ready) start->raced = true;
    }
    if (start->raced) start->later = false;
    if (start->raced || start->later) return false;
    if (!has_licences(&job->job)) fake.wrong++;
    for (uint32_t i = 0; i < start->n_nodes; i++) {
        if (!take(job, (uint32_t)strtoul(start->nodes[i] + 1, NULL, 10), i)) fake.wrong++;
        start->shares[i] = job->held[i];
        start->shares[i].node = i;
    }
    bool size_is_right =
        start->n_nodes >= job->job.count_min && start->n_nodes <= job->job.count_max;
    if (!size_is_right && job->job.layout == SNAPSHOT_EACH_NODE) fake.wrong++;
    start->n_shares = job->job.n_shares = start->n_nodes;
    job->job.state = SNAPSHOT_RUNNING, job->job.start_us = fake.now_us;
    job->starts++;
    job->start_number = ++fake.n_starts;
    return true;
}

void compat_warn(struct compat_job key) {
    need(FAKE_WRITE, "compat_warn");
    struct fake_job *job = find(key);
    if (job) job->warned++;
}

bool compat_requeue(struct compat_job key, bool *later, char *words, size_t capacity) {
    need(FAKE_WRITE, "compat_requeue");
    struct fake_job *job = find(key);
    *later = false;
    snprintf(words, capacity, "Slurm: no such job");
    if (!job || job->job.state != SNAPSHOT_RUNNING) return false;
    job->job.state = SNAPSHOT_REQUEUING;
    job->begin_us = fake.now_us + BEGIN_US;
    job->requeued++;
    for (uint32_t s = 0; s < job->job.n_shares; s++) fake.completing[job->held[s].node] = true;
    return true;
}

/* The record of a job that ended is still there. */
void compat_requeue_failed(struct compat_job key) {
    need(FAKE_WRITE, "compat_requeue_failed");
    for (uint32_t i = 0; i < fake.n_jobs; i++)
        if (!fake.jobs[i].there && fake.jobs[i].job.job_id == key.job_id) fake.jobs[i].run_again++;
}

void compat_eligible(struct compat_job key) {
    need(FAKE_WRITE, "compat_eligible");
    struct fake_job *job = find(key);
    if (job) job->begin_us = fake.now_us;
}

void compat_depends(struct compat_job key) {
    need(FAKE_WRITE, "compat_depends");
    struct fake_job *job = find(key);
    if (job && job->job.depends) job->job.depends = false, job->job.state = SNAPSHOT_PENDING;
}

void compat_say(struct compat_job key, const char *text, int64_t start_us) {
    need(FAKE_WRITE, "compat_say");
    struct fake_job *job = find(key);
    if (!job) return;
    snprintf(job->said, sizeof job->said, "%s", text);
    job->said_start_us = start_us;
}

int64_t compat_changed(void) {
    return (int64_t)time(NULL);
}

bool compat_has_accounts(void) {
    return false;
}

void compat_slurm_order(bool on) {
    fake_take();
    fake.order_is_slurms = on;
    fake_give_back();
}

void compat_slurm_cycle(void) {
    fake_take();
    fake.order_cycles++;
    fake_give_back();
}

void compat_log(const char *text) {
    fake_take();
    size_t at = strlen(fake.log);
    if (at + strlen(text) + 2 < sizeof fake.log)
        snprintf(fake.log + at, sizeof fake.log - at, "%s\n", text);
    if (getenv("SLURM_FAKE_LOG")) puts(text);
    fake_give_back();
}

void compat_error(const char *text) {
    compat_log(text);
}
