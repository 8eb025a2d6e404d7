/*
 * orchestrator.c -- an event-driven orchestrator in a simulated world in which everything goes wrong
 * now and then: tasks fail, nodes are lost and drained, decisions are rejected or answered late,
 * stopped tasks take minutes to go, queues get other quotas, and the orchestrator restarts from a
 * saved state.
 *
 * It keeps books of its own: which task holds which devices, slices, processors and memory of which
 * node. The books learn what calls changed from the change feed and from nothing else. They are the
 * check: nothing may be given twice, gangs start whole, a limit holds, and now and then the books
 * must equal what the library says about its jobs and tasks.
 *
 * usage: orchestrator [EVENTS [SEED [THREADS]]]
 *
 * Each thread has a world of its own, all with one seed, so all threads must get the same plans.
 */
#include <inttypes.h>
#include <libsched/libsched.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NODES = 40,
    DEVICES = 8,
    LEAVES = 8,
    TASKS = 10,
    JOBS = 100,
    CYCLE_SECONDS = 20,
    SECOND = 1000000
};
enum { SETTLED_MAX = 4096, LIMIT_MILLI = 80000, LIMITED_TEAM = 3 };
#define GIB(x)   ((int64_t)(x) << 30)
#define START_US INT64_C(1700000000000000)

enum task_state { WAITS, STARTS, RUNS, STOPS, DONE };
struct task {
    enum task_state state;
    lsched_id decision; /* STARTS, STOPS: the decision that is open or confirmed */
    lsched_id run;      /* the decision that started it: late events name it */
    int node;           /* what it holds, from STARTS to STOPS */
    uint32_t mask, milli;
    uint64_t starts;
};
enum job_kind { GANG, ELASTIC, NOTEBOOK, FRACTION, SERVICE, SLICED, LED, ARRAY, JOB_KINDS };
struct job {
    lsched_id id; /* 0: the entry is free */
    int number, kind, leaf, tasks, least, devices, slices;
    int disturbed; /* a task failed, was lost, stopped or rejected: the gang can be below its least */
    int64_t cpu, memory, run_us;
    struct task task[TASKS];
};
struct node {
    lsched_id id; /* 0: lost */
    int devices, drains;
    int64_t cpu, memory, cpu_used, memory_used;
    uint32_t milli[DEVICES], slices[DEVICES];
};
enum event_kind {
    ARRIVE,
    SETTLE,
    STARTED,
    ENDED,
    FAILED,
    STOPPED,
    COMPLETE,
    LOSS,
    BACK,
    DRAIN,
    UNDRAIN,
    CANCEL,
    PRIORITY,
    QUOTA
};
struct event {
    int64_t at;
    uint64_t order, run; /* run: the run or decision that the event is about */
    enum event_kind kind;
    int job, task;
};

static _Thread_local struct world {
    lsched_cluster *cluster;
    lsched_error err;
    uint64_t cursor, random, order;
    int64_t now;
    struct node nodes[NODES];
    struct job jobs[JOBS];
    struct event *heap;
    size_t events, capacity;
    int n_jobs, closing;
    uint64_t open[SETTLED_MAX]; /* decisions to settle */
    size_t n_open;
    int64_t handled, cycles, placed, evicted, moved, rejected, withdrawn, lost, ended, failed;
    int64_t finished, cancelled, compared, wrong;
    uint64_t plans; /* hash of all plans */
} w;

static int below(int n) {
    w.random ^= w.random << 13, w.random ^= w.random >> 7, w.random ^= w.random << 17;
    return (int)(w.random % (uint64_t)n);
}

