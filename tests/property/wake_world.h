/*
 * wake_world.h -- a small cluster under random events of every kind, for tests of the time of the
 * next cycle: nodes and devices with taints, health, absences, reservations and use by others, drains,
 * quotas, limits and delays of queues, gangs, elastic jobs, sizes fixed at the start, members, tolerations that end,
 * checkpoints, holds, time limits, back-offs, resizes, settlements with refusals, reports, and
 * policies that come and go.
 *
 * Each step draws from numbers of its own, so that a step that is left out (LSCHED_TEST_SKIP, a
 * list of steps with commas) changes no other step.
 */
#ifndef TESTS_WAKE_WORLD_H
#define TESTS_WAKE_WORLD_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

#include "property/chance.h"

#define WK_SECOND INT64_C(1000000)
#define WK_BEGIN  (INT64_C(1700000000) * WK_SECOND)
enum { WK_NODES = 4, WK_DEVICES = 4, WK_QUEUES = 4, WK_STEPS = 400 };

struct wake_world {
    struct chance chance;
    uint64_t seed;
    uint32_t step, n_jobs;
    lsched_cluster *c;
    int64_t now;
    uint32_t kinds; /* of decisions */
    const char *event;
    lsched_error err;
    int verbose;
    jmp_buf end; /* where a failure goes */
};

static inline void wk_fail(struct wake_world *w, const char *what) {
    printf("LSCHED_TEST_SEED=%" PRIu64 " LSCHED_TEST_ROUNDS=1: step %u, after '%s': %s: %s\n",
           w->seed, w->step, w->event, what, w->err.message);
    longjmp(w->end, 1);
}

#define WK_CHECK(w, x, what) ((x) ? (void)0 : wk_fail(w, what))

static inline uint32_t wk_below(struct wake_world *w, uint32_t n) {
    return chance_below(&w->chance, n);
}

static inline int64_t wk_seconds(struct wake_world *w, uint32_t low, uint32_t high) {
    return chance_between(&w->chance, low, high) * WK_SECOND;
}

/* Any object of the kind; 0: none. */
static inline lsched_id wk_any(struct wake_world *w, uint32_t kind) {
    lsched_id ids[256];
    uint32_t n = 0;
    uint64_t at = 0;
    while (n < 256 && (ids[n] = lsched_next(w->c, kind, &at)) != 0) n++;
    return n ? ids[wk_below(w, n)] : 0;
}

/* ---- policies ---- */

#define WK_EVICTION                                                                  \
    "eviction = { grace_seconds = 40, preemption_delay_seconds = 20, per_hour = 6, " \
    "stale_grace_seconds = 25, release_seconds = 15 }"
static const char *const wk_ready[] = {
    "guaranteed-quota", "drf", "cohort", "fair-tree", "fifo", "plan-ahead", "notebooks"};
static const char *const wk_texts[] = {
    "return { api = 1, name = 'a', fair_share = 'quota', pipeline = { 'drain', 'allocate', "
    "'consolidate', 'reclaim', 'preempt', 'evict-stale-gangs', 'evict-overdue' }, " WK_EVICTION
    " }",
    "return { api = 1, name = 'b', fair_share = 'quota', pipeline = { 'allocate', 'reclaim', "
    "'preempt', 'consolidate' } }",
    "return { api = 1, name = 'c', fair_share = 'drf', pipeline = { 'drain', 'allocate', "
    "'preempt', 'reclaim', 'evict-overdue' }, " WK_EVICTION " }",
    "return { api = 1, name = 'd', pipeline = { 'allocate' } }",
    "return { api = 1, name = 'e', fair_share = 'quota', pipeline = { 'drain', 'allocate', "
    "'reclaim', 'consolidate' }, limit = function(queue, now) if queue.depth == 0 then return nil "
    "end return { gpu = 5 } end }",
    "return { api = 1, name = 'f', fair_share = 'quota', pipeline = { 'evict-overdue', "
    "'allocate', 'reclaim', 'preempt', 'drain' }, limit = function(queue, now) return { cpu = 6 + "
    "math.floor(now / 100) % 3 * 4 } end, priority = function(job) return job.priority end }",
    "return { api = 1, name = 'g', usage = { half_life = 300 }, pipeline = { 'allocate', 'reclaim', "
    "'preempt' }, priority = function(job) return 600 * job.priority - job.submitted end }",
};

