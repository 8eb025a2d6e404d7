/*
 * The action backfill against the same action in the plainest way (plain_backfill.h), which tries
 * each job that waits: on random clusters of 1 to 5 nodes, with jobs of few shapes and many run
 * times, gangs, jobs of unknown length, several queues with limits, failures, holds, changed
 * estimates and jobs that are removed, both start the same jobs on the same nodes at the same times.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "engine/state/cache_check.h"
#include "property/chance.h"
#include "property/plain_backfill.h"
#include "property/seeded_ok.h"
#include "support/report_all.h"
#include "support/settle.h"

#define JOBS_MAX  80u
#define NODES_MAX 5u
#define HOUR      INT64_C(3600000000)
#define START     INT64_C(1700000000000000)

struct work {
    char name[16];
    lsched_id id[2];
    int64_t length, runs, submit, start, end; /* start: -1 until the job runs */
    uint32_t gpus, tasks, queue, fails;       /* fails: times that the job still fails */
    int32_t priority;
    int is_there, is_done;
};

struct site {
    lsched_cluster *c[2]; /* backfill, plain-backfill */
    uint32_t n_nodes, n_queues, n_jobs, n_shapes, order, reservations;
    const char *by, *share;
    uint32_t gpus[NODES_MAX], shape_gpus[4], shape_tasks[4];
    int64_t limit;
    struct work job[JOBS_MAX];
};

static uint64_t seed_now, first_seed, rounds, starts, waited;
static struct site site;

/* ---- the world ---- */

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
    s->order = chance_one_in(r, 8) ? 0 : 1 + chance_below(r, 2);
    s->reservations = chance_one_in(r, 2) ? 1 : chance_below(r, 4);
    for (uint32_t i = 0; i < s->n_nodes; i++) s->gpus[i] = 1 + chance_below(r, 8);
    for (uint32_t i = 0; i < s->n_shapes; i++) {
        s->shape_gpus[i] = 1 + chance_below(r, 4);
        s->shape_tasks[i] = chance_one_in(r, 3) ? 1 + chance_below(r, 4) : 1;
    }
    if (chance_one_in(r, 4) && s->order != 2) s->limit = 1000 * chance_between(r, 4, 12);
    int64_t at = START, lengths = chance_between(r, 2, 40);
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        uint32_t shape = chance_below(r, s->n_shapes);
        snprintf(w->name, sizeof w->name, "j%02u", (unsigned)(j * 37 % 100));
        w->gpus = s->shape_gpus[shape];
        w->tasks = s->shape_tasks[shape];
        w->queue = chance_below(r, s->n_queues);
        w->priority = chance_one_in(r, 5) ? (int32_t)chance_below(r, 3) : 0;
        w->length = chance_one_in(r, 20) ? 0 : chance_between(r, 1, lengths) * HOUR / 8;
        w->runs = w->length ? w->length : HOUR;
        if (chance_one_in(r, 4)) w->runs = 1 + chance_between(r, 0, w->runs - 1);
        if (chance_one_in(r, 10)) w->fails = 1;
        at += chance_one_in(r, 2) ? 0 : chance_between(r, 0, HOUR / 2);
        w->submit = at;
        w->start = w->end = -1;
    }
}

static void add_nodes(lsched_cluster *c, const struct site *s) {
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
        lsched_id id;
        OK(lsched_nodes_add(c, &node, 1, sizeof node, NULL, &id, NULL, &err));
    }
}

static void make(struct site *s, int plain) {
    lsched_error err = LSCHED_ERROR_INIT;
    char text[400];
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.verify_every_plan = 1;
    OK(lsched_cluster_create(&opts, &s->c[plain], &err));
    lsched_cluster *c = s->c[plain];
    cache_check_on(c);
    if (plain) OK(lsched_algorithm_register(c, &plain_backfill, &err));
    snprintf(text, sizeof text,
             "return { api = 1, name = 'p', order = '%s', fair_share = '%s', pipeline = { "
             "'%sbackfill' }, params = { backfill_order = %u, backfill_reservations = %u } }",
             s->by, s->share, plain ? "plain-" : "", (unsigned)s->order, (unsigned)s->reservations);
    OK(lsched_policy_load(c, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err));
    add_nodes(c, s);
    for (uint32_t q = 0; q < s->n_queues; q++) {
        char name[8];
        snprintf(name, sizeof name, "q%u", (unsigned)q);
        lsched_amount limit = {LSCHED_GPU, 0, s->limit};
        lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
        queue.name = lsched_cstr(name);
        queue.limit = &limit;
        queue.n_limit = s->limit ? 1 : 0;
        lsched_id id;
        OK(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, &id, NULL, &err));
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
    for (int i = 0; i < 2; i++)
        OK(lsched_jobs_submit(s->c[i], &job, 1, sizeof job, NULL, &w->id[i], NULL, &err));
    w->is_there = 1;
}

/* ---- events ---- */

static void report(struct site *s, struct work *w, uint32_t event, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (int i = 0; i < 2; i++) OK(report_all(s->c[i], w->id[i], w->tasks, event, now, &err));
}