static void wrong(const char *format, ...) {
    va_list args;
    if (w.wrong++ >= 20) return;
    va_start(args, format);
    fprintf(stderr, "wrong at %.1f s: ", (double)(w.now - START_US) / SECOND);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

static int32_t check(int32_t code, const char *call) {
    if (code < 0) wrong("%s: %s: %s", call, lsched_error_name(code), w.err.message);
    return code;
}

/* ---- events: a heap by time ---- */

static int is_before(const struct event *a, const struct event *b) {
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void later(int64_t seconds, enum event_kind kind, int job, int task, uint64_t run) {
    struct event e = {w.now + seconds * SECOND, w.order++, run, kind, job, task};
    if (w.events == w.capacity) {
        w.capacity = w.capacity ? w.capacity * 2 : 1024;
        w.heap = realloc(w.heap, w.capacity * sizeof *w.heap);
        if (!w.heap) abort();
    }
    size_t i = w.events++;
    for (; i > 0 && is_before(&e, &w.heap[(i - 1) / 2]); i = (i - 1) / 2)
        w.heap[i] = w.heap[(i - 1) / 2];
    w.heap[i] = e;
}

static struct event next_event(void) {
    struct event top = w.heap[0], last = w.heap[--w.events];
    size_t i = 0, k;
    while ((k = 2 * i + 1) < w.events) {
        if (k + 1 < w.events && is_before(&w.heap[k + 1], &w.heap[k])) k++;
        if (!is_before(&w.heap[k], &last)) break;
        w.heap[i] = w.heap[k], i = k;
    }
    w.heap[i] = last;
    return top;
}

/* ---- books ---- */

/* Books what a task holds (sign 1), or gives it back (sign -1). */
static void book(const struct job *j, const struct task *t, int sign) {
    struct node *n = &w.nodes[t->node];
    n->cpu_used += sign * j->cpu, n->memory_used += sign * j->memory;
    if (n->cpu_used > n->cpu || n->memory_used > n->memory) wrong("node %d is too full", t->node);
    for (int d = 0; d < DEVICES; d++) {
        if (!(t->mask >> d & 1)) continue;
        uint32_t bits = ((1u << j->slices) - 1) << (t->starts >> (4 * d) & 15);
        if (sign > 0 && (n->slices[d] & bits)) wrong("slices of node %d are given twice", t->node);
        n->slices[d] = sign > 0 ? n->slices[d] | bits : n->slices[d] & ~bits;
        if (!j->slices) n->milli[d] += (uint32_t)sign * t->milli;
        if (n->milli[d] > 1000) wrong("device %d of node %d is given twice", d, t->node);
    }
}

static void leave(struct job *j, struct task *t, enum task_state state) {
    if (t->state == WAITS || t->state == DONE) return;
    book(j, t, -1);
    *t = (struct task){.state = state};
}

static void forget(struct job *j) {
    for (int i = 0; i < j->tasks; i++) leave(j, &j->task[i], WAITS);
    j->id = 0;
}

static int count(const struct job *j, enum task_state from, enum task_state to) {
    int n = 0;
    for (int i = 0; i < j->tasks; i++) n += j->task[i].state >= from && j->task[i].state <= to;
    return n;
}

/* Returns the job of a tag if the entry still has this job. */
static struct job *find(uint64_t tag, lsched_id id) {
    struct job *j = &w.jobs[tag % JOBS];
    return j->id == id ? j : NULL;
}

/* ---- what the library says ---- */

static void apply(const lsched_change *c) {
    struct job *j = find(c->job_tag, c->job);
    struct task *t = j && c->task_index >= 0 ? &j->task[c->task_index] : NULL;
    if (!j) return;
    switch (c->kind) {
    case LSCHED_CHANGE_WITHDRAWN:
        w.withdrawn++, j->disturbed = 1;
        if (t->decision != c->decision) break; /* a nomination: the books have none */
        if (t->state == STARTS) leave(j, t, WAITS);
        if (t->state == STOPS) t->state = RUNS, t->decision = 0;
        break;
    case LSCHED_CHANGE_LOST:
    case LSCHED_CHANGE_GONE: w.lost++, j->disturbed = 1, leave(j, t, WAITS); break;
    case LSCHED_CHANGE_HELD: later(1, CANCEL, (int)(c->job_tag % JOBS), 0, j->id); break;
    case LSCHED_CHANGE_ENDED: w.finished++, forget(j); break;
    default: break;
    }
}

static void read_changes(void) {
    lsched_change c = {.size = sizeof c};
    int32_t code;
    while ((code = lsched_changes_next(w.cluster, &w.cursor, &c, &w.err)) == 1) apply(&c);
    check(code, "changes_next");
}

static int32_t report(struct job *j, int task, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event, e.job = j->id, e.task_index = (uint32_t)task, e.at_us = w.now;
    return check(lsched_tasks_report(w.cluster, &e, 1, sizeof e, NULL, NULL, &w.err), "report");
}

/* Compares the books with all that the library says about jobs and their tasks. */
static void compare(void) {
    static _Thread_local char names[JOBS][24];
    static _Thread_local lsched_task_ref runs[JOBS * TASKS];
    lsched_text list[JOBS];
    size_t n = 0, n_runs = 0;
    for (int i = 0; i < JOBS; i++) {
        struct job *j = &w.jobs[i];
        if (!j->id) continue;
        snprintf(names[n], sizeof names[n], "job-%d", j->number);
        list[n] = lsched_cstr(names[n]), n++;
        lsched_task_info t = {.size = sizeof t};
        int placed = 0;
        for (uint64_t at = 0; lsched_tasks_next(w.cluster, j->id, 0, &at, &t, &w.err) == 1;) {
            const struct task *k = &j->task[t.task_index];
            if (t.state == LSCHED_TASK_NOMINATED || t.state == LSCHED_TASK_DONE) continue;
            placed++;
            if (k->state == WAITS || k->state == DONE || w.nodes[k->node].id != t.node ||
                k->mask != t.device_mask || k->starts != t.device_starts)
                wrong("job-%d: task %u is not where the books have it", j->number, t.task_index);
        }
        if (placed != count(j, STARTS, STOPS)) wrong("job-%d: %d tasks", j->number, placed);
        for (int k = 0; k < j->tasks; k++)
            if (j->task[k].state == RUNS || j->task[k].state == STOPS)
                runs[n_runs++] = (lsched_task_ref){sizeof runs[0], (uint32_t)k, j->id, {NULL, 0}};
    }
    lsched_sync_report jobs = {.size = sizeof jobs}, tasks = {.size = sizeof tasks};
    check(lsched_sync(w.cluster, LSCHED_KIND_JOB, list, n, &jobs, &w.err), "sync");
    check(lsched_sync_tasks(w.cluster, runs, n_runs, sizeof runs[0], &tasks, &w.err), "sync tasks");
    if (jobs.n_missing || jobs.n_extra || tasks.n_missing || tasks.n_extra)
        wrong("%" PRIu64 " and %" PRIu64 " are missing, %" PRIu64 " and %" PRIu64 " are extra",
              jobs.n_missing, tasks.n_missing, jobs.n_extra, tasks.n_extra);
    w.compared++;
}

struct bytes {
    char *p;
    size_t n;
};
static int32_t append(void *user, const void *data, size_t n) {
    struct bytes *b = user;
    char *p = realloc(b->p, b->n + n);
    if (!p) return -1;
    memcpy(p + b->n, data, n);
    b->p = p, b->n += n;
    return 0;
}

/* The orchestrator starts again: the books must equal the cluster that it loads. */
static void restart(void) {
    struct bytes b = {NULL, 0};
    uint64_t before = 0, after = 1;
    check(lsched_cluster_hash(w.cluster, LSCHED_HASH_IMAGE, &before, &w.err), "hash");
    check(lsched_cluster_save(w.cluster, append, &b, &w.err), "save");
    lsched_cluster_destroy(w.cluster);
    w.cluster = NULL, w.cursor = 0;
    if (check(lsched_cluster_load(NULL, b.p, b.n, &w.cluster, &w.err), "load") < 0) exit(1);
    check(lsched_cluster_hash(w.cluster, LSCHED_HASH_IMAGE, &after, &w.err), "hash");
    if (before != after) wrong("the loaded cluster is another one");
    free(b.p);
    compare();
}

/* ---- cycles ---- */

static void place(struct job *j, const lsched_decision *d) {
    struct task *t = &j->task[d->task_index];
    struct node *n = &w.nodes[d->node_tag];
    if (t->state != WAITS) wrong("job-%d: task %u does not wait", j->number, d->task_index);
    if (n->id != d->node || n->drains) wrong("node %d cannot be used", (int)d->node_tag);
    *t = (struct task){STARTS,         d->id,           d->id,           (int)d->node_tag,
                       d->device_mask, d->device_milli, d->device_starts};
    int wanted = j->kind == LED && d->task_index == 0 ? 0 : j->devices;
    if (__builtin_popcount(t->mask) != wanted) wrong("job-%d: not %d devices", j->number, wanted);
    book(j, t, 1);
    w.placed++;
}

static void stop(struct job *j, const lsched_decision *d) {
    struct task *t = &j->task[d->task_index];
    if (t->state != RUNS) wrong("job-%d: task %u does not run", j->number, d->task_index);
    t->state = STOPS, t->decision = d->id, j->disturbed = 1;
    if (d->kind == LSCHED_DECIDE_EVICT)
        w.evicted++;
    else
        w.moved++;
}

/* A gang that nothing has disturbed has all its members or none, and a limit holds. */
static void check_rules(void) {
    int64_t used = 0;
    for (int i = 0; i < JOBS; i++) {
        const struct job *j = &w.jobs[i];
        if (!j->id) continue;
        int placed = count(j, STARTS, DONE);
        if (placed && placed < j->least && !j->disturbed)
            wrong("job-%d: %d of at least %d tasks start", j->number, placed, j->least);
        for (int k = 0; j->leaf / 2 == LIMITED_TEAM && k < j->tasks; k++) {
            const struct task *t = &j->task[k]; /* what is to stop counts no more */
            if (t->state == STARTS || t->state == RUNS)
                used += j->slices ? (t->mask != 0) * j->slices * 125
                                  : __builtin_popcount(t->mask) * (int)t->milli;
        }
    }
    if (used > LIMIT_MILLI) wrong("team %d uses %" PRId64 " milli-GPU", LIMITED_TEAM, used);
}

static void cycle(void) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    o.now_us = w.now, o.flags = w.cycles++ % 50 ? 0 : LSCHED_SCHEDULE_VERIFY;
    if (check(lsched_schedule(w.cluster, &o, &plan, &w.err), "schedule") < 0) exit(1);
    lsched_plan_info info = {.size = sizeof info};
    check(lsched_plan_get(plan, &info, &w.err), "plan_get");
    w.plans = (w.plans ^ info.plan_hash) * UINT64_C(1099511628211);
    read_changes(); /* before the plan, which can decide again about the same tasks */
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        struct job *j = find(d->job_tag, d->job);
        if (!j) {
            wrong("a decision about a job that is gone");
            continue;
        }
        if (d->kind == LSCHED_DECIDE_PLACE) place(j, d);
        if (d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE) stop(j, d);
        if (d->kind != LSCHED_DECIDE_NOMINATE && w.n_open < SETTLED_MAX) w.open[w.n_open++] = d->id;
    }
    check_rules();
    if (w.n_open) later(below(3), SETTLE, 0, 0, 0);
    lsched_plan_destroy(plan);
    if (w.cycles % 100 == 0) compare();
}

