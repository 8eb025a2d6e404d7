/*
 * Warnings before an end under random events: jobs and gangs with time limits that are raised and
 * lowered, allowances that end work and whose terms change, nodes that leave once, again and again,
 * or stay after all, evictions for other jobs, resizes, refused stops, warnings that are delivered,
 * refused, delivered late or left open, other times of warning, clones, saves, and a clock that is set back.
 *
 * The host cycles at each time that lsched_next_wake() names, as often as it names the same time. A
 * model outside the library keeps for each running task what it was told, and since when its first
 * end is known: after each event it asks lsched_job_end_get(), which computes ends with other code.
 * Where a host delivers what it is asked to deliver, each task that a limit or an allowance stops,
 * and each task whose node leaves, was told an end near to that time, at the latest when the end
 * was known and the time of the warning had come. No task is told the same cause and time twice,
 * unless its warning was withdrawn, rejected, or the clock was set back. A WARN is in a group alone, and says
 * the end that lsched_job_end_get() says. Other decisions are those of a clone that asks for no
 * warnings.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; a failure prints seed and step.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

#include "property/chance.h"
#include "support/cluster_copy.h"

enum { NODES = 4, QUEUES = 2, JOBS = 60, TASKS = 3, STEPS = 120, WAKES = 40 };
#define SECOND INT64_C(1000000)
#define KINDS  (LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_RESIZE)

static const char policy_text[] =
    "return { api = 1, name = 'all', fair_share = 'quota',\n"
    "  pipeline = { 'evict-overdue', 'allocate', 'preempt' }, eviction = { grace_seconds = 20 } }";

/* What one task was told, by cause (LSCHED_FOR_*); at: 0: nothing. when: the time of the cycle. A
 * warning without an answer can be withdrawn with other decisions, and comes again. */
struct told {
    int64_t at, when;
    int delivered;
};
enum { CAUSES = LSCHED_FOR_ABSENCE + 1 };

/* end: the first end of the job by its causes as of the latest look; since: when it was first said.
 * Of a job whose tasks know different ends, each has its own. */
struct known {
    int64_t at, since;
};

struct model {
    struct chance chance;
    uint64_t seed;
    uint32_t step, n_jobs, tasks[JOBS];
    int delivers; /* 1: each warning is delivered at once, and each stop is obeyed */
    lsched_cluster *c;
    lsched_error err;
    int64_t now, lead;
    lsched_id node[NODES], queue[QUEUES], job[JOBS];
    struct told told[JOBS][TASKS][CAUSES];
    struct known limit[JOBS], spent[JOBS], leaves[NODES];
    uint64_t warned, stopped, absent, retold, rejected, withdrawn, cycles, back, equal, late;
};

static void wrong(const struct model *m, const char *what) {
    fprintf(stderr, "seed %" PRIu64 ", step %u, now %" PRId64 ": %s (%s)\n", m->seed, m->step,
            m->now, what, m->err.message);
    abort();
}
#define CHECK(m, that, what)         \
    do {                             \
        if (!(that)) wrong(m, what); \
    } while (0)

static uint32_t job_of(const struct model *m, lsched_id id) {
    uint32_t j = 0;
    while (m->job[j] != id) j++;
    return j;
}

static void forget(struct model *m, uint32_t j, uint32_t task) {
    memset(m->told[j][task], 0, sizeof m->told[j][task]);
}

/* ---- what is known ---- */

static void know(const struct model *m, struct known *k, int64_t at) {
    if (k->at != at) *k = (struct known){at, m->now};
}

/* The time after now at which the node leaves. */
static int64_t leaves_next(struct model *m, uint32_t n) {
    lsched_node_info i = {.size = sizeof i};
    CHECK(m, lsched_node_get(m->c, m->node[n], &i, &m->err) == LSCHED_OK, "node");
    int64_t at = i.leaves_us;
    while (at && at <= m->now && i.leaves_every_us) at += i.leaves_every_us;
    return at > m->now ? at : LSCHED_NEVER_US;
}

