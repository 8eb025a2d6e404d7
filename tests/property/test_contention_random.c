/*
 * Kinds of work that slow each other down, under random events: tables that change, come and go, gangs
 * and elastic jobs with shares of one or two devices in every sharing mode, names that no table has,
 * starts, ends, failures, imports beside anything, evictions, nodes that go and come, clones and saves.
 *
 * A model outside the library keeps the table as it wrote it, and reads the tasks of the nodes. Each
 * task that a plan places or nominates must have no task beside it on a device for which one of the
 * two is slowed down beyond the bound. And after each cycle, no job of one task waits for room while
 * a device has the share and no such neighbour: so a wake that is missed shows, too. The second rule
 * is not checked under actions that plan starts.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; a failure prints seed and step.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

#include "property/chance.h"

enum {
    NODES = 4,
    DEVICES = 3,
    JOBS = 48,
    TASKS = 4,
    STEPS = 90,
    KINDS = 5,
    NAMES = 7,
    HELD = 256,
    CYCLES = 4
};
#define SECOND INT64_C(1000000)

/* What the policy says: names[k] is a kind if `is_kind`, and milli[a][b] what `a` suffers beside b. */
struct table {
    int is_on, is_kind[NAMES], others; /* others: -1 for none */
    uint32_t most, milli[NAMES][NAMES];
};

struct task {
    uint32_t node, state, milli;
    uint64_t devices;
    int kind; /* number of its name, NAMES: it has none */
    lsched_id job, decision;
};

struct model {
    struct chance chance;
    uint64_t seed;
    uint32_t step, n_jobs, n_nodes_made, pipeline, n_held;
    lsched_cluster *c;
    lsched_error err;
    int64_t now;
    lsched_id node[NODES], job[JOBS];
    uint32_t devices[NODES], mode[NODES][DEVICES];
    int kind[JOBS];
    uint32_t milli[JOBS], tasks[JOBS], spread[JOBS];
    struct table table;
    struct task held[HELD];
    uint64_t placed, nominated, barred, shared, waits, imports, evicted, tables;
};

static void wrong(const struct model *m, const char *what) {
    fprintf(stderr, "seed %" PRIu64 ", step %u: %s (%s)\n", m->seed, m->step, what, m->err.message);
    abort();
}
#define CHECK(m, that, what)         \
    do {                             \
        if (!(that)) wrong(m, what); \
    } while (0)

static const char *const names[NAMES] = {"a", "bb", "train", "serve", "x-y", "unknown", "zz"};

/* ---- the table ---- */

static void draw_table(struct model *m) {
    struct chance *c = &m->chance;
    struct table *t = &m->table;
    memset(t, 0, sizeof *t);
    t->is_on = !chance_one_in(c, 5);
    t->most = chance_one_in(c, 6) ? 0 : 1000 + 50 * chance_below(c, 8);
    t->others = -1;
    for (int a = 0; a < KINDS; a++) t->is_kind[a] = a == 0 || !chance_one_in(c, 4);
    for (int a = 0; a < KINDS; a++)
        for (int b = 0; b < KINDS; b++)
            t->milli[a][b] = chance_one_in(c, 2) ? 1000 : 1000 + 50 * chance_below(c, 12);
    if (chance_one_in(c, 2)) t->others = 0;
}

static void put_table(const struct table *t, char *out, size_t cap) {
    size_t n = 0;
    if (!t->is_on) return;
    n += (size_t)snprintf(out + n, cap - n, ", contention = { slowdown = { ");
    for (int a = 0; a < KINDS; a++) {
        if (!t->is_kind[a]) continue;
        n += (size_t)snprintf(out + n, cap - n, "['%s'] = { ", names[a]);
        for (int b = 0; b < KINDS; b++)
            if (t->is_kind[b] && t->milli[a][b] != 1000)
                n += (size_t)snprintf(out + n, cap - n, "['%s'] = %u.%03u, ", names[b],
                                      t->milli[a][b] / 1000, t->milli[a][b] % 1000);
        n += (size_t)snprintf(out + n, cap - n, "}, ");
    }
    n += (size_t)snprintf(out + n, cap - n, "}");
    if (t->most)
        n += (size_t)snprintf(out + n, cap - n, ", max = %u.%03u", t->most / 1000, t->most % 1000);
    if (t->others >= 0)
        n += (size_t)snprintf(out + n, cap - n, ", others = '%s'", names[t->others]);
    snprintf(out + n, cap - n, " }");
}

