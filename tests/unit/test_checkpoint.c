/* CHECKPOINT before EVICT: what times are accepted, that the feed and the decisions say what became of
 * the question, that whoever rejects or withdraws it lets the work run on, that a clock step makes no
 * decision, and that no allocation that fails leaves half of it. docs/semantics.md 12 has the rules. */
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

#define SECOND    INT64_C(1000000)
#define BIT(kind) (1u << LSCHED_DECIDE_##kind)

static struct {
    lsched_cluster *c;
    lsched_plan *plan;
    lsched_error err;
    lsched_id saves, wants;
    int64_t now;
} t;

static lsched_id submit(const char *name, int32_t priority, int64_t checkpoint_us) {
    static const lsched_amount request = {LSCHED_CPU, 0, 1000};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_id id = 0;
    group.request = &request;
    group.n_request = 1;
    group.max_count = group.min_count = 1;
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    job.priority = priority;
    job.checkpoint_us = checkpoint_us;
    job.release_us = 10 * SECOND;
    assert_int_equal(lsched_jobs_submit(t.c, &job, 1, sizeof job, NULL, &id, NULL, &t.err), 1);
    return id;
}

static int32_t cycle(uint32_t kinds) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = t.now;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    opts.decision_kinds = kinds;
    lsched_plan_destroy(t.plan);
    t.plan = NULL;
    t.err = (lsched_error)LSCHED_ERROR_INIT;
    return lsched_schedule(t.c, &opts, &t.plan, &t.err);
}

static const uint32_t all = LSCHED_DECISION_KINDS_DEFAULT | BIT(CHECKPOINT);

static const lsched_decision *first(uint32_t kind) {
    for (size_t i = 0; i < lsched_plan_size(t.plan); i++)
        if (lsched_plan_at(t.plan, i)->kind == kind) return lsched_plan_at(t.plan, i);
    return NULL;
}

/* One node of one task: `saves` runs on it, and `wants` ranks before it. */
static void make(const lsched_cluster_opts *opts) {
    static const char policy[] =
        "return { api = 1, name = 'p', pipeline = { 'allocate', 'preempt' } }";
    static const lsched_amount cpu = {LSCHED_CPU, 0, 1000};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    memset(&t, 0, sizeof t);
    t.err = (lsched_error)LSCHED_ERROR_INIT;
    t.now = 1000 * SECOND;
    assert_int_equal(lsched_cluster_create(opts, &t.c, &t.err), LSCHED_OK);
    assert_true(lsched_policy_load(t.c, LSCHED_TEXT("p"), lsched_cstr(policy), NULL, &t.err) >= 0);
    node.name = LSCHED_TEXT("n");
    node.capacity = &cpu;
    node.n_capacity = 1;
    queue.name = LSCHED_TEXT("q");
    assert_int_equal(lsched_nodes_add(t.c, &node, 1, sizeof node, NULL, NULL, NULL, &t.err), 1);
    assert_int_equal(lsched_queues_add(t.c, &queue, 1, sizeof queue, NULL, NULL, NULL, &t.err), 1);
    t.saves = submit("saves", 0, 60 * SECOND);
    assert_int_equal(cycle(all), LSCHED_OK);
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = LSCHED_EVENT_STARTED;
    e.job = t.saves;
    assert_int_equal(lsched_tasks_report(t.c, &e, 1, sizeof e, NULL, NULL, &t.err), 1);
    t.now += 3600 * SECOND;
    t.wants = submit("wants", 5, 0);
}

static int begin(void **unused) {
    (void)unused;
    make(NULL);
    return 0;
}

static int end(void **unused) {
    (void)unused;
    lsched_plan_destroy(t.plan);
    lsched_cluster_destroy(t.c);
    return 0;
}

/* Returns the id of the CHECKPOINT that a cycle makes now. */
static lsched_id asked(void) {
    assert_int_equal(cycle(all), LSCHED_OK);
    const lsched_decision *d = first(LSCHED_DECIDE_CHECKPOINT);
    assert_non_null(d);
    assert_null(first(LSCHED_DECIDE_EVICT));
    assert_true(d->job == t.saves && d->for_job == t.wants && d->checkpoint == 0);
    assert_int_equal(d->until_us, t.now + 60 * SECOND);
    assert_int_equal(d->at_us, t.now + 70 * SECOND);
    return d->id;
}

static int32_t settle(lsched_id decision, lsched_outcome how) {
    return settle_each(t.c, &decision, &how, 1, NULL, &t.err);
}

static uint32_t state_of(lsched_id job) {
    uint64_t cursor = 0;
    lsched_task_info task = LSCHED_INIT(lsched_task_info);
    uint32_t state = 0;
    while (lsched_tasks_next(t.c, job, 0, &cursor, &task, &t.err) == 1)
        if (task.state != LSCHED_TASK_NONE) state = task.state;
    return state;
}

/* Returns why the latest change of the kind was made; 0: there is none. */
static uint32_t because(uint32_t kind) {
    lsched_change change = LSCHED_INIT(lsched_change);
    uint64_t cursor = 0;
    uint32_t found = 0;
    while (lsched_changes_next(t.c, &cursor, &change, NULL) == 1)
        if (change.kind == kind) found = change.because;
    return found;
}