/* ---- answers ---- */

/* What the orchestrator does after its answer about one task was accepted. */
static void answered(struct job *j, int task, int is_rejected) {
    struct task *t = &j->task[task];
    int number = (int)(j - w.jobs);
    if (is_rejected) {
        w.rejected++, j->disturbed = 1;
        if (t->state == STARTS)
            leave(j, t, WAITS);
        else
            t->state = RUNS, t->decision = 0;
    } else if (t->state == STARTS) {
        later(1 + below(5), STARTED, number, task, t->run);
    } else { /* one of twenty takes minutes to stop */
        later(below(20) ? 1 + below(40) : 60 + below(600), STOPPED, number, task, t->decision);
    }
}

/* Answers all open decisions in one batch. Elements that are out of date are no error: the change
 * feed has told, or tells now, what became of them. */
static void settle(void) {
    static _Thread_local lsched_settlement out[SETTLED_MAX];
    static _Thread_local int32_t status[SETTLED_MAX];
    static _Thread_local struct { int job, task; } of[SETTLED_MAX];
    lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_PARTIAL | LSCHED_BATCH_IDEMPOTENT};
    size_t n = 0;
    for (size_t i = 0; i < w.n_open; i++) {
        lsched_decision d = {.size = sizeof d};
        if (lsched_decision_get(w.cluster, w.open[i], &d, NULL) < 0) continue; /* withdrawn */
        struct job *j = find(d.job_tag, d.job);
        if (!j || j->task[d.task_index].decision != d.id) continue;
        out[n] = (lsched_settlement){.size = sizeof out[n], .decision = d.id};
        out[n].outcome = below(60) ? LSCHED_OUTCOME_CONFIRMED : LSCHED_OUTCOME_REJECTED;
        of[n].job = (int)(j - w.jobs), of[n++].task = (int)d.task_index;
    }
    w.n_open = 0;
    check(lsched_settle(w.cluster, out, n, sizeof out[0], &opts, NULL, status, &w.err), "settle");
    for (size_t i = 0; i < n; i++)
        if (status[i] == LSCHED_OK)
            answered(&w.jobs[of[i].job], of[i].task, out[i].outcome == LSCHED_OUTCOME_REJECTED);
    read_changes();
}