static inline void wk_policy(struct wake_world *w) {
    enum {
        READY = sizeof wk_ready / sizeof wk_ready[0],
        TEXTS = sizeof wk_texts / sizeof *wk_texts
    };
    uint32_t i = wk_below(w, READY + TEXTS);
    int32_t rc = i < READY ? lsched_policy_load(w->c, lsched_cstr(wk_ready[i]), LSCHED_TEXT(""),
                                                NULL, &w->err)
                           : lsched_policy_load(w->c, LSCHED_TEXT("own"),
                                                lsched_cstr(wk_texts[i - READY]), NULL, &w->err);
    if (w->verbose) printf("   policy %s\n", i < READY ? wk_ready[i] : wk_texts[i - READY]);
    WK_CHECK(w, rc == LSCHED_OK, "the policy is refused");
}

/* ---- jobs ---- */

struct wk_job {
    char name[16], queue[8];
    lsched_amount request[2];
    lsched_toleration toleration;
    lsched_group_desc group;
    lsched_job_desc desc;
};

static inline lsched_text wk_queue_name(uint32_t i) {
    static const char *const names[] = {"qa", "qb", "qc", "top"};
    return lsched_cstr(names[i]);
}

/* In one of four worlds, some jobs want a rack or nodes for themselves. Drawn from numbers of its
 * own, so that seeds keep their meaning. */
static inline void wk_exclusive(const struct wake_world *w, lsched_group_desc *g) {
    struct chance own = {.state = w->chance.state ^ 0xe8c1};
    if (w->seed % 4 || chance_below(&own, 4)) return;
    g->exclusive_level = lsched_cstr(chance_one_in(&own, 2) ? "rack" : "node");
}

static inline void wk_group(struct wake_world *w, struct wk_job *j) {
    lsched_group_desc *g = &j->group;
    *g = (lsched_group_desc)LSCHED_INIT(lsched_group_desc);
    g->max_count = 1 + wk_below(w, 4);
    g->min_count = wk_below(w, 3)   ? 0
                   : wk_below(w, 2) ? LSCHED_MIN_NONE
                                    : 1 + wk_below(w, g->max_count);
    j->request[0] = (lsched_amount){LSCHED_CPU, 0, 1000 * (1 + (int64_t)wk_below(w, 4))};
    j->request[1] =
        (lsched_amount){LSCHED_GPU, 0, wk_below(w, 4) ? 1000 * (1 + (int64_t)wk_below(w, 3)) : 500};
    g->request = j->request;
    g->n_request = wk_below(w, 6) ? 2 : 1;
    if (!wk_below(w, 4)) g->max_tasks_per_node = 1 + wk_below(w, 2);
    if (!wk_below(w, 5)) g->members = 1 + wk_below(w, g->max_count);
    if (!wk_below(w, 5) && g->min_count != LSCHED_MIN_NONE) g->flags = LSCHED_GROUP_FIXED_AT_START;
    if (!wk_below(w, 8)) g->required_level = LSCHED_TEXT("rack");
    wk_exclusive(w, g);
    if (wk_below(w, 3)) return;
    j->toleration = (lsched_toleration){.key = LSCHED_TEXT("ecc"), .any_value = 1};
    j->toleration.effect = wk_below(w, 2) ? LSCHED_TOLERATES_ANY_EFFECT : wk_below(w, 3);
    j->toleration.stop_after_us = wk_below(w, 2) ? 0 : wk_seconds(w, 1, 100);
    g->tolerations = &j->toleration;
    g->n_tolerations = 1;
}