static void load_policy(struct model *m) {
    static const char *const heads[] = {
        "pipeline = { 'allocate' }",
        "pipeline = { 'allocate', 'preempt' }",
        "fair_share = 'quota', pipeline = { 'allocate', 'reclaim', 'preempt', 'consolidate' }",
        "placement = 'spread', pipeline = { 'allocate', 'preempt' }",
        "placement = 'least-fragmentation', pipeline = { 'allocate' }",
        "pipeline = { 'backfill' }",
        "pipeline = { 'ts-dpbp' }"};
    char text[4096], table[3072] = "";
    draw_table(m);
    put_table(&m->table, table, sizeof table);
    snprintf(text, sizeof text, "return { api = 1, name = 'p', %s%s }", heads[m->pipeline], table);
    m->tables++;
    if (lsched_policy_load(m->c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &m->err) < 0) {
        fprintf(stderr, "%s\n", text);
        wrong(m, "the policy is refused");
    }
}

/* Returns the kind that counts for a task, by the number of its name; -1: none. */
static int counts_as(const struct table *t, int name) {
    if (!t->is_on) return -1;
    return name < NAMES && t->is_kind[name] ? name : t->others;
}

static int bars(const struct table *t, int a, int b) {
    a = counts_as(t, a), b = counts_as(t, b);
    return a >= 0 && b >= 0 && t->most && (t->milli[a][b] > t->most || t->milli[b][a] > t->most);
}

/* ---- the world ---- */

static void add_node(struct model *m, uint32_t n) {
    static const uint32_t modes[] = {LSCHED_SHARING_FRACTION, LSCHED_SHARING_MPS,
                                     LSCHED_SHARING_TIME_SLICE, LSCHED_SHARING_WHOLE};
    lsched_amount room = {LSCHED_CPU, 0, 512000};
    lsched_device_desc d[DEVICES];
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    char name[24];
    m->devices[n] = 1 + chance_below(&m->chance, DEVICES);
    for (uint32_t i = 0; i < m->devices[n]; i++) {
        d[i] = (lsched_device_desc)LSCHED_DEVICE_DESC_INIT;
        d[i].count = 1;
        d[i].model = LSCHED_TEXT("X");
        d[i].share_mode = m->mode[n][i] = modes[chance_below(&m->chance, 8) % 4];
    }
    snprintf(name, sizeof name, "n%u-%u", n, m->n_nodes_made++);
    node.name = lsched_cstr(name);
    node.capacity = &room;
    node.n_capacity = 1;
    node.devices = d;
    node.n_devices = m->devices[n];
    CHECK(m, lsched_nodes_add(m->c, &node, 1, sizeof node, NULL, &m->node[n], NULL, &m->err) == 1,
          "add node");
}

