/* lsched_plan_info.steps: what a cycle looked at. Caches may lower it and nothing else; work units, decisions and
 * the plan's hash do not depend on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/steps_world.h"

enum { NODES = 64 };

static void test_caches_lower_steps_alone(void **state) {
    lsched_cluster *c = steps_world(NODES), *cold = NULL;
    (void)state;
    steps_submit(c, "a");
    assert_true(steps_cycle(c, 1).steps >= NODES); /* each node was scored */
    steps_submit(c, "b");
    steps_must(lsched_cluster_clone(c, &cold, &steps_err));
    lsched_plan_info warm_info = steps_cycle(c, 2), cold_info = steps_cycle(cold, 2);
    assert_true(warm_info.steps > 0 && warm_info.steps < NODES);
    assert_true(cold_info.steps >= NODES);
    assert_int_equal(warm_info.work_spent, cold_info.work_spent);
    assert_int_equal(warm_info.plan_hash, cold_info.plan_hash);
    lsched_cluster_destroy(c);
    lsched_cluster_destroy(cold);
}

/* A host that was compiled before the field was there. */
static void test_older_host(void **state) {
    lsched_cluster *c = steps_world(NODES);
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = offsetof(lsched_plan_info, steps), .steps = 77};
    (void)state;
    opts.now_us = 1;
    steps_must(lsched_schedule(c, &opts, &plan, &steps_err));
    steps_must(lsched_plan_get(plan, &info, NULL));
    assert_int_equal(info.steps, 77);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(c);
}

/* Adds the job "j<i>" to the queue "q<i>", which is new, or to the queue of the user "q<i>". */
static void crowd_job(lsched_cluster *c, int i, int users) {
    char name[16], job_name[16];
    snprintf(name, sizeof name, "q%d", i);
    snprintf(job_name, sizeof job_name, "j%d", i);
    if (!users) steps_queue_add(c, name, 0);
    steps_submit_as(c, job_name, 4000, users ? "all" : name, users ? name : "");
}

/* A full cluster with one waiting job in each of `queues` queues. users: 1 if the queues are those
 * of users below one queue. */
static lsched_cluster *crowd(const char *policy, int queues, int users) {
    lsched_cluster *c = NULL;
    steps_must(lsched_cluster_create(NULL, &c, &steps_err));
    if (policy)
        steps_must(
            lsched_policy_load(c, LSCHED_TEXT("crowd"), lsched_cstr(policy), NULL, &steps_err));
    steps_node_add(c, "n");
    steps_queue_add(c, "all", LSCHED_QUEUE_PER_USER);
    for (int i = 0; i < queues + 3; i++) crowd_job(c, i, users);
    steps_cycle(c, 1);
    steps_cycle(c, 2);
    steps_cycle(c, 3);
    return c;
}

static const char *const crowd_policies[] = {
    NULL,
    "return { api = 1, name = 'a', fair_share = 'fifo' }",
    "return { api = 1, name = 'b', fair_share = 'quota' }",
    "return { api = 1, name = 'c', fair_share = 'cohort' }",
    "return { api = 1, name = 'd', fair_share = 'fair-tree',"
    " usage = function() return { half_life = 86400 } end }",
    "return { api = 1, name = 'e', pipeline = { 'allocate', 'drain', 'reclaim' } }",
    "return { api = 1, name = 'f', fair_share = 'quota', pipeline = { 'allocate', 'drain',"
    " 'consolidate', 'reclaim', 'preempt', 'evict-stale-gangs' } }"};

/* A cycle before which nothing happened looks at no queue and at no waiting job. */
static void test_idle_cycles_walk_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof crowd_policies / sizeof crowd_policies[0]; i++) {
        lsched_cluster *few = crowd(crowd_policies[i], 10, 0),
                       *many = crowd(crowd_policies[i], 500, 0);
        lsched_plan_info a = steps_cycle(few, 4), b = steps_cycle(many, 4);
        if (a.steps != b.steps)
            print_message("policy %zu: %llu steps with 10 queues, %llu with 500\n", i,
                          (unsigned long long)a.steps, (unsigned long long)b.steps);
        assert_int_equal(a.steps, b.steps);
        lsched_cluster_destroy(few);
        lsched_cluster_destroy(many);
    }
}

/* Ends the task of a job and runs a cycle, which gives the room to another job. */
static lsched_plan_info end_task(lsched_cluster *c, const char *job, int64_t now_us) {
    steps_end_task(c, job);
    lsched_plan_info info = steps_cycle(c, now_us);
    assert_int_equal(info.decisions, 1);
    return info;
}

/* The room that one task leaves is given to one job; the others are not tried. The first of the
 * two cycles makes the lines of waiting bundles, the second only changes them. */
static void test_one_ended_task_tries_few(void **state) {
    static const char *const policies[] = {
        NULL, "return { api = 1, name = 'a', fair_share = 'fifo' }",
        "return { api = 1, name = 'b', fair_share = 'fair-tree' }",
        "return { api = 1, name = 'c', pipeline = { 'allocate', 'drain', 'evict-stale-gangs' } }"};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof policies / sizeof policies[0]; i++) {
        lsched_cluster *few = crowd(policies[i / 2], 100, i % 2),
                       *many = crowd(policies[i / 2], 3200, i % 2);
        end_task(few, "j0", 4);
        end_task(many, "j0", 4);
        lsched_plan_info a = end_task(few, "j1", 5), b = end_task(many, "j1", 5);
        if (b.steps > a.steps + 32)
            print_message("policy %zu: %llu steps with 100 queues, %llu with 3,200\n", i / 2,
                          (unsigned long long)a.steps, (unsigned long long)b.steps);
        assert_true(b.steps <= a.steps + 32);
        assert_int_equal(b.jobs_tried, a.jobs_tried);
        assert_true(b.jobs_tried <= 2);
        lsched_cluster_destroy(few);
        lsched_cluster_destroy(many);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_ended_task_tries_few),
                                       cmocka_unit_test(test_caches_lower_steps_alone),
                                       cmocka_unit_test(test_older_host),
                                       cmocka_unit_test(test_idle_cycles_walk_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
