/* Proposals with a life: what lives are accepted, what a decision says of its life, that the first
 * cycle or clock step after its end withdraws what is still proposed, what the feed tells, and that
 * no allocation that fails leaves a group half withdrawn. docs/semantics.md 4 has the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/api_world.h"
#include "support/fault_alloc.h"
#include "support/settle.h"

#define SECOND INT64_C(1000000)

static struct {
    struct api_world w;
    lsched_plan *plan;
    lsched_error err;
    lsched_id gang, single;
} t;

static lsched_id submit(const char *name, uint32_t tasks) {
    lsched_group_desc group = api_group(tasks);
    lsched_job_desc job = api_job(name, &group, 1);
    lsched_id id = 0;
    assert_int_equal(lsched_jobs_submit(t.w.cluster, &job, 1, sizeof job, NULL, &id, NULL, &t.err),
                     1);
    return id;
}

static int32_t cycle_at(int64_t now, int64_t life) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = now;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    opts.proposal_life_us = life;
    lsched_plan_destroy(t.plan);
    t.plan = NULL;
    t.err = (lsched_error)LSCHED_ERROR_INIT;
    return lsched_schedule(t.w.cluster, &opts, &t.plan, &t.err);
}

/* Two jobs, a gang of two tasks and a single task, have proposals of one cycle. */
static int begin(void **unused) {
    (void)unused;
    memset(&t, 0, sizeof t);
    t.err = (lsched_error)LSCHED_ERROR_INIT;
    if (api_world_make(&t.w, NULL) < 0) return 1;
    lsched_id jobs[] = {t.w.busy, t.w.open, t.w.later};
    if (lsched_jobs_remove(t.w.cluster, jobs, 3, NULL, NULL, NULL) < 0) return 1;
    t.gang = submit("a-gang", 2), t.single = submit("b-single", 1);
    t.w.now_us += SECOND;
    return 0;
}

static int end(void **unused) {
    (void)unused;
    lsched_plan_destroy(t.plan);
    api_world_drop(&t.w);
    return 0;
}

static lsched_id decision_of(lsched_id job, uint32_t index) {
    uint64_t cursor = 0;
    lsched_task_info task = LSCHED_INIT(lsched_task_info);
    while (lsched_tasks_next(t.w.cluster, job, 0, &cursor, &task, &t.err) == 1)
        if (task.task_index == index) return task.decision;
    return 0;
}

static int32_t confirm(lsched_id decision) {
    static const lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
    return settle_each(t.w.cluster, &decision, &how, 1, NULL, &t.err);
}

static int64_t until_of(lsched_id decision) {
    lsched_decision d = LSCHED_INIT(lsched_decision);
    assert_int_equal(lsched_decision_get(t.w.cluster, decision, &d, &t.err), LSCHED_OK);
    return d.until_us;
}

/* Counts the records since the cursor that say that a decision of the job expired in this call. */
static uint32_t expired(uint64_t cursor, lsched_id job, uint32_t call) {
    uint32_t n = 0;
    lsched_change c = LSCHED_INIT(lsched_change);
    while (lsched_changes_next(t.w.cluster, &cursor, &c, &t.err) == 1)
        n += c.kind == LSCHED_CHANGE_WITHDRAWN && c.because == LSCHED_BECAUSE_EXPIRED &&
             c.job == job && c.call == call;
    return n;
}

static void lives_out_of_range_are_refused(void **unused) {
    (void)unused;
    static const int64_t wrong[] = {-1, INT64_MIN, (INT64_C(1) << 61) + 1};
    uint64_t image = api_image(t.w.cluster);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(cycle_at(t.w.now_us, wrong[i]), LSCHED_E_RANGE);
        assert_non_null(strstr(t.err.message, "proposal_life_us"));
    }
    assert_true(api_image(t.w.cluster) == image);
}

