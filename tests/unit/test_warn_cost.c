/* test_warn_cost.c -- what warnings cost: a cycle that tells one task its end takes as many steps
 * among 4,000 running tasks as among 100, and so does a cycle in which nothing is due. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#define SECOND INT64_C(1000000)
#define LEAD   (60 * SECOND)

struct counts {
    uint64_t idle, one, told, all;
};

static lsched_cluster *c;
static lsched_error err = LSCHED_ERROR_INIT;

static uint64_t cycle(int64_t now, size_t warnings) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    size_t found = 0;
    o.now_us = now;
    o.decision_kinds = LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_WARN;
    o.warn_before_us = LEAD;
    assert_int_equal(lsched_schedule(c, &o, &plan, &err), LSCHED_OK);
    assert_int_equal(lsched_plan_get(plan, &info, &err), LSCHED_OK);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        found += d->kind == LSCHED_DECIDE_WARN;
    }
    assert_int_equal(found, warnings);
    lsched_plan_destroy(plan);
    return info.steps;
}

static void submit(uint32_t n, lsched_id node, lsched_id queue) {
    lsched_amount cpu = {LSCHED_CPU, 0, 1};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.request = &cpu, g.n_request = 1, g.min_count = g.max_count = 1;
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "j%u", i);
        lsched_job_desc d = LSCHED_JOB_DESC_INIT;
        lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
        d.name = lsched_cstr(name), d.queue = queue;
        d.groups = &g, d.n_groups = 1, d.group_elem_size = sizeof g;
        d.time_limit_us = (i == 0 ? 1000 : 5000) * SECOND;
        assert_int_equal(lsched_jobs_submit(c, &d, 1, sizeof d, NULL, &t.job, NULL, &err), 1);
        t.node = node, t.start_us = SECOND;
        assert_int_equal(lsched_tasks_import(c, &t, 1, sizeof t, NULL, NULL, &err), 1);
    }
}

static struct counts count(uint32_t n) {
    static const char text[] =
        "return { api = 1, name = 'p', pipeline = { 'allocate', 'evict-overdue' } }";
    lsched_amount cpu = {LSCHED_CPU, 0, 1000000};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_id on, q;
    struct counts out;
    node.name = lsched_cstr("n"), node.capacity = &cpu, node.n_capacity = 1;
    queue.name = lsched_cstr("q");
    assert_int_equal(lsched_cluster_create(NULL, &c, &err), LSCHED_OK);
    int32_t rc = lsched_policy_load(c, LSCHED_TEXT("p.lua"), (lsched_text){text, sizeof text - 1},
                                    NULL, &err);
    if (rc == LSCHED_E_NOLUA) skip();
    assert_int_equal(rc, LSCHED_OK);
    assert_int_equal(lsched_nodes_add(c, &node, 1, sizeof node, NULL, &on, NULL, &err), 1);
    assert_int_equal(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, &q, NULL, &err), 1);
    submit(n, on, q);
    out.all = cycle(2 * SECOND, 0);
    cycle(3 * SECOND, 0);
    out.idle = cycle(4 * SECOND, 0);
    assert_int_equal(lsched_next_wake(c), 1001 * SECOND - LEAD);
    out.one = cycle(1001 * SECOND - LEAD, 1);
    out.told = cycle(1001 * SECOND - LEAD + 1, 0);
    lsched_cluster_destroy(c);
    return out;
}

static void a_cycle_costs_what_is_due(void **state) {
    (void)state;
    struct counts few = count(100), many = count(4000);
    printf("steps of 100 and 4000 tasks: the first cycle %llu and %llu, idle %llu and %llu, one "
           "warning %llu and %llu, told %llu and %llu\n",
           (unsigned long long)few.all, (unsigned long long)many.all, (unsigned long long)few.idle,
           (unsigned long long)many.idle, (unsigned long long)few.one, (unsigned long long)many.one,
           (unsigned long long)few.told, (unsigned long long)many.told);
    assert_true(many.all >= 4000);
    assert_int_equal(many.idle, few.idle);
    assert_int_equal(many.one, few.one);
    assert_int_equal(many.told, few.told);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_cycle_costs_what_is_due)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