static void make(struct model *m) {
    lsched_amount quota = {LSCHED_GPU, 0, 3000};
    lsched_queue_desc queues[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
    CHECK(m, lsched_cluster_create(NULL, &m->c, &m->err) == LSCHED_OK, "create");
    m->pipeline = chance_below(&m->chance, 7);
    for (uint32_t q = 0; q < 2; q++) {
        queues[q].name = q ? LSCHED_TEXT("b") : LSCHED_TEXT("a");
        queues[q].quota = &quota;
        queues[q].n_quota = 1;
    }
    CHECK(m, lsched_queues_add(m->c, queues, 2, sizeof queues[0], NULL, NULL, NULL, &m->err) == 2,
          "queues");
    for (uint32_t n = 0; n < NODES; n++) add_node(m, n);
    load_policy(m);
    m->now = 1000 * SECOND;
}

static void submit(struct model *m) {
    struct chance *c = &m->chance;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    char name[24];
    if (m->n_jobs == JOBS) return;
    uint32_t j = m->n_jobs;
    snprintf(name, sizeof name, "j%u", j);
    m->spread[j] = chance_one_in(c, 6) ? 2 : 1;
    m->milli[j] = chance_one_in(c, 8) ? 1000 : 100 * (uint32_t)chance_between(c, 1, 6);
    m->kind[j] = (int)chance_below(c, NAMES + 1);
    lsched_amount request[2] = {{LSCHED_GPU, 0, (int64_t)m->milli[j] * m->spread[j]},
                                {LSCHED_CPU, 0, 1000}};
    group.gpu_devices = m->spread[j];
    group.request = request;
    group.n_request = 2;
    if (m->kind[j] < NAMES) group.work_kind = lsched_cstr(names[m->kind[j]]);
    group.max_count = chance_one_in(c, 2) ? 1 : 1 + chance_below(c, TASKS);
    group.min_count = 1 + chance_below(c, group.max_count);
    job.name = lsched_cstr(name);
    job.queue_name = chance_one_in(c, 2) ? LSCHED_TEXT("a") : LSCHED_TEXT("b");
    job.groups = &group;
    job.n_groups = 1;
    job.priority = (int32_t)chance_below(c, 4);
    job.duration_us = chance_one_in(c, 2) ? (int64_t)chance_between(c, 10, 200) * SECOND : 0;
    m->tasks[j] = group.max_count;
    CHECK(m, lsched_jobs_submit(m->c, &job, 1, sizeof job, NULL, &m->job[j], NULL, &m->err) == 1,
          "submit");
    m->n_jobs++;
}

/* ---- what is where ---- */

static uint32_t node_at(const struct model *m, lsched_id id) {
    uint32_t n = 0;
    while (n < NODES && m->node[n] != id) n++;
    CHECK(m, n < NODES, "a task on a node that is gone");
    return n;
}

static void read_tasks(struct model *m) {
    m->n_held = 0;
    for (uint32_t j = 0; j < m->n_jobs; j++) {
        lsched_task_info info = {.size = sizeof info};
        lsched_job_info job = {.size = sizeof job};
        uint64_t cursor = 0;
        if (lsched_job_get(m->c, m->job[j], &job, NULL) != LSCHED_OK) continue;
        while (lsched_tasks_next(m->c, m->job[j], 0, &cursor, &info, &m->err) == 1) {
            if (info.state == LSCHED_TASK_NONE || info.state == LSCHED_TASK_DONE) continue;
            CHECK(m, m->n_held < HELD, "too many tasks");
            m->held[m->n_held++] =
                (struct task){node_at(m, info.node), info.state, info.device_milli,
                              info.device_words[0],  m->kind[j], info.job,
                              info.decision};
        }
    }
}

static int is_shared(const struct model *m, uint32_t n, uint32_t i) {
    return m->mode[n][i] != LSCHED_SHARING_WHOLE;
}

/* True if the two tasks are on one device that can be shared. */
static int meet(const struct model *m, const struct task *a, const struct task *b) {
    for (uint32_t i = 0; a->node == b->node && i < m->devices[a->node]; i++)
        if ((a->devices & b->devices) >> i & 1 && is_shared(m, a->node, i)) return 1;
    return 0;
}

static void check_plan(struct model *m, const lsched_plan *plan) {
    read_tasks(m);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        int claims = d->kind == LSCHED_DECIDE_NOMINATE;
        m->evicted += d->kind == LSCHED_DECIDE_EVICT;
        if (d->kind != LSCHED_DECIDE_PLACE && !claims) continue;
        const struct task *x = NULL;
        for (uint32_t t = 0; t < m->n_held; t++)
            if (m->held[t].decision == d->id) x = &m->held[t];
        CHECK(m, x, "a decision without its task");
        m->placed += !claims;
        m->nominated += (uint64_t)claims;
        for (uint32_t t = 0; t < m->n_held; t++) {
            const struct task *y = &m->held[t];
            if (x == y || !meet(m, x, y)) continue;
            m->shared++;
            if (claims && y->state == LSCHED_TASK_RELEASING) continue;
            CHECK(m, !bars(&m->table, x->kind, y->kind),
                  "a task is placed beside one that is barred");
        }
    }
}