/* ---- the world ---- */

static void add_node(int i) {
    struct node *n = &w.nodes[i];
    char name[16], rack[16], zone[16];
    snprintf(name, sizeof name, "node-%02d", i);
    snprintf(rack, sizeof rack, "rack-%d", i / 4);
    snprintf(zone, sizeof zone, "zone-%d", i / 20);
    lsched_label labels[2] = {{LSCHED_TEXT("zone"), lsched_cstr(zone)},
                              {LSCHED_TEXT("rack"), lsched_cstr(rack)}};
    int kind = i < 20 ? 0 : i < 25 ? 1 : i < 33 ? 2 : 3; /* whole, shared, sliced, no devices */
    *n = (struct node){0, kind < 3 ? DEVICES : 0, 0, 128000, GIB(1024), 0, 0, {0}, {0}};
    lsched_amount has[2] = {{LSCHED_CPU, 0, n->cpu}, {LSCHED_MEMORY, 0, n->memory}};
    lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
    devices.count = DEVICES, devices.memory_bytes = GIB(80);
    devices.model = kind == 2 ? LSCHED_TEXT("A100-80GB") : LSCHED_TEXT("H100-80GB");
    devices.share_mode = kind == 0   ? LSCHED_SHARING_WHOLE
                         : kind == 1 ? LSCHED_SHARING_FRACTION
                                     : LSCHED_SHARING_MIG;
    lsched_node_desc d = LSCHED_NODE_DESC_INIT;
    d.name = lsched_cstr(name), d.tag = (uint64_t)i;
    d.capacity = has, d.n_capacity = 2, d.labels = labels, d.n_labels = 2;
    if (n->devices) d.devices = &devices, d.n_devices = 1;
    check(lsched_nodes_add(w.cluster, &d, 1, sizeof d, NULL, &n->id, NULL, &w.err), "nodes_add");
}

