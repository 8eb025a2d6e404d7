/*
 * test_adopt_withdrawn.c -- lsched_adopt() of a plan whose groups take the room of nominations, or
 * are nominated tasks whose room came free: what it costs, in steps and in work units, and that a
 * budget bounds it.
 *
 * On each node runs work that is told to stop, and its room is nominated for a job. Then as many
 * jobs of higher priority arrive, and the clone withdraws a nomination for each of them; or the work
 * stops, and each cycle places the nominated tasks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/settle.h"

enum { NODES = 64 };
#define NOW    INT64_C(1700000000000000)
#define MINUTE INT64_C(60000000)

static lsched_cluster *cluster;
static lsched_plan *from; /* the plan of the clone */
static lsched_error err;

static lsched_id submit(const char *name, int32_t priority) {
    lsched_amount one = {LSCHED_CPU, 0, 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_id id = 0;
    g.request = &one;
    g.n_request = 1;
    d.name = lsched_cstr(name);
    d.queue_name = LSCHED_TEXT("q");
    d.groups = &g;
    d.n_groups = 1;
    d.group_elem_size = sizeof g;
    d.priority = priority;
    assert_int_equal(lsched_jobs_submit(cluster, &d, 1, sizeof d, NULL, &id, NULL, &err), 1);
    return id;
}

static void submit_each(uint32_t n, char letter, int32_t priority) {
    char name[16];
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%c-%u", letter, i);
        (void)submit(name, priority);
    }
}

/* Adds n nodes, each with work that fills it. */
static void fill(uint32_t n) {
    lsched_amount one = {LSCHED_CPU, 0, 1000};
    for (uint32_t i = 0; i < n; i++) {
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
        char name[16];
        snprintf(name, sizeof name, "n-%u", i);
        d.name = lsched_cstr(name);
        d.capacity = &one;
        d.n_capacity = 1;
        assert_int_equal(lsched_nodes_add(cluster, &d, 1, sizeof d, NULL, NULL, NULL, &err), 1);
        t.node = lsched_find(cluster, LSCHED_KIND_NODE, d.name);
        t.start_us = NOW;
        snprintf(name, sizeof name, "v-%u", i);
        t.job = submit(name, 1);
        assert_int_equal(lsched_tasks_import(cluster, &t, 1, sizeof t, NULL, NULL, &err), 1);
    }
}

static void stop_all(uint32_t n) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = NOW + MINUTE;
    assert_int_equal(lsched_schedule(cluster, &opts, &plan, &err), LSCHED_OK);
    assert_int_equal(lsched_plan_size(plan), 2 * n);
    for (size_t i = 0; i < 2 * n; i++) {
        lsched_outcome confirmed = LSCHED_OUTCOME_CONFIRMED;
        const lsched_id id = lsched_plan_at(plan, i)->id;
        assert_int_equal(settle_each(cluster, &id, &confirmed, 1, NULL, &err), LSCHED_OK);
    }
    lsched_plan_destroy(plan);
}

static void remove_victims(uint32_t n) {
    char name[16];
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "v-%u", i);
        lsched_id id = lsched_find(cluster, LSCHED_KIND_JOB, lsched_cstr(name));
        assert_int_equal(lsched_jobs_remove(cluster, &id, 1, NULL, NULL, &err), 1);
    }
}

/* comes: 1 if the nominated room comes free. */
static void make_world(uint32_t n, int comes) {
    const char *text = "return { api = 1, name = 'p', fair_share = 'quota',\n"
                       "  pipeline = { 'allocate', 'preempt' },\n"
                       "  eviction = { release_seconds = 600 } }";
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    lsched_cluster *copy = NULL;
    err = (lsched_error)LSCHED_ERROR_INIT;
    assert_int_equal(lsched_cluster_create(NULL, &cluster, &err), LSCHED_OK);
    assert_int_equal(lsched_policy_load(cluster, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err),
                     LSCHED_OK);
    q.name = LSCHED_TEXT("q");
    assert_int_equal(lsched_queues_add(cluster, &q, 1, sizeof q, NULL, NULL, NULL, &err), 1);
    fill(n);
    submit_each(n, 'b', 5);
    stop_all(n);
    if (comes)
        remove_victims(n);
    else
        submit_each(n, 'c', 9);
    assert_int_equal(lsched_cluster_clone(cluster, &copy, &err), LSCHED_OK);
    opts.now_us = NOW + 2 * MINUTE;
    assert_int_equal(lsched_schedule(copy, &opts, &from, &err), LSCHED_OK);
    assert_int_equal(lsched_plan_size(from), n);
    assert_int_equal(lsched_plan_withdrawn_size(from), comes ? 0 : n);
    lsched_cluster_destroy(copy);
}

