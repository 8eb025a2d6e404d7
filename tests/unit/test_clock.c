/*
 * test_clock.c -- the bound on times that reports name, and the way back of an operator: a wrong clock that was believed before the first
 * cycle, a cycle in nanoseconds, a host that slept. Afterwards work is evicted and limits end work when they would have, and a
 * record of the call replays.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/door/door.h"
#include "support/api_world.h"

#define SECOND INT64_C(1000000)
#define DAY    (86400 * SECOND)
#define START  INT64_C(1700000000000000)

static struct api_world world;
static lsched_error err;

static int32_t report_at(lsched_id job, uint32_t event, int64_t at) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    err = (lsched_error)LSCHED_ERROR_INIT;
    e.job = job;
    e.event = event;
    e.at_us = at;
    return lsched_tasks_report(world.cluster, &e, 1, sizeof e, NULL, NULL, &err);
}

static int set_up(void **state) {
    (void)state;
    return api_world_make(&world, NULL);
}

static int tear_down(void **state) {
    (void)state;
    api_world_drop(&world);
    return 0;
}

static int64_t now_of(const lsched_cluster *c) {
    lsched_cluster_stats s = {.size = sizeof s};
    assert_int_equal(lsched_cluster_stats_get(c, &s, NULL), LSCHED_OK);
    return s.now_us;
}

static void a_report_far_beyond_the_latest_cycle_is_refused(void **state) {
    (void)state;
    uint64_t image = api_image(world.cluster);
    int64_t last = world.now_us;
    assert_int_equal(report_at(world.open, LSCHED_EVENT_STARTED, last * 1000), LSCHED_E_TIME);
    assert_int_equal(report_at(world.open, LSCHED_EVENT_STARTED, last + LSCHED_REPORT_AHEAD_US + 1),
                     LSCHED_E_TIME);
    assert_non_null(strstr(err.message, "1702592000000001")); /* the bound */
    assert_non_null(strstr(err.message, "30 days"));
    assert_non_null(strstr(err.message, "lsched_clock_set"));
    assert_true(api_image(world.cluster) == image);
    assert_true(report_at(world.open, LSCHED_EVENT_STARTED, last + LSCHED_REPORT_AHEAD_US) >= 0);
    assert_int_equal(now_of(world.cluster), last + LSCHED_REPORT_AHEAD_US);
}

static void other_reports_have_the_same_bound(void **state) {
    (void)state;
    int64_t late = world.now_us + LSCHED_REPORT_AHEAD_US + 1;
    lsched_usage_sample s = LSCHED_USAGE_SAMPLE_INIT;
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    lsched_collision c = {.size = sizeof c, .node = world.nodes[0], .at_us = late};
    s.job = world.busy;
    s.kind = LSCHED_CPU;
    s.at_us = late;
    m.job = world.later;
    m.node = world.nodes[0];
    m.start_us = late;
    assert_int_equal(lsched_usage_report(world.cluster, &s, 1, sizeof s, NULL, NULL, NULL),
                     LSCHED_E_TIME);
    assert_int_equal(lsched_tasks_import(world.cluster, &m, 1, sizeof m, NULL, NULL, NULL),
                     LSCHED_E_TIME);
    assert_int_equal(lsched_collisions_report(world.cluster, &c, 1, sizeof c, NULL, NULL, NULL),
                     LSCHED_E_TIME);
}

static void a_host_that_slept_has_two_ways(void **state) {
    (void)state;
    int64_t now = world.now_us + 40 * DAY;
    assert_int_equal(report_at(world.open, LSCHED_EVENT_STARTED, now), LSCHED_E_TIME);
    assert_int_equal(lsched_clock_set(world.cluster, now, &err), LSCHED_OK);
    assert_true(report_at(world.open, LSCHED_EVENT_STARTED, now) >= 0);
    now += 40 * DAY;
    assert_int_equal(report_at(world.open, LSCHED_EVENT_ENDED, now), LSCHED_E_TIME);
    assert_int_equal(api_cycle(world.cluster, now, NULL), LSCHED_OK);
    assert_true(report_at(world.open, LSCHED_EVENT_ENDED, now) >= 0);
}

