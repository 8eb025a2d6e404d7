/* How long jobs run and what ends them, as a host sees it: limits from the description and from a policy, held jobs, idle ones,
 * replaced minimums, the bounds of a cycle, and hooks that fail. docs/semantics.md 15 has the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/api_world.h"
#include "support/job_priority.h"
#include "support/settle.h"

#define MINUTE INT64_C(60000000)

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

static void policy(const char *text) {
    must(lsched_policy_load(t.w.cluster, LSCHED_TEXT("p.lua"), lsched_cstr(text), NULL, &t.err));
}

static lsched_id submit(const char *name, uint32_t count, uint32_t min, int64_t limit) {
    lsched_group_desc group = api_group(count);
    lsched_job_desc job = api_job(name, &group, 1);
    lsched_id id = 0;
    group.min_count = min;
    job.time_limit_us = limit;
    job.submit_us = t.w.now_us;
    must(lsched_jobs_submit(t.w.cluster, &job, 1, sizeof job, NULL, &id, NULL, &t.err));
    return id;
}

/* So long after the latest cycle; returns the number of decisions. */
static size_t cycle(int64_t after, uint32_t decisions_max) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    t.w.now_us += after;
    opts.now_us = t.w.now_us;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    opts.decisions_max = decisions_max;
    lsched_plan_destroy(t.plan);
    t.plan = NULL;
    must(lsched_schedule(t.w.cluster, &opts, &t.plan, &t.err));
    return lsched_plan_size(t.plan);
}

static size_t stopped(lsched_id job, uint32_t reason) {
    size_t n = 0;
    for (size_t i = 0; i < lsched_plan_size(t.plan); i++) {
        const lsched_decision *d = lsched_plan_at(t.plan, i);
        n += d->kind == LSCHED_DECIDE_EVICT && d->job == job && d->reason == reason &&
             d->for_job == 0;
    }
    return n;
}

static uint32_t plan_flags(void) {
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(t.plan, &info, NULL);
    return info.flags;
}

static void report(lsched_id job, uint32_t task, uint32_t event, int64_t at) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = job;
    e.task_index = task;
    e.at_us = at;
    must(lsched_tasks_report(t.w.cluster, &e, 1, sizeof e, NULL, NULL, &t.err));
}

static void report_all(lsched_id job, uint32_t n, uint32_t event) {
    for (uint32_t i = 0; i < n; i++) report(job, i, event, t.w.now_us);
}

static lsched_job_info info_of(lsched_id job) {
    lsched_job_info info = {.size = sizeof info};
    must(lsched_job_get(t.w.cluster, job, &info, NULL));
    return info;
}

static void use(lsched_id job, uint32_t task, int64_t milli) {
    lsched_usage_sample s = LSCHED_USAGE_SAMPLE_INIT;
    s.job = job;
    s.task_index = task;
    s.kind = LSCHED_GPU;
    s.amount = milli;
    s.at_us = t.w.now_us;
    must(lsched_usage_report(t.w.cluster, &s, 1, sizeof s, NULL, NULL, &t.err));
}

/* A job that the cluster has placed and that runs since now. */
static lsched_id running(const char *name, uint32_t count, int64_t limit) {
    lsched_id id = submit(name, count, 0, limit);
    cycle(1, 0);
    report_all(id, count, LSCHED_EVENT_STARTED);
    assert_int_equal(info_of(id).tasks_running, count);
    return id;
}

#define OVERDUE "return { api = 1, pipeline = { 'evict-overdue', 'allocate' } }"

static void a_limit_is_a_time(void **unused) {
    (void)unused;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("j", &group, 1);
    job.time_limit_us = -1;
    assert_int_equal(lsched_jobs_submit(t.w.cluster, &job, 1, sizeof job, NULL, NULL, NULL, &t.err),
                     LSCHED_E_RANGE);
    assert_non_null(strstr(t.err.message, "time_limit_us"));
}

static void without_the_action_nothing_ends(void **unused) {
    (void)unused;
    lsched_id j = running("j", 1, 10 * MINUTE);
    assert_true(info_of(j).time_limit_us == 10 * MINUTE);
    assert_true(info_of(j).due_us == t.w.now_us + 10 * MINUTE);
    assert_true(lsched_next_wake(t.w.cluster) == LSCHED_NEVER_US);
    assert_int_equal(cycle(20 * MINUTE, 0), 0);
    assert_int_equal(info_of(j).tasks_running, 1);
}