/* True if device i has room now and later for a share, and nobody there bars the kind. */
static int device_has_room(struct model *m, uint32_t n, uint32_t i, uint32_t milli, int kind) {
    uint32_t now = 0, later = 0, alone = 1;
    for (uint32_t t = 0; t < m->n_held; t++) {
        const struct task *y = &m->held[t];
        if (y->node != n || !(y->devices >> i & 1)) continue;
        now += y->state == LSCHED_TASK_NOMINATED ? 0 : y->milli;
        later += y->state == LSCHED_TASK_RELEASING ? 0 : y->milli;
        if (is_shared(m, n, i) && bars(&m->table, kind, y->kind)) alone = 0;
    }
    if (!is_shared(m, n, i) && milli < 1000) return 0;
    int room = now + milli <= 1000 && later + milli <= 1000;
    m->barred += (uint64_t)(room && !alone);
    return room && alone;
}

/* True if the node has room for so much of its devices, as a sum. An import can take more than a
 * device has, and that is then missing on the others. */
static int node_has_room(const struct model *m, uint32_t n, uint32_t milli) {
    uint32_t now = milli, later = milli;
    for (uint32_t t = 0; t < m->n_held; t++)
        for (uint32_t i = 0; m->held[t].node == n && i < m->devices[n]; i++) {
            if (!(m->held[t].devices >> i & 1)) continue;
            now += m->held[t].state == LSCHED_TASK_NOMINATED ? 0 : m->held[t].milli;
            later += m->held[t].state == LSCHED_TASK_RELEASING ? 0 : m->held[t].milli;
        }
    return now <= 1000 * m->devices[n] && later <= 1000 * m->devices[n];
}

static void check_waits(struct model *m, const lsched_plan *plan) {
    if (m->pipeline >= 5) return; /* what waits there can wait for its planned start */
    for (size_t i = 0; i < lsched_plan_waiting_size(plan); i++) {
        const lsched_waiting *w = lsched_plan_waiting_at(plan, i);
        uint32_t j = 0;
        if (w->code != LSCHED_WAIT_ROOM) continue;
        while (j < m->n_jobs && m->job[j] != w->job) j++;
        if (j == m->n_jobs || m->tasks[j] != 1) continue;
        m->waits++;
        for (uint32_t n = 0; n < NODES; n++) {
            uint32_t fit = 0;
            for (uint32_t d = 0; d < m->devices[n]; d++)
                fit += (uint32_t)device_has_room(m, n, d, m->milli[j], m->kind[j]);
            if (fit < m->spread[j] || !node_has_room(m, n, m->milli[j] * m->spread[j])) continue;
            fprintf(stderr, "job %u on node %u\n", j, n);
            wrong(m, "a job waits for room that exists");
        }
    }
}

/* ---- events ---- */

static void report(struct model *m, lsched_id job, uint32_t index, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = job;
    e.task_index = index;
    CHECK(m, lsched_tasks_report(m->c, &e, 1, sizeof e, NULL, NULL, &m->err) >= 0, "report");
}

static void settle(struct model *m, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_settlement s = {sizeof s, LSCHED_OUTCOME_CONFIRMED, d->id, {NULL, 0}, NULL};
        if (lsched_decision_state(m->c, d->id, NULL) != LSCHED_DECISION_PROPOSED) continue;
        CHECK(m, lsched_settle(m->c, &s, 1, sizeof s, NULL, NULL, NULL, &m->err) >= 0, "settle");
        if (d->kind == LSCHED_DECIDE_PLACE && !chance_one_in(&m->chance, 5))
            report(m, d->job, d->task_index, LSCHED_EVENT_STARTED);
    }
}

