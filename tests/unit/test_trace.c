/*
 * test_trace.c -- the trace callback of a cycle: the order and sums of its records, that it changes
 * no decision, calls that it makes, cycles that begin again, and questions, which have no trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/api_world.h"
#include "support/counted.h"
#include "support/fault_alloc.h"

enum { SEEN_MAX = 256 };

static struct api_world world;
static lsched_error err;

static struct seen {
    lsched_trace_record at[SEEN_MAX];
    char action[SEEN_MAX][32];
    uint32_t n;
    int calls_back, interrupts;
    int32_t busy[5];
    uint64_t feed;
} seen;

static void see(void *user, const lsched_trace_record *record) {
    struct seen *s = user;
    assert_true(s->n < SEEN_MAX);
    assert_int_equal(record->size, sizeof *record);
    assert_int_equal(record->action.ptr[record->action.len], 0);
    s->at[s->n] = *record;
    snprintf(s->action[s->n++], sizeof s->action[0], "%s", record->action.ptr);
    if (s->interrupts) lsched_interrupt(world.cluster);
    if (!s->calls_back) return;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_counters n = {.size = sizeof n};
    lsched_plan *plan = NULL;
    lsched_cluster *copy = NULL;
    opts.now_us = world.now_us + 1;
    s->busy[0] = lsched_schedule(world.cluster, &opts, &plan, NULL);
    s->busy[1] = lsched_jobs_remove(world.cluster, &world.later, 1, NULL, NULL, NULL);
    s->busy[2] = lsched_counters_get(world.cluster, &n, NULL);
    s->busy[3] = lsched_cluster_clone(world.cluster, &copy, NULL);
    lsched_change change = {.size = sizeof change};
    uint64_t cursor = 0;
    s->busy[4] = lsched_changes_next(world.cluster, &cursor, &change, NULL);
    s->feed |= cursor | lsched_changes_end(world.cluster);
}

static int set_up(void **state) {
    (void)state;
    err = (lsched_error)LSCHED_ERROR_INIT;
    memset(&seen, 0, sizeof seen);
    return api_world_make(&world, NULL);
}

static int tear_down(void **state) {
    (void)state;
    api_world_drop(&world);
    return 0;
}

static void policy(const char *text) {
    assert_int_equal(
        lsched_policy_load(world.cluster, LSCHED_TEXT("p"), lsched_cstr(text), NULL, &err),
        LSCHED_OK);
}

/* Runs a traced cycle of a cluster; *info: what it did. */
static int32_t cycle(lsched_cluster *c, uint64_t budget, lsched_plan_info *info) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = world.now_us + 60000000;
    opts.work_budget = budget;
    opts.trace = see;
    opts.trace_user = &seen;
    seen.n = 0;
    int32_t rc = lsched_schedule(c, &opts, &plan, &err);
    *info = (lsched_plan_info){.size = sizeof *info};
    if (rc == LSCHED_OK) assert_int_equal(lsched_plan_get(plan, info, &err), LSCHED_OK);
    lsched_plan_destroy(plan);
    return rc;
}

static void a_job_more(void) {
    lsched_group_desc group = api_group(2);
    lsched_job_desc job = api_job("more", &group, 1);
    assert_true(lsched_jobs_submit(world.cluster, &job, 1, 0, NULL, NULL, NULL, &err) >= 0);
}

static void records_come_in_order_and_add_up(void **state) {
    (void)state;
    lsched_plan_info info;
    uint64_t jobs = 0, decisions = 0, work = 0, steps = 0, actions = 0;
    policy("return {api = 1, name = 'p', pipeline = {'allocate', 'reclaim', 'preempt'}}");
    a_job_more();
    assert_int_equal(cycle(world.cluster, 0, &info), LSCHED_OK);
    assert_true(seen.n >= 10 && seen.n % 2 == 0);
    for (uint32_t i = 0; i < seen.n; i++) {
        const lsched_trace_record *r = &seen.at[i];
        assert_int_equal(r->ends, i % 2);
        assert_int_equal(r->code, LSCHED_OK);
        assert_int_equal(r->attempt, 0);
        assert_true(r->units_left == UINT64_MAX);
        if (!r->ends) assert_true(r->steps == 0 && r->work_units == 0);
        if (r->ends)
            assert_true(r->stage == seen.at[i - 1].stage && r->index == seen.at[i - 1].index);
        if (i >= 2) assert_true(r->stage >= seen.at[i - 2].stage);
        assert_int_equal(seen.action[i][0] != 0, r->stage == LSCHED_TRACE_ACTION);
        assert_string_not_equal(lsched_trace_stage_name(r->stage), "unknown");
        actions += r->ends && r->stage == LSCHED_TRACE_ACTION;
        jobs += r->jobs_tried, decisions += r->decisions, work += r->work_units, steps += r->steps;
    }
    assert_int_equal(seen.at[0].stage, LSCHED_TRACE_SERVE);
    assert_int_equal(seen.at[seen.n - 1].stage, LSCHED_TRACE_PLAN);
    assert_int_equal(actions, 3);
    assert_string_equal(seen.action[4], "allocate");
    assert_int_equal(jobs, info.jobs_tried);
    assert_int_equal(decisions, info.decisions);
    assert_int_equal(work, info.work_spent);
    /* the plan's number ends before the plan is verified, and includes what is between stages */
    assert_true(steps > 0 && steps <= 2 * info.steps);
}