/* Reads the ends of all jobs after an event. */
static void look(struct model *m) {
    for (uint32_t j = 0; j < m->n_jobs; j++) {
        lsched_job_end e = LSCHED_JOB_END_INIT;
        int there = lsched_job_end_get(m->c, m->job[j], &e, NULL) == LSCHED_OK;
        know(m, &m->limit[j], there ? e.limit_us : LSCHED_NEVER_US);
        know(m, &m->spent[j], there ? e.spent_stop_us : LSCHED_NEVER_US);
    }
    for (uint32_t n = 0; n < NODES; n++) know(m, &m->leaves[n], leaves_next(m, n));
}

/* The task ends at m->now, which has been known since k->since: it was told that in time. */
static void was_told(const struct model *m, uint32_t j, uint32_t task, uint32_t cause,
                     const struct known *k, int64_t started) {
    int64_t since = k->since > started ? k->since : started, latest = m->now - m->lead;
    if (latest < since) latest = since;
    if (!m->delivers || since >= m->now) return;
    for (uint32_t c = 0; c < CAUSES; c++) {
        const struct told *t = &m->told[j][task][c];
        /* an end that another cause brings first is told instead */
        if (t->at && t->at <= m->now + m->lead / 8 && t->when <= latest &&
            (c == cause ? t->at >= m->now - m->lead : t->at <= m->now))
            return;
    }
    fprintf(stderr, "job %u, task %u, cause %u, lead %" PRId64 ": known since %" PRId64 "\n", j,
            task, cause, m->lead, since);
    for (uint32_t c = 0; c < CAUSES; c++)
        if (m->told[j][task][c].at)
            fprintf(stderr, "  told cause %u at %" PRId64 ": %" PRId64 "\n", c,
                    m->told[j][task][c].when, m->told[j][task][c].at);
    char text[4096] = "";
    (void)lsched_explain(m->c, m->job[j], text, sizeof text, NULL, NULL);
    fputs(text, stderr);
    wrong(m, "a task ends that was not told so in time");
}

/* ---- events ---- */

static void answer(struct model *m, lsched_id decision, int32_t outcome) {
    lsched_settlement s = {sizeof s, outcome, decision, {NULL, 0}, NULL};
    CHECK(m, lsched_settle(m->c, &s, 1, sizeof s, NULL, NULL, NULL, &m->err) >= 0, "settle");
}

static int64_t report(struct model *m, lsched_id job, uint32_t task, uint32_t event) {
    lsched_task_event e = {
        .size = sizeof e, .event = event, .job = job, .task_index = task, .at_us = m->now};
    return lsched_tasks_report(m->c, &e, 1, sizeof e, NULL, NULL, NULL);
}

static int64_t start_of(const struct model *m, lsched_id job, uint32_t task) {
    lsched_task_info i = {.size = sizeof i};
    uint64_t cursor = 0;
    while (lsched_tasks_next(m->c, job, 0, &cursor, &i, NULL) == 1)
        if (i.task_index == task && i.state != LSCHED_TASK_NONE) return i.start_us;
    return m->now;
}

static void take_warning(struct model *m, const lsched_decision *d) {
    uint32_t j = job_of(m, d->job);
    struct told *t = &m->told[j][d->task_index][d->reason];
    lsched_job_end e = LSCHED_JOB_END_INIT;
    CHECK(m, d->at_us > m->now && d->at_us - m->now <= m->lead, "an end that is not near");
    CHECK(m, t->at != d->at_us || !t->delivered, "the same end twice");
    CHECK(m, lsched_job_end_get(m->c, d->job, &e, &m->err) == LSCHED_OK, "the end");
    /* a refusal to stop the job can have moved its end, which the next cycle notes */
    if (d->reason == LSCHED_FOR_TIME_LIMIT)
        CHECK(m, m->delivers ? d->at_us == e.limit_us : d->at_us <= e.limit_us, "another limit");
    if (d->reason == LSCHED_FOR_ALLOWANCE)
        CHECK(m, m->delivers ? d->at_us == e.spent_stop_us : d->at_us <= e.spent_stop_us,
              "another stop");
    if (d->reason == LSCHED_FOR_ABSENCE) {
        uint32_t n = 0;
        while (m->node[n] != d->node) n++;
        CHECK(m, d->at_us == leaves_next(m, n), "another absence");
    }
    m->retold += t->at != 0;
    *t = (struct told){d->at_us, m->now, 0};
    m->warned++;
    if (m->delivers || chance_one_in(&m->chance, 2)) {
        answer(m, d->id, LSCHED_OUTCOME_CONFIRMED);
        t->delivered = 1;
    } else if (chance_one_in(&m->chance, 2)) {
        answer(m, d->id, LSCHED_OUTCOME_REJECTED);
        forget(m, j, d->task_index);
        m->rejected++;
    }
}

