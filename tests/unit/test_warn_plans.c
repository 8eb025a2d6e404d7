/*
 * test_warn_plans.c -- warnings before an end in plans that are adopted, questioned, or cut off by
 * the end of memory.
 *
 * "over" has reached its time limit, "near" will reach it in 50 seconds, and "new" waits. A cycle
 * that asks for warnings a minute before tells "near" its end, starts "new", and stops "over".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/adopt.h>
#include <libsched/what_if.h>

#include "support/cluster_copy.h"
#include "support/fault_alloc.h"

#define SECOND INT64_C(1000000)
#define NOW    (101 * SECOND)
#define KINDS  (LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_WARN)

enum { OVER, NEAR, NEW, JOBS };

static lsched_cluster *cluster, *copy;
static lsched_plan *from, *to;
static lsched_id node, job[JOBS];
static lsched_error err;

static void submit(uint32_t which, int64_t cpu, int64_t limit, int runs) {
    static const char *const names[] = {"over", "near", "new"};
    lsched_amount amount = {LSCHED_CPU, 0, cpu};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    lsched_task_import t = LSCHED_TASK_IMPORT_INIT;
    g.request = &amount, g.n_request = 1;
    d.name = lsched_cstr(names[which]), d.queue_name = LSCHED_TEXT("q");
    d.groups = &g, d.n_groups = 1, d.group_elem_size = sizeof g;
    d.time_limit_us = limit;
    assert_int_equal(lsched_jobs_submit(cluster, &d, 1, sizeof d, NULL, &job[which], NULL, &err),
                     1);
    t.job = job[which], t.node = node, t.start_us = SECOND;
    if (runs) assert_int_equal(lsched_tasks_import(cluster, &t, 1, sizeof t, NULL, NULL, &err), 1);
}

static void make(const lsched_cluster_opts *opts) {
    static const char text[] =
        "return { api = 1, name = 'p', pipeline = { 'allocate', 'evict-overdue' } }";
    lsched_amount cpu = {LSCHED_CPU, 0, 8000};
    lsched_node_desc n = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    err = (lsched_error)LSCHED_ERROR_INIT;
    assert_int_equal(lsched_cluster_create(opts, &cluster, &err), LSCHED_OK);
    int32_t rc = lsched_policy_load(cluster, LSCHED_TEXT("p.lua"),
                                    (lsched_text){text, sizeof text - 1}, NULL, &err);
    if (rc == LSCHED_E_NOLUA) skip();
    assert_int_equal(rc, LSCHED_OK);
    n.name = LSCHED_TEXT("n"), n.capacity = &cpu, n.n_capacity = 1;
    q.name = LSCHED_TEXT("q");
    assert_int_equal(lsched_nodes_add(cluster, &n, 1, sizeof n, NULL, &node, NULL, &err), 1);
    assert_int_equal(lsched_queues_add(cluster, &q, 1, sizeof q, NULL, NULL, NULL, &err), 1);
    submit(OVER, 4000, 100 * SECOND, 1);
    submit(NEAR, 2000, 150 * SECOND, 1);
    submit(NEW, 2000, 0, 0);
}

static int set_up(void **state) {
    (void)state;
    copy = NULL, from = to = NULL;
    make(NULL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    lsched_plan_destroy(from);
    lsched_plan_destroy(to);
    lsched_cluster_destroy(copy);
    lsched_cluster_destroy(cluster);
    return 0;
}

static lsched_schedule_opts asks(int64_t now) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    o.now_us = now;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    o.decision_kinds = KINDS;
    o.warn_before_us = 60 * SECOND;
    return o;
}

static uint64_t hash(const lsched_cluster *c, uint32_t which) {
    uint64_t out = 0;
    assert_int_equal(lsched_cluster_hash(c, which, &out, &err), LSCHED_OK);
    return out;
}

/* Makes the plan of a clone, and checks what it has, in its order. */
static void plan_in_a_clone(void) {
    static const uint32_t kinds[] = {LSCHED_DECIDE_WARN, LSCHED_DECIDE_PLACE, LSCHED_DECIDE_EVICT};
    static const uint32_t of[] = {NEAR, NEW, OVER};
    lsched_schedule_opts o = asks(NOW);
    assert_int_equal(lsched_cluster_clone(cluster, &copy, &err), LSCHED_OK);
    assert_int_equal(lsched_schedule(copy, &o, &from, &err), LSCHED_OK);
    assert_int_equal(lsched_plan_size(from), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(lsched_plan_at(from, i)->kind, kinds[i]);
        assert_int_equal(lsched_plan_at(from, i)->job, job[of[i]]);
    }
    assert_int_equal(lsched_plan_at(from, 0)->at_us, 151 * SECOND);
    assert_int_equal(lsched_plan_at(from, 0)->reason, LSCHED_FOR_TIME_LIMIT);
}