static void it_is_stopped_held_and_let_go(void **unused) {
    (void)unused;
    policy(OVERDUE);
    lsched_id j = running("j", 2, 10 * MINUTE), other = running("other", 1, 0);
    assert_true(lsched_next_wake(t.w.cluster) == info_of(j).due_us);
    assert_int_equal(cycle(10 * MINUTE - 2, 0), 0);
    assert_int_equal(cycle(1, 0), 2);
    assert_int_equal(stopped(j, LSCHED_FOR_TIME_LIMIT), 2);
    assert_int_equal(info_of(j).held, LSCHED_HELD_TIME_LIMIT);
    report_all(j, 2, LSCHED_EVENT_FAILED); /* they are gone */
    assert_int_equal(cycle(MINUTE, 0), 0);
    lsched_waiting w = {.size = sizeof w};
    char text[600];
    assert_true(lsched_explain(t.w.cluster, j, text, sizeof text, &w, NULL) > 0);
    assert_int_equal(w.code, LSCHED_WAIT_HELD);
    assert_non_null(strstr(text, "held: ran for longer than its time limit of 10 min"));
    must(job_priority_set(t.w.cluster, j, 0, &t.err));
    assert_int_equal(info_of(j).held, 0);
    assert_int_equal(cycle(MINUTE, 0), 2);
    assert_int_equal(info_of(j).tasks_placed, 2);
    assert_int_equal(info_of(other).tasks_running, 1);
}

/* From the first start, as reports tell it, until nothing runs any more. */
static void a_run_has_one_beginning(void **unused) {
    (void)unused;
    policy(OVERDUE);
    lsched_id j = submit("j", 3, 1, 10 * MINUTE);
    cycle(1, 0);
    int64_t now = t.w.now_us;
    report(j, 0, LSCHED_EVENT_STARTED, now);
    report(j, 1, LSCHED_EVENT_STARTED, now - 5);
    assert_true(info_of(j).running_since_us == now - 5);
    assert_true(info_of(j).due_us == now - 5 + 10 * MINUTE);
    report(j, 1, LSCHED_EVENT_ENDED, now);
    assert_true(info_of(j).running_since_us == now - 5);
    report(j, 0, LSCHED_EVENT_FAILED, now);
    assert_true(info_of(j).running_since_us == 0 && info_of(j).due_us == LSCHED_NEVER_US);
    report(j, 2, LSCHED_EVENT_STARTED, now + MINUTE);
    assert_true(info_of(j).due_us == now + 11 * MINUTE);
    must(lsched_jobs_remove(t.w.cluster, &j, 1, NULL, NULL, &t.err));
    assert_true(lsched_next_wake(t.w.cluster) == LSCHED_NEVER_US);
}

static void says(lsched_id job, const char *part) {
    char text[2000] = "";
    lsched_explain(t.w.cluster, job, text, sizeof text, NULL, NULL);
    if (!strstr(text, part)) fail_msg("expected \"%s\" in\n%s", part, text);
}

static void a_person_is_told(void **unused) {
    (void)unused;
    policy("return { api = 1, pipeline = { 'evict-overdue', 'evict-idle', 'allocate' },\n"
           "  idle = function(job) return job.idle > 3600 end,\n"
           "  gang_minimum = function(job) return 1 end }");
    lsched_id j = running("j", 2, 240 * MINUTE), next = submit("next", 30, 30, 0);
    use(j, 0, 40);
    use(j, 1, 20);
    cycle(10 * MINUTE, 0);
    lsched_id late = submit("late", 1, 1, 0);
    cycle(1, 0);
    says(j,
         "  limit       runs until 2023-11-15 02:13:21 (in 3 h 50 min): its time limit of 4 h\n");
    says(j, "  idle        uses 3 % of its GPUs, and not more than 5 % for 10 min");
    says(
        next,
        "  gang        needs 1 task to start because the policy says so; it was submitted with 30\n");
    says(late, "02:13:21 (in 3 h 50 min), when j ends by its time limit");
    cycle(230 * MINUTE, 0);
    says(
        j,
        "stopped     2 tasks, by evict-overdue: it ran for longer than its time limit, and is held\n");
    says(j, "its old tasks are still stopping; they should be gone in 30 s; then it is held\n");
    policy("return { api = 1 }");
    must(lsched_jobs_remove(t.w.cluster, &next, 1, NULL, NULL, &t.err));
    lsched_id k = running("k", 1, 2 * MINUTE);
    says(k, "but is not stopped then (the pipeline has no evict-overdue)");
}