/* Adopts the plan with a budget, 0 for none. Counts the groups that are applied; the others are
 * dropped because the budget ended. */
static lsched_plan_info adopt(uint64_t budget, uint32_t *applied) {
    lsched_schedule_opts cycle = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_adopt_opts opts = LSCHED_ADOPT_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *to = NULL;
    cycle.now_us = NOW + 2 * MINUTE;
    cycle.work_budget = budget;
    opts.schedule = &cycle;
    assert_int_equal(lsched_adopt(cluster, from, &opts, &to, &err), LSCHED_OK);
    assert_int_equal(lsched_verify(cluster, to, &err), LSCHED_OK);
    assert_int_equal(lsched_plan_get(to, &info, &err), LSCHED_OK);
    *applied = 0;
    for (size_t i = 0; i < lsched_adopted_group_size(to); i++) {
        uint32_t result = lsched_adopted_group_at(to, i)->result;
        *applied += result == LSCHED_ADOPTION_APPLIED;
        if (result != LSCHED_ADOPTION_APPLIED)
            assert_string_equal(lsched_adopt_result_name(result),
                                lsched_adopt_result_name(LSCHED_ADOPTION_BUDGET));
    }
    assert_int_equal(lsched_plan_withdrawn_size(to),
                     lsched_plan_withdrawn_size(from) ? *applied : 0);
    lsched_plan_destroy(to);
    return info;
}

static void drop_world(void) {
    lsched_plan_destroy(from);
    lsched_cluster_destroy(cluster);
    from = NULL, cluster = NULL;
}

static lsched_plan_info cost_of(uint32_t n, int comes, uint64_t budget, uint32_t *applied) {
    make_world(n, comes);
    lsched_plan_info info = adopt(budget, applied);
    drop_world();
    return info;
}

static void check_growth(int comes) {
    uint32_t applied;
    lsched_plan_info one = cost_of(NODES, comes, 0, &applied);
    assert_int_equal(applied, NODES);
    lsched_plan_info two = cost_of(2 * NODES, comes, 0, &applied);
    assert_int_equal(applied, 2 * NODES);
    print_message("%u: %llu steps, %llu units; %u: %llu steps, %llu units\n", NODES,
                  (unsigned long long)one.steps, (unsigned long long)one.work_spent, 2 * NODES,
                  (unsigned long long)two.steps, (unsigned long long)two.work_spent);
    /* each nominated task is looked for in a sorted list of what the cycle has placed: one step more
     * for each, as in the rehearsal */
    assert_true(two.steps <= 2 * one.steps + (comes ? 4 * NODES : 0));
    assert_true(two.work_spent <= 2 * one.work_spent);
}

/* Twice as many withdrawals cost at most twice as much, but for the logarithm of caches. */
static void test_cost_follows_the_withdrawals(void **state) {
    (void)state;
    check_growth(0);
}

static void test_cost_follows_the_nominated_tasks(void **state) {
    (void)state;
    check_growth(1);
}

/* With each budget below what is needed, the groups that the budget does not reach say so. */
static void test_budget_bounds_the_adoption(void **state) {
    (void)state;
    uint32_t applied, before = 0;
    const uint64_t all = cost_of(4, 0, 0, &applied).work_spent;
    assert_int_equal(applied, 4);
    for (uint64_t budget = 1; budget <= all; budget++) {
        lsched_plan_info info = cost_of(4, 0, budget, &applied);
        assert_true(info.work_spent <= budget);
        assert_true(applied >= before);
        assert_int_equal(info.flags & LSCHED_PLAN_PARTIAL, budget < all ? LSCHED_PLAN_PARTIAL : 0);
        before = applied;
    }
    assert_int_equal(applied, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cost_follows_the_withdrawals),
                                       cmocka_unit_test(test_cost_follows_the_nominated_tasks),
                                       cmocka_unit_test(test_budget_bounds_the_adoption)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
