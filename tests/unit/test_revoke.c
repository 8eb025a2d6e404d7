/* Confirmed evictions that the orchestrator revokes: whose room it was, what is told, when it is too
 * late, and what stays in copies. S-revoke in docs/semantics.md has the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/settle.h"
#include "support/told.h"

static lsched_cluster *c;
static lsched_error err;
static uint64_t cursor;

/* Two guests give way to a gang; one of them is of a queue with a limit that its next job needs. */
static const char scenario[] =
    "start: 2026-01-05T08:00Z\n"
    "policy:\n"
    "  text: |\n"
    "    return { api = 1, name = 'g', fair_share = 'quota', pipeline = { 'allocate', 'reclaim' } }\n"
    "nodes:\n"
    "  - {name: x, gpus: 2}\n"
    "  - {name: y, gpus: 2}\n"
    "  - {name: z, cpu: 8}\n"
    "queues:\n"
    "  - {name: a, quota: {gpu: 4}}\n"
    "  - {name: b, limit: {cpu: 4}}\n"
    "jobs:\n"
    "  - {name: g0, queue: b, running_on: x, running_since: -1h, tasks: {gpu: 2, cpu: 2}}\n"
    "  - {name: g1, queue: b, running_on: y, running_since: -1h, tasks: {gpu: 2, cpu: 2}}\n"
    "  - {name: gang, queue: a, tasks: {count: 2, gpu: 2}}\n";

static int begin(void **unused) {
    (void)unused;
    err = (lsched_error)LSCHED_ERROR_INIT;
    c = told_begin(scenario);
    cursor = lsched_changes_end(c);
    return c == NULL;
}

static int end(void **unused) {
    (void)unused;
    lsched_cluster_destroy(c);
    return 0;
}

#define MUST(call)                                                              \
    do {                                                                        \
        if ((call) < 0) fail_msg("%s:%d: %s", __FILE__, __LINE__, err.message); \
    } while (0)

static lsched_id job_of(const char *name) {
    return lsched_find(c, LSCHED_KIND_JOB, lsched_cstr(name));
}

static lsched_task_info task_of(const char *job) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t at = 0;
    assert_int_equal(lsched_tasks_next(c, job_of(job), 0, &at, &t, NULL), 1);
    return t;
}

static int32_t settle(lsched_id decision, lsched_outcome how) {
    int32_t rc = settle_each(c, &decision, &how, 1, NULL, &err);
    lsched_error bad = LSCHED_ERROR_INIT;
    if (lsched_verify(c, NULL, &bad) < 0) fail_msg("%s", bad.message);
    return rc;
}

static void report(const char *job, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = job_of(job);
    MUST(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &err));
}

static const char *told(void) {
    static char text[1000];
    lsched_change ch = {.size = sizeof ch};
    size_t n = 0;
    text[0] = 0;
    while (lsched_changes_next(c, &cursor, &ch, NULL) == 1)
        n += (size_t)snprintf(text + n, sizeof text - n, "%.*s[%lld] %s %s %s\n",
                              (int)ch.job_name.len, ch.job_name.ptr, (long long)ch.task_index,
                              lsched_change_name(ch.kind), lsched_because_name(ch.because),
                              lsched_call_name(ch.call));
    return text;
}

/* The whole gang loses its nominations; the other guest stops until its eviction is revoked, too. */
static void the_nominations_for_the_room_are_withdrawn(void **unused) {
    (void)unused;
    lsched_id first = task_of("g0").decision, second = task_of("g1").decision;
    MUST(settle(first, LSCHED_OUTCOME_CONFIRMED));
    MUST(settle(second, LSCHED_OUTCOME_CONFIRMED));
    assert_string_equal(told(), "");
    MUST(settle(first, LSCHED_OUTCOME_REJECTED));
    assert_int_equal(task_of("g0").state, LSCHED_TASK_RUNNING);
    assert_int_equal(task_of("g1").state, LSCHED_TASK_RELEASING);
    assert_string_equal(told(), "gang[0] withdrawn room settle\ngang[1] withdrawn gang settle\n");
    MUST(settle(second, LSCHED_OUTCOME_REJECTED));
    assert_int_equal(task_of("g1").state, LSCHED_TASK_RUNNING);
    assert_string_equal(told(), "");
}