static void take_stop(struct model *m, const lsched_decision *d) {
    uint32_t j = job_of(m, d->job);
    int64_t started = start_of(m, d->job, d->task_index);
    if (d->reason == LSCHED_FOR_TIME_LIMIT && m->limit[j].at == m->now)
        was_told(m, j, d->task_index, d->reason, &m->limit[j], started);
    if (d->reason == LSCHED_FOR_ALLOWANCE && m->spent[j].at == m->now)
        was_told(m, j, d->task_index, d->reason, &m->spent[j], started);
    m->stopped += d->reason == LSCHED_FOR_TIME_LIMIT || d->reason == LSCHED_FOR_ALLOWANCE;
    if (!m->delivers && chance_one_in(&m->chance, 3)) {
        answer(m, d->id, LSCHED_OUTCOME_REJECTED);
        forget(m, j, d->task_index);
        return;
    }
    CHECK(m, report(m, d->job, d->task_index, LSCHED_EVENT_FAILED) == 1, "stop");
    forget(m, j, d->task_index);
}

/* Of a node that leaves now, each task knows it. */
static void check_leaving(struct model *m) {
    for (uint32_t n = 0; n < NODES; n++) {
        lsched_task_info i = {.size = sizeof i};
        uint64_t cursor = 0;
        if (m->leaves[n].at != m->now) continue;
        while (lsched_tasks_next(m->c, 0, m->node[n], &cursor, &i, &m->err) == 1) {
            if (i.state != LSCHED_TASK_RUNNING) continue;
            was_told(m, job_of(m, i.job), i.task_index, LSCHED_FOR_ABSENCE, &m->leaves[n],
                     i.start_us);
            m->absent++;
        }
    }
}

static lsched_schedule_opts options(const struct model *m) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    o.now_us = m->now;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    o.decision_kinds = KINDS | 1u << LSCHED_DECIDE_WARN;
    o.warn_before_us = m->lead;
    return o;
}

static int has_resizes(const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        if (lsched_plan_at(plan, i)->kind == LSCHED_DECIDE_RESIZE) return 1;
    return 0;
}

/* The plan without its warnings is that of a clone that asks for none. A warning is alone in its
 * group. A wish to be resized waits for an open warning; plans with resizes are not compared. */
static void check_equal(struct model *m, lsched_cluster *other, const lsched_plan *plan) {
    lsched_schedule_opts o = options(m);
    lsched_plan *plain = NULL;
    size_t at = 0;
    o.warn_before_us = 0;
    CHECK(m, lsched_schedule(other, &o, &plain, &m->err) >= 0, "a cycle of the clone");
    int resizes = has_resizes(plan) || has_resizes(plain);
    for (size_t i = 0; i < lsched_plan_size(plan) && !resizes; i++) {
        const lsched_decision *d = lsched_plan_at(plan, i), *e = lsched_plan_at(plain, at);
        if (d->kind == LSCHED_DECIDE_WARN) {
            const lsched_decision *near[] = {i ? lsched_plan_at(plan, i - 1) : NULL,
                                             lsched_plan_at(plan, i + 1)};
            for (int k = 0; k < 2; k++)
                CHECK(m, !near[k] || near[k]->group != d->group, "a warning is in a larger group");
            continue;
        }
        CHECK(m,
              e && d->kind == e->kind && d->job == e->job && d->task_index == e->task_index &&
                  d->node == e->node && d->reason == e->reason,
              "warnings change another decision");
        at++;
    }
    m->equal += !resizes;
    lsched_plan_destroy(plain);
}

