/*
 * Which job grows next by the rows `scaling` of a policy, against a model in plain arrays.
 *
 * One node has all devices and one queue all jobs, so that the order of a plan is known to the last
 * task: the highest priority first; of one priority the jobs that start, as they were submitted;
 * then the job that gains most for each device of its next task, as a part of what one device alone
 * does. Who gains nothing, or does not fit, is left out, and at the end of a cycle nobody is left
 * who would fit and gain. The model computes gains in floating point from the numbers that it wrote
 * into the policy, and shares nothing with the library. Gains that differ by no more than what the
 * library rounds can come in any order; jobs of one kind and one size come as they were submitted.
 *
 * Tables change and go, jobs come, end and lose tasks, and clusters are cloned and loaded.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; a failure prints seed and step.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

#include "property/chance.h"

enum { DEVICES = 48, JOBS = 40, STEPS = 40, KINDS = 3, POINTS = 4, HELD = 64 };
#define SECOND  INT64_C(1000000)
#define ROUNDED 0.0011

struct row {
    uint32_t n, devices[POINTS], tenths[POINTS];
};

struct job {
    lsched_id id;
    uint32_t kind, each, min, max, placed, done; /* kind: KINDS if it names none */
    int32_t priority;
    int is_there;
};

struct held {
    uint32_t job, index;
};

struct model {
    struct chance chance;
    uint64_t seed;
    uint32_t step, n_jobs, n_held;
    lsched_cluster *c;
    lsched_error err;
    int64_t now;
    int has_table, others;
    struct row row[KINDS];
    struct job job[JOBS];
    struct held held[HELD];
    uint64_t grown, chosen, barred, tables;
};

static void wrong(const struct model *m, const char *what) {
    fprintf(stderr, "seed %" PRIu64 ", step %u: %s (%s)\n", m->seed, m->step, what, m->err.message);
    abort();
}
#define CHECK(m, that, what)         \
    do {                             \
        if (!(that)) wrong(m, what); \
    } while (0)

static const char *const names[KINDS + 1] = {"a", "b", "c", "unknown"};

/* ---- the policy ---- */

static void draw_row(struct model *m, struct row *r) {
    struct chance *c = &m->chance;
    uint32_t devices = 0, tenths = 0;
    memset(r, 0, sizeof *r);
    if (chance_one_in(c, 5)) return;
    r->n = 1 + chance_below(c, POINTS);
    for (uint32_t i = 0; i < r->n; i++) {
        r->devices[i] = devices += 1 + chance_below(c, 4);
        tenths += chance_one_in(c, 4) ? 0 : chance_below(c, 30);
        if (tenths > 5 && chance_one_in(c, 6)) tenths -= 5; /* more devices, and slower */
        r->tenths[i] = tenths = tenths ? tenths : 1;
    }
}

static void load_policy(struct model *m) {
    char text[1024];
    size_t n = (size_t)snprintf(text, sizeof text, "return { api = 1");
    m->has_table = !chance_one_in(&m->chance, 6);
    m->others = chance_one_in(&m->chance, 3);
    for (uint32_t a = 0; a < KINDS; a++) draw_row(m, &m->row[a]);
    if (m->has_table) {
        n += (size_t)snprintf(text + n, sizeof text - n,
                              ", speeds = { %sspeed = { a = {T4 = 1}, "
                              "b = {T4 = 2}, c = {T4 = 3} }, scaling = { ",
                              m->others ? "others = 'b', " : "");
        for (uint32_t a = 0; a < KINDS; a++) {
            const struct row *r = &m->row[a];
            if (r->n) n += (size_t)snprintf(text + n, sizeof text - n, "%s = { ", names[a]);
            for (uint32_t i = 0; i < r->n; i++)
                n += (size_t)snprintf(text + n, sizeof text - n, "[%u] = %u.%u, ", r->devices[i],
                                      r->tenths[i] / 10, r->tenths[i] % 10);
            if (r->n) n += (size_t)snprintf(text + n, sizeof text - n, "}, ");
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "} }");
    }
    snprintf(text + n, sizeof text - n, " }");
    m->tables++;
    if (lsched_policy_load(m->c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &m->err) < 0) {
        fprintf(stderr, "%s\n", text);
        wrong(m, "the policy is refused");
    }
}

/* ---- the model ---- */

static double speed_on(const struct row *r, double devices) {
    double x = 0, y = 0, slope = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        double to = r->devices[i], at = r->tenths[i] / 10.0;
        slope = (at - y) / (to - x);
        if (devices <= to) return y + slope * (devices - x);
        x = to, y = at;
    }
    return y + slope * (devices - x);
}

