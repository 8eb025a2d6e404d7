/* Caches beside a memory limit: a cycle under any limit that held the submissions ends, and decides what a cycle
 * without a limit decides. Likewise where the host's allocator fails, once or from some call on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/fault_alloc.h"

enum { NODES = 500, SHAPES = 500 };

static lsched_error err = LSCHED_ERROR_INIT;

static void must(int32_t code) {
    if (code < 0) print_message("%d %s\n", code, err.message);
    assert_true(code >= 0);
}

/* Jobs of as many different requests; apart: each with a term about other jobs as well. 0 if they were refused. */
static int fill(lsched_cluster *c, int apart) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name = LSCHED_TEXT("q");
    if (lsched_queues_add(c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err) < 0) return 0;
    for (int i = 0; i < NODES + SHAPES; i++) {
        char name[16], other[16];
        snprintf(name, sizeof name, "x%d", i % NODES);
        snprintf(other, sizeof other, "x%d", (i * 7 + 1) % NODES);
        lsched_amount cpu = {LSCHED_CPU, 0, i < NODES ? 1000000 : 1 + i % NODES};
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
        lsched_job_desc job = LSCHED_JOB_DESC_INIT;
        lsched_label own = {LSCHED_TEXT("app"), lsched_cstr(name)},
                     of = {LSCHED_TEXT("app"), lsched_cstr(other)};
        lsched_job_affinity term = {.n_labels = 1};
        term.labels = &of;
        term.apart = 1;
        term.level = LSCHED_TEXT("node");
        node.name = job.name = lsched_cstr(name);
        node.capacity = group.request = &cpu;
        node.n_capacity = group.n_request = 1;
        job.queue_name = queue.name;
        job.groups = &group;
        job.n_groups = 1;
        if (apart) {
            job.labels = &own;
            job.n_labels = 1;
            group.job_affinities = &term;
            group.n_job_affinities = 1;
        }
        int32_t rc = i < NODES ? lsched_nodes_add(c, &node, 1, sizeof node, NULL, NULL, NULL, &err)
                               : lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, &err);
        if (rc < 0) {
            assert_int_equal(rc, LSCHED_E_NOMEM);
            return 0;
        }
    }
    return 1;
}

static int32_t cycle(lsched_cluster *c, lsched_plan_info *info) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = 1;
    int32_t rc = lsched_schedule(c, &opts, &plan, &err);
    *info = (lsched_plan_info){.size = sizeof *info};
    if (rc == LSCHED_OK) {
        must(lsched_plan_get(plan, info, NULL));
        assert_int_equal(err.code, LSCHED_OK);
    }
    lsched_plan_destroy(plan);
    return rc;
}

static uint64_t free_run(int apart, uint64_t *state_bytes) {
    lsched_cluster *c = NULL;
    lsched_plan_info info;
    lsched_cluster_stats stats = {.size = sizeof stats};
    must(lsched_cluster_create(NULL, &c, &err));
    assert_true(fill(c, apart));
    must(lsched_cluster_stats_get(c, &stats, NULL));
    *state_bytes = stats.memory_bytes;
    must(cycle(c, &info));
    assert_int_equal(info.decisions, SHAPES);
    lsched_cluster_destroy(c);
    return info.plan_hash;
}

/* With a limit that leaves a cycle what its state needs, and caches next to nothing. */
static void under_limits(int apart) {
    uint64_t state_bytes, hash = free_run(apart, &state_bytes);
    for (uint64_t room = 2; room <= 16; room *= 2) {
        lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
        lsched_cluster *c = NULL;
        lsched_plan_info info;
        opts.memory_limit_bytes = state_bytes + room * (UINT64_C(1) << 20);
        must(lsched_cluster_create(&opts, &c, &err));
        assert_true(fill(c, apart));
        must(cycle(c, &info));
        assert_true(info.plan_hash == hash);
        lsched_cluster_destroy(c);
    }
}

static void test_many_shapes(void **state) {
    (void)state;
    under_limits(0);
}

static void test_many_terms(void **state) {
    (void)state;
    under_limits(1);
}

/* One allocation of the cycle fails: caches go, and the cycle ends all the same. */
static void test_one_failure(void **state) {
    uint64_t state_bytes, hash = free_run(1, &state_bytes), calls = 0;
    (void)state;
    for (uint64_t n = 0; n <= calls; n += 1 + calls / 20) {
        struct fault_alloc fault = {0};
        lsched_allocator hooks = fault_hooks(&fault);
        lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
        lsched_cluster *c = NULL;
        lsched_plan_info info;
        opts.allocator = &hooks;
        must(lsched_cluster_create(&opts, &c, &err));
        assert_true(fill(c, 1));
        uint64_t before = fault.calls;
        if (n) fault.fail_at = before + n;
        must(cycle(c, &info));
        assert_true(info.plan_hash == hash);
        if (n == 0) calls = fault.calls - before;
        lsched_cluster_destroy(c);
        assert_int_equal(fault.live_blocks, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_many_shapes),
                                       cmocka_unit_test(test_many_terms),
                                       cmocka_unit_test(test_one_failure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