static void cycle(struct model *m) {
    lsched_schedule_opts o = options(m);
    lsched_plan *plan = NULL;
    lsched_cluster *other = NULL;
    if (chance_one_in(&m->chance, 4))
        CHECK(m, lsched_cluster_clone(m->c, &other, &m->err) == LSCHED_OK, "clone");
    CHECK(m, lsched_schedule(m->c, &o, &plan, &m->err) >= 0, "schedule");
    if (other) check_equal(m, other, plan);
    lsched_cluster_destroy(other);
    m->cycles++;
    for (size_t i = 0; i < lsched_plan_withdrawn_size(plan); i++) m->withdrawn++;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind == LSCHED_DECIDE_WARN) take_warning(m, d);
    }
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (lsched_decision_state(m->c, d->id, NULL) < 0) continue; /* an answer withdrew it */
        if (d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE) take_stop(m, d);
        if (d->kind == LSCHED_DECIDE_RESIZE && (m->delivers || chance_one_in(&m->chance, 2)))
            answer(m, d->id, LSCHED_OUTCOME_CONFIRMED);
        if (d->kind != LSCHED_DECIDE_PLACE) continue;
        CHECK(m, report(m, d->job, d->task_index, LSCHED_EVENT_STARTED) == 1, "start");
        forget(m, job_of(m, d->job), d->task_index);
    }
    lsched_plan_destroy(plan);
    look(m);
}

/* Cycles until no cycle is due, and moves the clock to each time that a cycle names. */
static void pass_time(struct model *m, int64_t to) {
    for (uint32_t n = 0;; n++) {
        int64_t wake = lsched_next_wake(m->c), leaves = LSCHED_NEVER_US;
        for (uint32_t i = 0; i < NODES; i++)
            if (m->leaves[i].at > m->now && m->leaves[i].at < leaves) leaves = m->leaves[i].at;
        CHECK(m, n < WAKES * 20, "the cluster asks for cycles without an end");
        if (wake > to && leaves > to) break;
        int64_t next = wake < leaves ? wake : leaves;
        if (next > m->now) m->now = next;
        check_leaving(m);
        cycle(m);
    }
    m->now = to;
    cycle(m);
}