static int32_t adopt(const lsched_schedule_opts *schedule) {
    lsched_adopt_opts o = LSCHED_ADOPT_OPTS_INIT;
    o.schedule = schedule;
    return lsched_adopt(cluster, from, &o, &to, &err);
}

static uint32_t count(const lsched_plan *plan, uint32_t kind) {
    uint32_t n = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) n += lsched_plan_at(plan, i)->kind == kind;
    return n;
}

/* A WARN for a time limit does not stand for the action that stops work at its limit: that action
 * runs where the plan stops work, behind the start of "new". */
static void an_adopted_plan_warns_as_the_clone_did(void **state) {
    lsched_schedule_opts o = asks(NOW);
    (void)state;
    plan_in_a_clone();
    assert_int_equal(adopt(&o), LSCHED_OK);
    assert_int_equal(lsched_plan_size(to), 3);
    for (size_t i = 0; i < 3; i++) {
        const lsched_decision *a = lsched_plan_at(from, i), *b = lsched_plan_at(to, i);
        assert_true(a->kind == b->kind && a->job == b->job && a->at_us == b->at_us);
        assert_int_equal(lsched_adopted_group_at(to, i)->result, LSCHED_ADOPTION_APPLIED);
        assert_int_equal(lsched_adopted_id(to, i), b->id);
    }
    assert_true(hash(cluster, LSCHED_HASH_MEANING) == hash(copy, LSCHED_HASH_MEANING));
}

static void an_end_that_moved_meanwhile_is_not_told(void **state) {
    lsched_schedule_opts o = asks(NOW);
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    (void)state;
    plan_in_a_clone();
    u.job = job[NEAR], u.set = LSCHED_JOB_SET_TIME_LIMIT, u.time_limit_us = 1000 * SECOND;
    assert_int_equal(lsched_jobs_update(cluster, &u, 1, sizeof u, NULL, NULL, &err), 1);
    assert_int_equal(adopt(&o), LSCHED_OK);
    assert_int_equal(lsched_adopted_group_at(to, 0)->result, LSCHED_ADOPTION_OWN);
    assert_int_equal(lsched_adopted_group_at(to, 0)->object, job[NEAR]);
    assert_int_equal(count(to, LSCHED_DECIDE_WARN), 0);
    assert_int_equal(lsched_plan_size(to), 2);
}

static void an_adoption_that_does_not_ask_leaves_the_warning_to_a_cycle(void **state) {
    lsched_schedule_opts o = asks(NOW);
    (void)state;
    plan_in_a_clone();
    assert_int_equal(adopt(NULL), LSCHED_OK);
    assert_int_equal(lsched_adopted_group_at(to, 0)->result, LSCHED_ADOPTION_NOT_ASKED);
    assert_int_equal(count(to, LSCHED_DECIDE_WARN), 0);
    lsched_plan_destroy(to);
    assert_int_equal(lsched_schedule(cluster, &o, &to, &err), LSCHED_OK);
    assert_int_equal(count(to, LSCHED_DECIDE_WARN), 1);
}

/* The question is a cycle that asks for warnings for the first time, and all of it is undone. */
static void a_question_warns_nobody(void **state) {
    lsched_schedule_opts o = asks(NOW);
    lsched_would_start_opts opts = LSCHED_WOULD_START_OPTS_INIT;
    lsched_would_start_answer answer = LSCHED_WOULD_START_ANSWER_INIT;
    (void)state;
    opts.schedule = &o;
    for (int round = 0; round < 2; round++) {
        uint64_t image = hash(cluster, LSCHED_HASH_IMAGE);
        assert_int_equal(lsched_would_start(cluster, job[NEW], NULL, &opts, &answer, &err),
                         LSCHED_OK);
        assert_int_equal(answer.start, round == 0 ? LSCHED_START_NOW : LSCHED_START_HAS_PLACES);
        assert_true(hash(cluster, LSCHED_HASH_IMAGE) == image);
        assert_int_equal(lsched_verify(cluster, NULL, &err), LSCHED_OK);
        if (round == 1) break;
        assert_int_equal(lsched_schedule(cluster, &o, &from, &err), LSCHED_OK);
        assert_int_equal(count(from, LSCHED_DECIDE_WARN), 1);
    }
}

