/*
 * Reservations that are kept (backfill_keep) against a model outside the library: on random clusters
 * of 1 to 5 nodes, jobs arrive in any order of priority, run shorter than estimated or longer, fail,
 * change while they wait, are removed, and nodes close and open. The model knows of each waiting job
 * the start and the node that it was told. A job with a place on one node never is told a later start,
 * and never waits beyond the start, unless a cause stands on its own node: work there runs longer than
 * its estimate, or the node is closed; or the job itself changed. In a third of the rounds no such
 * cause exists, and then no start at all moves later. LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay
 * one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/readback.h>

#include "engine/state/cache_check.h"
#include "property/chance.h"
#include "support/settle.h"

/* fewer than the jobs that a cycle passes before it keeps the old plan (kept_plans.h) */
#define JOBS_MAX  60u
#define NODES_MAX 5u
#define TASKS_MAX 4u
#define HOUR      INT64_C(3600000000)
#define START     INT64_C(1700000000000000)
#define NEVER     LSCHED_NEVER_US

/* told: the start that the job was told, on the node told_on; NEVER: none. excused: a cause stands
 * on the node since the job was told. */
struct work {
    char name[16];
    lsched_id id, on[TASKS_MAX], told_on;
    int64_t length, runs, submit, start, end, told;
    uint32_t gpus, tasks, queue, fails;
    int32_t priority;
    int is_there, is_done, excused;
};

struct site {
    lsched_cluster *c;
    uint32_t n_nodes, n_queues, n_jobs, n_shapes, order, reservations, overruns, closes;
    const char *by, *share;
    uint32_t gpus[NODES_MAX], shape_gpus[4], shape_tasks[4];
    lsched_id node[NODES_MAX];
    int is_closed[NODES_MAX];
    struct work job[JOBS_MAX];
};

static uint64_t seed_now, first_seed, rounds, events, told, earlier, later, strict_rounds;
static struct site site;

#define OK(call)                                                                    \
    do {                                                                            \
        int64_t ok_code = (call);                                                   \
        if (ok_code < 0)                                                            \
            fail_msg("seed %llu: %s: %lld %s", (unsigned long long)seed_now, #call, \
                     (long long)ok_code, err.message);                              \
    } while (0)

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
    if (chance_one_in(r, 2)) w->runs = 1 + chance_between(r, 0, w->runs - 1);
    if (s->overruns && w->length && chance_one_in(r, 6)) w->runs += chance_between(r, 1, HOUR);
    w->fails = chance_one_in(r, 10) ? 1 : 0;
    w->submit = at;
    w->start = w->end = -1;
    w->told = NEVER;
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
    s->overruns = chance_below(r, 3) == 1;
    s->closes = !s->overruns && chance_one_in(r, 2);
    strict_rounds += !s->overruns && !s->closes;
    for (uint32_t i = 0; i < s->n_nodes; i++) s->gpus[i] = 1 + chance_below(r, 8);
    for (uint32_t i = 0; i < s->n_shapes; i++) {
        s->shape_gpus[i] = 1 + chance_below(r, 4);
        s->shape_tasks[i] = chance_one_in(r, 4) ? 1 + chance_below(r, TASKS_MAX) : 1;
    }
    int64_t at = START, lengths = chance_between(r, 2, 40);
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        at += chance_one_in(r, 2) ? 0 : chance_between(r, 0, HOUR / 2);
        draw_job(s, r, j, lengths, at);
    }
}

static void add_nodes(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", (unsigned)i);
        lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
        devices.count = s->gpus[i];
        devices.model = LSCHED_TEXT("gpu");
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        node.name = lsched_cstr(name);
        node.devices = &devices;
        node.n_devices = 1;
        OK(lsched_nodes_add(s->c, &node, 1, sizeof node, NULL, &s->node[i], NULL, &err));
    }
}

static void make(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    char text[400];
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.verify_every_plan = 1;
    OK(lsched_cluster_create(&opts, &s->c, &err));
    cache_check_on(s->c);
    snprintf(text, sizeof text,
             "return { api = 1, name = 'p', order = '%s', fair_share = '%s', pipeline = { "
             "'backfill' }, params = { backfill_order = %u, backfill_reservations = %u, "
             "backfill_keep = 1 } }",
             s->by, s->share, (unsigned)s->order, (unsigned)s->reservations);
    OK(lsched_policy_load(s->c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err));
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
    lsched_amount request = {LSCHED_GPU, 0, 1000 * w->gpus};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    group.max_count = w->tasks;
    group.request = &request;
    group.n_request = 1;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = lsched_cstr(w->name);
    job.queue_name = lsched_cstr(queue);
    job.groups = &group;
    job.n_groups = 1;
    job.priority = w->priority;
    job.submit_us = w->submit;
    job.duration_us = w->length;
    OK(lsched_jobs_submit(s->c, &job, 1, sizeof job, NULL, &w->id, NULL, &err));
    w->is_there = 1;
    events++;
}

/* ---- events ---- */

static int waits(const struct work *w) {
    return w->is_there && !w->is_done && w->start < 0;
}

static void report(struct site *s, struct work *w, uint32_t event, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t t = 0; t < w->tasks; t++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = event;
        e.job = w->id;
        e.task_index = t;
        e.at_us = now;
        OK(lsched_tasks_report(s->c, &e, 1, sizeof e, NULL, NULL, &err));
    }
    events++;
}

static void end_runs(struct site *s, int64_t now) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        if (w->start < 0 || w->is_done || w->end > now) continue;
        report(s, w, w->fails ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED, now);
        w->is_done = !w->fails;
        w->fails = 0;
        w->start = w->end = -1;
        w->told = NEVER;
    }
}