static void add_queues(void) {
    lsched_queue_desc q[4 + LEAVES];
    lsched_amount quota[4 + LEAVES][3], limit = {LSCHED_GPU, 0, LIMIT_MILLI};
    char names[4 + LEAVES][16];
    for (int i = 0; i < 4 + LEAVES; i++) {
        int share = i < 4 ? 2 : 1;
        q[i] = (lsched_queue_desc)LSCHED_QUEUE_DESC_INIT;
        snprintf(names[i], sizeof names[i], i < 4 ? "team%d" : "leaf%d", i < 4 ? i : i - 4);
        q[i].name = lsched_cstr(names[i]);
        if (i >= 4) q[i].parent_name = lsched_cstr(names[(i - 4) / 2]);
        quota[i][0] = (lsched_amount){LSCHED_GPU, 0, share * 25000};
        quota[i][1] = (lsched_amount){LSCHED_CPU, 0, share * 600000};
        quota[i][2] = (lsched_amount){LSCHED_MEMORY, 0, GIB(share * 4000)};
        q[i].quota = quota[i], q[i].n_quota = 3;
        q[i].reclaim_min_runtime_us = 120 * (int64_t)SECOND;
        q[i].preempt_min_runtime_us = 60 * (int64_t)SECOND;
    }
    q[LIMITED_TEAM].limit = &limit, q[LIMITED_TEAM].n_limit = 1;
    check(lsched_queues_add(w.cluster, q, 4 + LEAVES, sizeof q[0], NULL, NULL, NULL, &w.err),
          "queues_add");
}

static void set_up(uint64_t seed) {
    lsched_text levels[2] = {LSCHED_TEXT("zone"), LSCHED_TEXT("rack")};
    lsched_topology_desc tree = LSCHED_TOPOLOGY_DESC_INIT;
    lsched_param moves = {LSCHED_TEXT("moves_max"), {NULL, 0}, 4};
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    w.err = (lsched_error)LSCHED_ERROR_INIT;
    w.now = START_US, w.random = 88172645463325252u + seed * 7919;
    tree.name = LSCHED_TEXT("net"), tree.levels = levels, tree.n_levels = 2;
    opts.params = &moves, opts.n_params = 1;
    check(lsched_cluster_create(NULL, &w.cluster, &w.err), "create");
    check(lsched_topologies_add(w.cluster, &tree, 1, sizeof tree, NULL, NULL, NULL, &w.err),
          "topologies_add");
    add_queues();
    for (int i = 0; i < NODES; i++) add_node(i);
    check(lsched_policy_load(w.cluster, LSCHED_TEXT("guaranteed-quota"), (lsched_text){NULL, 0},
                             &opts, &w.err),
          "policy_load");
    later(0, ARRIVE, 0, 0, 0), later(300, LOSS, 0, 0, 0), later(400, DRAIN, 0, 0, 0);
    later(500, CANCEL, -1, 0, 0), later(600, PRIORITY, 0, 0, 0), later(900, QUOTA, 0, 0, 0);
}