/* Returns the row that counts for the job, NULL if there is none. */
static const struct row *row_of(const struct model *m, const struct job *j) {
    uint32_t kind = j->kind < KINDS ? j->kind : m->others ? 1 : KINDS;
    return m->has_table && kind < KINDS && m->row[kind].n ? &m->row[kind] : NULL;
}

static double gain_of(const struct model *m, const struct job *j) {
    const struct row *r = row_of(m, j);
    double n = j->placed * j->each;
    return r ? (speed_on(r, n + j->each) - speed_on(r, n)) / j->each / speed_on(r, 1) : 1;
}

static int starts(const struct job *j) {
    return j->placed + j->done < j->min;
}

/* True if the job wants a task that fits and, if it grows, gains something. */
static int wants(const struct model *m, const struct job *j, uint32_t free) {
    if (!j->is_there || j->placed + j->done == j->max) return 0;
    uint32_t tasks = starts(j) ? j->min - j->placed - j->done : 1;
    return tasks * j->each <= free && (starts(j) || gain_of(m, j) > 1e-9);
}

/* True if job a surely comes before job b; both want a task. */
static int comes_before(const struct model *m, uint32_t a, uint32_t b) {
    const struct job *x = &m->job[a], *y = &m->job[b];
    if (x->priority != y->priority) return x->priority > y->priority;
    if (starts(x) != starts(y)) return starts(x);
    if (starts(x)) return a < b;
    if (row_of(m, x) == row_of(m, y) && x->each == y->each &&
        (x->placed == y->placed || !row_of(m, x)))
        return a < b;
    return gain_of(m, x) > gain_of(m, y) + ROUNDED;
}

static uint32_t used(const struct model *m) {
    uint32_t n = 0;
    for (uint32_t j = 0; j < m->n_jobs; j++) n += m->job[j].placed * m->job[j].each;
    return n;
}

static void take(struct model *m, const lsched_decision *d) {
    uint32_t j = 0, free = DEVICES - used(m);
    while (j < m->n_jobs && m->job[j].id != d->job) j++;
    CHECK(m, d->kind == LSCHED_DECIDE_PLACE && j < m->n_jobs && m->n_held < HELD, "a decision");
    struct job *job = &m->job[j];
    CHECK(m, starts(job) || gain_of(m, job) > 1e-9, "a job grows and gains nothing");
    int is_begun = starts(job) && job->placed + job->done > 0, later = 0;
    for (uint32_t o = 0; o < m->n_jobs && !is_begun; o++) {
        if (o == j || !wants(m, &m->job[o], free)) continue;
        if (comes_before(m, o, j)) {
            fprintf(stderr, "%s gains %.4f, %s gains %.4f\n", names[job->kind], gain_of(m, job),
                    names[m->job[o].kind], gain_of(m, &m->job[o]));
            wrong(m, "another job comes first");
        }
        later |= o < j && m->job[o].priority == job->priority && !starts(&m->job[o]);
    }
    m->grown += !starts(job);
    m->chosen += !starts(job) && later;
    job->placed++;
    m->held[m->n_held++] = (struct held){j, d->task_index};
}

/* Nobody is left who would fit and gain. Records of jobs that gain nothing are right. */
static void look_after(struct model *m, const lsched_plan *plan) {
    for (uint32_t j = 0; j < m->n_jobs; j++)
        CHECK(m, !wants(m, &m->job[j], DEVICES - used(m)), "a job could grow");
    for (size_t i = 0; i < lsched_plan_waiting_size(plan); i++) {
        const lsched_waiting *w = lsched_plan_waiting_at(plan, i);
        uint32_t j = 0;
        if (w->code != LSCHED_WAIT_GAIN) continue;
        while (j < m->n_jobs && m->job[j].id != w->job) j++;
        CHECK(m, j < m->n_jobs && gain_of(m, &m->job[j]) <= 1e-9, "a job gains something");
        CHECK(m,
              w->have == m->job[j].placed * m->job[j].each && w->need == w->have + m->job[j].each,
              "the numbers of a record");
        m->barred++;
    }
}

/* ---- events ---- */

static void submit(struct model *m) {
    struct chance *c = &m->chance;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    char name[8];
    if (m->n_jobs == JOBS) return;
    struct job *j = &m->job[m->n_jobs];
    snprintf(name, sizeof name, "j%02u", m->n_jobs++);
    *j = (struct job){.kind = chance_below(c, KINDS + 1), .each = chance_one_in(c, 4) ? 2 : 1};
    j->max = 1 + chance_below(c, 12);
    j->min = 1 + chance_below(c, j->max < 3 ? j->max : 3);
    j->priority = chance_one_in(c, 4);
    j->is_there = 1;
    lsched_amount request[] = {{LSCHED_GPU, 0, 1000 * (int64_t)j->each}};
    group.request = request;
    group.n_request = 1;
    group.work_kind = lsched_cstr(names[j->kind]);
    group.max_count = j->max;
    group.min_count = j->min;
    job.name = lsched_cstr(name);
    job.priority = j->priority;
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    CHECK(m, lsched_jobs_submit(m->c, &job, 1, sizeof job, NULL, &j->id, NULL, &m->err) == 1,
          "submit");
}

