/* Holds of jobs by the orchestrator: what a hold withdraws and what it leaves, how it ends, what is
 * told, batches with bad elements, and copies. docs/semantics.md 24 has the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/api_empty.h"

static uint64_t cursor;

static lsched_id submit(const char *name, uint32_t count, uint32_t min) {
    lsched_group_desc group = api_group(count);
    lsched_job_desc job = api_job(name, &group, 1);
    lsched_id id = 0;
    group.min_count = min;
    MUST(lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, &id, NULL, &err));
    return id;
}

static void cycle_at(int64_t now_us) {
    world.now_us = now_us;
    MUST(api_cycle(world.cluster, now_us, NULL));
    MUST(lsched_verify(world.cluster, NULL, &err));
}

static void cycle(void) {
    cycle_at(world.now_us + 1000000);
}

static lsched_job_info info_of(lsched_id job) {
    lsched_job_info info = {.size = sizeof info};
    MUST(lsched_job_get(world.cluster, job, &info, &err));
    return info;
}

static int32_t hold(lsched_id job, int64_t until_us, const char *reason) {
    lsched_job_hold h = LSCHED_JOB_HOLD_INIT;
    h.job = job;
    h.until_us = until_us;
    h.reason = lsched_cstr(reason);
    int32_t rc = lsched_jobs_hold(world.cluster, &h, 1, sizeof h, NULL, NULL, &err);
    MUST(lsched_verify(world.cluster, NULL, NULL));
    return rc;
}

static int32_t release(lsched_id job) {
    int32_t rc = lsched_jobs_release(world.cluster, &job, 1, NULL, NULL, &err);
    MUST(lsched_verify(world.cluster, NULL, NULL));
    return rc;
}

static uint32_t wait_code(lsched_id job) {
    lsched_waiting w = {.size = sizeof w};
    MUST(lsched_waiting_get(world.cluster, job, &w, &err));
    return w.code;
}

static void report(lsched_id job, uint32_t index, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = job;
    e.task_index = index;
    MUST(lsched_tasks_report(world.cluster, &e, 1, sizeof e, NULL, NULL, &err));
}

static lsched_id decision_of(lsched_id job, uint32_t index) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t at = 0;
    while (lsched_tasks_next(world.cluster, job, 0, &at, &t, NULL) == 1)
        if (t.task_index == index) return t.decision;
    return 0;
}

/* What the feed says since the last call. */
static const char *told(void) {
    static char text[1000];
    lsched_change c = {.size = sizeof c};
    size_t n = 0;
    text[0] = 0;
    while (lsched_changes_next(world.cluster, &cursor, &c, NULL) == 1)
        n += (size_t)snprintf(text + n, sizeof text - n, "%.*s[%lld] %s %s %s\n",
                              (int)c.job_name.len, c.job_name.ptr, (long long)c.task_index,
                              lsched_change_name(c.kind), lsched_because_name(c.because),
                              lsched_call_name(c.call));
    return text;
}

static void a_waiting_job_is_held_until_a_time(void **unused) {
    (void)unused;
    lsched_id job = submit("held", 1, 1);
    int64_t until = world.now_us + 60000000;
    cursor = lsched_changes_end(world.cluster);
    assert_int_equal(hold(job, until, "no data"), 1);
    assert_string_equal(told(), ""); /* it is what was asked for */
    cycle();
    lsched_job_info info = info_of(job);
    assert_int_equal(info.tasks_placed, 0);
    assert_int_equal(info.held, LSCHED_HELD_HOST);
    assert_true(info.hold_until_us == until && info.parked);
    assert_true(info.hold_reason.len == 7 && memcmp(info.hold_reason.ptr, "no data", 7) == 0);
    assert_int_equal(wait_code(job), LSCHED_WAIT_HOST_HOLD);
    cycle_at(until - 1);
    assert_int_equal(info_of(job).tasks_placed, 0);
    cycle_at(until);
    assert_string_equal(told(), "held[-1] released time schedule\n");
    info = info_of(job);
    assert_int_equal(info.tasks_placed, 1);
    assert_true(info.held == LSCHED_HELD_NOT && info.hold_until_us == 0);
    assert_int_equal(info.hold_reason.len, 0);
}