/* What one task of each kind of job asks for. */
static const struct kind {
    int tasks, least; /* 0: 2 to 5 of them, all at once */
    int64_t cpu, gib;
    int milli, slices; /* of devices: all together, or a share of one; slices of one */
    const char *profile;
} kinds[JOB_KINDS] = {
    [GANG] = {0, 0, 96000, 800, 8000, 0, NULL},     [ELASTIC] = {6, 2, 16000, 32, 2000, 0, NULL},
    [NOTEBOOK] = {1, 1, 8000, 32, 0, 2, "2g.20gb"}, [FRACTION] = {1, 1, 8000, 32, 250, 0, NULL},
    [SERVICE] = {5, 1, 4000, 32, 0, 0, NULL},       [SLICED] = {0, 0, 8000, 32, 0, 4, "3g.40gb"},
    [LED] = {5, 5, 8000, 32, 4000, 0, NULL},        [ARRAY] = {10, 0, 8000, 16, 0, 0, NULL}};

/* Submits the job of a free entry. LED: one task without devices and four with, in one zone. */
static void submit_as(struct job *j, const struct kind *k) {
    lsched_amount amounts[3] = {
        {LSCHED_CPU, 0, j->cpu}, {LSCHED_MEMORY, 0, j->memory}, {LSCHED_GPU, 0, k->milli}};
    lsched_group_desc g[3] = {LSCHED_GROUP_DESC_INIT, LSCHED_GROUP_DESC_INIT,
                              LSCHED_GROUP_DESC_INIT};
    lsched_device_request slice = LSCHED_DEVICE_REQUEST_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    char name[24], queue[8];
    int led = j->kind == LED, at = led ? 2 : 0;
    snprintf(name, sizeof name, "job-%d", j->number);
    snprintf(queue, sizeof queue, "leaf%d", j->leaf);
    g[at].request = amounts, g[at].n_request = k->milli ? 3 : 2;
    g[at].max_count = (uint32_t)(led ? j->tasks - 1 : j->tasks);
    if (!led) g[0].min_count = j->least ? (uint32_t)j->least : LSCHED_MIN_NONE;
    g[1].request = amounts, g[1].n_request = 2, g[1].max_count = 1;
    if (led) g[0].required_level = LSCHED_TEXT("zone");
    if (j->kind == GANG) g[0].preferred_level = LSCHED_TEXT("rack");
    if (k->profile) slice.mig_profile = lsched_cstr(k->profile);
    if (k->profile) g[0].device_requests = &slice, g[0].n_device_requests = 1;
    d.name = lsched_cstr(name), d.tag = (uint64_t)(j - w.jobs) + (uint64_t)j->number * JOBS;
    d.queue_name = lsched_cstr(queue), d.groups = g, d.n_groups = led ? 3 : 1;
    d.priority = j->kind == SERVICE ? 100 : j->kind == NOTEBOOK ? 80 : below(5) * 10;
    if (j->kind == NOTEBOOK) d.flags = LSCHED_JOB_INTERACTIVE | LSCHED_JOB_NON_PREEMPTIBLE;
    d.submit_us = w.now, d.duration_us = j->run_us, d.retries_max = 8, d.disruptions_max = 20;
    d.backoff_us = 5 * (int64_t)SECOND;
    if (check(lsched_jobs_submit(w.cluster, &d, 1, sizeof d, NULL, &j->id, NULL, &w.err),
              "jobs_submit") >= 0)
        w.n_jobs++;
}

static void submit(void) {
    struct job *j = w.jobs;
    while (j < w.jobs + JOBS && j->id) j++;
    if (j == w.jobs + JOBS) return; /* enough work waits */
    int kind = below(JOB_KINDS), size = 2 + below(4);
    const struct kind *k = &kinds[kind];
    *j = (struct job){.number = w.n_jobs, .kind = kind, .leaf = below(LEAVES)};
    j->tasks = k->tasks ? k->tasks : size, j->least = k->tasks ? k->least : size;
    j->devices = k->slices || (k->milli && k->milli < 1000) ? 1 : k->milli / 1000;
    j->slices = k->slices, j->cpu = k->cpu, j->memory = GIB(k->gib);
    j->run_us = (60 + below(1200)) * (int64_t)SECOND;
    submit_as(j, k);
}

/* ---- what happens ---- */

