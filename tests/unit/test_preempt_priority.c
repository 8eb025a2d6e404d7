/* The hook preempt_priority, as a host sees it: which running job stops for which, when the hook is asked again, what counts
 * when it fails or is gone, and what is saved. tests/scenarios/S-preempt-priority.yaml has the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/api_world.h"
#include "support/job_priority.h"

#define SECOND INT64_C(1000000)
#define HALF   8 /* tasks of half the world's GPUs */

static struct {
    struct api_world w;
    lsched_plan *plan;
    lsched_error err;
} t;

static int begin(void **unused) {
    (void)unused;
    memset(&t, 0, sizeof t);
    t.err = (lsched_error)LSCHED_ERROR_INIT;
    int32_t rc = api_world_make(&t.w, NULL);
    lsched_id jobs[] = {t.w.busy, t.w.open, t.w.later};
    return rc < 0 || lsched_jobs_remove(t.w.cluster, jobs, 3, NULL, NULL, NULL) < 0;
}

static int end(void **unused) {
    (void)unused;
    lsched_plan_destroy(t.plan);
    api_world_drop(&t.w);
    return 0;
}

static void must(int32_t code) {
    if (code < 0) fail_msg("%d %s", code, t.err.message);
}

/* A policy that stops work for other work of its queue, with these hooks. */
static void policy(const char *hooks) {
    char text[600];
    snprintf(text, sizeof text,
             "return { api = 1, fair_share = 'fifo', pipeline = { 'allocate', 'preempt' }, %s }",
             hooks);
    must(lsched_policy_load(t.w.cluster, LSCHED_TEXT("p.lua"), lsched_cstr(text), NULL, &t.err));
}

static lsched_id submit(const char *name, int32_t priority, int64_t duration_s) {
    lsched_group_desc group = api_group(HALF);
    lsched_job_desc job = api_job(name, &group, 1);
    lsched_id id = 0;
    group.min_count = HALF;
    job.priority = priority;
    job.duration_us = duration_s * SECOND;
    job.submit_us = t.w.now_us;
    must(lsched_jobs_submit(t.w.cluster, &job, 1, sizeof job, NULL, &id, NULL, &t.err));
    return id;
}

/* A cycle so long after the latest one. Each plan is verified. */
static void cycle(int64_t after) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    t.w.now_us += after;
    opts.now_us = t.w.now_us;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    lsched_plan_destroy(t.plan);
    t.plan = NULL;
    must(lsched_schedule(t.w.cluster, &opts, &t.plan, &t.err));
}

/* The job that the latest plan stops for `job`; 0 if it stops none. */
static lsched_id stopped_for(lsched_id job) {
    for (size_t i = 0; i < lsched_plan_size(t.plan); i++) {
        const lsched_decision *d = lsched_plan_at(t.plan, i);
        if (d->kind == LSCHED_DECIDE_EVICT && d->for_job == job) return d->job;
    }
    return 0;
}

static size_t evictions(void) {
    size_t n = 0;
    for (size_t i = 0; i < lsched_plan_size(t.plan); i++)
        n += lsched_plan_at(t.plan, i)->kind == LSCHED_DECIDE_EVICT;
    return n;
}

static lsched_id running(const char *name, int32_t priority, int64_t duration_s) {
    lsched_id id = submit(name, priority, duration_s);
    cycle(1);
    for (uint32_t i = 0; i < HALF; i++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = LSCHED_EVENT_STARTED;
        e.job = id;
        e.task_index = i;
        e.at_us = t.w.now_us;
        must(lsched_tasks_report(t.w.cluster, &e, 1, sizeof e, NULL, NULL, &t.err));
    }
    return id;
}

static void the_answer_replaces_the_priority(void **unused) {
    (void)unused;
    policy("preempt_priority = function(job) return -job.duration end");
    running("short", 1, 60);
    lsched_id longer = running("long", 9, 600), waits = submit("waits", 0, 100);
    cycle(1);
    assert_true(stopped_for(waits) == longer);
}

static void equal_answers_stop_nothing(void **unused) {
    (void)unused;
    policy("preempt_priority = function(job) return 0.4 end");
    running("a", 0, 60), running("b", 1, 60);
    submit("waits", 9, 60);
    for (int i = 0; i < 5; i++) {
        cycle(30 * SECOND);
        assert_int_equal(evictions(), 0);
    }
}

/* No rank can make the hook fail: what is beyond the range of a priority counts as its bound. */
static void answers_beyond_the_range_are_bounds(void **unused) {
    (void)unused;
    policy("preempt_priority = function(job) return job.priority * 1e300 end");
    lsched_id low = running("low", -1, 60);
    running("high", 1, 60);
    lsched_id waits = submit("waits", 1, 60);
    cycle(1);
    assert_true(stopped_for(waits) == low);
    assert_int_equal(evictions(), HALF);
}