static void a_hold_takes_back_what_is_not_confirmed(void **unused) {
    (void)unused;
    lsched_id job = submit("elastic", 4, 1), gang = submit("gang", 3, 3);
    lsched_outcome yes = LSCHED_OUTCOME_CONFIRMED;
    cycle();
    assert_int_equal(info_of(job).tasks_placed + info_of(gang).tasks_placed, 7);
    report(job, 0, LSCHED_EVENT_STARTED);
    lsched_id confirmed = decision_of(job, 1), proposed = decision_of(job, 2);
    MUST(settle_each(world.cluster, &confirmed, &yes, 1, NULL, &err));
    cursor = lsched_changes_end(world.cluster);
    assert_int_equal(hold(job, 0, ""), 1);
    assert_int_equal(info_of(job).tasks_placed, 2);
    assert_string_equal(told(), "elastic[3] withdrawn host-hold jobs-hold\n"
                                "elastic[2] withdrawn host-hold jobs-hold\n");
    assert_int_equal(lsched_decision_state(world.cluster, proposed, &err), LSCHED_E_STALE);
    assert_int_equal(hold(gang, 0, ""), 1);
    assert_int_equal(info_of(gang).tasks_placed, 0);
    cycle();
    assert_int_equal(info_of(job).tasks_placed, 2);
    report(job, 1, LSCHED_EVENT_STARTED); /* a confirmed task starts */
    report(job, 0, LSCHED_EVENT_FAILED);  /* and a failed one waits for the end of the hold */
    cycle();
    assert_int_equal(info_of(job).tasks_placed, 1);
    assert_int_equal(release(job), 1);
    assert_int_equal(release(gang), 1);
    cycle();
    assert_int_equal(info_of(job).tasks_placed, 4);
    assert_int_equal(info_of(gang).tasks_placed, 3);
}

static void a_job_that_runs_as_a_whole_is_held_for_later(void **unused) {
    (void)unused;
    lsched_id job = submit("full", 2, 2);
    char text[2000];
    cycle();
    report(job, 0, LSCHED_EVENT_STARTED);
    report(job, 1, LSCHED_EVENT_STARTED);
    assert_int_equal(hold(job, 0, "maintenance"), 1);
    cycle();
    assert_int_equal(info_of(job).tasks_running, 2);
    MUST(lsched_explain(world.cluster, job, text, sizeof text, NULL, &err));
    assert_non_null(strstr(text, "held by the orchestrator until it is released: maintenance"));
    report(job, 0, LSCHED_EVENT_FAILED);
    cycle();
    assert_int_equal(info_of(job).tasks_placed, 1);
    assert_int_equal(wait_code(job), LSCHED_WAIT_HOST_HOLD);
    MUST(lsched_jobs_remove(world.cluster, &job, 1, NULL, NULL, &err));
    MUST(lsched_verify(world.cluster, NULL, &err));
}

/* A job can be held by a rule and by the host; each hold ends by itself. */
static void two_holds_are_independent(void **unused) {
    (void)unused;
    lsched_group_desc group = api_group(1);
    lsched_job_desc d = api_job("long", &group, 1);
    lsched_job_update again = LSCHED_JOB_UPDATE_INIT;
    lsched_id job = 0;
    char text[2000];
    MUST(lsched_policy_load(world.cluster, LSCHED_TEXT("stops.lua"),
                            LSCHED_TEXT("return {api = 1, name = 'stops', "
                                        "pipeline = {'allocate', 'evict-overdue'}}"),
                            NULL, &err));
    d.time_limit_us = 1000000;
    MUST(lsched_jobs_submit(world.cluster, &d, 1, sizeof d, NULL, &job, NULL, &err));
    for (int first = 0; first < 2; first++) { /* which of the holds ends first */
        cycle();
        report(job, 0, LSCHED_EVENT_STARTED);
        cycle_at(world.now_us + 60000000);
        assert_int_equal(hold(job, 0, "budget"), 1);
        report(job, 0, LSCHED_EVENT_FAILED);
        assert_int_equal(info_of(job).held, LSCHED_HELD_TIME_LIMIT);
        assert_int_equal(wait_code(job), LSCHED_WAIT_HOST_HOLD);
        MUST(lsched_explain(world.cluster, job, text, sizeof text, NULL, &err));
        assert_non_null(strstr(text, "budget; besides, it is held: ran for longer than"));
        again.job = job;
        again.set = LSCHED_JOB_SET_AGAIN;
        if (first) MUST(lsched_jobs_update(world.cluster, &again, 1, 0, NULL, NULL, &err));
        if (!first) assert_int_equal(release(job), 1);
        cycle();
        assert_int_equal(info_of(job).tasks_placed, 0);
        assert_int_equal(info_of(job).held, first ? LSCHED_HELD_HOST : LSCHED_HELD_TIME_LIMIT);
        assert_int_equal(wait_code(job), first ? LSCHED_WAIT_HOST_HOLD : LSCHED_WAIT_HELD);
        if (!first) assert_int_equal(release(job), LSCHED_E_STATE);
        if (!first) assert_non_null(strstr(err.message, "LSCHED_JOB_SET_AGAIN"));
        if (!first) MUST(lsched_jobs_update(world.cluster, &again, 1, 0, NULL, NULL, &err));
        if (first) assert_int_equal(release(job), 1);
    }
    cycle();
    assert_int_equal(info_of(job).tasks_placed, 1);
}