static void a_cycle_without_memory_tells_nothing(void **state) {
    struct fault_alloc memory = {0};
    lsched_allocator hooks = fault_hooks(&memory);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_schedule_opts o = asks(NOW);
    uint64_t refusals = 0;
    int32_t rc = LSCHED_E_NOMEM;
    (void)state;
    lsched_cluster_destroy(cluster);
    opts.allocator = &hooks;
    make(&opts);
    uint64_t image = hash(cluster, LSCHED_HASH_IMAGE);
    for (uint64_t at = 1; rc != LSCHED_OK; at++) {
        memory.fail_at = memory.calls + at;
        memory.fail_period = 1;
        rc = lsched_schedule(cluster, &o, &from, &err);
        memory.fail_at = memory.fail_period = 0;
        refusals += rc != LSCHED_OK;
        if (rc != LSCHED_OK) assert_int_equal(rc, LSCHED_E_NOMEM);
        if (rc != LSCHED_OK) assert_true(hash(cluster, LSCHED_HASH_IMAGE) == image);
        assert_true(at < 10000);
    }
    assert_true(refusals > 10);
    assert_int_equal(count(from, LSCHED_DECIDE_WARN), 1);
    lsched_plan_destroy(from);
    lsched_cluster_destroy(cluster);
    from = NULL, cluster = NULL;
    assert_int_equal(memory.live_blocks, 0);
}

/* While the WARN is open, the end comes closer. Once it is settled, the task is told that, too. */
static void a_sooner_end_is_told_when_the_open_warning_is_settled(void **state) {
    lsched_schedule_opts o = asks(NOW);
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    (void)state;
    assert_int_equal(lsched_schedule(cluster, &o, &from, &err), LSCHED_OK);
    assert_int_equal(lsched_plan_at(from, 0)->kind, LSCHED_DECIDE_WARN);
    u.job = job[NEAR], u.set = LSCHED_JOB_SET_TIME_LIMIT, u.time_limit_us = 120 * SECOND;
    assert_int_equal(lsched_jobs_update(cluster, &u, 1, sizeof u, NULL, NULL, &err), 1);
    o.now_us += SECOND;
    assert_int_equal(lsched_schedule(cluster, &o, &to, &err), LSCHED_OK);
    assert_int_equal(count(to, LSCHED_DECIDE_WARN), 0);
    lsched_plan_destroy(to);
    lsched_settlement s = {
        sizeof s, LSCHED_OUTCOME_CONFIRMED, lsched_plan_at(from, 0)->id, {NULL, 0}, NULL};
    assert_int_equal(lsched_settle(cluster, &s, 1, sizeof s, NULL, NULL, NULL, &err), 1);
    assert_int_equal(lsched_next_wake(cluster), o.now_us);
    assert_int_equal(lsched_schedule(cluster, &o, &to, &err), LSCHED_OK);
    assert_int_equal(lsched_plan_size(to), 1);
    assert_int_equal(lsched_plan_at(to, 0)->kind, LSCHED_DECIDE_WARN);
    assert_int_equal(lsched_plan_at(to, 0)->at_us, 121 * SECOND);
}

/* A loaded cluster that gets the same calls stays equal, also after the last allowance is gone. */
static void a_removed_allowance_makes_no_difference_to_a_loaded_cluster(void **state) {
    lsched_amount price = {LSCHED_CPU, 0, 1000};
    lsched_allowance_desc d = LSCHED_ALLOWANCE_DESC_INIT;
    lsched_schedule_opts o = asks(NOW);
    (void)state;
    d.queue_name = LSCHED_TEXT("q"), d.price = &price, d.n_price = 1;
    d.amount_micro = INT64_C(1000000000000), d.period_us = 600 * SECOND;
    assert_int_equal(lsched_allowances_set(cluster, &d, 1, sizeof d, NULL, NULL, &err), 1);
    assert_int_equal(lsched_schedule(cluster, &o, &from, &err), LSCHED_OK);
    lsched_id queue = lsched_find(cluster, LSCHED_KIND_QUEUE, LSCHED_TEXT("q"));
    assert_int_equal(lsched_allowances_remove(cluster, &queue, 1, NULL, NULL, &err), 1);
    assert_int_equal(cluster_copy_by_image(cluster, &copy, &err), LSCHED_OK);
    o.now_us += SECOND;
    lsched_plan_destroy(from);
    assert_int_equal(lsched_schedule(cluster, &o, &from, &err), LSCHED_OK);
    assert_int_equal(lsched_schedule(copy, &o, &to, &err), LSCHED_OK);
    assert_int_equal(hash(cluster, LSCHED_HASH_IMAGE), hash(copy, LSCHED_HASH_IMAGE));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(an_adopted_plan_warns_as_the_clone_did),
        TEST(an_end_that_moved_meanwhile_is_not_told),
        TEST(an_adoption_that_does_not_ask_leaves_the_warning_to_a_cycle),
        TEST(a_question_warns_nobody),
        TEST(a_cycle_without_memory_tells_nothing),
        TEST(a_removed_allowance_makes_no_difference_to_a_loaded_cluster),
        TEST(a_sooner_end_is_told_when_the_open_warning_is_settled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
