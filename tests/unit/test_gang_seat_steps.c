/* test_gang_seat_steps.c -- the steps of a gang's preemption grow with the number of its tasks,
 * not with its square: in the cycle that stops work for it, in a cycle after half of that work has
 * ended, and in the one in which it starts; with and without a node that is to leave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/plans.h>
#include <libsched/policies.h>

#include "engine/state/cluster.h"

enum { CYCLES = 3, LEAST = 64 };
#define START  INT64_C(1700000000000000)
#define MINUTE INT64_C(60000000)

static const char preempts[] =
    "return { api = 1, name = 'p', fair_share = 'fifo', pipeline = { 'allocate', 'preempt' } }";

static void add_node(lsched_cluster *c, const char *name, int leaves) {
    lsched_amount cores = {.kind = LSCHED_CPU, .amount = 4000};
    lsched_node_desc d = LSCHED_NODE_DESC_INIT;
    d.name = lsched_cstr(name);
    d.capacity = &cores;
    d.n_capacity = 1;
    if (leaves) d.leaves_us = START + 10 * MINUTE;
    assert_int_equal(lsched_nodes_add(c, &d, 1, sizeof d, NULL, NULL, NULL, NULL), 1);
}

static lsched_id submit(lsched_cluster *c, const char *name, int32_t priority, uint32_t tasks) {
    lsched_amount cores = {.kind = LSCHED_CPU, .amount = 4000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_id id;
    g.request = &cores;
    g.n_request = 1;
    g.max_count = g.min_count = tasks;
    d.name = lsched_cstr(name);
    d.queue_name = LSCHED_TEXT("q");
    d.priority = priority;
    d.groups = &g;
    d.n_groups = 1;
    d.group_elem_size = sizeof g;
    d.duration_us = 60 * MINUTE;
    d.release_us = MINUTE;
    assert_int_equal(lsched_jobs_submit(c, &d, 1, sizeof d, NULL, &id, NULL, NULL), 1);
    return id;
}

static lsched_cluster *build(uint32_t n, int leaves) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    lsched_cluster *c;
    assert_int_equal(lsched_cluster_create(NULL, &c, NULL), LSCHED_OK);
    if (lsched_policy_load(c, LSCHED_TEXT("p"), lsched_cstr(preempts), NULL, &err) != LSCHED_OK)
        fail_msg("%s", err.message);
    q.name = LSCHED_TEXT("q");
    assert_int_equal(lsched_queues_add(c, &q, 1, sizeof q, NULL, NULL, NULL, NULL), 1);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        add_node(c, name, 0);
        lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
        snprintf(name, sizeof name, "r%u", i);
        t.job = submit(c, name, 0, 1);
        snprintf(name, sizeof name, "n%u", i);
        t.node = lsched_find(c, LSCHED_KIND_NODE, lsched_cstr(name));
        t.start_us = START - MINUTE;
        assert_int_equal(lsched_tasks_import(c, &t, 1, sizeof t, NULL, NULL, NULL), 1);
    }
    if (leaves) add_node(c, "z", 1);
    (void)submit(c, "gang", 10, n);
    return c;
}

static lsched_plan *cycle(lsched_cluster *c, int64_t now, uint64_t *steps) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan;
    uint64_t before = *c->k.steps;
    o.now_us = now;
    if (lsched_schedule(c, &o, &plan, &err) != LSCHED_OK) fail_msg("%s", err.message);
    *steps = *c->k.steps - before;
    return plan;
}

static void report_ended(lsched_cluster *c, lsched_id job) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = LSCHED_EVENT_ENDED;
    e.job = job;
    assert_true(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, NULL) >= 0);
}

/* Measures the three cycles of a gang of n tasks. */
static void measure(uint32_t n, int leaves, uint64_t *steps) {
    static lsched_id victims[16 * LEAST];
    lsched_cluster *c = build(n, leaves);
    lsched_plan *plan = cycle(c, START, &steps[0]);
    uint32_t stopped = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        if (lsched_plan_at(plan, i)->kind == LSCHED_DECIDE_EVICT)
            victims[stopped++] = lsched_plan_at(plan, i)->job;
    assert_int_equal(stopped, n);
    assert_true(lsched_settle_plan(c, plan, NULL, NULL, NULL) >= 0);
    lsched_plan_destroy(plan);
    for (uint32_t i = 0; i < n; i += 2) report_ended(c, victims[i]);
    plan = cycle(c, START + 1000, &steps[1]);
    assert_int_equal(lsched_plan_size(plan), 0);
    lsched_plan_destroy(plan);
    for (uint32_t i = 1; i < n; i += 2) report_ended(c, victims[i]);
    plan = cycle(c, START + 2000, &steps[2]);
    assert_int_equal(lsched_plan_size(plan), n);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(c);
}

static void a_gang_costs_its_tasks(void **state) {
    (void)state;
    for (int leaves = 0; leaves < 2; leaves++) {
        uint64_t small[CYCLES], large[CYCLES];
        measure(LEAST, leaves, small);
        measure(16 * LEAST, leaves, large);
        for (uint32_t i = 0; i < CYCLES; i++) {
            print_message("leaves %d, cycle %u: %llu steps for %d tasks, %llu for %d\n", leaves, i,
                          (unsigned long long)small[i], LEAST, (unsigned long long)large[i],
                          16 * LEAST);
            /* 16 times the tasks: the square would be 256 times the steps */
            assert_true(large[i] <= 64 * small[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_gang_costs_its_tasks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