static void a_decision_says_how_long_it_holds(void **unused) {
    (void)unused;
    assert_int_equal(cycle_at(t.w.now_us, 5 * SECOND), LSCHED_OK);
    assert_int_equal(lsched_plan_size(t.plan), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(lsched_plan_at(t.plan, i)->until_us, t.w.now_us + 5 * SECOND);
    lsched_id first = decision_of(t.gang, 0), other = decision_of(t.gang, 1);
    assert_int_equal(until_of(first), t.w.now_us + 5 * SECOND);
    assert_int_equal(lsched_next_wake(t.w.cluster), t.w.now_us + 5 * SECOND);
    assert_int_equal(confirm(first), LSCHED_OK);
    assert_int_equal(until_of(first), LSCHED_NEVER_US);
    assert_int_equal(until_of(other), t.w.now_us + 5 * SECOND);
}

static void a_life_for_ever_is_none(void **unused) {
    (void)unused;
    static const int64_t none[] = {0, LSCHED_NEVER_US};
    for (size_t i = 0; i < 2; i++) {
        lsched_id job = submit(i ? "d" : "c", 1);
        assert_int_equal(cycle_at(t.w.now_us += SECOND, none[i]), LSCHED_OK);
        assert_int_equal(until_of(decision_of(job, 0)), LSCHED_NEVER_US);
        assert_int_equal(lsched_next_wake(t.w.cluster), LSCHED_NEVER_US);
    }
}

/* The proposal can still be confirmed after the end of its life, as long as no cycle came. */
static void a_late_confirmation_before_the_next_cycle_counts(void **unused) {
    (void)unused;
    assert_int_equal(cycle_at(t.w.now_us, SECOND), LSCHED_OK);
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_id kept[] = {decision_of(t.gang, 0), decision_of(t.gang, 1)},
              lost = decision_of(t.single, 0);
    e.event = LSCHED_EVENT_STARTED, e.job = t.gang, e.at_us = t.w.now_us + 3600 * SECOND;
    assert_int_equal(lsched_tasks_report(t.w.cluster, &e, 1, sizeof e, NULL, NULL, &t.err), 1);
    assert_int_equal(confirm(kept[1]), LSCHED_OK);
    uint64_t cursor = lsched_changes_end(t.w.cluster);
    assert_int_equal(cycle_at(t.w.now_us + 3600 * SECOND, 0), LSCHED_OK);
    assert_int_equal(lsched_plan_withdrawn_size(t.plan), 1);
    assert_true(lsched_plan_withdrawn_at(t.plan, 0) == lost);
    assert_int_equal(expired(cursor, t.single, LSCHED_CALL_SCHEDULE), 1);
    assert_int_equal(expired(cursor, t.gang, LSCHED_CALL_SCHEDULE), 0);
    assert_int_equal(lsched_decision_state(t.w.cluster, lost, &t.err), LSCHED_E_STALE);
    assert_int_equal(lsched_decision_state(t.w.cluster, kept[1], &t.err),
                     LSCHED_DECISION_CONFIRMED);
}

/* A gang of which one task runs goes on with the other; both proposals of a gang that does not start
 * expire together, and the same cycle decides anew. */
static void a_gang_expires_as_a_whole(void **unused) {
    (void)unused;
    assert_int_equal(cycle_at(t.w.now_us, SECOND), LSCHED_OK);
    uint64_t cursor = lsched_changes_end(t.w.cluster);
    assert_int_equal(cycle_at(t.w.now_us + SECOND - 1, SECOND), LSCHED_OK);
    assert_int_equal(lsched_plan_withdrawn_size(t.plan), 0);
    assert_int_equal(cycle_at(t.w.now_us + SECOND, SECOND), LSCHED_OK);
    assert_int_equal(lsched_plan_withdrawn_size(t.plan), 3);
    assert_int_equal(lsched_plan_size(t.plan), 3);
    assert_int_equal(expired(cursor, t.gang, LSCHED_CALL_SCHEDULE), 2);
    assert_int_equal(expired(cursor, t.single, LSCHED_CALL_SCHEDULE), 1);
}

static void a_step_of_the_clock_ends_lives(void **unused) {
    (void)unused;
    assert_int_equal(cycle_at(t.w.now_us, 10 * SECOND), LSCHED_OK);
    uint64_t cursor = lsched_changes_end(t.w.cluster);
    assert_int_equal(lsched_clock_set(t.w.cluster, t.w.now_us + 9 * SECOND, &t.err), LSCHED_OK);
    assert_int_equal(expired(cursor, t.gang, LSCHED_CALL_CLOCK_SET), 0);
    /* back: the distance to the end stays */
    assert_int_equal(lsched_clock_set(t.w.cluster, t.w.now_us - 100 * SECOND, &t.err), LSCHED_OK);
    assert_int_equal(lsched_verify(t.w.cluster, NULL, &t.err), LSCHED_OK);
    assert_int_equal(until_of(decision_of(t.gang, 1)), t.w.now_us - 99 * SECOND);
    assert_int_equal(lsched_clock_set(t.w.cluster, t.w.now_us - 99 * SECOND, &t.err), LSCHED_OK);
    assert_int_equal(expired(cursor, t.gang, LSCHED_CALL_CLOCK_SET), 2);
    assert_int_equal(expired(cursor, t.single, LSCHED_CALL_CLOCK_SET), 1);
    assert_int_equal(lsched_verify(t.w.cluster, NULL, &t.err), LSCHED_OK);
    assert_int_equal(cycle_at(t.w.now_us - 99 * SECOND, 0), LSCHED_OK);
    assert_int_equal(lsched_plan_size(t.plan), 3);
}

/* Each allocation of the cycle and of the clock step that withdraw fails once. */
static void without_memory_nothing_expires(void **unused) {
    (void)unused;
    for (int by_clock = 0; by_clock < 2; by_clock++)
        for (uint64_t n = 1;; n++) {
            struct fault_alloc memory = {0};
            lsched_allocator hooks = fault_hooks(&memory);
            lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
            opts.allocator = &hooks;
            memset(&t, 0, sizeof t);
            assert_int_equal(api_world_make(&t.w, &opts), LSCHED_OK);
            for (int i = 0; i < 4; i++) submit((const char *[]){"w", "x", "y", "z"}[i], 1);
            assert_int_equal(cycle_at(t.w.now_us + SECOND, SECOND), LSCHED_OK);
            uint64_t image = api_image(t.w.cluster);
            memory.fail_at = memory.calls + n;
            int64_t at = t.w.now_us + 2 * SECOND;
            t.err = (lsched_error)LSCHED_ERROR_INIT;
            int32_t rc =
                by_clock ? lsched_clock_set(t.w.cluster, at, &t.err) : cycle_at(at, SECOND);
            assert_true(rc == LSCHED_OK || (rc == LSCHED_E_NOMEM && memory.failures));
            if (rc != LSCHED_OK) assert_true(api_image(t.w.cluster) == image);
            int all = memory.failures == 0;
            memory.fail_at = 0;
            assert_int_equal(lsched_verify(t.w.cluster, NULL, &t.err), LSCHED_OK);
            end(NULL);
            assert_int_equal(memory.live_blocks, 0);
            if (all) break;
        }
    assert_int_equal(begin(NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
        TEST(lives_out_of_range_are_refused),
        TEST(a_decision_says_how_long_it_holds),
        TEST(a_life_for_ever_is_none),
        TEST(a_late_confirmation_before_the_next_cycle_counts),
        TEST(a_gang_expires_as_a_whole),
        TEST(a_step_of_the_clock_ends_lives),
        cmocka_unit_test(without_memory_nothing_expires),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