static inline void wk_submit(struct wake_world *w) {
    struct wk_job job = {.name = ""}, *j = &job;
    lsched_job_desc *d = &j->desc;
    *d = (lsched_job_desc)LSCHED_INIT(lsched_job_desc);
    wk_group(w, j);
    snprintf(j->name, sizeof j->name, "j%u", w->n_jobs++);
    d->name = lsched_cstr(j->name);
    d->queue_name = wk_queue_name(wk_below(w, 3));
    d->groups = &j->group;
    d->n_groups = 1;
    d->priority = (int32_t)wk_below(w, 3);
    d->submit_us = wk_below(w, 2) ? w->now : 0;
    d->duration_us = wk_below(w, 2) ? 0 : wk_seconds(w, 60, 1000);
    d->time_limit_us = wk_below(w, 4) ? 0 : wk_seconds(w, 100, 1000);
    d->checkpoint_us = wk_below(w, 2) ? 0 : 20 * WK_SECOND;
    d->disruptions_max = wk_below(w, 3);
    d->disruption_window_us = wk_below(w, 2) ? 0 : 300 * WK_SECOND;
    d->backoff_us = wk_below(w, 2) * 10 * WK_SECOND;
    d->retries_max = wk_below(w, 4);
    d->preemption_delay_us = wk_below(w, 4) ? 0 : wk_seconds(w, 1, 90);
    d->stale_grace_us = wk_below(w, 3) ? 0 : wk_seconds(w, 1, 90);
    if (!wk_below(w, 8)) d->flags = 1u << wk_below(w, 3);
    d->release_us = wk_below(w, 3) ? 0 : wk_seconds(w, 0, 50);
    (void)lsched_jobs_submit(w->c, d, 1, sizeof *d, NULL, NULL, NULL, &w->err);
}

static inline void wk_update_job(struct wake_world *w) {
    static const uint32_t bits[] = {
        LSCHED_JOB_SET_PRIORITY, LSCHED_JOB_SET_RETRIES,    LSCHED_JOB_SET_DURATION,
        LSCHED_JOB_SET_DEADLINE, LSCHED_JOB_SET_TIME_LIMIT, LSCHED_JOB_SET_DISRUPTIONS,
        LSCHED_JOB_SET_QUEUE,    LSCHED_JOB_SET_GROUPS,     LSCHED_JOB_SET_COUNTS,
        LSCHED_JOB_SET_COUNTS,   LSCHED_JOB_SET_RELEASE,    LSCHED_JOB_SET_CHECKPOINT,
        LSCHED_JOB_SET_AGAIN};
    struct wk_job other = {.name = ""};
    lsched_job_update u = LSCHED_INIT(lsched_job_update);
    lsched_group_count count = LSCHED_INIT(lsched_group_count);
    wk_group(w, &other);
    u.job = wk_any(w, LSCHED_KIND_JOB);
    u.set = bits[wk_below(w, sizeof bits / sizeof bits[0])];
    u.priority = (int32_t)wk_below(w, 4);
    u.retries_max = wk_below(w, 4);
    u.backoff_us = wk_below(w, 3) * 20 * WK_SECOND;
    u.duration_us = wk_seconds(w, 0, 2000);
    u.deadline_us = w->now + wk_seconds(w, 0, 4000);
    u.time_limit_us = wk_below(w, 2) * 500 * WK_SECOND;
    u.disruptions_max = wk_below(w, 3);
    u.queue_name = wk_queue_name(wk_below(w, 3));
    u.groups = &other.group;
    u.n_groups = 1;
    count.max_count = wk_below(w, 6);
    count.min_count = wk_below(w, 4);
    count.members = wk_below(w, 6);
    u.counts = &count;
    u.n_counts = 1;
    u.release_us = wk_seconds(w, 0, 100);
    u.checkpoint_us = wk_below(w, 2) * 30 * WK_SECOND;
    if (u.job) (void)lsched_jobs_update(w->c, &u, 1, sizeof u, NULL, NULL, &w->err);
}

static inline void wk_hold(struct wake_world *w) {
    lsched_job_hold h = LSCHED_INIT(lsched_job_hold);
    h.job = wk_any(w, LSCHED_KIND_JOB);
    h.until_us = wk_below(w, 2) ? 0 : w->now + wk_seconds(w, 1, 300);
    h.reason = LSCHED_TEXT("audit");
    if (h.job) (void)lsched_jobs_hold(w->c, &h, 1, sizeof h, NULL, NULL, &w->err);
}

static inline void wk_release(struct wake_world *w) {
    lsched_id job = wk_any(w, LSCHED_KIND_JOB);
    if (job) (void)lsched_jobs_release(w->c, &job, 1, NULL, NULL, &w->err);
}

static inline void wk_remove(struct wake_world *w) {
    lsched_id job = wk_any(w, LSCHED_KIND_JOB);
    if (job && wk_below(w, 3))
        (void)lsched_jobs_remove(w->c, &job, 1, NULL, NULL, &w->err);
    else if (job)
        (void)lsched_jobs_complete(w->c, &job, 1, NULL, NULL, &w->err);
}