/* The hook reads the priority, so that it is asked again when the host changes it. */
static void a_changed_priority_asks_again(void **unused) {
    (void)unused;
    policy("order = 'fifo', preempt_priority = function(job) return -job.priority end");
    running("a", 0, 60);
    lsched_id b = running("b", 0, 60), waits = submit("waits", 0, 60);
    cycle(1);
    assert_int_equal(evictions(), 0);
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    u.job = b;
    u.set = LSCHED_JOB_SET_PRIORITY;
    u.priority = 5;
    must(lsched_jobs_update(t.w.cluster, &u, 1, sizeof u, NULL, NULL, &t.err));
    assert_true(lsched_next_wake(t.w.cluster) <= t.w.now_us);
    cycle(1);
    assert_true(stopped_for(waits) == b);
}

/* A hook that reads nothing that changes makes no cycle due; one that reads the run time does. */
static void only_what_changes_is_asked_again(void **unused) {
    (void)unused;
    policy("preempt_priority = function(job) return -job.duration end");
    running("a", 0, 60);
    lsched_id b = running("b", 0, 60), waits = submit("waits", 0, 60);
    cycle(1);
    cycle(1);
    assert_true(lsched_next_wake(t.w.cluster) == LSCHED_NEVER_US);
    policy("preempt_priority = function(job) return job.name == 'b' and -job.runtime or 0 end");
    cycle(1);
    while (stopped_for(waits) == 0) {
        int64_t wake = lsched_next_wake(t.w.cluster);
        assert_true(wake != LSCHED_NEVER_US && wake > t.w.now_us);
        assert_true(wake <= t.w.now_us + 30 * SECOND);
        cycle(wake - t.w.now_us);
    }
    assert_true(stopped_for(waits) == b);
}

static void without_the_hook_priorities_count_again(void **unused) {
    (void)unused;
    policy("preempt_priority = function(job) return -job.priority end");
    lsched_id a = running("a", 0, 60);
    running("b", 7, 60);
    lsched_id waits = submit("waits", 3, 60);
    policy("order = 'fifo'");
    assert_true(lsched_next_wake(t.w.cluster) <= t.w.now_us);
    cycle(1);
    assert_true(stopped_for(waits) == a);
}

static void a_failing_hook_leaves_the_priorities(void **unused) {
    (void)unused;
    policy("preempt_priority = function(job)\n"
           "  if job.name == 'waits' then return 0 / 0 end\n"
           "  return -job.priority end");
    lsched_id a = running("a", 0, 60);
    running("b", 7, 60);
    lsched_id waits = submit("waits", 3, 60);
    lsched_plan_info info = {.size = sizeof info};
    cycle(1);
    lsched_plan_get(t.plan, &info, NULL);
    assert_true(info.flags & LSCHED_PLAN_POLICY_FAILED);
    assert_true(stopped_for(waits) == a);
}

/* A clone and a saved cluster go on as the original: the ranks are part of the state. */
static void ranks_are_saved(void **unused) {
    (void)unused;
    policy("order = 'fifo', preempt_priority = function(job) return -job.duration end");
    running("a", 0, 60), running("b", 0, 600);
    cycle(1);
    lsched_cluster *copy = NULL;
    must(lsched_cluster_clone(t.w.cluster, &copy, &t.err));
    assert_true(api_image(copy) == api_image(t.w.cluster));
    uint64_t meaning = api_meaning(t.w.cluster);
    assert_true(api_meaning(copy) == meaning);
    policy("order = 'fifo', preempt_priority = function(job) return job.duration end");
    cycle(1);
    assert_true(api_meaning(t.w.cluster) != meaning); /* the answers are others */
    lsched_cluster_destroy(copy);
}

static void the_hook_can_be_evaluated_alone(void **unused) {
    (void)unused;
    policy("preempt_priority = function(job) return -job.duration / 2 end");
    lsched_id job = submit("j", 0, 60);
    double value = 0;
    must(lsched_policy_terms(t.w.cluster, LSCHED_HOOK_PREEMPT_PRIORITY, job, 0, t.w.now_us, NULL, 0,
                             &value, &t.err));
    assert_true(value == -30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_answer_replaces_the_priority, begin, end),
        cmocka_unit_test_setup_teardown(equal_answers_stop_nothing, begin, end),
        cmocka_unit_test_setup_teardown(answers_beyond_the_range_are_bounds, begin, end),
        cmocka_unit_test_setup_teardown(a_changed_priority_asks_again, begin, end),
        cmocka_unit_test_setup_teardown(only_what_changes_is_asked_again, begin, end),
        cmocka_unit_test_setup_teardown(without_the_hook_priorities_count_again, begin, end),
        cmocka_unit_test_setup_teardown(a_failing_hook_leaves_the_priorities, begin, end),
        cmocka_unit_test_setup_teardown(ranks_are_saved, begin, end),
        cmocka_unit_test_setup_teardown(the_hook_can_be_evaluated_alone, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