static void a_trace_changes_nothing(void **state) {
    (void)state;
    lsched_cluster *copy = NULL;
    lsched_plan_info traced, plain = {.size = sizeof plain};
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    a_job_more();
    assert_int_equal(lsched_cluster_clone(world.cluster, &copy, &err), LSCHED_OK);
    seen.calls_back = 1;
    assert_int_equal(cycle(world.cluster, 0, &traced), LSCHED_OK);
    opts.now_us = world.now_us + 60000000;
    assert_int_equal(lsched_schedule(copy, &opts, &plan, &err), LSCHED_OK);
    assert_int_equal(lsched_plan_get(plan, &plain, &err), LSCHED_OK);
    assert_true(traced.plan_hash == plain.plan_hash && traced.work_spent == plain.work_spent);
    assert_true(api_image(copy) == api_image(world.cluster));
    for (int i = 0; i < 5; i++) assert_int_equal(seen.busy[i], LSCHED_E_BUSY);
    assert_true(seen.feed == 0);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(copy);
}

static void a_budget_and_an_interrupt_show(void **state) {
    (void)state;
    lsched_plan_info info;
    a_job_more();
    assert_int_equal(cycle(world.cluster, 1000000, &info), LSCHED_OK);
    assert_true(seen.at[seen.n - 1].units_left <= 1000000 && seen.at[0].units_left > 0);
    seen.interrupts = 1;
    world.now_us += 60000000;
    assert_int_equal(cycle(world.cluster, 0, &info), LSCHED_OK);
    assert_int_equal(seen.at[seen.n - 1].stage, LSCHED_TRACE_PLAN);
}

static void a_hook_that_fails_begins_the_cycle_again(void **state) {
    (void)state;
    lsched_plan_info info;
    policy("return {api = 1, name = 'p', score = function(job, node) "
           "if job.name == 'more' then error('no') end return 0 end}");
    a_job_more();
    assert_int_equal(cycle(world.cluster, 0, &info), LSCHED_OK);
    assert_true(info.flags & LSCHED_PLAN_POLICY_FAILED);
    int failed = 0, again = 0;
    for (uint32_t i = 0; i < seen.n; i++) {
        failed += seen.at[i].code < 0;
        again += seen.at[i].attempt == 1 && seen.at[i].stage == LSCHED_TRACE_SERVE;
    }
    assert_int_equal(failed, 1);
    assert_int_equal(again, 2);
    assert_int_equal(seen.at[seen.n - 1].attempt, 1);
    lsched_counters n = counted(world.cluster);
    assert_int_equal(n.cycles_policy_failed, 1);
}

static void memory_that_runs_out_begins_the_cycle_again(void **state) {
    (void)state;
    struct fault_alloc faults = {0};
    lsched_allocator hooks = fault_hooks(&faults);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_plan_info info;
    uint32_t again = 0;
    opts.allocator = &hooks;
    for (uint64_t at = 1; at < 40; at++) {
        api_world_drop(&world);
        assert_int_equal(api_world_make(&world, &opts), 0);
        a_job_more();
        faults.fail_at = faults.calls + at;
        int32_t rc = cycle(world.cluster, 0, &info);
        faults.fail_at = 0;
        lsched_counters n = counted(world.cluster);
        if (rc != LSCHED_OK) continue;
        again += seen.n > 0 && seen.at[seen.n - 1].attempt > 0;
        assert_true(n.decisions[LSCHED_DECIDE_PLACE] >= info.decisions);
    }
    assert_true(again > 0);
    api_world_drop(&world);
    assert_int_equal(faults.live_blocks, 0);
    assert_int_equal(api_world_make(&world, NULL), 0);
}

static void a_question_has_no_trace(void **state) {
    (void)state;
    lsched_schedule_opts schedule = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_would_start_opts opts = LSCHED_WOULD_START_OPTS_INIT;
    lsched_would_start_answer answer = LSCHED_WOULD_START_ANSWER_INIT;
    schedule.now_us = world.now_us;
    schedule.trace = see;
    schedule.trace_user = &seen;
    opts.schedule = &schedule;
    assert_int_equal(lsched_would_start(world.cluster, world.later, NULL, &opts, &answer, &err),
                     LSCHED_OK);
    assert_int_equal(seen.n, 0);
    assert_string_equal(lsched_trace_stage_name(0), "unknown");
    assert_string_equal(lsched_trace_stage_name(99), "unknown");
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(records_come_in_order_and_add_up),
        TEST(a_trace_changes_nothing),
        TEST(a_budget_and_an_interrupt_show),
        TEST(a_hook_that_fails_begins_the_cycle_again),
        TEST(memory_that_runs_out_begins_the_cycle_again),
        TEST(a_question_has_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