static void a_cycle_in_nanoseconds_is_taken_back(void **state) {
    (void)state;
    int64_t now = world.now_us;
    assert_int_equal(api_cycle(world.cluster, now * 1000, NULL), LSCHED_OK);
    assert_int_equal(api_cycle(world.cluster, now + SECOND, NULL), LSCHED_E_TIME);
    assert_int_equal(lsched_clock_set(world.cluster, now, &err), LSCHED_OK);
    assert_int_equal(now_of(world.cluster), now);
    assert_int_equal(lsched_verify(world.cluster, NULL, &err), LSCHED_OK);
    assert_int_equal(api_cycle(world.cluster, now + SECOND, NULL), LSCHED_OK);
}

static void times_out_of_range_are_refused(void **state) {
    (void)state;
    uint64_t image = api_image(world.cluster);
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    static const int64_t wrong[] = {-1, INT64_MIN, INT64_MAX, (INT64_C(1) << 61) + 1};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(lsched_clock_set(world.cluster, wrong[i], &err), LSCHED_E_RANGE);
        o.now_us = wrong[i], o.release_us = 0;
        assert_int_equal(lsched_schedule(world.cluster, &o, &plan, &err), LSCHED_E_RANGE);
        o.now_us = world.now_us, o.release_us = wrong[i];
        assert_int_equal(lsched_schedule(world.cluster, &o, &plan, &err), LSCHED_E_RANGE);
        assert_null(plan);
    }
    assert_int_equal(lsched_clock_set(NULL, 0, &err), LSCHED_E_NULL);
    assert_true(api_image(world.cluster) == image);
}

/* ---- what becomes of times ---- */

/* One node of 8 GPUs that a borrower holds, imported before the first cycle; the owner waits. */
static lsched_cluster *borrowed(int64_t since, int64_t time_limit) {
    static const lsched_amount none = {LSCHED_GPU, 0, 0};
    lsched_cluster *c = NULL;
    lsched_node_desc n = api_node("n1");
    lsched_queue_desc q[] = {api_queue("research", NULL), api_queue("product", NULL)};
    lsched_group_desc g = api_group(8);
    lsched_job_desc jobs[] = {api_job("guest", &g, 1), api_job("owner", &g, 1)};
    q[0].quota = &none;
    q[0].reclaim_min_runtime_us = 60 * SECOND;
    jobs[0].time_limit_us = time_limit;
    jobs[1].queue_name = LSCHED_TEXT("product");
    assert_int_equal(lsched_cluster_create(NULL, &c, NULL), LSCHED_OK);
    assert_true(lsched_nodes_add(c, &n, 1, sizeof n, NULL, NULL, NULL, &err) > 0);
    assert_true(lsched_queues_add(c, q, 2, sizeof q[0], NULL, NULL, NULL, &err) > 0);
    int32_t rc =
        lsched_policy_load(c, LSCHED_TEXT("guaranteed-quota"), (lsched_text){NULL, 0}, NULL, &err);
    if (rc == LSCHED_E_NOLUA) skip();
    assert_int_equal(rc, LSCHED_OK);
    assert_true(lsched_jobs_submit(c, jobs, time_limit ? 1 : 2, sizeof jobs[0], NULL, NULL, NULL,
                                   &err) > 0);
    for (uint32_t i = 0; i < 8; i++) {
        lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
        m.job_name = LSCHED_TEXT("guest");
        m.task_index = i;
        m.node_name = LSCHED_TEXT("n1");
        m.start_us = since;
        assert_true(lsched_tasks_import(c, &m, 1, sizeof m, NULL, NULL, &err) > 0);
    }
    return c;
}

static size_t decisions_at(lsched_cluster *c, int64_t now) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    o.now_us = now;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    int32_t rc = lsched_schedule(c, &o, &plan, &err);
    if (rc < 0) fail_msg("%s", err.message);
    size_t n = lsched_plan_size(plan);
    lsched_plan_destroy(plan);
    return n;
}

static void work_that_started_in_the_future_can_be_evicted_again(void **state) {
    (void)state;
    lsched_cluster *c = borrowed(START * 1000, 0);
    assert_int_equal(decisions_at(c, START), 0);
    assert_int_equal(decisions_at(c, START + DAY), 0); /* it "runs" from the year 55840 on */
    assert_int_equal(lsched_clock_set(c, START + DAY, &err), LSCHED_OK);
    assert_int_equal(lsched_verify(c, NULL, &err), LSCHED_OK);
    assert_true(decisions_at(c, START + DAY + 60 * SECOND) > 0);
    lsched_cluster_destroy(c);
    c = borrowed(START * 1000, 0);
    assert_int_equal(decisions_at(c, START * 1000), 0);
    assert_int_equal(lsched_clock_set(c, START, &err), LSCHED_OK);
    assert_int_equal(decisions_at(c, START + SECOND), 0); /* young: it counts from START */
    assert_true(lsched_next_wake(c) <= START + 60 * SECOND);
    assert_true(decisions_at(c, START + 60 * SECOND) > 0);
    lsched_cluster_destroy(c);
}