static inline void wk_resize(struct wake_world *w) {
    lsched_amount cpu = {LSCHED_CPU, 0, 500 * chance_between(&w->chance, 1, 12)};
    lsched_task_resize z = LSCHED_INIT(lsched_task_resize);
    z.job = wk_any(w, LSCHED_KIND_JOB);
    z.task_index = wk_below(w, 3);
    z.request = &cpu;
    z.n_request = 1;
    if (z.job) (void)lsched_tasks_resize(w->c, &z, 1, sizeof z, NULL, NULL, &w->err);
}

/* ---- nodes and queues ---- */

static inline void wk_devices(struct wake_world *w) {
    lsched_device_update u[3];
    lsched_taint taint[3][2];
    uint32_t n = 1 + wk_below(w, 3);
    for (uint32_t i = 0; i < n; i++) {
        u[i] = (lsched_device_update)LSCHED_INIT(lsched_device_update);
        u[i].node = wk_any(w, LSCHED_KIND_NODE);
        u[i].device = wk_below(w, WK_DEVICES);
        u[i].set = wk_below(w, 4)
                       ? LSCHED_DEVICE_SET_HEALTH | wk_below(w, 2) * LSCHED_DEVICE_SET_TAINTS
                       : LSCHED_DEVICE_SET_TAINTS;
        u[i].health = wk_below(w, 3) ? wk_below(w, 3) : 0;
        u[i].n_taints = wk_below(w, 3) ? 0 : 1 + wk_below(w, 2);
        u[i].taints = taint[i];
        for (uint32_t t = 0; t < 2; t++)
            taint[i][t] = (lsched_taint){LSCHED_TEXT("ecc"), t ? LSCHED_TEXT("v") : LSCHED_TEXT(""),
                                         wk_below(w, 3), 0};
    }
    (void)lsched_devices_update(w->c, u, n, sizeof u[0], NULL, NULL, &w->err);
}

static inline void wk_node(struct wake_world *w) {
    lsched_node_update u = LSCHED_INIT(lsched_node_update);
    lsched_amount cpu = {LSCHED_CPU, 0, 1000 * (int64_t)wk_below(w, 20)};
    lsched_taint taint = {LSCHED_TEXT("ecc"), LSCHED_TEXT(""), wk_below(w, 3), 0};
    static const uint32_t bits[] = {LSCHED_NODE_SET_STATE, LSCHED_NODE_SET_STATE,
                                    LSCHED_NODE_SET_CAPACITY, LSCHED_NODE_SET_TAINTS};
    u.node = wk_any(w, LSCHED_KIND_NODE);
    u.set = bits[wk_below(w, 4)];
    u.state = wk_below(w, 2) ? 0 : wk_below(w, 3);
    u.capacity = &cpu;
    u.n_capacity = 1;
    u.taints = &taint;
    u.n_taints = wk_below(w, 3) == 0;
    (void)lsched_nodes_update(w->c, &u, 1, sizeof u, NULL, NULL, &w->err);
}

/* In one of four worlds, half of the absences are windows of reservations. Drawn from numbers of its
 * own, so that seeds keep their meaning. Returns 1 if this one is a reservation. */
static inline int wk_reservation(struct wake_world *w) {
    struct chance own = {.state = w->chance.state ^ 0x4e5e};
    if (w->seed % 4 != 2 || chance_one_in(&own, 2)) return 0;
    const lsched_label rack = {LSCHED_TEXT("rack"), LSCHED_TEXT("r0")};
    lsched_reservation_desc d = LSCHED_INIT(lsched_reservation_desc);
    lsched_id node = wk_any(w, LSCHED_KIND_NODE);
    int64_t takes = chance_between(&own, 1, 300) * WK_SECOND;
    d.name = chance_one_in(&own, 2) ? LSCHED_TEXT("r") : LSCHED_TEXT("s");
    if (chance_one_in(&own, 4)) {
        (void)lsched_reservations_remove(w->c, &d.name, 1, NULL, NULL, &w->err);
        return 1;
    }
    d.queue_name = wk_queue_name(chance_below(&own, WK_QUEUES));
    d.nodes = &node;
    d.n_nodes = 1;
    d.labels = &rack;
    d.n_labels = (uint32_t)chance_one_in(&own, 3);
    d.start_us = w->now + chance_between(&own, -60, 340) * WK_SECOND;
    if (!chance_one_in(&own, 6)) d.end_us = d.start_us + takes;
    if (d.end_us && chance_one_in(&own, 2))
        d.every_us = takes + chance_between(&own, 1, 600) * WK_SECOND;
    (void)lsched_reservations_set(w->c, &d, 1, sizeof d, NULL, NULL, &w->err);
    return 1;
}

