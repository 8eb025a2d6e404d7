/*
 * orchestrator.c -- an event-driven orchestrator: every call that it makes to the library.
 *
 * It keeps books of its own: which task runs where, and which decision is open. The books learn what
 * calls changed from the change feed and from nothing else. world.c calls it when something
 * happens: tasks fail, nodes are lost and drained, decisions are rejected or answered late, stopped
 * tasks take minutes to go, queues get other quotas, and the orchestrator restarts from a saved
 * state. A real orchestrator does without checks.c, and has the real world in place of world.c.
 */
#include "orchestrator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t check(int32_t code, const char *call) {
    if (code < 0) wrong("%s: %s: %s", call, lsched_error_name(code), w.err.message);
    return code;
}

/* Returns the job of a tag if the entry still has this job. */
static struct job *find(uint64_t tag, lsched_id id) {
    struct job *j = &w.jobs[tag % JOBS];
    return j->id == id ? j : NULL;
}

int count(const struct job *j, enum task_state from, enum task_state to) {
    int n = 0;
    for (int i = 0; i < j->tasks; i++) n += j->task[i].state >= from && j->task[i].state <= to;
    return n;
}

void leave(struct job *j, struct task *t, enum task_state state) {
    if (t->state == WAITS || t->state == DONE) return;
    book(j, t, -1);
    *t = (struct task){.state = state};
}

static void forget(struct job *j) {
    for (int i = 0; i < j->tasks; i++) leave(j, &j->task[i], WAITS);
    j->id = 0;
}

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

void read_changes(void) {
    lsched_change c = {.size = sizeof c};
    int32_t code;
    while ((code = lsched_changes_next(w.cluster, &w.cursor, &c, &w.err)) == 1) apply(&c);
    check(code, "changes_next");
}

int32_t report(struct job *j, int task, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event, e.job = j->id, e.task_index = (uint32_t)task, e.at_us = w.now;
    return check(lsched_tasks_report(w.cluster, &e, 1, sizeof e, NULL, NULL, &w.err), "report");
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
void restart(void) {
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

static void place(struct job *j, const lsched_decision *d) {
    struct task *t = &j->task[d->task_index];
    check_place(j, d);
    *t = (struct task){STARTS,         d->id,           d->id,           (int)d->node_tag,
                       d->device_mask, d->device_milli, d->device_starts};
    book(j, t, 1);
    w.placed++;
}

static void stop(struct job *j, const lsched_decision *d) {
    struct task *t = &j->task[d->task_index];
    check_runs(j, d->task_index);
    t->state = STOPS, t->decision = d->id, j->disturbed = 1;
    if (d->kind == LSCHED_DECIDE_EVICT)
        w.evicted++;
    else
        w.moved++;
}

void cycle(void) {
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

/* Answers all open decisions in one batch. Elements that are out of date are no error: the change
 * feed has told, or tells now, what became of them. */
void settle(void) {
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

void add_node(int i) {
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

void set_up(void) {
    lsched_text levels[2] = {LSCHED_TEXT("zone"), LSCHED_TEXT("rack")};
    lsched_topology_desc tree = LSCHED_TOPOLOGY_DESC_INIT;
    lsched_param moves = {LSCHED_TEXT("moves_max"), {NULL, 0}, 4};
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    w.err = (lsched_error)LSCHED_ERROR_INIT;
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
}

/* Submits the job of a free entry. LED: one task without devices and four with, in one zone. */
void submit_as(struct job *j, const struct kind *k) {
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

/* Ends a job, because its work is done or because its owner takes it back. */
void end_job(struct job *j, int is_complete) {
    int32_t (*call)(lsched_cluster *, const lsched_id *, size_t, const lsched_batch_opts *,
                    int32_t *, lsched_error *) =
        is_complete ? lsched_jobs_complete : lsched_jobs_remove;
    if (check(call(w.cluster, &j->id, 1, NULL, NULL, &w.err), "end of a job") < 0) return;
    w.finished += is_complete, w.cancelled += !is_complete;
    forget(j);
}

void set_priority(const struct job *j, int priority) {
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = j->id, u.set = LSCHED_JOB_SET_PRIORITY, u.priority = priority;
    check(lsched_jobs_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &w.err), "priority");
}

void lose_node(int i) {
    struct node *n = &w.nodes[i];
    if (!n->id) return;
    if (check(lsched_nodes_remove(w.cluster, &n->id, 1, NULL, NULL, &w.err), "remove") < 0) return;
    read_changes(); /* the feed names every task that was there */
    check_node_is_empty(i);
    n->id = 0;
    later(100 + below(1000), BACK, i, 0, 0);
}

void drain(int i, int begins) {
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = w.nodes[i].id, u.set = LSCHED_NODE_SET_STATE;
    u.state = begins ? LSCHED_NODE_DRAINING : LSCHED_NODE_READY;
    if (!u.node || w.nodes[i].drains == begins) return;
    check(lsched_nodes_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &w.err), "nodes_update");
    w.nodes[i].drains = begins;
    if (begins) later(200 + below(600), UNDRAIN, i, 0, 0);
}

/* Moves a part of the guarantee from one queue of a team to the other; their limits stay. */
void change_quota(void) {
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
}
