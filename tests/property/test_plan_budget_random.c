/*
 * Work budgets of actions that plan over time: for every budget from 1 upward, every waiting job is
 * looked at within a bounded number of cycles. In random clusters with running work, under backfill
 * with all its parameters (strict order, EASY, conservative, firm starts) and under ts-dpbp, cycles
 * with a budget follow each other at one time and state until a plan is not partial any more. Then
 * each waiting job has a reason, and the units of the cycles together are no more than twice what
 * they were given. No firm start is lost.
 *
 * On one node with one queue and without firm starts, these cycles together also start the tasks
 * that one cycle without a budget starts, and backfill tells the other jobs the same starts.
 *
 * In other worlds, a job comes and time moves between each two cycles: the last of the jobs that
 * waited at the beginning still starts within that number of cycles. LSCHED_TEST_SEED and
 * LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/changes.h>
#include <libsched/libsched.h>
#include <libsched/readback.h>

#include "engine/state/cache_check.h"
#include "property/chance.h"
#include "property/seeded_ok.h"
#include "support/report_all.h"
#include "support/settle.h"

#define JOBS_MAX   48u
#define NODES_MAX  4u
#define TASKS_MAX  3u
#define STARTS_MAX (2u * JOBS_MAX * TASKS_MAX)
#define HOUR       INT64_C(3600000000)
#define START      INT64_C(1700000000000000)

struct work {
    lsched_id id;
    int64_t length, limit;
    uint32_t gpus, tasks, queue;
    int32_t priority;
    int runs;
};

struct site {
    lsched_cluster *c;
    uint32_t n_nodes, n_queues, n_jobs, n_running, order, reservations, firm;
    uint32_t limit;    /* GPUs of each queue; 0: no limit */
    int plans_windows; /* 1: ts-dpbp */
    uint64_t sum;      /* units that looks and starts of all waiting jobs cost at most */
    const char *by, *share;
    uint32_t gpus[NODES_MAX];
    struct work job[JOBS_MAX];
};

/* What cycles at one time and state did together. */
struct made {
    uint32_t n;
    struct {
        lsched_id job, node;
        uint32_t task;
    } start[STARTS_MAX];
    uint64_t cycles, spent;
};

static uint64_t seed_now, first_seed, rounds, starts, compared, planned, firm_starts, streams;
static struct site site;

/* ---- the world ---- */

static void draw_job(struct site *s, struct chance *r, uint32_t j) {
    struct work *w = &s->job[j];
    w->gpus = 1 + chance_below(r, chance_one_in(r, 3) ? 8 : 3);
    w->tasks = chance_one_in(r, 4) ? 1 + chance_below(r, TASKS_MAX) : 1;
    w->queue = chance_below(r, s->n_queues);
    w->priority = chance_one_in(r, 5) ? (int32_t)chance_below(r, 3) : 0;
    w->length = chance_one_in(r, 12) ? 0 : chance_between(r, 1, 24) * HOUR / 4;
    if (chance_one_in(r, 2)) w->limit = w->length;
    s->sum += 4 + 4 * w->tasks;
}

static void draw(struct site *s, struct chance *r) {
    static const char *const orders[] = {"fifo", "fifo", "priority", "shortest-first"};
    static const char *const shares[] = {"fifo", "drf"};
    memset(s, 0, sizeof *s);
    s->n_nodes = chance_one_in(r, 2) ? 1 : 1 + chance_below(r, NODES_MAX);
    s->n_queues = chance_one_in(r, 2) ? 1 : 1 + chance_below(r, 3);
    s->n_jobs = 4 + chance_below(r, JOBS_MAX - 4);
    s->n_running = chance_below(r, s->n_jobs / 2);
    s->by = orders[chance_below(r, 4)];
    s->share = shares[chance_below(r, 2)];
    s->plans_windows = chance_one_in(r, 4);
    s->order = chance_below(r, 3);
    s->reservations = chance_one_in(r, 2) ? 0 : 1 + chance_below(r, 4);
    s->firm = chance_below(r, 3);
    s->limit = chance_one_in(r, 4) ? 4 + chance_below(r, 8) : 0;
    for (uint32_t i = 0; i < s->n_nodes; i++) s->gpus[i] = 1 + chance_below(r, 8);
    for (uint32_t j = 0; j < s->n_jobs; j++) draw_job(s, r, j);
}