/* A node is to leave, is away, or stays. Half of the absences are short, so that work that is told
 * to stop can be gone when the node is back. */
static inline void wk_absence(struct wake_world *w) {
    lsched_node_update u = LSCHED_INIT(lsched_node_update);
    if (wk_reservation(w)) return;
    u.node = wk_any(w, LSCHED_KIND_NODE);
    u.set = LSCHED_NODE_SET_ABSENCE;
    if (wk_below(w, 4)) {
        int64_t takes = wk_below(w, 2) ? wk_seconds(w, 1, 60) : wk_seconds(w, 1, 600);
        u.leaves_us = w->now + wk_seconds(w, 0, 400) - 60 * WK_SECOND;
        if (wk_below(w, 6)) u.back_us = u.leaves_us + takes;
        if (u.back_us && !wk_below(w, 3)) u.leaves_every_us = takes + wk_seconds(w, 1, 600);
    }
    (void)lsched_nodes_update(w->c, &u, 1, sizeof u, NULL, NULL, &w->err);
}

static inline void wk_foreign(struct wake_world *w) {
    lsched_foreign_use u = LSCHED_INIT(lsched_foreign_use);
    lsched_amount cpu = {LSCHED_CPU, 0, 1000 * (int64_t)wk_below(w, 8)};
    u.node = wk_any(w, LSCHED_KIND_NODE);
    u.amounts = &cpu;
    u.n_amounts = wk_below(w, 2);
    u.device_mask = wk_below(w, 3) ? 0 : wk_below(w, 1u << WK_DEVICES);
    (void)lsched_foreign_set(w->c, &u, 1, sizeof u, NULL, NULL, &w->err);
}

static inline void wk_queue(struct wake_world *w) {
    lsched_queue_update u = LSCHED_INIT(lsched_queue_update);
    lsched_amount limit = {LSCHED_GPU, 0,
                           wk_below(w, 3) ? 1000 * (int64_t)wk_below(w, 16) : LSCHED_UNLIMITED},
                  quota = {LSCHED_GPU, 0, 1000 * (int64_t)wk_below(w, 8)},
                  lend = {LSCHED_GPU, 0, 1000 * (int64_t)wk_below(w, 4)};
    static const uint32_t bits[] = {
        LSCHED_QUEUE_SET_QUOTA,           LSCHED_QUEUE_SET_LIMIT,
        LSCHED_QUEUE_SET_LIMIT,           LSCHED_QUEUE_SET_LEND_LIMIT,
        LSCHED_QUEUE_SET_JOBS_MAX,        LSCHED_QUEUE_SET_RECLAIM_MIN_RUNTIME,
        LSCHED_QUEUE_SET_PRIORITY,        LSCHED_QUEUE_SET_PREEMPT_MIN_RUNTIME,
        LSCHED_QUEUE_SET_PREEMPTION_DELAY};
    u.name = wk_queue_name(wk_below(w, 8) ? wk_below(w, 3) : 3);
    u.set = bits[wk_below(w, sizeof bits / sizeof bits[0])];
    u.limit = &limit;
    u.quota = &quota;
    u.lend_limit = &lend;
    u.n_limit = u.n_quota = u.n_lend_limit = 1;
    u.jobs_max = wk_below(w, 4);
    u.priority = (int32_t)wk_below(w, 3);
    u.reclaim_min_runtime_us = wk_below(w, 2) * wk_seconds(w, 10, 120);
    u.preempt_min_runtime_us = wk_below(w, 2) * wk_seconds(w, 10, 120);
    u.preemption_delay_us = wk_below(w, 2) * wk_seconds(w, 10, 60);
    (void)lsched_queues_update(w->c, &u, 1, sizeof u, NULL, NULL, &w->err);
}