static void submit(struct model *m) {
    struct chance *c = &m->chance;
    char name[16];
    if (m->n_jobs == JOBS) return;
    snprintf(name, sizeof name, "j%u", m->n_jobs);
    uint32_t tasks = 1 + chance_below(c, TASKS);
    lsched_amount cpu = {LSCHED_CPU, 0, chance_between(c, 1, 2) * 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.request = &cpu;
    g.n_request = 1;
    g.min_count = chance_one_in(c, 2) ? tasks : 1;
    g.max_count = tasks;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    d.name = lsched_cstr(name);
    d.queue = m->queue[chance_below(c, QUEUES)];
    d.groups = &g;
    d.n_groups = 1;
    d.group_elem_size = sizeof g;
    d.priority = (int32_t)chance_below(c, 3);
    if (!chance_one_in(c, 3)) d.time_limit_us = chance_between(c, 5, 400) * SECOND;
    if (chance_one_in(c, 2)) d.duration_us = chance_between(c, 5, 400) * SECOND;
    m->tasks[m->n_jobs] = tasks;
    CHECK(m,
          lsched_jobs_submit(m->c, &d, 1, sizeof d, NULL, &m->job[m->n_jobs], NULL, &m->err) == 1,
          "submit");
    m->n_jobs++;
}

static void set_terms(struct model *m) {
    struct chance *c = &m->chance;
    lsched_amount price = {LSCHED_CPU, 0, chance_between(c, 1, 3) * 1000000};
    lsched_allowance_desc d = LSCHED_ALLOWANCE_DESC_INIT;
    d.queue = m->queue[0];
    d.price = &price;
    d.n_price = 1;
    d.amount_micro = chance_between(c, 0, 900) * 1000000 / 3;
    d.unknown_us = SECOND;
    if (chance_one_in(c, 2)) d.period_us = chance_between(c, 100, 900) * SECOND;
    d.spent = chance_one_in(c, 5) ? LSCHED_SPENT_RUN_ON : LSCHED_SPENT_END;
    if (d.spent == LSCHED_SPENT_END) d.grace_us = chance_between(c, 0, 60) * SECOND;
    CHECK(m, lsched_allowances_set(m->c, &d, 1, sizeof d, NULL, NULL, &m->err) >= 0, "terms");
}

static void set_absence(struct model *m) {
    struct chance *c = &m->chance;
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = m->node[chance_below(c, NODES)];
    u.set = LSCHED_NODE_SET_ABSENCE;
    if (!chance_one_in(c, 3)) {
        u.leaves_us = m->now + chance_between(c, 1, 300) * SECOND;
        if (chance_one_in(c, 2)) u.back_us = u.leaves_us + chance_between(c, 1, 100) * SECOND;
        if (u.back_us && chance_one_in(c, 2))
            u.leaves_every_us = chance_between(c, 101, 400) * SECOND;
    }
    CHECK(m, lsched_nodes_update(m->c, &u, 1, sizeof u, NULL, NULL, &m->err) == 1, "absence");
}

static void change_limit(struct model *m) {
    struct chance *c = &m->chance;
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    if (m->n_jobs == 0) return;
    u.job = m->job[chance_below(c, m->n_jobs)];
    u.set = LSCHED_JOB_SET_TIME_LIMIT | (chance_one_in(c, 3) ? LSCHED_JOB_SET_AGAIN : 0);
    if (!chance_one_in(c, 5)) u.time_limit_us = chance_between(c, 1, 500) * SECOND;
    (void)lsched_jobs_update(m->c, &u, 1, sizeof u, NULL, NULL, NULL);
}

static void end_one(struct model *m) {
    if (m->n_jobs == 0) return;
    uint32_t j = chance_below(&m->chance, m->n_jobs), t = chance_below(&m->chance, m->tasks[j]);
    if (report(m, m->job[j], t,
               chance_one_in(&m->chance, 3) ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED) == 1)
        forget(m, j, t);
}

static void resize(struct model *m) {
    if (m->n_jobs == 0) return;
    lsched_amount cpu = {LSCHED_CPU, 0, chance_between(&m->chance, 1, 3) * 1000};
    lsched_task_resize r = LSCHED_TASK_RESIZE_INIT;
    uint32_t j = chance_below(&m->chance, m->n_jobs);
    r.job = m->job[j];
    r.task_index = chance_below(&m->chance, m->tasks[j]);
    r.request = &cpu;
    r.n_request = 1;
    (void)lsched_tasks_resize(m->c, &r, 1, sizeof r, NULL, NULL, NULL);
}

static void swap(struct model *m) {
    lsched_cluster *other = NULL;
    if (chance_one_in(&m->chance, 2)) {
        CHECK(m, lsched_cluster_clone(m->c, &other, &m->err) == LSCHED_OK, "clone");
    } else {
        CHECK(m, cluster_copy_by_image(m->c, &other, &m->err) == LSCHED_OK, "save and load");
    }
    lsched_cluster_destroy(m->c);
    m->c = other;
}

static void set_back(struct model *m) {
    int64_t to = m->now - chance_between(&m->chance, 1, 200) * SECOND;
    if (to <= 0) return;
    m->now = to;
    m->back++;
    CHECK(m, lsched_clock_set(m->c, to, &m->err) == LSCHED_OK, "set back");
    memset(m->told, 0, sizeof m->told);
}

/* Confirms the oldest open warning. */
static void deliver_late(struct model *m) {
    lsched_decision d = {.size = sizeof d};
    uint64_t cursor = 0;
    while (lsched_decisions_next(m->c, &cursor, &d, &m->err) == 1) {
        if (d.kind != LSCHED_DECIDE_WARN) continue;
        answer(m, d.id, LSCHED_OUTCOME_CONFIRMED);
        struct told *t = &m->told[job_of(m, d.job)][d.task_index][d.reason];
        if (t->at == d.at_us) t->delivered = 1;
        m->late++;
        return;
    }
}

static void step(struct model *m) {
    struct chance *c = &m->chance;
    uint32_t what = chance_below(c, 100);
    if (what < 22) submit(m);
    if (what >= 22 && what < 32) set_terms(m);
    if (what >= 32 && what < 42) set_absence(m);
    if (what >= 42 && what < 52) change_limit(m);
    if (what >= 52 && what < 60) end_one(m);
    if (what >= 60 && what < 66) resize(m);
    if (what >= 66 && what < 69) swap(m);
    if (what == 69 || chance_one_in(c, 4)) deliver_late(m);
    if (what == 70 && !m->delivers) set_back(m);
    if (what == 71 && !m->delivers) m->lead = chance_between(c, 1, 120) * SECOND;
    look(m);
    if (what >= 72) pass_time(m, m->now + chance_between(c, 0, 60) * SECOND);
}

static void make(struct model *m) {
    lsched_node_desc n[NODES];
    lsched_queue_desc q[QUEUES];
    static const char *const names[] = {"n0", "n1", "n2", "n3"}, *const queues[] = {"q0", "q1"};
    lsched_amount cpu = {LSCHED_CPU, 0, 4000};
    CHECK(m, lsched_cluster_create(NULL, &m->c, &m->err) == LSCHED_OK, "create");
    CHECK(m,
          lsched_policy_load(m->c, LSCHED_TEXT("all.lua"),
                             (lsched_text){policy_text, sizeof policy_text - 1}, NULL,
                             &m->err) == LSCHED_OK,
          "policy");
    for (uint32_t i = 0; i < NODES; i++) {
        n[i] = (lsched_node_desc)LSCHED_NODE_DESC_INIT;
        n[i].name = lsched_cstr(names[i]);
        n[i].capacity = &cpu;
        n[i].n_capacity = 1;
    }
    for (uint32_t i = 0; i < QUEUES; i++) {
        q[i] = (lsched_queue_desc)LSCHED_QUEUE_DESC_INIT;
        q[i].name = lsched_cstr(queues[i]);
    }
    CHECK(m, lsched_nodes_add(m->c, n, NODES, sizeof n[0], NULL, m->node, NULL, &m->err) == NODES,
          "nodes");
    CHECK(m,
          lsched_queues_add(m->c, q, QUEUES, sizeof q[0], NULL, m->queue, NULL, &m->err) == QUEUES,
          "queues");
    m->delivers = !chance_one_in(&m->chance, 3);
    m->lead = chance_between(&m->chance, 1, 120) * SECOND;
    m->now = SECOND;
    look(m);
}

int main(void) {
    uint64_t first = chance_seed(1), sum[10] = {0};
    uint32_t rounds = chance_rounds(300);
    for (uint32_t r = 0; r < rounds; r++) {
        static struct model m;
        memset(&m, 0, sizeof m);
        m.err = (lsched_error)LSCHED_ERROR_INIT;
        m.seed = first + r;
        m.chance.state = m.seed;
        make(&m);
        for (m.step = 0; m.step < STEPS; m.step++) step(&m);
        lsched_cluster_destroy(m.c);
        const uint64_t of[] = {m.cycles,   m.warned,    m.stopped, m.absent, m.retold,
                               m.rejected, m.withdrawn, m.back,    m.equal,  m.late};
        for (int i = 0; i < 10; i++) sum[i] += of[i];
    }
    printf("%" PRIu64 " cycles, %" PRIu64 " warnings, %" PRIu64 " tasks stopped, %" PRIu64
           " tasks on a node that left, %" PRIu64 " ends told anew, %" PRIu64
           " warnings not delivered, %" PRIu64 " decisions withdrawn, %" PRIu64
           " times the clock set back, %" PRIu64 " plans equal without warnings, %" PRIu64
           " warnings delivered late\n",
           sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7], sum[8], sum[9]);
    for (int i = 0; i < 10; i++)
        if (!chance_enough(sum[i], 1, 300)) return 1;
    return 0;
}