static void make_policy(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    char text[400];
    snprintf(text, sizeof text,
             "return { api = 1, name = 'p', order = '%s', fair_share = '%s', pipeline = { "
             "'%s' }, params = { backfill_order = %u, backfill_reservations = %u, "
             "backfill_firm = %u, ts_work = 0 } }",
             s->by, s->share, s->plans_windows ? "ts-dpbp" : "backfill", (unsigned)s->order,
             (unsigned)s->reservations, (unsigned)s->firm);
    OK(lsched_policy_load(s->c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err));
}

static void make(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    char name[8];
    lsched_id id;
    opts.verify_every_plan = 1;
    OK(lsched_cluster_create(&opts, &s->c, &err));
    cache_check_on(s->c);
    make_policy(s);
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
        devices.count = s->gpus[i];
        devices.model = LSCHED_TEXT("gpu");
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        node.name = lsched_cstr(name);
        node.devices = &devices;
        node.n_devices = 1;
        OK(lsched_nodes_add(s->c, &node, 1, sizeof node, NULL, &id, NULL, &err));
    }
    for (uint32_t q = 0; q < s->n_queues; q++) {
        snprintf(name, sizeof name, "q%u", (unsigned)q);
        lsched_amount limit = {LSCHED_GPU, 0, 1000 * (int64_t)s->limit};
        lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
        queue.name = lsched_cstr(name);
        queue.limit = &limit;
        queue.n_limit = s->limit ? 1 : 0;
        OK(lsched_queues_add(s->c, &queue, 1, sizeof queue, NULL, &id, NULL, &err));
    }
}

static void submit(lsched_cluster *c, struct work *w, uint32_t number, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    char name[16], queue[8];
    snprintf(name, sizeof name, "j%05u", (unsigned)number);
    snprintf(queue, sizeof queue, "q%u", (unsigned)w->queue);
    lsched_amount request = {LSCHED_GPU, 0, 1000 * w->gpus};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    group.max_count = w->tasks;
    group.request = &request;
    group.n_request = 1;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = lsched_cstr(name);
    job.queue_name = lsched_cstr(queue);
    job.groups = &group;
    job.n_groups = 1;
    job.priority = w->priority;
    job.submit_us = now;
    job.duration_us = w->length;
    job.time_limit_us = w->limit;
    OK(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, &w->id, NULL, &err));
}

static lsched_plan *cycle(lsched_cluster *c, int64_t now, uint64_t budget) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = now;
    opts.work_budget = budget;
    OK(lsched_schedule(c, &opts, &plan, &err));
    return plan;
}

/* Lets some of the first jobs run, those that fit. */
static void start_running(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t j = 0; j < s->n_running; j++) submit(s->c, &s->job[j], j, START - HOUR);
    lsched_plan *plan = cycle(s->c, START - HOUR, 0);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        OK(settle_each(s->c, &d->id, &how, 1, NULL, &err));
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = LSCHED_EVENT_STARTED;
        e.job = d->job;
        e.task_index = d->task_index;
        e.at_us = START - HOUR;
        OK(lsched_tasks_report(s->c, &e, 1, sizeof e, NULL, NULL, &err));
        for (uint32_t j = 0; j < s->n_running; j++) s->job[j].runs |= s->job[j].id == d->job;
    }
    lsched_plan_destroy(plan);
}

/* ---- cycles with a budget ---- */

/* In how many cycles all jobs are looked at. A plan is looked at again by each cycle that makes it
 * longer, with at least twice the units; and half of the units at least are new work. */
static uint64_t most_cycles(const struct site *s, uint64_t budget) {
    return 8 * (s->sum / budget + 1) + 8;
}

static int note(struct made *m, const lsched_plan *plan) {
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(plan, &info, NULL);
    m->cycles++;
    m->spent += info.work_spent;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        assert_true(d->kind == LSCHED_DECIDE_PLACE && m->n < STARTS_MAX);
        m->start[m->n].job = d->job;
        m->start[m->n].node = d->node;
        m->start[m->n++].task = d->task_index;
    }
    return (info.flags & LSCHED_PLAN_PARTIAL) != 0;
}

static void describe(const struct site *s, char *text, size_t n) {
    snprintf(text, n, "seed %llu (%s, order %u, %u reservations, firm %u, %u nodes, %u queues, %s)",
             (unsigned long long)seed_now, s->plans_windows ? "ts-dpbp" : "backfill",
             (unsigned)s->order, (unsigned)s->reservations, (unsigned)s->firm, (unsigned)s->n_nodes,
             (unsigned)s->n_queues, s->share);
}