static void the_bound_of_a_cycle_holds(void **unused) {
    (void)unused;
    policy(OVERDUE);
    lsched_id a = running("a", 4, 10 * MINUTE), b = running("b", 4, 10 * MINUTE);
    cycle(11 * MINUTE, 6); /* the second would pass the bound */
    assert_int_equal(stopped(a, LSCHED_FOR_TIME_LIMIT), 4);
    assert_int_equal(stopped(b, LSCHED_FOR_TIME_LIMIT), 0);
    assert_true(plan_flags() & LSCHED_PLAN_PARTIAL);
    assert_true(lsched_next_wake(t.w.cluster) <= t.w.now_us);
    cycle(1, 3); /* no cycle could take it whole */
    assert_int_equal(stopped(b, LSCHED_FOR_TIME_LIMIT), 3);
    assert_int_equal(info_of(b).tasks_running, 1);
    cycle(1, 3);
    assert_int_equal(stopped(b, LSCHED_FOR_TIME_LIMIT), 1);
}

static void the_work_of_a_cycle_is_bounded(void **unused) {
    (void)unused;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    policy(OVERDUE);
    lsched_id a = running("a", 6, 10 * MINUTE);
    opts.work_budget = 4; /* less than it has tasks */
    opts.now_us = t.w.now_us + 11 * MINUTE;
    for (uint32_t left = 6;; left = 0) { /* it is stopped whole, by the units of two cycles */
        lsched_plan_destroy(t.plan);
        must(lsched_schedule(t.w.cluster, &opts, &t.plan, &t.err));
        assert_int_equal(info_of(a).tasks_running, left);
        if (left == 0) break;
        assert_true(lsched_next_wake(t.w.cluster) <= opts.now_us);
    }
}

/* Which tasks start later is the host's; a held job that runs all the same is due at once. */
static void what_was_confirmed_is_stopped_when_it_starts(void **unused) {
    (void)unused;
    policy(OVERDUE);
    lsched_id j = submit("j", 3, 1, 10 * MINUTE);
    lsched_outcome yes = LSCHED_OUTCOME_CONFIRMED;
    cycle(1, 0);
    lsched_id confirmed = lsched_plan_at(t.plan, 1)->id;
    must(settle_each(t.w.cluster, &confirmed, &yes, 1, NULL, &t.err));
    report(j, 0, LSCHED_EVENT_STARTED, t.w.now_us);
    cycle(10 * MINUTE, 0);
    assert_int_equal(lsched_plan_withdrawn_size(t.plan), 1); /* the third had only been proposed */
    assert_int_equal(stopped(j, LSCHED_FOR_TIME_LIMIT), 1);
    assert_int_equal(info_of(j).tasks_placed, 1);
    report(j, 1, LSCHED_EVENT_STARTED, t.w.now_us);
    assert_int_equal(cycle(1, 0), 1);
    assert_int_equal(stopped(j, LSCHED_FOR_TIME_LIMIT), 1);
}

static void a_failing_limit_stops_nobody(void **unused) {
    (void)unused;
    policy("return { api = 1, pipeline = { 'evict-overdue', 'allocate' },\n"
           "  time_limit = function(job) \n"
           "    if job.name == 'j' and job.runtime > 300 then return 0 / 0 end return 600 end }");
    lsched_id j = running("j", 1, 0);
    assert_true(info_of(j).time_limit_us == 10 * MINUTE);
    cycle(10 * MINUTE, 0);
    assert_true(plan_flags() & LSCHED_PLAN_POLICY_FAILED);
    assert_int_equal(stopped(j, LSCHED_FOR_TIME_LIMIT), 0);
    assert_true(lsched_next_wake(t.w.cluster) == t.w.now_us + MINUTE / 2); /* not at once */
    lsched_policy_info why = {.size = sizeof why}, copied = {.size = sizeof copied};
    lsched_cluster *copy = NULL;
    must(lsched_cluster_clone(t.w.cluster, &copy, &t.err));
    must(lsched_policy_get(t.w.cluster, &why, NULL));
    must(lsched_policy_get(copy, &copied, NULL));
    lsched_cluster_destroy(copy);
    assert_non_null(strstr(why.last_error, "time_limit"));
    assert_string_equal(copied.last_error, why.last_error);
    policy(OVERDUE);
    cycle(1, 0);
    assert_true(info_of(j).time_limit_us == 0); /* as submitted again */
    assert_true(info_of(j).due_us == LSCHED_NEVER_US);
}