/* The other eviction of the group is not confirmed: it is undone with the first one. */
static void what_is_only_proposed_is_undone_with_it(void **unused) {
    (void)unused;
    lsched_id first = task_of("g0").decision;
    MUST(settle(first, LSCHED_OUTCOME_CONFIRMED));
    MUST(settle(first, LSCHED_OUTCOME_REJECTED));
    assert_int_equal(task_of("g0").state, LSCHED_TASK_RUNNING);
    assert_int_equal(task_of("g1").state, LSCHED_TASK_RUNNING);
    assert_non_null(strstr(told(), "g1[0] withdrawn group settle\n"));
}

static void it_is_too_late_when_the_task_is_gone(void **unused) {
    (void)unused;
    lsched_id first = task_of("g0").decision, second = task_of("g1").decision;
    lsched_settlement s = {.size = sizeof s, .outcome = LSCHED_OUTCOME_REJECTED};
    lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_IDEMPOTENT};
    int32_t status = 7;
    MUST(settle(first, LSCHED_OUTCOME_CONFIRMED));
    MUST(settle(second, LSCHED_OUTCOME_CONFIRMED));
    report("g0", LSCHED_EVENT_FAILED);
    assert_int_equal(settle(first, LSCHED_OUTCOME_REJECTED), LSCHED_E_STALE);
    s.decision = first;
    assert_int_equal(lsched_settle(c, &s, 1, sizeof s, &opts, NULL, &status, &err), 1);
    assert_int_equal(status, LSCHED_UNCHANGED);
    report("g1", LSCHED_EVENT_ENDED); /* its work is done, and its job is over */
    assert_int_equal(settle(second, LSCHED_OUTCOME_REJECTED), LSCHED_E_STALE);
    assert_int_equal(job_of("g1"), 0);
}

/* Another job of the queue has taken what the evicted one left below the limit. */
static void the_queue_can_exceed_its_limit(void **unused) {
    (void)unused;
    lsched_id first = task_of("g0").decision, second = task_of("g1").decision;
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_cluster_stats now = {.size = sizeof now};
    lsched_group_desc group = {.size = sizeof group, .max_count = 1};
    lsched_amount cpu = {LSCHED_CPU, 0, 4000};
    lsched_job_desc d = {.size = sizeof d, .groups = &group, .n_groups = 1};
    lsched_plan *plan = NULL;
    int64_t used = 0, limit = 0;
    MUST(settle(first, LSCHED_OUTCOME_CONFIRMED));
    MUST(settle(second, LSCHED_OUTCOME_CONFIRMED));
    group.request = &cpu;
    group.n_request = 1;
    d.name = LSCHED_TEXT("next");
    d.queue_name = LSCHED_TEXT("b");
    MUST(lsched_jobs_submit(c, &d, 1, sizeof d, NULL, NULL, NULL, &err));
    MUST(lsched_cluster_stats_get(c, &now, &err));
    o.now_us = now.now_us + 1000000;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    MUST(lsched_schedule(c, &o, &plan, &err));
    assert_int_equal(lsched_plan_size(plan), 1);
    lsched_plan_destroy(plan);
    MUST(settle(first, LSCHED_OUTCOME_REJECTED));
    lsched_id queue = lsched_find(c, LSCHED_KIND_QUEUE, lsched_cstr("b"));
    MUST(lsched_queue_amount(c, queue, LSCHED_CPU, &used, NULL, &limit, &err));
    assert_true(used == 6000 && limit == 4000);
}

/* A copy revokes the same way. */
static void a_clone_can_revoke(void **unused) {
    (void)unused;
    lsched_id first = task_of("g0").decision;
    lsched_cluster *copy = NULL;
    uint64_t a = 0, b = 0;
    MUST(settle(first, LSCHED_OUTCOME_CONFIRMED));
    MUST(lsched_cluster_clone(c, &copy, &err));
    MUST(settle(first, LSCHED_OUTCOME_REJECTED));
    lsched_cluster *original = c;
    c = copy;
    MUST(settle(first, LSCHED_OUTCOME_REJECTED));
    MUST(lsched_cluster_hash(copy, LSCHED_HASH_IMAGE, &b, &err));
    c = original;
    MUST(lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &a, &err));
    assert_true(a == b);
    lsched_cluster_destroy(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
        TEST(the_nominations_for_the_room_are_withdrawn),
        TEST(what_is_only_proposed_is_undone_with_it),
        TEST(it_is_too_late_when_the_task_is_gone),
        TEST(the_queue_can_exceed_its_limit),
        TEST(a_clone_can_revoke),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