static void exhaust(struct site *s, lsched_cluster *c, uint64_t budget, struct made *m) {
    char text[160];
    memset(m, 0, sizeof *m);
    for (int left = 1; left;) {
        lsched_plan *plan = cycle(c, START, budget);
        left = note(m, plan);
        lsched_plan_destroy(plan);
        if (!budget) assert_false(left);
        if (!left || m->cycles <= most_cycles(s, budget)) continue;
        describe(s, text, sizeof text);
        fail_msg("%s: budget %llu: %llu cycles, and work is left", text, (unsigned long long)budget,
                 (unsigned long long)m->cycles);
    }
    if (budget) assert_true(m->spent <= 2 * budget * m->cycles + budget);
}

/* Returns the reason of a job that waits; NONE if it does not wait. */
static lsched_waiting reason_of(const lsched_cluster *c, lsched_id job) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_waiting w = {.size = sizeof w};
    if (lsched_waiting_get(c, job, &w, &err) < 0) w.code = LSCHED_WAIT_NONE;
    return w;
}

static int has_started(const struct made *m, lsched_id job) {
    uint32_t i = 0;
    while (i < m->n && m->start[i].job != job) i++;
    return i < m->n;
}

/* Each job runs, starts, or waits for a reason. */
static void check_seen(const struct site *s, const lsched_cluster *c, uint64_t budget,
                       const struct made *m) {
    char text[160];
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        const struct work *w = &s->job[j];
        lsched_waiting why = reason_of(c, w->id);
        firm_starts += why.firm_us != 0 && why.firm_us != LSCHED_NEVER_US;
        if (w->runs || has_started(m, w->id) || why.code != LSCHED_WAIT_NONE) continue;
        describe(s, text, sizeof text);
        fail_msg("%s: budget %llu: job %u waits, and no cycle has looked at it", text,
                 (unsigned long long)budget, (unsigned)j);
    }
}

static void compare_starts(const struct site *s, uint64_t budget, const struct made *a,
                           const struct made *b) {
    char text[160];
    for (uint32_t i = 0; i < a->n || i < b->n; i++) {
        if (i < a->n && i < b->n && a->start[i].job == b->start[i].job &&
            a->start[i].node == b->start[i].node && a->start[i].task == b->start[i].task)
            continue;
        size_t na = 0, nb = 0;
        const char *ja = i < a->n ? lsched_name(s->c, a->start[i].job, &na) : "",
                   *jb = i < b->n ? lsched_name(s->c, b->start[i].job, &nb) : "";
        describe(s, text, sizeof text);
        fail_msg("%s: budget %llu: decision %u is %.*s, without a budget %.*s (of %u and %u)", text,
                 (unsigned long long)budget, (unsigned)i, (int)nb, jb, (int)na, ja, (unsigned)b->n,
                 (unsigned)a->n);
    }
    compared += a->n;
}

static void compare_planned(const struct site *s, uint64_t budget, const lsched_cluster *a,
                            const lsched_cluster *b) {
    char text[160];
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        lsched_waiting x = reason_of(a, s->job[j].id), y = reason_of(b, s->job[j].id);
        /* a job without a start of its own gets the reason of the cycle that looked at it last */
        if (x.code != LSCHED_WAIT_PLANNED || y.code != LSCHED_WAIT_PLANNED) continue;
        planned++;
        if (x.until_us == y.until_us) continue;
        describe(s, text, sizeof text);
        fail_msg("%s: budget %llu: job %u is planned for +%lld s, without a budget for +%lld s",
                 text, (unsigned long long)budget, (unsigned)j,
                 (long long)((y.until_us - START) / 1000000),
                 (long long)((x.until_us - START) / 1000000));
    }
}

static lsched_cluster *clone_of(const struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = NULL;
    OK(lsched_cluster_clone(s->c, &copy, &err));
    return copy;
}

/* True if cycles together must do what one does. Each cycle makes its plan anew: a choice between
 * nodes, a share or a limit can come out otherwise after the first starts, and firm starts of one
 * cycle come first in the next. */
static int is_plain(const struct site *s) {
    return s->n_nodes == 1 && s->n_queues == 1 && s->limit == 0 &&
           (s->firm == 0 || s->plans_windows);
}