static void samples_tell_who_is_idle(void **unused) {
    (void)unused;
    policy("return { api = 1, pipeline = { 'allocate', 'evict-idle' },\n"
           "  idle = function(job) return job.idle > 1800 and job.gpu_utilization < 0.53 end }");
    lsched_id a = running("a", 2, 0), silent = running("silent", 1, 0);
    cycle(20 * MINUTE, 0);
    use(a, 0, 50); /* a twentieth is not busy */
    cycle(20 * MINUTE, 0);
    /* the other task has said nothing, and counts as busy: 0.525 of all is used */
    assert_int_equal(stopped(a, LSCHED_FOR_IDLE), 2);
    assert_int_equal(info_of(a).held, LSCHED_HELD_IDLE);
    assert_int_equal(info_of(silent).tasks_running, 1);
    lsched_id b = running("b", 1, 0);
    use(b, 0, 51);
    cycle(20 * MINUTE, 0);
    use(b, 0, 0);
    cycle(10 * MINUTE, 0);
    assert_int_equal(stopped(b, LSCHED_FOR_IDLE), 0); /* busy half an hour ago */
    cycle(MINUTE, 0);
    assert_int_equal(stopped(b, LSCHED_FOR_IDLE), 1);
}

static void a_refused_stop_is_asked_for_again(void **unused) {
    (void)unused;
    policy("return { api = 1, pipeline = { 'allocate', 'evict-idle' },\n"
           "  idle = function(job) return job.runtime > 60 end }");
    lsched_id a = running("a", 2, 0);
    lsched_outcome no = LSCHED_OUTCOME_REJECTED;
    cycle(2 * MINUTE, 0);
    assert_int_equal(stopped(a, LSCHED_FOR_IDLE), 2);
    lsched_id first = lsched_plan_at(t.plan, 0)->id;
    must(settle_each(t.w.cluster, &first, &no, 1, NULL, &t.err));
    assert_int_equal(info_of(a).tasks_running, 2);
    assert_int_equal(info_of(a).held, 0);
    assert_int_equal(cycle(MINUTE, 0), 0); /* the policy's grace is 2 minutes */
    assert_int_equal(cycle(MINUTE, 0), 2);
}

static void a_minimum_is_asked_for_once_it_can(void **unused) {
    (void)unused;
    policy("return { api = 1, gang_minimum = function(job, queue, now)\n"
           "  if job.name == 'j' and job.waiting < 60 then return 0.5 end\n"
           "  return math.min(3, job.tasks) end }");
    lsched_id j = submit("j", 20, 20, 0);
    cycle(1, 0);
    assert_true(plan_flags() & LSCHED_PLAN_POLICY_FAILED);
    assert_int_equal(info_of(j).tasks_min, 20);
    assert_int_equal(info_of(j).tasks_placed, 0);
    cycle(MINUTE, 0);
    assert_int_equal(info_of(j).tasks_min, 3);
    assert_int_equal(info_of(j).tasks_min_submitted, 20);
    assert_true(info_of(j).tasks_placed >= 3);
    lsched_cluster *copy = NULL;
    must(lsched_cluster_clone(t.w.cluster, &copy, &t.err));
    assert_true(api_meaning(copy) == api_meaning(t.w.cluster));
    lsched_cluster_destroy(copy);
}

static void the_bound_cuts_off_who_is_idle(void **unused) {
    (void)unused;
    policy("return { api = 1, pipeline = { 'evict-idle', 'allocate' },\n"
           "  idle = function(job) return job.runtime > 60 end }");
    lsched_id jobs[] = {running("a", 2, 0), running("b", 2, 0), running("c", 2, 0)};
    cycle(2 * MINUTE, 3);
    assert_true(plan_flags() & LSCHED_PLAN_PARTIAL);
    assert_int_equal(stopped(jobs[0], LSCHED_FOR_IDLE), 2);
    assert_true(lsched_next_wake(t.w.cluster) <= t.w.now_us);
    cycle(0, 3); /* not at the next refresh */
    assert_int_equal(stopped(jobs[1], LSCHED_FOR_IDLE), 2);
    cycle(0, 3);
    assert_int_equal(stopped(jobs[2], LSCHED_FOR_IDLE), 2);
    assert_true(lsched_next_wake(t.w.cluster) > t.w.now_us);
}

