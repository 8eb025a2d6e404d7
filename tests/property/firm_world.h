/*
 * firm_world.h -- random clusters for test_firm_random.c: nodes with GPUs and cores, jobs, and the
 * events that can happen to them. The test has the model of firm starts; the structs here have the
 * fields in which it notes what happened.
 *
 * Each task has a core for each of its GPUs, and a node has some cores more. So devices decide where
 * tasks fit, until running tasks get more cores.
 */
#ifndef TESTS_FIRM_WORLD_H
#define TESTS_FIRM_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "engine/state/cache_check.h"
#include "property/chance.h"
#include "property/seeded_ok.h"
#include "support/fault_alloc.h"
#include "support/report_all.h"

#define JOBS_MAX  60u
#define NODES_MAX 5u
#define TASKS_MAX 4u
#define HOUR      INT64_C(3600000000)
#define START     INT64_C(1700000000000000)
#define NEVER     LSCHED_NEVER_US

/* what can happen in a round, as bits */
enum {
    OVERRUNS = 1,
    CLOSES = 2,
    GROWS = 4,
    LIMITS = 8,
    POLICIES = 16,
    BUDGETS = 32,
    IMPORTS = 64,
    REJECTS = 128,
    DELAYS = 256,
    LEAVES = 512,
    ADOPTS = 1024,
    GUARANTEES = 2048,
    LATES = 4096,
    RESIZES = 8192,
    PREEMPTS = 16384,
    KINDS = 15
};

/* firm: the time until which the start is firm, on the node firm_on (0: not told); NEVER: not firm.
 * limit: the time limit of the job, which is its length; 0: none. leaving: its tasks were told to
 * stop, and are not gone yet. late_start: the job has a place, and its run starts then; 0: it has
 * started. What has happened since the start is firm:
 *   grew     work on that node got a later end or came there in another way than by a cycle
 *   limited  a limit has changed
 *   claimed  room on that node was promised to work for which other work stops
 *   off      a cycle had a policy without firm starts, and can have given the room away
 *   refused  a place of some job was rejected */
struct work {
    char name[16];
    lsched_id id, on[TASKS_MAX], firm_on;
    int64_t length, limit, runs, submit, start, end, firm, late_start;
    uint32_t gpus, tasks, queue, fails;
    int32_t priority;
    const char *exclusive; /* its exclusive level; NULL: none */
    int is_there, is_done, is_changed, grew, limited, claimed, leaving, off, refused;
};

struct site {
    lsched_cluster *c;
    struct fault_alloc memory;
    uint32_t n_nodes, n_queues, n_jobs, n_shapes, order, reservations, can;
    /* 1: some jobs have an exclusive level, so that what happens to a node can happen to its rack */
    int has_exclusive;
    uint32_t firm; /* the parameter, while the policy has it */
    const char *by, *share;
    uint32_t gpus[NODES_MAX], cores[NODES_MAX], shape_gpus[4], shape_tasks[4];
    lsched_id node[NODES_MAX];
    int is_closed[NODES_MAX], leaves[NODES_MAX], grew[NODES_MAX];
    int claimed[NODES_MAX];
    int limit_changed, is_firm, was_partial, any_refused, any_leaves, has_quota;
    uint64_t cursor;
    int64_t cycled; /* time of the latest cycle */
    struct work job[JOBS_MAX];
};

static uint64_t seed_now, events, quiet_rounds, imported, resized;

/* ---- the world ---- */

static void draw_job(struct site *s, struct chance *r, uint32_t j, int64_t lengths, int64_t at) {
    struct work *w = &s->job[j];
    uint32_t shape = chance_below(r, s->n_shapes);
    snprintf(w->name, sizeof w->name, "j%02u", (unsigned)(j * 37 % 100));
    w->gpus = s->shape_gpus[shape];
    w->tasks = s->shape_tasks[shape];
    w->queue = chance_below(r, s->n_queues);
    w->priority = chance_one_in(r, 5) ? (int32_t)chance_below(r, 3) : 0;
    w->length = chance_one_in(r, 20) ? 0 : chance_between(r, 1, lengths) * HOUR / 8;
    w->runs = w->length ? w->length : HOUR;
    if (s->firm == 1 && chance_one_in(r, 2)) w->limit = w->length;
    if (chance_one_in(r, 2)) w->runs = 1 + chance_between(r, 0, w->runs - 1);
    int is_free = s->firm == 1 && w->limit == 0; /* no promise trusts the estimate */
    if (w->length && ((s->can & OVERRUNS) || is_free) && chance_one_in(r, is_free ? 2 : 6))
        w->runs += chance_between(r, 1, HOUR);
    w->fails = chance_one_in(r, 10) ? 1 : 0;
    w->submit = at;
    w->start = w->end = -1;
    w->firm = NEVER;
}