/* No firm start is lost at one time and state. */
static void check_firm(const struct site *s, const lsched_cluster *c, uint64_t budget,
                       uint64_t cursor) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_change change = {.size = sizeof change};
    char text[160];
    int32_t rc;
    while ((rc = lsched_changes_next(c, &cursor, &change, &err)) == 1) {
        if (change.kind != LSCHED_CHANGE_FIRM_LOST) continue;
        describe(s, text, sizeof text);
        fail_msg("%s: budget %llu: a firm start was lost because of %s", text,
                 (unsigned long long)budget, lsched_because_name(change.because));
    }
    OK(rc);
}

static void check_budgets(struct site *s) {
    static const uint64_t budgets[] = {1, 2, 3, 4, 5, 8, 13, 21, 55, 144};
    static struct made whole, parts;
    lsched_cluster *free_of = clone_of(s);
    exhaust(s, free_of, 0, &whole);
    starts += whole.n;
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        lsched_cluster *c = clone_of(s);
        uint64_t cursor = lsched_changes_end(c);
        exhaust(s, c, budgets[i], &parts);
        check_seen(s, c, budgets[i], &parts);
        check_firm(s, c, budgets[i], cursor);
        if (is_plain(s)) {
            compare_starts(s, budgets[i], &whole, &parts);
            if (!s->plans_windows) compare_planned(s, budgets[i], free_of, c);
        }
        lsched_cluster_destroy(c);
    }
    lsched_cluster_destroy(free_of);
}

/* ---- a stream of events ---- */

static void draw_stream(struct site *s, struct chance *r) {
    draw(s, r);
    s->n_nodes = s->n_queues = 1;
    s->gpus[0] = 8;
    s->limit = 0;
    s->n_running = 1;
    s->by = "priority";
    if (s->order == 0) s->order = 1;
    for (uint32_t j = 0; j < s->n_jobs; j++) s->job[j] = (struct work){.gpus = 8, .tasks = 1};
    for (uint32_t j = 0; j < s->n_jobs; j++) s->job[j].length = s->job[j].limit = HOUR;
    s->job[0].gpus = 7;
    s->job[0].length = s->job[0].limit = 10 * HOUR;
    struct work *last = &s->job[s->n_jobs - 1];
    last->gpus = 1;
    last->length = last->limit = HOUR / 60;
    s->sum = 4 * s->n_jobs + 4;
}

/* A job comes between each two cycles, behind all others or before them, and time moves. The last
 * of the jobs that waited at the beginning is the only one that can start, and starts. */
static void check_stream(struct site *s, struct chance *r) {
    static struct made made;
    char text[160];
    uint64_t budget = 1 + chance_below(r, 24), n = 0;
    int first = budget >= 8 && chance_one_in(r, 2);
    lsched_id last = s->job[s->n_jobs - 1].id;
    memset(&made, 0, sizeof made);
    for (int64_t now = START; !has_started(&made, last); now++) {
        struct work late = {.length = HOUR, .limit = HOUR, .gpus = 8, .tasks = 1};
        late.priority = first ? 1 : -1;
        submit(s->c, &late, JOBS_MAX + (uint32_t)n, now);
        lsched_plan *plan = cycle(s->c, now, budget);
        (void)note(&made, plan);
        lsched_plan_destroy(plan);
        if (++n <= most_cycles(s, budget)) continue;
        describe(s, text, sizeof text);
        fail_msg(
            "%s: budget %llu: %llu cycles, each with an event, and the last job has not started",
            text, (unsigned long long)budget, (unsigned long long)n);
    }
    streams++;
}

static void open_site(struct site *s) {
    make(s);
    start_running(s);
    for (uint32_t j = s->n_running; j < s->n_jobs; j++)
        submit(s->c, &s->job[j], j, START - HOUR / 2 + j);
}

static void test_budgets(void **state) {
    (void)state;
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance r = {seed_now = first_seed + i};
        draw(&site, &r);
        open_site(&site);
        check_budgets(&site);
        lsched_cluster_destroy(site.c);
        draw_stream(&site, &r);
        open_site(&site);
        check_stream(&site, &r);
        lsched_cluster_destroy(site.c);
    }
    print_message("seeds %llu .. +%llu: %llu tasks started without a budget, %llu compared; %llu "
                  "planned starts compared; %llu firm starts; %llu streams of events\n",
                  (unsigned long long)first_seed, (unsigned long long)rounds,
                  (unsigned long long)starts, (unsigned long long)compared,
                  (unsigned long long)planned, (unsigned long long)firm_starts,
                  (unsigned long long)streams);
    assert_true(rounds < 20 || (starts && compared && planned && firm_starts));
}

int main(void) {
    first_seed = chance_seed(8100);
    rounds = chance_rounds(150);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_budgets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
