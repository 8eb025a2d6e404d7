/*
 * orchestrator.c -- an event-driven orchestrator: every call that it makes to the library.
 *
 * It keeps books of its own: which task runs where, and which decision is open. The books learn what
 * calls changed from the change feed and from nothing else. world.c calls it when something
 * happens: tasks fail, nodes are lost and drained, decisions are rejected or answered late, stopped
 * tasks take minutes to go, queues get other quotas, and the orchestrator restarts from a saved
 * state. A real orchestrator does without checks.c, and has the real world in place of world.c.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "orchestrator.h"

#include <libsched/scenario.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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
    case LSCHED_CHANGE_GONE:
        if (c->run != t->run)
            wrong("job-%d: another run is lost than the one of the books", j->number);
        w.lost++, j->disturbed = 1, leave(j, t, WAITS);
        break;
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
    lsched_task_event e = {.size = sizeof e, .event = event, .job = j->id, .at_us = w.now};
    e.task_index = (uint32_t)task, e.run = j->task[task].run;
    return check(lsched_tasks_report(w.cluster, &e, 1, sizeof e, NULL, NULL, &w.err), "report");
}

static int32_t append(void *file, const void *data, size_t n) {
    return fwrite(data, 1, n, file) == n ? 0 : -1;
}

/* The orchestrator starts again: the books must equal the cluster that it loads. */
void restart(void) {
    uint64_t before = 0, after = 1;
    char *bytes = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&bytes, &n);
    check(lsched_cluster_hash(w.cluster, LSCHED_HASH_IMAGE, &before, &w.err), "hash");
    check(lsched_cluster_save(w.cluster, append, file, &w.err), "save");
    fclose(file);
    lsched_cluster_destroy(w.cluster);
    w.cluster = NULL, w.cursor = 0;
    if (check(lsched_cluster_load(NULL, bytes, n, &w.cluster, &w.err), "load") < 0) exit(1);
    check(lsched_cluster_hash(w.cluster, LSCHED_HASH_IMAGE, &after, &w.err), "hash");
    if (before != after) wrong("the loaded cluster is another one");
    free(bytes);
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

/* Runs a cycle. Its plan is answered later, as the answers of machines come late. */
void cycle(void) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    o.now_us = w.now, o.flags = w.cycles++ % 50 ? 0 : LSCHED_SCHEDULE_VERIFY;
    if (check(lsched_schedule(w.cluster, &o, &w.plan, &w.err), "schedule") < 0) exit(1);
    check(lsched_plan_get(w.plan, &info, &w.err), "plan_get");
    w.plans = (w.plans ^ info.plan_hash) * UINT64_C(1099511628211);
    read_changes(); /* before the plan, which can decide again about the same tasks */
    for (size_t i = 0; i < lsched_plan_size(w.plan); i++) {
        const lsched_decision *d = lsched_plan_at(w.plan, i);
        struct job *j = find(d->job_tag, d->job);
        if (!j)
            wrong("a decision about a job that is gone");
        else if (d->kind == LSCHED_DECIDE_PLACE)
            place(j, d);
        else if (d->kind != LSCHED_DECIDE_NOMINATE)
            stop(j, d);
    }
    later(below(3), SETTLE, 0, 0, 0);
}

/* Answers the plan. What was withdrawn since is no error: the change feed tells what became of it. */
void settle(void) {
    lsched_outcome outcomes[DECISIONS_MAX];
    int32_t status[DECISIONS_MAX];
    for (size_t i = 0; i < lsched_plan_size(w.plan); i++)
        outcomes[i] = answer(lsched_plan_at(w.plan, i));
    check(lsched_settle_plan(w.cluster, w.plan, outcomes, status, &w.err), "settle");
    for (size_t i = 0; i < lsched_plan_size(w.plan); i++) {
        const lsched_decision *d = lsched_plan_at(w.plan, i);
        if (status[i] == LSCHED_OK) answered(find(d->job_tag, d->job), d->task_index, outcomes[i]);
    }
    lsched_plan_destroy(w.plan);
    w.plan = NULL;
}

/* Adds an object that a text describes, and returns its id, or 0. */
static lsched_id add(uint32_t kind, const char *name, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    check(lsched_scenario_add(NULL, lsched_cstr(text), lsched_cstr(name), w.cluster, &w.err),
          "add");
    return lsched_find(w.cluster, kind, lsched_cstr(name));
}

void add_node(int i) {
    static const char *const devices[] = {
        ", gpus: {count: 8, model: H100-80GB, memory: 80Gi}",
        ", gpus: {count: 8, model: H100-80GB, memory: 80Gi, sharing: fraction}",
        ", gpus: {count: 8, model: A100-80GB, memory: 80Gi, sharing: mig}", ""};
    char name[16];
    snprintf(name, sizeof name, "node-%02d", i);
    w.nodes[i] = (struct node){.cpu = 128000, .memory = GIB(1024)};
    w.nodes[i].id = add(LSCHED_KIND_NODE, name,
                        "nodes: [{name: %s, tag: %d, labels: {zone: zone-%d, rack: rack-%d}, "
                        "cpu: 128, memory: 1Ti%s}]",
                        name, i, i / 20, i / 4,
                        devices[i < 20   ? 0
                                : i < 25 ? 1
                                : i < 33 ? 2
                                         : 3]);
}

static void add_team(int i) {
    char name[16];
    snprintf(name, sizeof name, "team%d", i);
    add(LSCHED_KIND_QUEUE, name,
        "queues: [{name: %s, quota: {gpu: 50, cpu: 1200, memory: 8000Gi}, reclaim_min_runtime: 2m, "
        "preempt_min_runtime: 1m%s, children: [{name: \"leaf[%d-%d]\", reclaim_min_runtime: 2m, "
        "preempt_min_runtime: 1m, quota: {gpu: 25, cpu: 600, memory: 4000Gi}}]}]",
        name, i == LIMITED_TEAM ? ", limit: {gpu: 80}" : "", 2 * i, 2 * i + 1);
}

void set_up(void) {
    static const char text[] = "topology: {name: net, levels: [zone, rack]}\n"
                               "policy: {name: guaranteed-quota, params: {moves_max: 4}}\n";
    w.err = (lsched_error)LSCHED_ERROR_INIT;
    check(lsched_cluster_create(NULL, &w.cluster, &w.err), "create");
    add(LSCHED_KIND_TOPOLOGY, "net", "%s", text);
    for (int i = 0; i < LEAVES / 2; i++) add_team(i);
    for (int i = 0; i < NODES; i++) add_node(i);
}

/* Submits the job of a free entry. */
void submit_as(struct job *j, const struct kind *k) {
    char name[24], tasks[64] = "";
    snprintf(name, sizeof name, "job-%d", j->number);
    if (k->task)
        snprintf(tasks, sizeof tasks, "tasks: {%s, count: %d, min: %d}", k->task, j->tasks,
                 j->least);
    j->id = add(LSCHED_KIND_JOB, name,
                "jobs: [{name: %s, tag: %d, queue: leaf%d, priority: %d, submitted: %" PRId64
                "us, duration: %" PRId64 "us, retries: {max: 8, backoff: 5s}, disruptions: 20, "
                "%s%s}]",
                name, (int)(j - w.jobs) + j->number * JOBS, j->leaf,
                k->priority >= 0 ? k->priority : below(5) * 10, w.now, j->run_us, k->job, tasks);
    w.n_jobs += j->id != 0;
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
    lsched_job_update u = {.size = sizeof u, .job = j->id, .set = LSCHED_JOB_SET_PRIORITY};
    u.priority = priority;
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