static void a_written_checkpoint_is_followed_by_an_eviction(void **unused) {
    (void)unused;
    lsched_id question = asked();
    int64_t cost = first(LSCHED_DECIDE_CHECKPOINT)->cost;
    uint64_t group = first(LSCHED_DECIDE_CHECKPOINT)->group;
    assert_int_equal(state_of(t.saves), LSCHED_TASK_RELEASING);
    assert_int_equal(settle(question, LSCHED_OUTCOME_CONFIRMED), LSCHED_OK);
    assert_int_equal(settle(question, LSCHED_OUTCOME_CONFIRMED), LSCHED_E_STATE);
    assert_true(lsched_next_wake(t.c) <= t.now);
    t.now += 5 * SECOND;
    assert_int_equal(cycle(all), LSCHED_OK);
    const lsched_decision *d = first(LSCHED_DECIDE_EVICT);
    assert_int_equal(lsched_plan_size(t.plan), 1);
    assert_true(d && d->id != question && d->group == group && d->for_job == t.wants);
    assert_int_equal(d->checkpoint, LSCHED_CHECKPOINT_WRITTEN);
    assert_int_equal(d->at_us, t.now + 10 * SECOND);
    assert_true(d->cost > 0 && d->cost < cost / 10); /* an hour of work is saved */
    assert_int_equal(because(LSCHED_CHANGE_CHECKPOINT_OVER), LSCHED_BECAUSE_CHECKPOINT);
    assert_int_equal(settle(question, LSCHED_OUTCOME_CONFIRMED), LSCHED_E_STALE);
    assert_int_equal(settle(d->id, LSCHED_OUTCOME_CONFIRMED), LSCHED_OK);
}

static void no_answer_is_followed_by_an_eviction_in_time(void **unused) {
    (void)unused;
    lsched_id question = asked();
    int64_t cost = first(LSCHED_DECIDE_CHECKPOINT)->cost;
    assert_int_equal(cycle(all), LSCHED_OK);
    assert_int_equal(lsched_next_wake(t.c), t.now + 60 * SECOND);
    t.now += 60 * SECOND - 1;
    assert_int_equal(cycle(all), LSCHED_OK);
    assert_int_equal(lsched_plan_size(t.plan), 0);
    t.now++;
    /* a clock step makes no decision, and a cycle that cannot stop work makes none either */
    assert_int_equal(lsched_clock_set(t.c, t.now, &t.err), LSCHED_OK);
    assert_int_equal(lsched_decision_state(t.c, question, &t.err), LSCHED_DECISION_PROPOSED);
    assert_int_equal(cycle(BIT(PLACE) | BIT(CHECKPOINT)), LSCHED_OK);
    assert_int_equal(lsched_plan_size(t.plan), 0);
    assert_true(lsched_next_wake(t.c) > t.now);
    assert_int_equal(cycle(LSCHED_DECISION_KINDS_DEFAULT), LSCHED_OK);
    const lsched_decision *d = first(LSCHED_DECIDE_EVICT);
    assert_true(d && d->checkpoint == LSCHED_CHECKPOINT_UNANSWERED && d->cost == cost);
    assert_int_equal(because(LSCHED_CHANGE_CHECKPOINT_OVER), LSCHED_BECAUSE_TIME);
}

static void a_clock_that_goes_back_keeps_the_question(void **unused) {
    (void)unused;
    lsched_id question = asked();
    assert_int_equal(settle(question, LSCHED_OUTCOME_CONFIRMED), LSCHED_OK);
    assert_int_equal(lsched_clock_set(t.c, 0, &t.err), LSCHED_OK);
    assert_int_equal(lsched_verify(t.c, NULL, &t.err), LSCHED_OK);
    t.now = 0;
    assert_int_equal(cycle(all), LSCHED_OK);
    assert_non_null(first(LSCHED_DECIDE_EVICT));
}

static void who_rejects_the_question_lets_the_work_run_on(void **unused) {
    (void)unused;
    for (int confirmed = 0; confirmed < 2; confirmed++) {
        lsched_id question = asked();
        if (confirmed) assert_int_equal(settle(question, LSCHED_OUTCOME_CONFIRMED), LSCHED_OK);
        assert_int_equal(settle(question, LSCHED_OUTCOME_REJECTED), LSCHED_OK);
        assert_int_equal(state_of(t.saves), LSCHED_TASK_RUNNING);
        assert_int_equal(state_of(t.wants), 0);
        assert_int_equal(cycle(all), LSCHED_OK);
        assert_int_equal(lsched_plan_size(t.plan), 0); /* it is spared for a time */
        t.now += 3600 * SECOND;
    }
}

