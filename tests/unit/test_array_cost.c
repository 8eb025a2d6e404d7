/*
 * test_array_cost.c -- what 100,000 elements cost of which 8 start, as an array and as jobs: bytes of
 * the cluster after the submission, and steps of submission and cycles. An array costs at most one
 * fiftieth of its elements as jobs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "engine/state/cluster.h"

enum { ELEMENTS = 100000, CORES = 8, BATCH = 1000 };

struct cost {
    uint64_t bytes, steps, placed, pending;
};

static lsched_cluster *cluster_make(void) {
    lsched_cluster *c = NULL;
    lsched_amount cpu = {LSCHED_CPU, 0, CORES * 1000};
    lsched_node_desc n = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    n.name = LSCHED_TEXT("n");
    n.capacity = &cpu;
    n.n_capacity = 1;
    q.name = LSCHED_TEXT("q");
    assert_int_equal(lsched_cluster_create(NULL, &c, NULL), LSCHED_OK);
    assert_int_equal(lsched_nodes_add(c, &n, 1, sizeof n, NULL, NULL, NULL, NULL), 1);
    assert_int_equal(lsched_queues_add(c, &q, 1, sizeof q, NULL, NULL, NULL, NULL), 1);
    return c;
}

static void submit(lsched_cluster *c, const char *name, uint32_t count) {
    lsched_amount cpu = {LSCHED_CPU, 0, 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    g.request = &cpu;
    g.n_request = 1;
    d.name = lsched_cstr(name);
    d.queue_name = LSCHED_TEXT("q");
    d.groups = &g;
    d.n_groups = 1;
    d.group_elem_size = sizeof g;
    d.array_count = count;
    assert_int_equal(lsched_jobs_submit(c, &d, 1, sizeof d, NULL, NULL, NULL, NULL), 1);
}

static void cycle(lsched_cluster *c, int64_t now, uint64_t *placed) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    o.now_us = now;
    assert_int_equal(lsched_schedule(c, &o, &plan, NULL), LSCHED_OK);
    *placed += lsched_plan_size(plan);
    lsched_plan_destroy(plan);
}

static struct cost measure(int as_array) {
    struct cost cost = {0};
    lsched_cluster *c = cluster_make();
    uint64_t bytes = c->alloc.bytes, steps = *c->k.steps;
    char name[32];
    for (uint32_t i = 0; i < (as_array ? 1 : ELEMENTS); i++) {
        snprintf(name, sizeof name, as_array ? "sweep" : "sweep#%05u", i);
        submit(c, name, as_array ? ELEMENTS : 0);
    }
    cost.bytes = c->alloc.bytes - bytes;
    uint64_t undo = c->k.undo_n;
    for (int64_t t = 1; t <= 3; t++) cycle(c, t * 1000000, &cost.placed);
    cost.steps = *c->k.steps - steps + undo;
    lsched_cluster_stats s = {.size = sizeof s};
    assert_int_equal(lsched_cluster_stats_get(c, &s, NULL), LSCHED_OK);
    cost.pending = s.jobs_pending;
    lsched_cluster_destroy(c);
    return cost;
}

static void an_array_costs_a_fiftieth(void **unused) {
    (void)unused;
    struct cost array = measure(1), jobs = measure(0);
    printf("array: %llu bytes, %llu steps; jobs: %llu bytes, %llu steps\n",
           (unsigned long long)array.bytes, (unsigned long long)array.steps,
           (unsigned long long)jobs.bytes, (unsigned long long)jobs.steps);
    assert_int_equal(array.placed, CORES);
    assert_int_equal(jobs.placed, CORES);
    assert_int_equal(array.pending, ELEMENTS - CORES);
    assert_int_equal(jobs.pending, ELEMENTS - CORES);
    assert_true(array.bytes * 50 <= jobs.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_array_costs_a_fiftieth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
