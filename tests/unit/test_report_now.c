/*
 * test_report_now.c -- reports with the time 0, which means the latest time of the cluster. Such a
 * report leaves the same state, byte for byte, as one that names that time. In particular, a usage
 * sample without a time does not make a task look idle since 1970.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/api_world.h"

#define SECOND INT64_C(1000000)

static struct api_world world;
static lsched_error err;

static int set_up(void **state) {
    (void)state;
    int32_t rc = api_world_make(&world, NULL);
    if (rc < 0) return rc;
    world.now_us += 600 * SECOND;
    return api_cycle(world.cluster, world.now_us, NULL);
}

static int tear_down(void **state) {
    (void)state;
    api_world_drop(&world);
    return 0;
}

static int32_t event(lsched_cluster *c, uint32_t kind, lsched_id job, int64_t at) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = kind;
    e.job = job;
    e.at_us = at;
    return lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &err);
}

static int32_t started(lsched_cluster *c, int64_t at) {
    return event(c, LSCHED_EVENT_STARTED, world.open, at);
}

static int32_t ended(lsched_cluster *c, int64_t at) {
    return event(c, LSCHED_EVENT_ENDED, world.busy, at);
}

static int32_t failed(lsched_cluster *c, int64_t at) {
    return event(c, LSCHED_EVENT_FAILED, world.busy, at);
}

static int32_t usage(lsched_cluster *c, int64_t at, uint32_t kind) {
    lsched_usage_sample s = LSCHED_USAGE_SAMPLE_INIT;
    s.job = world.busy;
    s.kind = kind;
    s.amount = 1000;
    s.at_us = at;
    return lsched_usage_report(c, &s, 1, sizeof s, NULL, NULL, &err);
}

static int32_t gpu_used(lsched_cluster *c, int64_t at) {
    return usage(c, at, LSCHED_GPU);
}

static int32_t cpu_used(lsched_cluster *c, int64_t at) {
    return usage(c, at, LSCHED_CPU);
}

/* A sample without a time comes after an older one with a time, so it is not "older" itself. */
static int32_t gpu_used_again(lsched_cluster *c, int64_t at) {
    int32_t rc = usage(c, world.now_us - SECOND, LSCHED_GPU);
    return rc < 0 ? rc : usage(c, at, LSCHED_GPU);
}

static int32_t collided(lsched_cluster *c, int64_t at) {
    lsched_collision m = LSCHED_COLLISION_INIT;
    lsched_task_info info = LSCHED_INIT(lsched_task_info);
    uint64_t cursor = 0;
    int32_t rc = lsched_tasks_next(c, world.busy, 0, &cursor, &info, &err);
    if (rc < 0) return rc;
    m.job = world.busy;
    m.node = info.node;
    while (!(info.device_mask >> m.device & 1)) m.device++;
    m.at_us = at;
    return lsched_collisions_report(c, &m, 1, sizeof m, NULL, NULL, &err);
}

static void time_zero_is_the_latest_time(void **state) {
    static int32_t (*const reports[])(lsched_cluster *, int64_t) = {
        started, ended, failed, gpu_used, cpu_used, gpu_used_again, collided};
    (void)state;
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
        lsched_cluster *named = NULL, *unnamed = NULL;
        assert_int_equal(lsched_cluster_clone(world.cluster, &named, &err), LSCHED_OK);
        assert_int_equal(lsched_cluster_clone(world.cluster, &unnamed, &err), LSCHED_OK);
        assert_int_equal(reports[i](named, world.now_us), 1);
        assert_int_equal(reports[i](unnamed, 0), 1);
        assert_true(api_image(named) != api_image(world.cluster));
        assert_true(api_image(named) == api_image(unnamed));
        assert_int_equal(lsched_verify(unnamed, NULL, &err), LSCHED_OK);
        lsched_cluster_destroy(named);
        lsched_cluster_destroy(unnamed);
    }
}

/* The idle time of a task whose host sends samples without a time counts from these samples. */
static void work_that_reports_use_is_not_idle(void **state) {
    static const char policy[] = "return {api = 1, pipeline = {'allocate', 'evict-idle'},"
                                 " idle = function(job, queue, now) return job.idle > 900 end}";
    (void)state;
    assert_int_equal(
        lsched_policy_load(world.cluster, LSCHED_TEXT("p"), lsched_cstr(policy), NULL, &err),
        LSCHED_OK);
    for (int i = 0; i < 6; i++) {
        lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
        lsched_plan *plan = NULL;
        assert_int_equal(gpu_used(world.cluster, 0), 1);
        o.now_us = world.now_us += 600 * SECOND;
        assert_int_equal(lsched_schedule(world.cluster, &o, &plan, &err), LSCHED_OK);
        for (size_t d = 0; d < lsched_plan_size(plan); d++)
            assert_int_not_equal(lsched_plan_at(plan, d)->kind, LSCHED_DECIDE_EVICT);
        lsched_plan_destroy(plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(time_zero_is_the_latest_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(work_that_reports_use_is_not_idle, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