static void report(struct model *m, const struct held *t, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = m->job[t->job].id;
    e.task_index = t->index;
    CHECK(m, lsched_tasks_report(m->c, &e, 1, sizeof e, NULL, NULL, &m->err) >= 0, "report");
}

static void end_some(struct model *m) {
    for (uint32_t t = m->n_held; t-- > 0;) {
        struct job *j = &m->job[m->held[t].job];
        if (!chance_one_in(&m->chance, 8)) continue;
        report(m, &m->held[t], LSCHED_EVENT_ENDED);
        j->placed--, j->done++;
        m->held[t] = m->held[--m->n_held];
    }
}

static void make(struct model *m) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
    CHECK(m, lsched_cluster_create(NULL, &m->c, &m->err) == LSCHED_OK, "create");
    queue.name = LSCHED_TEXT("q");
    CHECK(m, lsched_queues_add(m->c, &queue, 1, sizeof queue, NULL, NULL, NULL, &m->err) == 1,
          "queue");
    devices.count = DEVICES;
    devices.model = LSCHED_TEXT("T4");
    node.name = LSCHED_TEXT("n");
    node.devices = &devices;
    node.n_devices = 1;
    CHECK(m, lsched_nodes_add(m->c, &node, 1, sizeof node, NULL, NULL, NULL, &m->err) == 1, "node");
    load_policy(m);
    m->now = 1000 * SECOND;
}

static void copy_world(struct model *m) {
    lsched_cluster *copy = NULL;
    CHECK(m, lsched_cluster_clone(m->c, &copy, &m->err) == LSCHED_OK, "clone");
    lsched_cluster_destroy(m->c);
    m->c = copy;
}

static void step(struct model *m) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    uint32_t was;
    m->now += SECOND * chance_between(&m->chance, 1, 20);
    for (uint32_t n = chance_below(&m->chance, 3); n > 0; n--) submit(m);
    end_some(m);
    if (chance_one_in(&m->chance, 8)) load_policy(m);
    if (chance_one_in(&m->chance, 10)) copy_world(m);
    was = m->n_held;
    o.now_us = m->now;
    o.flags = LSCHED_SCHEDULE_VERIFY | LSCHED_SCHEDULE_ALL_WAITING;
    CHECK(m, lsched_schedule(m->c, &o, &plan, &m->err) >= 0, "schedule");
    for (size_t i = 0; i < lsched_plan_size(plan); i++) take(m, lsched_plan_at(plan, i));
    look_after(m, plan);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        lsched_settlement s = {
            sizeof s, LSCHED_OUTCOME_CONFIRMED, lsched_plan_at(plan, i)->id, {NULL, 0}, NULL};
        CHECK(m, lsched_settle(m->c, &s, 1, sizeof s, NULL, NULL, NULL, &m->err) >= 0, "settle");
    }
    for (uint32_t t = was; t < m->n_held; t++) report(m, &m->held[t], LSCHED_EVENT_STARTED);
    lsched_plan_destroy(plan);
    CHECK(m, lsched_verify(m->c, NULL, &m->err) == LSCHED_OK, "verify");
}

int main(void) {
    enum { ROUNDS = 60 };
    uint32_t rounds = chance_rounds(ROUNDS);
    uint64_t first = chance_seed(1), sums[4] = {0};
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        struct model *m = calloc(1, sizeof *m);
        if (!m) return 1;
        m->seed = seed;
        m->err = (lsched_error)LSCHED_ERROR_INIT;
        m->chance = (struct chance){seed};
        make(m);
        for (m->step = 0; m->step < STEPS; m->step++) step(m);
        const uint64_t of[4] = {m->grown, m->chosen, m->barred, m->tables};
        for (int i = 0; i < 4; i++) sums[i] += of[i];
        lsched_cluster_destroy(m->c);
        free(m);
    }
    printf("tasks by growth %" PRIu64 ", before a job that was submitted earlier %" PRIu64
           "; waits because nothing is gained %" PRIu64 "; tables %" PRIu64 "\n",
           sums[0], sums[1], sums[2], sums[3]);
    return !chance_enough(sums[1], 1, ROUNDS) || !chance_enough(sums[2], 1, ROUNDS);
}