/* Ends some tasks, and all that were told to stop a step ago. */
static void end_some(struct model *m) {
    for (uint32_t j = 0; j < m->n_jobs; j++) {
        lsched_task_info info = {.size = sizeof info};
        uint64_t cursor = 0;
        lsched_job_info job = {.size = sizeof job};
        if (lsched_job_get(m->c, m->job[j], &job, NULL) != LSCHED_OK) continue;
        uint32_t ends[2 * TASKS], how[2 * TASKS], n = 0;
        while (n < 2 * TASKS && lsched_tasks_next(m->c, m->job[j], 0, &cursor, &info, NULL) == 1) {
            int leaves = info.state == LSCHED_TASK_RELEASING && chance_one_in(&m->chance, 2);
            if (!leaves && (info.state != LSCHED_TASK_RUNNING || !chance_one_in(&m->chance, 10)))
                continue;
            ends[n] = info.task_index;
            how[n++] = leaves ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED;
        }
        for (uint32_t i = 0; i < n; i++) report(m, m->job[j], ends[i], how[i]);
    }
}

static void import_one(struct model *m) {
    uint32_t n = chance_below(&m->chance, NODES), j = m->n_jobs;
    lsched_job_info job = {.size = sizeof job};
    submit(m);
    if (j == m->n_jobs || m->spread[j] > m->devices[n]) return;
    lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
    t.job = m->job[j];
    t.node = m->node[n];
    t.device_mask = (1u << m->spread[j]) - 1;
    t.start_us = m->now;
    CHECK(m, lsched_tasks_import(m->c, &t, 1, sizeof t, NULL, NULL, &m->err) >= 0, "import");
    m->imports++;
}

static void renew_node(struct model *m) {
    uint32_t n = chance_below(&m->chance, NODES);
    read_tasks(m);
    for (uint32_t t = 0; t < m->n_held; t++)
        if (m->held[t].node == n) return;
    CHECK(m, lsched_nodes_remove(m->c, &m->node[n], 1, NULL, NULL, &m->err) >= 0, "remove node");
    add_node(m, n);
}

static void copy_world(struct model *m) {
    lsched_cluster *copy = NULL;
    CHECK(m, lsched_cluster_clone(m->c, &copy, &m->err) == LSCHED_OK, "clone");
    lsched_cluster_destroy(m->c);
    m->c = copy;
}

/* Returns the number of decisions that the cycle made or withdrew. */
static size_t cycle(struct model *m) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    o.now_us = m->now;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    CHECK(m, lsched_schedule(m->c, &o, &plan, &m->err) >= 0, "schedule");
    size_t n = lsched_plan_size(plan) + lsched_plan_withdrawn_size(plan);
    check_plan(m, plan);
    check_waits(m, plan);
    settle(m, plan);
    CHECK(m, lsched_verify(m->c, NULL, &m->err) == LSCHED_OK, "verify after");
    lsched_plan_destroy(plan);
    return n;
}

static void step(struct model *m) {
    m->now += SECOND * chance_between(&m->chance, 1, 20);
    for (uint32_t n = chance_below(&m->chance, 3); n > 0; n--) submit(m);
    end_some(m);
    if (chance_one_in(&m->chance, 12)) import_one(m);
    if (chance_one_in(&m->chance, 10)) renew_node(m);
    if (chance_one_in(&m->chance, 12)) load_policy(m);
    if (chance_one_in(&m->chance, 10)) copy_world(m);
    CHECK(m, lsched_verify(m->c, NULL, &m->err) == LSCHED_OK, "verify before");
    for (int i = 0; i < CYCLES && cycle(m) > 0; i++) {}
}

int main(void) {
    uint32_t rounds = chance_rounds(60);
    uint64_t first = chance_seed(1), sums[8] = {0};
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        struct model *m = calloc(1, sizeof *m);
        if (!m) return 1;
        m->seed = seed;
        m->err = (lsched_error)LSCHED_ERROR_INIT;
        m->chance = (struct chance){seed};
        make(m);
        for (m->step = 0; m->step < STEPS; m->step++) step(m);
        const uint64_t of[8] = {m->placed, m->nominated, m->evicted, m->shared,
                                m->barred, m->waits,     m->imports, m->tables};
        for (int i = 0; i < 8; i++) sums[i] += of[i];
        lsched_cluster_destroy(m->c);
        free(m);
    }
    printf("placed %" PRIu64 ", nominated %" PRIu64 ", evicted %" PRIu64 "; beside others %" PRIu64
           ", devices barred %" PRIu64 ", waits compared %" PRIu64 ", imports %" PRIu64
           ", tables %" PRIu64 "\n",
           sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]);
    return 0;
}