/* Any origin of time works: what began at 0 is older than what begins later. */
static void a_run_may_begin_at_0(void **unused) {
    (void)unused;
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    m.job = submit("j", 2, 1, MINUTE);
    m.node = t.w.nodes[0];
    for (m.task_index = 0; m.task_index < 2; m.task_index++) {
        m.start_us = m.task_index ? t.w.now_us : 0;
        must(lsched_tasks_import(t.w.cluster, &m, 1, sizeof m, NULL, NULL, &t.err));
        assert_true(info_of(m.job).due_us <= MINUTE + 1);
        assert_true(info_of(m.job).running_since_us == 1);
    }
    cycle(1, 0);
}

/* What has a place is admitted, however long it asks for, and no other event makes the host look. */
static void a_place_admits_at_once(void **unused) {
    (void)unused;
    lsched_group_desc group = api_group(2);
    lsched_job_desc job = api_job("j", &group, 1);
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    job.duration_us = 10 * MINUTE;
    job.time_limit_us = MINUTE;
    must(lsched_jobs_submit(t.w.cluster, &job, 1, sizeof job, NULL, &m.job, NULL, &t.err));
    assert_int_equal(cycle(1, 0), 0);
    m.node = t.w.nodes[0];
    m.start_us = t.w.now_us;
    must(lsched_tasks_import(t.w.cluster, &m, 1, sizeof m, NULL, NULL, &t.err));
    assert_true(lsched_next_wake(t.w.cluster) <= t.w.now_us);
    assert_int_equal(cycle(0, 0), 1);
}

/* Its place would be gone before the plan is read, and the plan would stop others for nobody. */
static void who_is_due_makes_nobody_go(void **unused) {
    (void)unused;
    policy("return { api = 1, pipeline = { 'allocate', 'preempt', 'evict-overdue' } }");
    lsched_id low = running("low", 15, 0);
    lsched_group_desc group = api_group(4);
    lsched_job_desc job = api_job("due", &group, 1);
    lsched_id id = 0;
    group.min_count = 1;
    job.time_limit_us = MINUTE;
    job.priority = 1;
    lsched_outcome no = LSCHED_OUTCOME_REJECTED;
    must(lsched_jobs_submit(t.w.cluster, &job, 1, sizeof job, NULL, &id, NULL, &t.err));
    cycle(1, 0);
    for (size_t i = lsched_plan_size(t.plan); i-- > 0;) { /* only the first place is taken */
        const lsched_decision *d = lsched_plan_at(t.plan, i);
        if (d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_NOMINATE)
            settle_each(t.w.cluster, &d->id, &no, 1, NULL, NULL);
    }
    assert_int_equal(info_of(id).tasks_placed, 1);
    report(id, 0, LSCHED_EVENT_STARTED, t.w.now_us);
    cycle(10 * MINUTE, 0);
    assert_int_equal(stopped(id, LSCHED_FOR_TIME_LIMIT), 1);
    assert_int_equal(lsched_plan_size(t.plan), 1);
    assert_int_equal(info_of(low).tasks_running, 15);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_limit_is_a_time),
        TEST(without_the_action_nothing_ends),
        TEST(it_is_stopped_held_and_let_go),
        TEST(a_run_has_one_beginning),
        TEST(a_person_is_told),
        TEST(the_bound_of_a_cycle_holds),
        TEST(the_work_of_a_cycle_is_bounded),
        TEST(what_was_confirmed_is_stopped_when_it_starts),
        TEST(a_failing_limit_stops_nobody),
        TEST(samples_tell_who_is_idle),
        TEST(a_refused_stop_is_asked_for_again),
        TEST(a_minimum_is_asked_for_once_it_can),
        TEST(the_bound_cuts_off_who_is_idle),
        TEST(a_run_may_begin_at_0),
        TEST(a_place_admits_at_once),
        TEST(who_is_due_makes_nobody_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