static void task_event(const struct event *e) {
    struct job *j = &w.jobs[e->job];
    struct task *t = &j->task[e->task];
    int64_t seconds = j->run_us / SECOND;
    if (!j->id) return;
    if (e->kind == STARTED && t->state == STARTS && t->run == e->run) {
        if (report(j, e->task, LSCHED_EVENT_STARTED) < 0) return;
        t->state = RUNS, t->decision = 0;
        if (!w.closing && below(30) == 0)
            later(below((int)seconds), FAILED, e->job, e->task, t->run);
        if (j->kind != ELASTIC && j->kind != SERVICE)
            later(seconds, ENDED, e->job, e->task, t->run);
        else if (count(j, RUNS, RUNS) == j->least)
            later(seconds, COMPLETE, e->job, 0, j->id);
    } else if (e->kind == ENDED && (t->state == RUNS || t->state == STOPS) && t->run == e->run) {
        if (report(j, e->task, LSCHED_EVENT_ENDED) < 0) return;
        w.ended++, j->disturbed = 1;
        leave(j, t, DONE);
    } else if ((e->kind == FAILED && t->state == RUNS && t->run == e->run) ||
               (e->kind == STOPPED && t->state == STOPS && t->decision == e->run)) {
        if (report(j, e->task, LSCHED_EVENT_FAILED) < 0) return;
        w.failed += e->kind == FAILED, j->disturbed = 1;
        leave(j, t, WAITS);
    }
}

/* Ends a job, because its work is done or because its owner takes it back. */
static void end_job(struct job *j, int is_complete) {
    int32_t (*call)(lsched_cluster *, const lsched_id *, size_t, const lsched_batch_opts *,
                    int32_t *, lsched_error *) =
        is_complete ? lsched_jobs_complete : lsched_jobs_remove;
    if (check(call(w.cluster, &j->id, 1, NULL, NULL, &w.err), "end of a job") < 0) return;
    w.finished += is_complete, w.cancelled += !is_complete;
    forget(j);
}

static void job_event(const struct event *e) {
    struct job *j = &w.jobs[e->job >= 0 ? e->job : below(JOBS)];
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    if (e->kind == COMPLETE && j->id == e->run) {
        if (count(j, RUNS, RUNS) < j->least)
            later(60, COMPLETE, e->job, 0, j->id);
        else
            end_job(j, 1);
    } else if (e->kind == CANCEL) {
        if (j->id && (e->job < 0 || j->id == e->run)) end_job(j, 0);
        if (e->job < 0 && !w.closing) later(30 + below(120), CANCEL, -1, 0, 0);
    } else if (e->kind == PRIORITY) {
        j = &w.jobs[below(JOBS)];
        u.job = j->id, u.set = LSCHED_JOB_SET_PRIORITY, u.priority = below(60);
        if (j->id && j->kind != NOTEBOOK)
            check(lsched_jobs_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &w.err), "priority");
        if (!w.closing) later(30 + below(100), PRIORITY, 0, 0, 0);
    }
}

static void lose_node(int i) {
    struct node *n = &w.nodes[i];
    if (!n->id) return;
    if (check(lsched_nodes_remove(w.cluster, &n->id, 1, NULL, NULL, &w.err), "remove") < 0) return;
    read_changes(); /* the feed names every task that was there */
    if (n->cpu_used || n->memory_used) wrong("the books of node %d do not close", i);
    n->id = 0;
    later(100 + below(1000), BACK, i, 0, 0);
}

static void drain(int i, int begins) {
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = w.nodes[i].id, u.set = LSCHED_NODE_SET_STATE;
    u.state = begins ? LSCHED_NODE_DRAINING : LSCHED_NODE_READY;
    if (!u.node || w.nodes[i].drains == begins) return;
    check(lsched_nodes_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &w.err), "nodes_update");
    w.nodes[i].drains = begins;
    if (begins) later(200 + below(600), UNDRAIN, i, 0, 0);
}

/* Moves a part of the guarantee from one queue of a team to the other; their limits stay. */
static void change_quota(void) {
    int team = below(4);
    int64_t part = below(20000);
    lsched_amount quota[2] = {{LSCHED_GPU, 0, 15000 + part}, {LSCHED_GPU, 0, 35000 - part}};
    lsched_queue_update u[2] = {LSCHED_QUEUE_UPDATE_INIT, LSCHED_QUEUE_UPDATE_INIT};
    char names[2][16];
    for (int i = 0; i < 2; i++) {
        snprintf(names[i], sizeof names[i], "leaf%d", 2 * team + i);
        u[i].name = lsched_cstr(names[i]), u[i].set = LSCHED_QUEUE_SET_QUOTA;
        u[i].quota = &quota[i], u[i].n_quota = 1;
    }
    check(lsched_queues_update(w.cluster, u, 2, sizeof u[0], NULL, NULL, &w.err), "quota");
    if (!w.closing) later(300 + below(1000), QUOTA, 0, 0, 0);
}

