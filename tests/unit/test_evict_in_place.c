/* Bundles that no eviction can help are tried where they are parked: with the records, the wait
 * reasons and the work units of a cycle that wakes them, and with fewer steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/state/cache_check.h"
#include "support/steps_world.h"

enum { NODES = 4, QUEUES = 5, SHAPES = 6 };

static const char policy[] =
    "return { api = 1, name = 'in-place', fair_share = 'quota', placement = 'binpack',\n"
    "  pipeline = { 'allocate', 'consolidate', 'reclaim', 'preempt' },\n"
    "  eviction = function() return { moves_max = 4 } end }\n";

static void start(lsched_cluster *c, const char *job) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = lsched_find(c, LSCHED_KIND_JOB, lsched_cstr(job));
    e.event = LSCHED_EVENT_STARTED;
    steps_must(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &steps_err));
}

/* Jobs of the queue "q" run on all nodes, and jobs of six sizes wait in each of five queues. */
static lsched_cluster *full_world(void) {
    lsched_cluster *c = steps_world(NODES);
    char name[24], queue[8];
    cache_check_on(c);
    steps_must(
        lsched_policy_load(c, LSCHED_TEXT("in-place"), lsched_cstr(policy), NULL, &steps_err));
    for (uint32_t i = 0; i < NODES; i++) {
        snprintf(name, sizeof name, "run%u", i);
        steps_submit_as(c, name, 8000, "q", "");
    }
    assert_int_equal(steps_cycle(c, 1).decisions, NODES);
    for (uint32_t i = 0; i < NODES; i++) {
        snprintf(name, sizeof name, "run%u", i);
        start(c, name);
    }
    for (uint32_t q = 0; q < QUEUES; q++) {
        snprintf(queue, sizeof queue, "w%u", q);
        steps_queue_add(c, queue, 0);
        for (uint32_t s = 0; s < SHAPES; s++) {
            snprintf(name, sizeof name, "wait%u-%u", q, s);
            steps_submit_as(c, name, 7000 + s, queue, "");
        }
    }
    steps_cycle(c, 2);
    return c;
}

/* Runs a cycle, and the same cycle on a clone that wakes all bundles. Returns the plan's numbers;
 * *cold: those of the clone. */
static lsched_plan_info both(lsched_cluster *c, int64_t now, lsched_plan_info *cold) {
    lsched_cluster *copy = NULL;
    steps_must(lsched_cluster_create(NULL, &copy, &steps_err));
    steps_must(lsched_cluster_clone(c, &copy, &steps_err));
    cache_check_search_cold(copy);
    *cold = steps_cycle(copy, now);
    lsched_cluster_destroy(copy);
    return steps_cycle(c, now);
}

static void assert_alike(const lsched_plan_info *warm, const lsched_plan_info *cold) {
    assert_int_equal(warm->plan_hash, cold->plan_hash);
    assert_int_equal(warm->decisions, cold->decisions);
    assert_int_equal(warm->waiting, cold->waiting);
    assert_int_equal(warm->jobs_tried, cold->jobs_tried);
    assert_int_equal(warm->work_spent, cold->work_spent);
    assert_int_equal(warm->next_wake_us, cold->next_wake_us);
}

/* The removal of a waiting job lets all actions seek victims again. */
static void test_bundles_stay_parked(void **state) {
    lsched_cluster *c = full_world();
    lsched_plan_info warm, cold;
    lsched_id job = lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("wait2-3"));
    (void)state;
    steps_must(lsched_jobs_remove(c, &job, 1, NULL, NULL, &steps_err));
    warm = both(c, 3, &cold);
    assert_alike(&warm, &cold);
    assert_int_equal(warm.waiting, QUEUES * SHAPES - 1);
    /* three actions and a stage with victims of both kinds */
    assert_int_equal(warm.jobs_tried, 4 * (QUEUES * SHAPES - 1));
    print_message("%llu steps, %llu if all bundles wake\n", (unsigned long long)warm.steps,
                  (unsigned long long)cold.steps);
    assert_true(2 * warm.steps < cold.steps);
    lsched_cluster_destroy(c);
}

/* One job that preempts lets the action try all bundles as usual. */
static void test_one_job_that_can_be_helped(void **state) {
    lsched_cluster *c = full_world();
    lsched_plan_info warm, cold;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_amount request = {LSCHED_CPU, 0, 8000};
    (void)state;
    group.request = &request;
    group.n_request = 1;
    job.name = LSCHED_TEXT("urgent");
    job.queue_name = LSCHED_TEXT("q");
    job.priority = 10;
    job.groups = &group;
    job.n_groups = 1;
    steps_must(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, &steps_err));
    warm = both(c, 3, &cold);
    assert_alike(&warm, &cold);
    assert_int_equal(warm.evictions, 1);
    lsched_cluster_destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bundles_stay_parked),
                                       cmocka_unit_test(test_one_job_that_can_be_helped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