/* ---- what the orchestrator says of decisions and tasks ---- */

static inline void wk_settle(struct wake_world *w) {
    lsched_settlement s[8];
    lsched_refusal refusal[8];
    lsched_decision d = {.size = sizeof d};
    uint32_t n = 0;
    for (uint64_t at = 0; n < 8 && lsched_decisions_next(w->c, &at, &d, &w->err) == 1;) {
        if (!wk_below(w, 2)) continue;
        s[n] = (lsched_settlement)LSCHED_INIT(lsched_settlement);
        s[n].decision = d.id;
        s[n].outcome = wk_below(w, 4) ? LSCHED_OUTCOME_CONFIRMED : LSCHED_OUTCOME_REJECTED;
        refusal[n] = (lsched_refusal)LSCHED_INIT(lsched_refusal);
        refusal[n].avoid = wk_below(w, 4);
        if (refusal[n].avoid == LSCHED_AVOID_DOMAIN) refusal[n].level = LSCHED_TEXT("rack");
        refusal[n].until_us = !wk_below(w, 3)  ? LSCHED_NEVER_US
                              : wk_below(w, 2) ? 0
                                               : w->now + wk_seconds(w, 1, 200);
        int terms = wk_below(w, 2) && s[n].outcome == LSCHED_OUTCOME_REJECTED &&
                    (d.kind == LSCHED_DECIDE_PLACE || d.kind == LSCHED_DECIDE_NOMINATE);
        if (terms) s[n].refusal = &refusal[n];
        n++;
    }
    lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_PARTIAL};
    if (n) (void)lsched_settle(w->c, s, n, sizeof s[0], &opts, NULL, NULL, &w->err);
}

/* Tasks of one node start, stop, end or fail. */
static inline void wk_report(struct wake_world *w) {
    lsched_task_event e[8];
    lsched_task_info t = {.size = sizeof t};
    lsched_id node = wk_any(w, LSCHED_KIND_NODE);
    uint32_t n = 0;
    for (uint64_t at = 0; n < 8 && lsched_tasks_next(w->c, 0, node, &at, &t, &w->err) == 1;) {
        uint32_t end = LSCHED_EVENT_ENDED + wk_below(w, 2);
        int placed = t.state == LSCHED_TASK_PROPOSED || t.state == LSCHED_TASK_CONFIRMED,
            stops = t.state == LSCHED_TASK_RELEASING || !wk_below(w, 3);
        if (!wk_below(w, 3) || (!placed && !stops)) continue;
        e[n] = (lsched_task_event)LSCHED_INIT(lsched_task_event);
        e[n].job = t.job;
        e[n].task_index = t.task_index;
        e[n++].event = placed ? (uint32_t)LSCHED_EVENT_STARTED : end;
    }
    lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_PARTIAL};
    if (n) (void)lsched_tasks_report(w->c, e, n, sizeof e[0], &opts, NULL, &w->err);
}

static inline void wk_pressure(struct wake_world *w) {
    lsched_collision x = LSCHED_INIT(lsched_collision);
    x.node = wk_any(w, LSCHED_KIND_NODE);
    x.device = wk_below(w, WK_DEVICES);
    (void)lsched_collisions_report(w->c, &x, 1, sizeof x, NULL, NULL, &w->err);
}

/* ---- the world ---- */

static inline void wk_add_nodes(struct wake_world *w) {
    lsched_topology_desc t = LSCHED_INIT(lsched_topology_desc);
    lsched_text levels[1] = {LSCHED_TEXT("rack")};
    t.name = LSCHED_TEXT("t");
    t.levels = levels;
    t.n_levels = 1;
    WK_CHECK(w, lsched_topologies_add(w->c, &t, 1, sizeof t, NULL, NULL, NULL, &w->err) == 1,
             "topology");
    for (uint32_t i = 0; i < WK_NODES; i++) {
        lsched_node_desc n = LSCHED_INIT(lsched_node_desc);
        lsched_amount cpu = {LSCHED_CPU, 0, 16000};
        lsched_label label = {LSCHED_TEXT("rack"), i & 1 ? LSCHED_TEXT("r0") : LSCHED_TEXT("r1")};
        lsched_device_desc d = LSCHED_INIT(lsched_device_desc);
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        d.count = WK_DEVICES;
        d.model = LSCHED_TEXT("H100-80GB");
        if (i == WK_NODES - 1) d.share_mode = LSCHED_SHARING_FRACTION;
        n.name = lsched_cstr(name);
        n.capacity = &cpu;
        n.labels = &label;
        n.devices = &d;
        n.n_capacity = n.n_labels = n.n_devices = 1;
        WK_CHECK(w, lsched_nodes_add(w->c, &n, 1, sizeof n, NULL, NULL, NULL, &w->err) == 1,
                 "node");
    }
}