/* The question stops nothing, so it goes with its group also when it is answered. */
static void a_question_goes_with_its_group(void **unused) {
    (void)unused;
    for (int confirmed = 0; confirmed < 2; confirmed++) {
        lsched_id question = asked(), claim = first(LSCHED_DECIDE_NOMINATE)->id;
        if (confirmed) assert_int_equal(settle(question, LSCHED_OUTCOME_CONFIRMED), LSCHED_OK);
        assert_int_equal(settle(claim, LSCHED_OUTCOME_REJECTED), LSCHED_OK);
        assert_int_equal(lsched_decision_state(t.c, question, &t.err), LSCHED_E_STALE);
        assert_int_equal(state_of(t.saves), LSCHED_TASK_RUNNING);
        t.now += 3600 * SECOND;
    }
    lsched_id question = asked();
    assert_int_equal(settle(question, LSCHED_OUTCOME_CONFIRMED), LSCHED_OK);
    assert_int_equal(lsched_jobs_remove(t.c, &t.wants, 1, NULL, NULL, &t.err), 1);
    assert_int_equal(cycle(all), LSCHED_OK); /* no job needs the room any more */
    assert_int_equal(state_of(t.saves), LSCHED_TASK_RUNNING);
}

static void a_task_that_ends_answers_itself(void **unused) {
    (void)unused;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_id question = asked();
    e.event = LSCHED_EVENT_FAILED;
    e.job = t.saves;
    assert_int_equal(lsched_tasks_report(t.c, &e, 1, sizeof e, NULL, NULL, &t.err), 1);
    assert_int_equal(lsched_decision_state(t.c, question, &t.err), LSCHED_E_STALE);
    assert_int_equal(cycle(all), LSCHED_OK);
    assert_true(first(LSCHED_DECIDE_PLACE)->job == t.wants);
}

static void the_time_can_change_and_is_read_back(void **unused) {
    (void)unused;
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    char text[4096];
    asked();
    assert_true(lsched_explain(t.c, t.saves, text, sizeof text, NULL, &t.err) > 0);
    assert_non_null(strstr(text, "can write a checkpoint until"));
    u.job = t.saves;
    u.set = LSCHED_JOB_SET_CHECKPOINT;
    u.checkpoint_us = -1;
    assert_int_equal(lsched_jobs_update(t.c, &u, 1, sizeof u, NULL, NULL, &t.err), LSCHED_E_RANGE);
    assert_non_null(strstr(t.err.message, "checkpoint_us"));
    u.checkpoint_us = 0;
    assert_int_equal(lsched_jobs_update(t.c, &u, 1, sizeof u, NULL, NULL, &t.err), 1);
    /* the open question keeps its time, the next stop is an eviction at once */
    t.now += SECOND;
    assert_int_equal(cycle(all), LSCHED_OK);
    assert_int_equal(lsched_plan_size(t.plan), 0);
    t.now += 59 * SECOND;
    assert_int_equal(cycle(all), LSCHED_OK);
    assert_int_equal(settle(first(LSCHED_DECIDE_EVICT)->id, LSCHED_OUTCOME_REJECTED), LSCHED_OK);
    t.now += 3600 * SECOND;
    assert_int_equal(cycle(all), LSCHED_OK);
    assert_int_equal(first(LSCHED_DECIDE_EVICT)->checkpoint, LSCHED_CHECKPOINT_NONE);
}

static uint64_t image(void) {
    uint64_t hash = 0;
    lsched_cluster_hash(t.c, LSCHED_HASH_IMAGE, &hash, NULL);
    return hash;
}

/* Each call fails once at each of its allocations, changes nothing then, and works afterwards. */
static void a_failing_allocation_changes_nothing(void **unused) {
    (void)unused;
    static struct fault_alloc f;
    lsched_allocator hooks = fault_hooks(&f);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &hooks;
    lsched_plan_destroy(t.plan);
    lsched_cluster_destroy(t.c);
    make(&opts);
    lsched_id question = 0;
    for (int step = 0; step < 3; step++) {
        uint64_t before = image();
        int32_t rc = LSCHED_E_NOMEM;
        for (uint64_t at = 1; rc == LSCHED_E_NOMEM; at++) {
            f.fail_at = f.calls + at;
            rc = step == 1 ? settle(question, LSCHED_OUTCOME_CONFIRMED) : cycle(all);
            f.fail_at = 0;
            if (rc == LSCHED_E_NOMEM) assert_int_equal(image(), before);
        }
        assert_true(rc >= 0);
        if (step == 0) question = first(LSCHED_DECIDE_CHECKPOINT)->id;
    }
    assert_non_null(first(LSCHED_DECIDE_EVICT));
    assert_int_equal(lsched_verify(t.c, t.plan, &t.err), LSCHED_OK);
    lsched_plan_destroy(t.plan);
    lsched_cluster_destroy(t.c);
    assert_true(f.live_blocks == 0 && f.wrong_sizes == 0);
    make(NULL);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)
    const struct CMUnitTest tests[] = {TEST(a_written_checkpoint_is_followed_by_an_eviction),
                                       TEST(no_answer_is_followed_by_an_eviction_in_time),
                                       TEST(a_clock_that_goes_back_keeps_the_question),
                                       TEST(who_rejects_the_question_lets_the_work_run_on),
                                       TEST(a_question_goes_with_its_group),
                                       TEST(a_task_that_ends_answers_itself),
                                       TEST(the_time_can_change_and_is_read_back),
                                       TEST(a_failing_allocation_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