/* Before the first cycle, nothing says that the time of a report is wrong; the first cycle does. */
static void a_failure_in_nanoseconds_before_the_first_cycle_is_found(void **state) {
    (void)state;
    lsched_cluster *c = borrowed(START, 0);
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    e.event = LSCHED_EVENT_FAILED;
    e.job = lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("guest"));
    e.at_us = START * 1000;
    assert_int_equal(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &err), 1);
    assert_int_equal(now_of(c), START * 1000);
    uint64_t image = api_image(c);
    o.now_us = START + SECOND;
    assert_int_equal(lsched_schedule(c, &o, &plan, &err), LSCHED_E_TIME);
    assert_non_null(strstr(err.message, "lsched_clock_set"));
    assert_null(plan);
    assert_true(api_image(c) == image);
    assert_int_equal(lsched_clock_set(c, START + SECOND, &err), LSCHED_OK);
    assert_true(decisions_at(c, START + SECOND) > 0); /* the task that failed starts again */
    assert_int_equal(now_of(c), START + SECOND);
    lsched_cluster_destroy(c);
    /* a cycle within the bound believes the report */
    c = borrowed(START, 0);
    e.job = lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("guest"));
    e.at_us = START + LSCHED_REPORT_AHEAD_US;
    assert_int_equal(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &err), 1);
    o.now_us = START - 1;
    assert_int_equal(lsched_schedule(c, &o, &plan, &err), LSCHED_E_TIME);
    (void)decisions_at(c, START);
    lsched_cluster_destroy(c);
}

static void a_time_limit_counts_from_the_new_time(void **state) {
    (void)state;
    lsched_cluster *c = borrowed(START * 1000, 100 * SECOND);
    assert_int_equal(decisions_at(c, START * 1000), 0);
    assert_int_equal(lsched_clock_set(c, START, &err), LSCHED_OK);
    lsched_job_info info = {.size = sizeof info};
    assert_int_equal(
        lsched_job_get(c, lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("guest")), &info, NULL),
        LSCHED_OK);
    assert_int_equal(info.due_us, START + 100 * SECOND);
    assert_int_equal(lsched_verify(c, NULL, &err), LSCHED_OK);
    lsched_cluster_destroy(c);
}

static void evictions_keep_their_distance(void **state) {
    (void)state;
    lsched_cluster *c = borrowed(START, 0);
    assert_true(decisions_at(c, START + DAY) > 0); /* gone within 30 s, the policy's time */
    assert_int_equal(lsched_clock_set(c, START, &err), LSCHED_OK);
    assert_int_equal(lsched_verify(c, NULL, &err), LSCHED_OK);
    decisions_at(c, START + SECOND);
    assert_true(lsched_next_wake(c) >= START + 30 * SECOND);
    assert_int_equal(lsched_verify(c, NULL, &err), LSCHED_OK);
    lsched_cluster_destroy(c);
}

/* ---- the record ---- */

static int64_t recorded = -1;
static void record(void *user, const struct call *call) {
    (void)user;
    if (call->kind->op == CALL_CLOCK_SET) recorded = *(const int64_t *)call->elements;
}

static void the_call_is_recorded(void **state) {
    (void)state;
    door_watch(world.cluster, record, NULL);
    assert_int_equal(lsched_clock_set(world.cluster, 12345, &err), LSCHED_OK);
    assert_int_equal(recorded, 12345);
    assert_int_equal(lsched_clock_set(world.cluster, -1, &err), LSCHED_E_RANGE);
    assert_int_equal(recorded, 12345);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_report_far_beyond_the_latest_cycle_is_refused),
        IN_WORLD(other_reports_have_the_same_bound),
        IN_WORLD(a_host_that_slept_has_two_ways),
        IN_WORLD(a_cycle_in_nanoseconds_is_taken_back),
        IN_WORLD(times_out_of_range_are_refused),
        IN_WORLD(the_call_is_recorded),
        cmocka_unit_test(work_that_started_in_the_future_can_be_evicted_again),
        cmocka_unit_test(a_failure_in_nanoseconds_before_the_first_cycle_is_found),
        cmocka_unit_test(a_time_limit_counts_from_the_new_time),
        cmocka_unit_test(evictions_keep_their_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
