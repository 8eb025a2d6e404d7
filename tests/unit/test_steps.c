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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_caches_lower_steps_alone),
                                       cmocka_unit_test(test_older_host)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