static inline void wk_add_queues(struct wake_world *w) {
    int tree = chance_one_in(&w->chance, 2);
    for (uint32_t i = 0; i < WK_QUEUES; i++) {
        lsched_queue_desc q = LSCHED_INIT(lsched_queue_desc);
        lsched_amount quota = {LSCHED_GPU, 0, i ? 4000 : 8000};
        uint32_t which = i ? i - 1 : 3; /* the parent is first */
        q.name = wk_queue_name(which);
        if (tree && which < 2) q.parent_name = LSCHED_TEXT("top");
        q.quota = &quota;
        q.n_quota = which == 3 ? (uint32_t)tree : 1;
        WK_CHECK(w, lsched_queues_add(w->c, &q, 1, sizeof q, NULL, NULL, NULL, &w->err) == 1,
                 "queue");
    }
}

static inline void wk_begin(struct wake_world *w, uint64_t seed) {
    w->chance.state = seed * 0x9e3779b97f4a7c15u;
    w->seed = seed;
    w->now = WK_BEGIN;
    w->step = w->n_jobs = 0;
    static const uint32_t more[] = {0, 0, 1u << LSCHED_DECIDE_CHECKPOINT,
                                    1u << LSCHED_DECIDE_RESIZE,
                                    1u << LSCHED_DECIDE_CHECKPOINT | 1u << LSCHED_DECIDE_RESIZE};
    w->err = (lsched_error)LSCHED_ERROR_INIT;
    w->verbose = chance_variable("LSCHED_TEST_VERBOSE", 0) != 0;
    w->kinds = LSCHED_DECISION_KINDS_DEFAULT | more[wk_below(w, 5)];
    if (chance_one_in(&w->chance, 8)) w->kinds &= ~(1u << LSCHED_DECIDE_MIGRATE);
    WK_CHECK(w, lsched_cluster_create(NULL, &w->c, &w->err) == LSCHED_OK, "create");
    w->event = "begin";
    wk_add_nodes(w);
    wk_add_queues(w);
    wk_policy(w);
}

/* One random event at the present time. */
static inline void wk_event(struct wake_world *w) {
    static const struct {
        const char *name;
        void (*run)(struct wake_world *w);
        uint32_t weight;
    } events[] = {{"submit", wk_submit, 9},   {"job update", wk_update_job, 4},
                  {"hold", wk_hold, 2},       {"release", wk_release, 2},
                  {"remove", wk_remove, 1},   {"resize", wk_resize, 3},
                  {"devices", wk_devices, 4}, {"node", wk_node, 3},
                  {"absence", wk_absence, 3}, {"foreign", wk_foreign, 1},
                  {"queue", wk_queue, 3},     {"settle", wk_settle, 8},
                  {"report", wk_report, 8},   {"pressure", wk_pressure, 1}};
    uint32_t all = 0, i = 0;
    for (i = 0; i < sizeof events / sizeof events[0]; i++) all += events[i].weight;
    uint32_t draw = wk_below(w, all);
    for (i = 0; draw >= events[i].weight; i++) draw -= events[i].weight;
    w->event = events[i].name;
    w->err.code = 0;
    w->err.message[0] = 0;
    events[i].run(w);
    if (w->verbose) printf("%u %s %s\n", w->step, w->event, w->err.message);
}

/* Draws the numbers of the step. Returns 1 if the step is to run, 0 if it is left out. */
static inline int wk_step(struct wake_world *w, uint32_t step) {
    const char *skip = getenv("LSCHED_TEST_SKIP");
    w->step = step;
    w->chance.state = w->seed * 1000003u + step * 0x2545f4914f6cdd1du;
    for (; skip && *skip; skip += strcspn(skip, ","), skip += *skip == ',')
        if (strtoul(skip, NULL, 10) == step) return 0;
    return 1;
}

#endif