static void end_runs(struct site *s, int64_t now) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        if (w->start < 0 || w->is_done || w->end > now) continue;
        report(s, w, w->fails ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED, now);
        w->is_done = !w->fails;
        w->fails = 0;
        w->start = w->end = -1;
    }
}

/* Changes a job that waits: its estimate, or the job is removed. */
static void meddle(struct site *s, struct chance *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct work *w = &s->job[chance_below(r, s->n_jobs)];
    if (!w->is_there || w->is_done || w->start >= 0) return;
    int removed = chance_one_in(r, 3);
    w->length = w->runs = chance_between(r, 1, 20) * HOUR / 8;
    for (int i = 0; i < 2; i++) {
        lsched_job_update u = {.size = sizeof u, .job = w->id[i]};
        u.set = LSCHED_JOB_SET_DURATION;
        u.duration_us = w->length;
        if (removed)
            OK(lsched_jobs_remove(s->c[i], &w->id[i], 1, NULL, NULL, &err));
        else
            OK(lsched_jobs_update(s->c[i], &u, 1, sizeof u, NULL, NULL, &err));
    }
    if (removed) w->is_done = 1;
}

/* ---- cycles ---- */

struct placed {
    uint32_t job, task;
    lsched_id node;
};

static uint32_t work_of(const struct site *s, int plain, lsched_id id) {
    uint32_t j = 0;
    while (j < s->n_jobs && (!s->job[j].is_there || s->job[j].is_done || s->job[j].id[plain] != id))
        j++;
    return j;
}

static uint32_t cycle(struct site *s, int plain, int64_t now, struct placed *out) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = now;
    lsched_plan *plan;
    OK(lsched_schedule(s->c[plain], &opts, &plan, &err));
    uint32_t n = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        out[n++] = (struct placed){work_of(s, plain, d->job), d->task_index, d->node};
        OK(settle_each(s->c[plain], &d->id, &how, 1, NULL, &err));
    }
    lsched_plan_destroy(plan);
    return n;
}

static void cycles(struct site *s, int64_t now) {
    static struct placed list[2][8 * JOBS_MAX];
    uint32_t n[2];
    for (int i = 0; i < 2; i++) n[i] = cycle(s, i, now, list[i]);
    for (uint32_t i = 0; i < n[0] || i < n[1]; i++) {
        const struct placed *a = &list[0][i], *b = &list[1][i];
        if (i < n[0] && i < n[1] && a->job == b->job && a->task == b->task && a->node == b->node)
            continue;
        fail_msg("seed %llu, at +%lld s: decision %u is %s, plain %s (of %u and %u)",
                 (unsigned long long)seed_now, (long long)((now - START) / 1000000), (unsigned)i,
                 i < n[0] ? s->job[a->job].name : "none", i < n[1] ? s->job[b->job].name : "none",
                 (unsigned)n[0], (unsigned)n[1]);
    }
    for (uint32_t i = 0; i < n[0]; i++) {
        struct work *w = &s->job[list[0][i].job];
        if (w->start >= 0) continue;
        w->start = now;
        w->end = now + (w->fails ? w->runs / 2 + 1 : w->runs);
        report(s, w, LSCHED_EVENT_STARTED, now);
        starts++;
    }
    for (uint32_t j = 0; j < s->n_jobs; j++)
        waited += s->job[j].is_there && !s->job[j].is_done && s->job[j].start < 0;
}

static int64_t next_time(const struct site *s, uint32_t arrived, int64_t now) {
    int64_t next = arrived < s->n_jobs ? s->job[arrived].submit : LSCHED_NEVER_US;
    for (int i = 0; i < 2; i++) {
        int64_t wake = lsched_next_wake(s->c[i]);
        if (wake > now && wake < next) next = wake;
    }
    for (uint32_t j = 0; j < s->n_jobs; j++)
        if (s->job[j].start >= 0 && s->job[j].end < next) next = s->job[j].end;
    return next;
}

static void test_same_starts(void **state) {
    (void)state;
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance r = {seed_now = first_seed + i};
        struct site *s = &site;
        draw(s, &r);
        make(s, 0);
        make(s, 1);
        int64_t now = START;
        for (uint32_t arrived = 0, step = 0; step < 600; step++) {
            end_runs(s, now);
            while (arrived < s->n_jobs && s->job[arrived].submit <= now)
                submit(s, &s->job[arrived++]);
            if (chance_one_in(&r, 6)) meddle(s, &r);
            cycles(s, now);
            int64_t next = next_time(s, arrived, now);
            if (next == LSCHED_NEVER_US) break;
            now = next > now ? next : now + 1;
        }
        lsched_cluster_destroy(s->c[0]);
        lsched_cluster_destroy(s->c[1]);
    }
    print_message("seeds %llu .. +%llu: %llu jobs started, %llu times a job waited in a cycle\n",
                  (unsigned long long)first_seed, (unsigned long long)rounds,
                  (unsigned long long)starts, (unsigned long long)waited);
    assert_true(starts > 0 && (rounds < 20 || waited > starts));
}

int main(void) {
    first_seed = chance_seed(7100);
    rounds = chance_rounds(300);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_starts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