/* Lets some jobs have an exclusive level. The numbers are of their own, so that seeds keep their
 * meaning. */
static void draw_exclusive(struct site *s) {
    static const char *const levels[] = {"node", "rack", "rack"};
    struct chance r = {seed_now ^ 0xe8c1};
    s->has_exclusive = chance_one_in(&r, 3);
    for (uint32_t j = 0; s->has_exclusive && j < s->n_jobs; j++)
        if (chance_one_in(&r, 4)) s->job[j].exclusive = levels[chance_below(&r, 3)];
}

static void draw(struct site *s, struct chance *r) {
    static const char *const orders[] = {"fifo", "fifo", "priority", "shortest-first"};
    static const char *const shares[] = {"fifo", "drf"};
    memset(s, 0, sizeof *s);
    s->n_nodes = 1 + chance_below(r, NODES_MAX);
    s->n_queues = chance_one_in(r, 2) ? 1 : 1 + chance_below(r, 3);
    s->n_jobs = 10 + chance_below(r, JOBS_MAX - 10);
    s->n_shapes = 1 + chance_below(r, 4);
    s->by = orders[chance_below(r, 4)];
    s->share = shares[chance_below(r, 2)];
    s->order = chance_below(r, 3);
    s->reservations = chance_one_in(r, 2) ? 0 : 1 + chance_below(r, 4);
    s->is_firm = 1;
    s->firm = 1 + chance_below(r, 2);
    uint32_t sort = chance_below(r, 3);
    if (sort == 1) s->can = 1u << chance_below(r, KINDS);
    if (sort == 2) s->can = chance_below(r, 1u << KINDS);
    quiet_rounds += s->can == 0;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        s->gpus[i] = 1 + chance_below(r, 8);
        s->cores[i] = chance_below(r, 4);
    }
    for (uint32_t i = 0; i < s->n_shapes; i++) {
        s->shape_gpus[i] = 1 + chance_below(r, 4);
        s->shape_tasks[i] = chance_one_in(r, 4) ? 1 + chance_below(r, TASKS_MAX) : 1;
    }
    int64_t at = START, lengths = chance_between(r, 2, 40);
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        at += chance_one_in(r, 2) ? 0 : chance_between(r, 0, HOUR / 2);
        draw_job(s, r, j, lengths, at);
    }
    draw_exclusive(s);
}

static void add_nodes(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
        devices.count = s->gpus[i];
        devices.model = LSCHED_TEXT("gpu");
        lsched_amount cores = {LSCHED_CPU, 0, 1000 * (s->gpus[i] + s->cores[i])};
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        node.capacity = &cores;
        node.n_capacity = 1;
        node.name = lsched_cstr(name);
        node.devices = &devices;
        node.n_devices = 1;
        lsched_label rack = {LSCHED_TEXT("rack"), i < 2 ? LSCHED_TEXT("a") : LSCHED_TEXT("b")};
        node.labels = &rack;
        node.n_labels = s->has_exclusive ? 1 : 0;
        OK(lsched_nodes_add(s->c, &node, 1, sizeof node, NULL, &s->node[i], NULL, &err));
    }
}

static void add_racks(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_text level = LSCHED_TEXT("rack");
    lsched_topology_desc racks = {.size = sizeof racks, .n_levels = 1};
    racks.name = LSCHED_TEXT("net");
    racks.levels = &level;
    if (s->has_exclusive)
        OK(lsched_topologies_add(s->c, &racks, 1, sizeof racks, NULL, NULL, NULL, &err));
}

static void load_policy(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    char text[400];
    snprintf(text, sizeof text,
             "return { api = 1, name = 'p', order = '%s', fair_share = '%s', pipeline = { "
             "'backfill'%s }, params = { backfill_order = %u, backfill_reservations = %u, "
             "backfill_firm = %u } }",
             s->by, s->share, s->can & PREEMPTS ? ", 'preempt'" : "", (unsigned)s->order,
             (unsigned)s->reservations, s->is_firm ? (unsigned)s->firm : 0u);
    OK(lsched_policy_load(s->c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err));
}