static void what_is_known_is_no_change(void **unused) {
    (void)unused;
    lsched_id job = submit("job", 1, 1);
    lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_IDEMPOTENT};
    lsched_job_hold h = LSCHED_JOB_HOLD_INIT;
    int32_t status = 7;
    assert_int_equal(hold(job, 0, "x"), 1);
    uint64_t image = api_image(world.cluster);
    h.name = LSCHED_TEXT("job");
    h.until_us = LSCHED_NEVER_US;
    h.reason = LSCHED_TEXT("x");
    assert_int_equal(lsched_jobs_hold(world.cluster, &h, 1, 0, &opts, &status, &err), 1);
    assert_int_equal(status, LSCHED_UNCHANGED);
    assert_int_equal(lsched_jobs_hold(world.cluster, &h, 1, 0, NULL, &status, &err), 1);
    assert_int_equal(status, LSCHED_OK);
    assert_true(api_image(world.cluster) == image);
    h.reason = LSCHED_TEXT("y");
    assert_int_equal(lsched_jobs_hold(world.cluster, &h, 1, 0, &opts, &status, &err), 1);
    assert_int_equal(status, LSCHED_OK);
    assert_int_equal(release(job), 1);
    assert_int_equal(release(job), LSCHED_E_STATE);
    assert_non_null(strstr(err.message, "job 'job' is not held by lsched_jobs_hold()"));
    assert_int_equal(lsched_jobs_release(world.cluster, &job, 1, &opts, &status, &err), 1);
    assert_int_equal(status, LSCHED_UNCHANGED);
    assert_int_equal(lsched_jobs_release(world.cluster, &world.gone_job, 1, &opts, &status, &err),
                     1);
    assert_int_equal(status, LSCHED_UNCHANGED);
    assert_int_equal(release(world.gone_job), LSCHED_E_STALE);
}

static void bad_holds_are_named(void **unused) {
    (void)unused;
    lsched_id job = submit("job", 1, 1);
    static char words[300];
    lsched_job_hold h[2] = {LSCHED_JOB_HOLD_INIT, LSCHED_JOB_HOLD_INIT};
    int32_t status[2];
    uint64_t image = api_image(world.cluster);
    memset(words, 'w', sizeof words - 1);
    h[0].job = h[1].job = job;
    h[1].until_us = world.now_us;
    assert_int_equal(lsched_jobs_hold(world.cluster, h, 2, sizeof h[0], NULL, status, &err),
                     LSCHED_E_TIME);
    assert_int_equal(err.index, 1);
    assert_non_null(strstr(err.message, "is not after the cluster's time"));
    h[1].until_us = -1;
    assert_int_equal(lsched_jobs_hold(world.cluster, h, 2, sizeof h[0], NULL, status, &err),
                     LSCHED_E_TIME);
    h[1].until_us = 0;
    h[1].reason = lsched_cstr(words);
    assert_int_equal(lsched_jobs_hold(world.cluster, h, 2, sizeof h[0], NULL, status, &err),
                     LSCHED_E_RANGE);
    h[1].reason = (lsched_text){NULL, 3};
    assert_int_equal(lsched_jobs_hold(world.cluster, h, 2, sizeof h[0], NULL, status, &err),
                     LSCHED_E_NULL);
    h[1].reason = LSCHED_TEXT("");
    h[1].job = world.gone_job;
    assert_int_equal(lsched_jobs_hold(world.cluster, h, 2, sizeof h[0], NULL, status, &err),
                     LSCHED_E_STALE);
    h[1].job = 0;
    h[1].name = LSCHED_TEXT("nobody");
    assert_int_equal(lsched_jobs_hold(world.cluster, h, 2, sizeof h[0], NULL, status, &err),
                     LSCHED_E_NOENT);
    assert_int_equal(lsched_jobs_hold(NULL, h, 2, sizeof h[0], NULL, status, &err), LSCHED_E_NULL);
    assert_true(api_image(world.cluster) == image);
    lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_PARTIAL};
    assert_int_equal(lsched_jobs_hold(world.cluster, h, 2, sizeof h[0], &opts, status, &err), 1);
    assert_int_equal(status[1], LSCHED_E_NOENT);
    assert_true(info_of(job).hold_until_us == LSCHED_NEVER_US);
}

