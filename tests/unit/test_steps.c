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
#include <libsched/policies.h>

enum { NODES = 64 };

static lsched_error err = LSCHED_ERROR_INIT;

static void must(int32_t code) {
    if (code < 0) print_message("%d %s\n", code, err.message);
    assert_true(code >= 0);
}

static void submit(lsched_cluster *c, const char *name) {
    lsched_amount cpu = {LSCHED_CPU, 0, 1000};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    group.request = &cpu;
    group.n_request = 1;
    job.name = (lsched_text){name, 0};
    job.queue_name = (lsched_text)LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    must(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, &err));
}

static lsched_cluster *world(void) {
    lsched_cluster *c = NULL;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_amount cpu = {LSCHED_CPU, 0, 8000};
    must(lsched_cluster_create(NULL, &c, &err));
    queue.name = (lsched_text)LSCHED_TEXT("q");
    must(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, NULL, &err));
    for (int i = 0; i < NODES; i++) {
        char name[16];
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        snprintf(name, sizeof name, "n%d", i);
        node.name = (lsched_text){name, 0};
        node.capacity = &cpu;
        node.n_capacity = 1;
        must(lsched_nodes_add(c, &node, 1, sizeof node, NULL, NULL, &err));
    }
    return c;
}

static lsched_plan_info cycle(lsched_cluster *c, int64_t now_us) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    opts.now_us = now_us;
    must(lsched_schedule(c, &opts, &plan, &err));
    must(lsched_plan_info_get(plan, &info));
    lsched_plan_destroy(plan);
    return info;
}

static void test_caches_lower_steps_alone(void **state) {
    lsched_cluster *c = world(), *cold = NULL;
    (void)state;
    submit(c, "a");
    assert_true(cycle(c, 1).steps >= NODES); /* each node was scored */
    submit(c, "b");
    must(lsched_cluster_clone(c, &cold, &err));
    lsched_plan_info warm_info = cycle(c, 2), cold_info = cycle(cold, 2);
    assert_true(warm_info.steps > 0 && warm_info.steps < NODES);
    assert_true(cold_info.steps >= NODES);
    assert_int_equal(warm_info.work_spent, cold_info.work_spent);
    assert_int_equal(warm_info.plan_hash, cold_info.plan_hash);
    lsched_cluster_destroy(c);
    lsched_cluster_destroy(cold);
}

/* A host that was compiled before the field was there. */
static void test_older_host(void **state) {
    lsched_cluster *c = world();
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = offsetof(lsched_plan_info, steps), .steps = 77};
    (void)state;
    opts.now_us = 1;
    must(lsched_schedule(c, &opts, &plan, &err));
    must(lsched_plan_info_get(plan, &info));
    assert_int_equal(info.steps, 77);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(c);
}

/* Adds the job "j<i>" to the queue "q<i>", which is new, or to the queue of the user "q<i>". */
static void crowd_job(lsched_cluster *c, int i, int users) {
    char name[16], job_name[16];
    lsched_amount cpu = {LSCHED_CPU, 0, 4000};
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    snprintf(name, sizeof name, "q%d", i);
    snprintf(job_name, sizeof job_name, "j%d", i);
    queue.name = (lsched_text){name, 0};
    if (!users) must(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, NULL, &err));
    group.request = &cpu;
    group.n_request = 1;
    job.name = (lsched_text){job_name, 0};
    job.queue_name = users ? (lsched_text)LSCHED_TEXT("all") : queue.name;
    if (users) job.user = queue.name;
    job.groups = &group;
    job.n_groups = 1;
    must(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, &err));
}

/* A full cluster with one waiting job in each of `queues` queues. users: 1 if the queues are those
 * of users below one queue. */
static lsched_cluster *crowd(const char *policy, int queues, int users) {
    lsched_cluster *c = NULL;
    lsched_amount all = {LSCHED_CPU, 0, 8000};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    must(lsched_cluster_create(NULL, &c, &err));
    if (policy) must(lsched_policy_load(c, "crowd", policy, strlen(policy), NULL, &err));
    node.name = (lsched_text)LSCHED_TEXT("n");
    node.capacity = &all;
    node.n_capacity = 1;
    must(lsched_nodes_add(c, &node, 1, sizeof node, NULL, NULL, &err));
    queue.name = (lsched_text)LSCHED_TEXT("all");
    queue.flags = LSCHED_QUEUE_PER_USER;
    must(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, NULL, &err));
    for (int i = 0; i < queues + 3; i++) crowd_job(c, i, users);
    cycle(c, 1);
    cycle(c, 2);
    cycle(c, 3);
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
        lsched_plan_info a = cycle(few, 4), b = cycle(many, 4);
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
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = lsched_find(c, LSCHED_KIND_JOB, job, strlen(job));
    e.event = LSCHED_EVENT_STARTED;
    must(lsched_tasks_report(c, &e, 1, sizeof e, NULL, &err));
    e.event = LSCHED_EVENT_ENDED;
    must(lsched_tasks_report(c, &e, 1, sizeof e, NULL, &err));
    lsched_plan_info info = cycle(c, now_us);
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