static void make(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_allocator hooks = fault_hooks(&s->memory);
    opts.verify_every_plan = 1;
    opts.allocator = &hooks;
    OK(lsched_cluster_create(&opts, &s->c, &err));
    cache_check_on(s->c);
    load_policy(s);
    add_racks(s);
    add_nodes(s);
    for (uint32_t q = 0; q < s->n_queues; q++) {
        char name[8];
        lsched_id id;
        snprintf(name, sizeof name, "q%u", (unsigned)q);
        lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
        queue.name = lsched_cstr(name);
        OK(lsched_queues_add(s->c, &queue, 1, sizeof queue, NULL, &id, NULL, &err));
    }
}

static void submit(struct site *s, struct work *w) {
    lsched_error err = LSCHED_ERROR_INIT;
    char queue[8];
    snprintf(queue, sizeof queue, "q%u", (unsigned)w->queue);
    lsched_amount request[] = {{LSCHED_GPU, 0, 1000 * w->gpus}, {LSCHED_CPU, 0, 1000 * w->gpus}};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    group.max_count = w->tasks;
    group.request = request;
    group.n_request = 2;
    if (w->exclusive) group.exclusive_level = lsched_cstr(w->exclusive);
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = lsched_cstr(w->name);
    job.queue_name = lsched_cstr(queue);
    job.groups = &group;
    job.n_groups = 1;
    job.priority = w->priority;
    job.submit_us = w->submit;
    job.duration_us = w->length;
    job.time_limit_us = w->limit;
    OK(lsched_jobs_submit(s->c, &job, 1, sizeof job, NULL, &w->id, NULL, &err));
    w->is_there = 1;
    events++;
}

/* ---- events ---- */

static int waits(const struct work *w) {
    return w->is_there && !w->is_done && w->start < 0;
}

static int runs(const struct work *w) {
    return w->is_there && !w->is_done && w->start >= 0;
}

static void report(struct site *s, struct work *w, uint32_t event, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    OK(report_all(s->c, w->id, w->tasks, event, now, &err));
    events++;
}

/* Something happened to the nodes of the work that can take room of firm starts. */
static void touch(struct site *s, const struct work *w) {
    for (uint32_t t = 0; t < w->tasks; t++)
        for (uint32_t i = 0; i < s->n_nodes; i++) s->grew[i] |= s->node[i] == w->on[t];
}

static void start_late_runs(struct site *s, int64_t now) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        if (!runs(w) || !w->late_start || w->late_start > now) continue;
        w->late_start = 0;
        w->start = now;
        touch(s, w);
        report(s, w, LSCHED_EVENT_STARTED, now);
    }
}

static void end_runs(struct site *s, int64_t now) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        if (!runs(w) || w->late_start || w->end > now) continue;
        report(s, w, w->fails ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED, now);
        w->is_done = !w->fails;
        w->fails = 0;
        w->start = w->end = -1;
        w->firm = NEVER;
    }
}

/* The tasks that were told to stop are gone. */
static void end_leaving(struct site *s, int64_t now) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        if (!s->job[j].leaving) continue;
        s->job[j].leaving = 0;
        report(s, &s->job[j], LSCHED_EVENT_FAILED, now);
    }
}

static void set_length(struct site *s, struct work *w, int64_t length) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_update u = {.size = sizeof u, .job = w->id, .set = LSCHED_JOB_SET_DURATION};
    u.duration_us = w->length = length;
    OK(lsched_jobs_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
    events++;
}

/* Changes the estimate of a job that waits, or removes the job. */
static void meddle(struct site *s, struct chance *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct work *w = &s->job[chance_below(r, s->n_jobs)];
    if (!waits(w)) return;
    if (chance_one_in(r, 3)) {
        w->is_done = 1;
        w->firm = NEVER;
        OK(lsched_jobs_remove(s->c, &w->id, 1, NULL, NULL, &err));
        return;
    }
    if (w->limit) return;
    w->is_changed = 1;
    w->runs = chance_between(r, 1, 20) * HOUR / 8;
    set_length(s, w, w->runs);
}

/* Lets a run take longer, and says so. */
static void grow(struct site *s, struct chance *r) {
    struct work *w = &s->job[chance_below(r, s->n_jobs)];
    if (!runs(w) || !w->length || w->limit) return;
    int64_t more = chance_between(r, 1, 8) * HOUR / 8;
    w->end += more;
    touch(s, w);
    set_length(s, w, w->length + more);
}