/* The clock is set back: the hold keeps its distance to the present time, and nobody starts too early. */
static void the_clock_is_set(void **unused) {
    (void)unused;
    lsched_id until = submit("until", 1, 1), ever = submit("ever", 1, 1);
    int64_t now = world.now_us;
    cycle_at(now + 100000000);
    assert_int_equal(hold(until, world.now_us + 50000000, ""), 1);
    assert_int_equal(hold(ever, 0, ""), 1);
    MUST(lsched_clock_set(world.cluster, now, &err));
    MUST(lsched_verify(world.cluster, NULL, &err));
    assert_true(info_of(until).hold_until_us == now + 50000000);
    cycle_at(now + 49000000);
    assert_int_equal(info_of(until).tasks_placed + info_of(ever).tasks_placed, 0);
    MUST(lsched_clock_set(world.cluster, now + 60000000, &err));
    MUST(lsched_verify(world.cluster, NULL, &err));
    cycle_at(now + 60000000);
    assert_int_equal(info_of(until).tasks_placed, 1);
    assert_int_equal(info_of(ever).tasks_placed, 0);
}

static struct {
    unsigned char at[1 << 20];
    size_t n;
} saved;

static int32_t append(void *user, const void *bytes, size_t n) {
    (void)user;
    if (saved.n + n > sizeof saved.at) return 1;
    memcpy(saved.at + saved.n, bytes, n);
    saved.n += n;
    return 0;
}

static void copies_have_the_hold(void **unused) {
    (void)unused;
    lsched_id job = submit("job", 1, 1);
    lsched_cluster *copy = NULL;
    uint64_t plain = api_meaning(world.cluster);
    assert_int_equal(hold(job, 0, "kept"), 1);
    uint64_t held = api_meaning(world.cluster);
    assert_true(held != plain);
    saved.n = 0;
    MUST(lsched_cluster_save(world.cluster, append, NULL, &err));
    MUST(lsched_cluster_load(NULL, saved.at, saved.n, &copy, &err));
    lsched_job_info info = {.size = sizeof info};
    MUST(lsched_job_get(copy, job, &info, &err));
    assert_true(info.hold_reason.len == 4 && memcmp(info.hold_reason.ptr, "kept", 4) == 0);
    assert_true(api_meaning(copy) == held);
    lsched_cluster_destroy(copy);
    copy = NULL;
    MUST(lsched_cluster_clone(world.cluster, &copy, &err));
    assert_true(api_image(copy) == api_image(world.cluster));
    assert_int_equal(lsched_jobs_release(copy, &job, 1, NULL, NULL, &err), 1);
    assert_true(api_meaning(copy) == plain);
    lsched_cluster_destroy(copy);
    assert_true(info_of(job).hold_until_us == LSCHED_NEVER_US);
}

/* A plan of a clone starts no job that the host holds meanwhile. */
static void an_adopted_plan_starts_no_held_job(void **unused) {
    (void)unused;
    lsched_id job = submit("job", 1, 1);
    lsched_cluster *copy = NULL;
    lsched_plan *plan = NULL, *mine = NULL;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    MUST(lsched_cluster_clone(world.cluster, &copy, &err));
    opts.now_us = world.now_us += 1000000;
    MUST(lsched_schedule(copy, &opts, &plan, &err));
    assert_int_equal(lsched_plan_size(plan), 1);
    assert_int_equal(hold(job, 0, ""), 1);
    lsched_adopt_opts how = LSCHED_INIT(lsched_adopt_opts);
    how.schedule = &opts;
    MUST(lsched_adopt(world.cluster, plan, &how, &mine, &err));
    assert_int_equal(lsched_plan_size(mine), 0);
    assert_int_equal(info_of(job).tasks_placed, 0);
    lsched_plan_destroy(mine);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(copy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
        TEST(a_waiting_job_is_held_until_a_time),
        TEST(a_hold_takes_back_what_is_not_confirmed),
        TEST(a_job_that_runs_as_a_whole_is_held_for_later),
        TEST(two_holds_are_independent),
        TEST(what_is_known_is_no_change),
        TEST(bad_holds_are_named),
        TEST(the_clock_is_set),
        TEST(copies_have_the_hold),
        TEST(an_adopted_plan_starts_no_held_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
