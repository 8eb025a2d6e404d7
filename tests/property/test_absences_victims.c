/*
 * test_absences_victims.c -- work is stopped for a job as soon as this lets the job end before its
 * node leaves, and not otherwise.
 *
 * Each node is full with one job that takes a time of its own to stop, and one job waits that may
 * take the place of any of them. The outside model writes out the absences of each node one by one,
 * and finds the first time at which some work can be stopped so that the waiting job surely ends in
 * time. The cycles run at the times that the library names. LSCHED_TEST_SEED and
 * LSCHED_TEST_ROUNDS=1 replay one world.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "property/chance.h"

enum { NODES = 6, WINDOWS = 12, WORLDS = 600, CYCLES = 200 };
#define NOW    INT64_C(1700000000000000)
#define MINUTE INT64_C(60000000)

struct window {
    int64_t from, to;
};

struct victims_world {
    struct chance chance;
    uint64_t seed;
    lsched_cluster *c;
    uint32_t n_nodes, n_windows[NODES];
    struct window window[NODES][WINDOWS];
    int64_t stops[NODES]; /* the time that the work of the node takes to stop */
    int64_t runs;         /* the longest time that the waiting job runs; 0: unknown */
};

static void add_node(struct victims_world *w, uint32_t n) {
    struct chance *c = &w->chance;
    lsched_amount core = {.kind = LSCHED_CPU, .amount = 1000};
    lsched_node_desc d = LSCHED_NODE_DESC_INIT;
    char name[8];
    snprintf(name, sizeof name, "n%u", n);
    d.name = lsched_cstr(name);
    d.capacity = &core;
    d.n_capacity = 1;
    w->n_windows[n] = 0;
    if (!chance_one_in(c, 6)) {
        int64_t takes = chance_between(c, 1, 90) * MINUTE;
        d.leaves_us = NOW + chance_between(c, -60, 120) * MINUTE;
        if (!chance_one_in(c, 6)) d.back_us = d.leaves_us + takes;
        if (d.back_us && chance_one_in(c, 2))
            d.leaves_every_us = takes + chance_between(c, 1, 240) * MINUTE;
        for (uint32_t i = 0; i < (d.leaves_every_us ? (uint32_t)WINDOWS : 1u); i++)
            w->window[n][w->n_windows[n]++] =
                (struct window){d.leaves_us + i * d.leaves_every_us,
                                d.back_us ? d.back_us + i * d.leaves_every_us : INT64_MAX};
    }
    assert_int_equal(lsched_nodes_add(w->c, &d, 1, sizeof d, NULL, NULL, NULL, NULL), 1);
}

/* Submits a job of one core with the fields of *like. */
static lsched_id add_job(struct victims_world *w, const char *name, const char *queue,
                         const lsched_job_desc *like) {
    lsched_amount core = {.kind = LSCHED_CPU, .amount = 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = *like;
    lsched_id id = 0;
    g.request = &core;
    g.n_request = 1;
    d.name = lsched_cstr(name);
    d.queue_name = lsched_cstr(queue);
    d.groups = &g;
    d.n_groups = 1;
    d.group_elem_size = sizeof g;
    assert_int_equal(lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, &id, NULL, NULL), 1);
    return id;
}

static void add_running(struct victims_world *w, uint32_t n) {
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
    char name[8], node[8];
    snprintf(name, sizeof name, "r%u", n);
    snprintf(node, sizeof node, "n%u", n);
    w->stops[n] = chance_between(&w->chance, 1, 100) * MINUTE;
    d.release_us = w->stops[n];
    d.priority = (int32_t)chance_below(&w->chance, 3);
    t.job = add_job(w, name, "full", &d);
    t.node = lsched_find(w->c, LSCHED_KIND_NODE, lsched_cstr(node));
    t.start_us = NOW - chance_between(&w->chance, 1, 100) * MINUTE;
    assert_int_equal(lsched_tasks_import(w->c, &t, 1, sizeof t, NULL, NULL, NULL), 1);
}