static void open_or_close(struct site *s, struct chance *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t i = chance_below(r, s->n_nodes);
    lsched_node_update u = {.size = sizeof u, .node = s->node[i]};
    s->is_closed[i] = !s->is_closed[i];
    u.set = LSCHED_NODE_SET_STATE;
    u.state = s->is_closed[i] ? LSCHED_NODE_CORDONED : LSCHED_NODE_READY;
    OK(lsched_nodes_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
    events++;
}

static void change_limit(struct site *s, struct chance *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    char name[8];
    lsched_queue_update u = {.size = sizeof u, .set = LSCHED_QUEUE_SET_LIMIT};
    lsched_amount limit = {LSCHED_GPU, 0, 1000 * (int64_t)(2 + chance_below(r, 8))};
    snprintf(name, sizeof name, "q%u", (unsigned)chance_below(r, s->n_queues));
    u.name = lsched_cstr(name);
    u.limit = &limit;
    u.n_limit = chance_one_in(r, 3) ? 0 : 1;
    OK(lsched_queues_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
    s->limit_changed = 1;
    events++;
}

/* The orchestrator has put a waiting job on a node itself. */
static void import(struct site *s, struct chance *r, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct work *w = &s->job[chance_below(r, s->n_jobs)];
    uint32_t i = chance_below(r, s->n_nodes);
    if (!waits(w) || w->tasks * w->gpus > s->gpus[i]) return;
    w->is_changed = 1;
    for (uint32_t t = 0; t < w->tasks; t++) {
        lsched_task_import task = {.size = sizeof task, .task_index = t};
        task.job = w->id;
        task.node = w->on[t] = s->node[i];
        task.start_us = now;
        OK(lsched_tasks_import(s->c, &task, 1, sizeof task, NULL, NULL, &err));
    }
    w->start = now;
    w->end = now + w->runs;
    touch(s, w);
    imported++;
    events++;
}

/* A node leaves for a time, or its absence is called off. */
static void leave(struct site *s, struct chance *r, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t i = chance_below(r, s->n_nodes);
    lsched_node_update u = {.size = sizeof u, .node = s->node[i]};
    u.set = LSCHED_NODE_SET_ABSENCE;
    s->leaves[i] = s->any_leaves = 1;
    if (chance_one_in(r, 2)) {
        u.leaves_us = now + chance_between(r, 1, 16) * HOUR / 4;
        u.back_us = u.leaves_us + chance_between(r, 1, 8) * HOUR / 4;
    }
    OK(lsched_nodes_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
    events++;
}

/* A queue gets a guarantee, or loses all of it. */
static void change_quota(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_queue_update u = {.size = sizeof u, .set = LSCHED_QUEUE_SET_QUOTA};
    lsched_amount quota = {LSCHED_GPU, 0, s->has_quota ? 0 : 1000};
    u.name = LSCHED_TEXT("q0");
    u.quota = &quota;
    u.n_quota = 1;
    OK(lsched_queues_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
    s->has_quota = !s->has_quota;
    events++;
}

/* The tasks of a run are to have another number of cores; a cycle decides when. */
static void resize(struct site *s, struct chance *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t j = chance_below(r, s->n_jobs), tries = 0;
    while (!runs(&s->job[j]) && tries++ < s->n_jobs) j = (j + 1) % s->n_jobs;
    struct work *w = &s->job[j];
    lsched_amount cores = {LSCHED_CPU, 0, chance_between(r, 1, 6) * 500 * w->gpus};
    if (!runs(w) || w->late_start) return;
    for (uint32_t t = 0; t < w->tasks; t++) {
        lsched_task_resize z = LSCHED_TASK_RESIZE_INIT;
        z.job = w->id;
        z.task_index = t;
        z.request = &cores;
        z.n_request = 1;
        OK(lsched_tasks_resize(s->c, &z, 1, sizeof z, NULL, NULL, &err));
    }
    events++;
}

static void happen(struct site *s, struct chance *r, int64_t now) {
    if (chance_one_in(r, 6)) meddle(s, r);
    if ((s->can & IMPORTS) && chance_one_in(r, 10)) import(s, r, now);
    if ((s->can & GUARANTEES) && chance_one_in(r, 10)) change_quota(s);
    if ((s->can & LEAVES) && chance_one_in(r, 10)) leave(s, r, now);
    if ((s->can & CLOSES) && chance_one_in(r, 8)) open_or_close(s, r);
    if ((s->can & GROWS) && chance_one_in(r, 4)) grow(s, r);
    if ((s->can & LIMITS) && chance_one_in(r, 10)) change_limit(s, r);
    if ((s->can & RESIZES) && chance_one_in(r, 3)) resize(s, r);
    if ((s->can & POLICIES) && chance_one_in(r, 10)) {
        s->is_firm = !s->is_firm;
        load_policy(s);
    }
}

#endif