/* Changes the estimate of a job that waits, or removes the job. Both are causes of its own. */
static void meddle(struct site *s, struct chance *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct work *w = &s->job[chance_below(r, s->n_jobs)];
    if (!waits(w)) return;
    lsched_job_update u = {.size = sizeof u, .job = w->id};
    w->is_done = chance_one_in(r, 3);
    w->length = w->runs = chance_between(r, 1, 20) * HOUR / 8;
    w->told = NEVER;
    u.set = LSCHED_JOB_SET_DURATION;
    u.duration_us = w->length;
    if (w->is_done)
        OK(lsched_jobs_remove(s->c, &w->id, 1, NULL, NULL, &err));
    else
        OK(lsched_jobs_update(s->c, &u, 1, sizeof u, NULL, NULL, &err));
    events++;
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

/* ---- what a cycle may do ---- */

static int node_is_closed(const struct site *s, lsched_id node) {
    for (uint32_t i = 0; i < s->n_nodes; i++)
        if (s->node[i] == node) return s->is_closed[i];
    return 0;
}

static int node_has_overdue(const struct site *s, lsched_id node, int64_t now) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        const struct work *w = &s->job[j];
        if (w->start < 0 || w->is_done || !w->length || w->start + w->length > now) continue;
        for (uint32_t t = 0; t < w->tasks; t++)
            if (w->on[t] == node) return 1;
    }
    return 0;
}

static void excuse(struct site *s, int64_t now) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        if (waits(w) && w->told != NEVER)
            w->excused |= node_is_closed(s, w->told_on) || node_has_overdue(s, w->told_on, now);
    }
}

static void cycle(struct site *s, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = now;
    lsched_plan *plan;
    OK(lsched_schedule(s->c, &opts, &plan, &err));
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        uint32_t j = 0;
        while (!waits(&s->job[j]) || s->job[j].id != d->job) j++;
        s->job[j].on[d->task_index] = d->node;
        if (d->task_index == 0) s->job[j].end = now;
        OK(settle_each(s->c, &d->id, &how, 1, NULL, &err));
    }
    lsched_plan_destroy(plan);
    events++;
}

static void check_told(struct work *w, int64_t at, int64_t now) {
    if (w->told == NEVER || w->excused || at <= w->told) return;
    fail_msg("seed %llu, at +%lld s: %s was told +%lld s, and then +%lld s without a cause",
             (unsigned long long)seed_now, (long long)((now - START) / 1000000), w->name,
             (long long)((w->told - START) / 1000000), (long long)((at - START) / 1000000));
}

/* Begins the runs that the plan placed, and reads what the others are told. */
static void follow(struct site *s, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        if (!waits(w)) continue;
        if (w->end >= 0) {
            check_told(w, now, now);
            w->start = now;
            w->end = now + (w->fails ? w->runs / 2 + 1 : w->runs);
            report(s, w, LSCHED_EVENT_STARTED, now);
            continue;
        }
        lsched_waiting why = {.size = sizeof why};
        OK(lsched_waiting_get(s->c, w->id, &why, &err));
        if (why.code != LSCHED_WAIT_PLANNED || why.plan_node == 0 || w->tasks > 1) {
            check_told(w, now + 1, now);
            continue;
        }
        check_told(w, why.until_us, now);
        told += w->told != why.until_us;
        if (w->told != NEVER && why.until_us < w->told) earlier++;
        if (w->told != NEVER && why.until_us > w->told) later++;
        if (why.until_us != w->told || why.plan_node != w->told_on) w->excused = 0;
        w->told = why.until_us;
        w->told_on = why.plan_node;
    }
}

static int64_t next_time(const struct site *s, uint32_t arrived, int64_t now) {
    int64_t next = arrived < s->n_jobs ? s->job[arrived].submit : NEVER;
    int64_t wake = lsched_next_wake(s->c);
    if (wake > now && wake < next) next = wake;
    for (uint32_t j = 0; j < s->n_jobs; j++)
        if (s->job[j].start >= 0 && s->job[j].end < next) next = s->job[j].end;
    return next;
}

static void play(struct site *s, struct chance *r) {
    int64_t now = START;
    for (uint32_t arrived = 0, step = 0; step < 600; step++) {
        end_runs(s, now);
        while (arrived < s->n_jobs && s->job[arrived].submit <= now) submit(s, &s->job[arrived++]);
        if (chance_one_in(r, 6)) meddle(s, r);
        if (s->closes && chance_one_in(r, 8)) open_or_close(s, r);
        excuse(s, now);
        cycle(s, now);
        follow(s, now);
        int64_t next = next_time(s, arrived, now);
        if (next == NEVER) break;
        now = next > now ? next : now + 1;
    }
}

static void test_starts_are_kept(void **state) {
    (void)state;
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance r = {seed_now = first_seed + i};
        draw(&site, &r);
        make(&site);
        play(&site, &r);
        lsched_cluster_destroy(site.c);
    }
    print_message("seeds %llu .. +%llu: %llu events, %llu starts told, %llu moved earlier, %llu "
                  "later for a cause; %llu rounds without causes\n",
                  (unsigned long long)first_seed, (unsigned long long)rounds,
                  (unsigned long long)events, (unsigned long long)told, (unsigned long long)earlier,
                  (unsigned long long)later, (unsigned long long)strict_rounds);
    assert_true(rounds < 20 || (told > events / 100 && earlier > 0 && later > 0));
}

int main(void) {
    first_seed = chance_seed(9300);
    rounds = chance_rounds(1000);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_starts_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