static void open_world(struct victims_world *w, uint64_t seed) {
    static const char *const policies[] = {
        "return { api = 1, name = 'p', fair_share = 'drf', pipeline = { 'allocate', 'preempt' } }",
        "return { api = 1, name = 'p', fair_share = 'drf', pipeline = { 'allocate', 'reclaim' } }",
        ("return { api = 1, name = 'p', fair_share = 'quota',\n"
         "  pipeline = { 'allocate', 'consolidate', 'reclaim', 'preempt' } }")};
    lsched_queue_desc q[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
    *w = (struct victims_world){.chance = {seed ^ 0x71c7}, .seed = seed};
    uint32_t policy = chance_below(&w->chance, 3);
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    assert_int_equal(lsched_cluster_create(NULL, &w->c, NULL), LSCHED_OK);
    assert_true(
        lsched_policy_load(w->c, LSCHED_TEXT("p"), lsched_cstr(policies[policy]), NULL, NULL) >= 0);
    q[0].name = LSCHED_TEXT("full");
    q[1].name = LSCHED_TEXT("poor");
    assert_int_equal(lsched_queues_add(w->c, q, 2, sizeof q[0], NULL, NULL, NULL, NULL), 2);
    w->n_nodes = 2 + chance_below(&w->chance, NODES - 1);
    for (uint32_t n = 0; n < w->n_nodes; n++) {
        add_node(w, n);
        add_running(w, n);
    }
    d.priority = policy == 1 ? 0 : 9;
    d.submit_us = NOW;
    w->runs = chance_one_in(&w->chance, 6) ? 0 : chance_between(&w->chance, 1, 120) * MINUTE;
    if (chance_one_in(&w->chance, 2))
        d.duration_us = w->runs;
    else
        d.time_limit_us = w->runs;
    (void)add_job(w, "waits", policy == 1 ? "poor" : "full", &d);
}

/* Returns the first time, not before `at`, at which no absence of the node bars the waiting job;
 * LSCHED_NEVER_US: at none. */
static int64_t first_start(const struct victims_world *w, uint32_t n, int64_t at) {
    for (uint32_t i = 0; i < w->n_windows[n]; i++) {
        const struct window *x = &w->window[n][i];
        if (x->to <= at || (w->runs && at < x->from && at + w->runs <= x->from)) continue;
        if (x->to == INT64_MAX || i + 1 == WINDOWS) return LSCHED_NEVER_US;
        at = x->to;
    }
    return at;
}

/* Returns the first time, not before `at`, at which the work of the node can be told to stop. */
static int64_t first_stop(const struct victims_world *w, uint32_t n, int64_t at) {
    int64_t start = first_start(w, n, at + w->stops[n]);
    return start == LSCHED_NEVER_US ? start : start - w->stops[n];
}

/* Checks what the cycle has decided; returns 1 if work is to stop. */
static int check_plan(const struct victims_world *w, const lsched_plan *plan, int64_t now) {
    int stops = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind != LSCHED_DECIDE_NOMINATE) continue;
        size_t len = 0;
        uint32_t n = (uint32_t)(lsched_name(w->c, d->node, &len)[1] - '0');
        stops = 1;
        if (first_stop(w, n, now) != now)
            fail_msg("seed %llu: at +%lld s, the work of n%u stops, and the job cannot end in time",
                     (unsigned long long)w->seed, (long long)((now - NOW) / 1000000), n);
    }
    return stops;
}

static int run_world(uint64_t seed) {
    struct victims_world w;
    int64_t now = NOW, first = LSCHED_NEVER_US;
    int stops = 0;
    open_world(&w, seed);
    for (uint32_t n = 0; n < w.n_nodes; n++) {
        int64_t at = first_stop(&w, n, NOW);
        if (at < first) first = at;
    }
    for (uint32_t i = 0; i < CYCLES && !stops && now <= first && now != LSCHED_NEVER_US; i++) {
        lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_plan *plan;
        opts.now_us = now;
        assert_int_equal(lsched_schedule(w.c, &opts, &plan, &err), LSCHED_OK);
        if (lsched_verify(w.c, plan, &err) < 0)
            fail_msg("seed %llu: %s", (unsigned long long)seed, err.message);
        stops = check_plan(&w, plan, now);
        lsched_plan_destroy(plan);
        if (stops) break;
        int64_t next = lsched_next_wake(w.c);
        now = next > now ? next : now + 1;
    }
    if (first != LSCHED_NEVER_US && (!stops || now != first))
        fail_msg("seed %llu: work can stop at +%lld s, but %s at +%lld s", (unsigned long long)seed,
                 (long long)((first - NOW) / 1000000), stops ? "stops" : "the next cycle is",
                 (long long)((now - NOW) / 1000000));
    lsched_cluster_destroy(w.c);
    return stops;
}

static void work_stops_as_soon_as_it_helps(void **state) {
    uint64_t seed = chance_seed(1), n = chance_rounds(WORLDS);
    uint32_t stops = 0;
    (void)state;
    print_message("seeds %llu .. +%llu\n", (unsigned long long)seed, (unsigned long long)n);
    for (uint64_t i = 0; i < n; i++) stops += (uint32_t)run_world(seed + i);
    print_message("work stops in %u worlds\n", stops);
    if (n == WORLDS) assert_true(stops > WORLDS / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(work_stops_as_soon_as_it_helps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