static void handle(const struct event *e) {
    w.handled++;
    switch (e->kind) {
    case ARRIVE:
        if (w.closing) return;
        submit();
        later(1 + below(20), ARRIVE, 0, 0, 0);
        break;
    case SETTLE: settle(); break;
    case STARTED:
    case ENDED:
    case FAILED:
    case STOPPED: task_event(e); break;
    case COMPLETE:
    case CANCEL:
    case PRIORITY: job_event(e); break;
    case LOSS:
        if (w.closing) return;
        lose_node(below(NODES));
        later(200 + below(800), LOSS, 0, 0, 0);
        break;
    case BACK:
        if (!w.nodes[e->job].id) add_node(e->job);
        break;
    case DRAIN:
        if (w.closing) return;
        drain(below(NODES), 1);
        later(200 + below(800), DRAIN, 0, 0, 0);
        break;
    case UNDRAIN: drain(e->job, 0); break;
    case QUOTA: change_quota(); break;
    }
    read_changes();
}

static int jobs_left(void) {
    int n = 0;
    for (int i = 0; i < JOBS; i++) n += w.jobs[i].id != 0;
    return n;
}

/* Events, then a cycle; at most one cycle in CYCLE_SECONDS. Then no new work arrives, and all work
 * must end. */
static void run(int64_t events) {
    int64_t half = events / 2, last_cycle = 0, give_up = INT64_MAX;
    while ((!w.closing || jobs_left()) && w.now < give_up) {
        int64_t wake = lsched_next_wake(w.cluster), next = w.events ? w.heap[0].at : wake;
        if (wake < last_cycle + CYCLE_SECONDS * (int64_t)SECOND)
            wake = last_cycle + CYCLE_SECONDS * (int64_t)SECOND;
        if (wake < next) next = wake;
        if (next == LSCHED_NEVER_US) break;
        if (next > w.now) w.now = next;
        while (w.events && w.heap[0].at <= w.now) {
            struct event e = next_event();
            handle(&e);
        }
        if (w.now >= last_cycle + CYCLE_SECONDS * (int64_t)SECOND) last_cycle = w.now, cycle();
        if (w.handled >= half) half = INT64_MAX, restart();
        if (!w.closing && w.handled >= events)
            w.closing = 1, give_up = w.now + 30 * 24 * 3600 * (int64_t)SECOND;
    }
}

/* What a thread does, and what comes of it. */
struct life {
    int64_t events, wrong;
    uint64_t seed, plans;
    int prints;
    pthread_t thread;
};

static void print_totals(void) {
    printf("%" PRId64 " events, %" PRId64 " cycles, %d jobs: %" PRId64 " finished, %" PRId64
           " cancelled\n",
           w.handled, w.cycles, w.n_jobs, w.finished, w.cancelled);
    printf("tasks: %" PRId64 " placed, %" PRId64 " evicted, %" PRId64 " moved, %" PRId64
           " rejected, %" PRId64 " ended, %" PRId64 " failed; the feed: %" PRId64 " lost, %" PRId64
           " withdrawn\n",
           w.placed, w.evicted, w.moved, w.rejected, w.ended, w.failed, w.lost, w.withdrawn);
    printf("books compared %" PRId64 " times; wrong: %" PRId64 "\n", w.compared, w.wrong);
}

static void *live(void *user) {
    struct life *me = user;
    lsched_cluster_stats s = {.size = sizeof s};
    set_up(me->seed);
    run(me->events);
    check(lsched_cluster_stats_get(w.cluster, &s, &w.err), "stats");
    check(lsched_verify(w.cluster, NULL, &w.err), "verify");
    compare();
    if (jobs_left() || s.jobs)
        wrong("%d jobs are left, %d in the library", jobs_left(), (int)s.jobs);
    if (me->prints) print_totals();
    lsched_cluster_destroy(w.cluster);
    free(w.heap);
    me->wrong = w.wrong, me->plans = w.plans;
    return NULL;
}

int main(int argc, char **argv) {
    enum { THREADS_MAX = 16 };
    struct life lives[THREADS_MAX] = {{0}};
    int n = argc > 3 ? atoi(argv[3]) : 1, failed = n < 1 || n > THREADS_MAX;
    for (int i = 0; i < n && !failed; i++) {
        lives[i].events = argc > 1 ? strtoll(argv[1], NULL, 10) : 2000;
        lives[i].seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
        lives[i].prints = i == 0;
        if (pthread_create(&lives[i].thread, NULL, live, &lives[i]) != 0) return 2;
    }
    for (int i = 0; i < n && !failed; i++) pthread_join(lives[i].thread, NULL);
    for (int i = 0; i < n && !failed; i++)
        failed = lives[i].wrong != 0 || lives[i].plans != lives[0].plans;
    return failed;
}
