/* RESIZE of running tasks: which requests are refused and with what words, what is charged from the
 * proposal to its end, that room and limits are respected and wake a wish, that the end or the
 * eviction of a task ends or withdraws it, and that no allocation that fails leaves half of it.
 * docs/semantics.md 27 has the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/api_world.h"
#include "support/fault_alloc.h"
#include "support/settle.h"

#define SECOND    INT64_C(1000000)
#define BIT(kind) (1u << LSCHED_DECIDE_##kind)
#define GIB       (INT64_C(1) << 30)

static struct {
    lsched_cluster *c;
    lsched_plan *plan;
    lsched_error err;
    lsched_id web, node, queue;
    int64_t now;
} t;

static const uint32_t all = LSCHED_DECISION_KINDS_DEFAULT | BIT(RESIZE);

static lsched_id submit(const char *name, int32_t priority, uint32_t tasks, int64_t cpu,
                        uint32_t flags) {
    lsched_amount request[] = {{LSCHED_CPU, 0, cpu}, {LSCHED_MEMORY, 0, 4 * GIB}};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_id id = 0;
    group.request = request;
    group.n_request = 2;
    group.max_count = tasks;
    group.min_count = 1;
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    job.priority = priority;
    job.flags = flags;
    assert_int_equal(lsched_jobs_submit(t.c, &job, 1, sizeof job, NULL, &id, NULL, &t.err), 1);
    return id;
}

static int32_t try_cycle(uint32_t kinds) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = t.now;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    opts.decision_kinds = kinds;
    lsched_plan_destroy(t.plan);
    t.plan = NULL;
    t.err = (lsched_error)LSCHED_ERROR_INIT;
    return lsched_schedule(t.c, &opts, &t.plan, &t.err);
}

static void cycle(uint32_t kinds) {
    int32_t rc = try_cycle(kinds);
    if (rc != LSCHED_OK) print_error("%s\n", t.err.message);
    assert_int_equal(rc, LSCHED_OK);
}

static const lsched_decision *first(uint32_t kind) {
    for (size_t i = 0; i < lsched_plan_size(t.plan); i++)
        if (lsched_plan_at(t.plan, i)->kind == kind) return lsched_plan_at(t.plan, i);
    return NULL;
}

static void start(lsched_id job, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = LSCHED_EVENT_STARTED;
        e.job = job;
        e.task_index = i;
        assert_int_equal(lsched_tasks_report(t.c, &e, 1, sizeof e, NULL, NULL, &t.err), 1);
    }
}

/* One node of 8 cores and 32 GiB, on which two tasks of `web` run with 2 cores and 4 GiB each. The
 * queue may use 7 cores. */
static void make(const lsched_cluster_opts *opts, uint32_t flags) {
    static const char policy[] =
        "return { api = 1, name = 'p', pipeline = { 'allocate', 'preempt' } }";
    static const lsched_amount room[] = {{LSCHED_CPU, 0, 8000}, {LSCHED_MEMORY, 0, 32 * GIB}};
    static const lsched_amount limit = {LSCHED_CPU, 0, 7000};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    memset(&t, 0, sizeof t);
    t.err = (lsched_error)LSCHED_ERROR_INIT;
    t.now = 1000 * SECOND;
    assert_int_equal(lsched_cluster_create(opts, &t.c, &t.err), LSCHED_OK);
    assert_true(lsched_policy_load(t.c, LSCHED_TEXT("p"), lsched_cstr(policy), NULL, &t.err) >= 0);
    node.name = LSCHED_TEXT("n");
    node.capacity = room;
    node.n_capacity = 2;
    queue.name = LSCHED_TEXT("q");
    queue.limit = &limit;
    queue.n_limit = 1;
    assert_int_equal(lsched_nodes_add(t.c, &node, 1, sizeof node, NULL, &t.node, NULL, &t.err), 1);
    assert_int_equal(lsched_queues_add(t.c, &queue, 1, sizeof queue, NULL, &t.queue, NULL, &t.err),
                     1);
    t.web = submit("web", 0, 2, 2000, flags);
    cycle(all);
    start(t.web, 2);
}

static int begin(void **unused) {
    (void)unused;
    make(NULL, 0);
    return 0;
}

static int end(void **unused) {
    (void)unused;
    lsched_plan_destroy(t.plan);
    lsched_cluster_destroy(t.c);
    return 0;
}

static int32_t ask(uint32_t task, int64_t cpu, int64_t memory) {
    lsched_amount request[] = {{LSCHED_CPU, 0, cpu}, {LSCHED_MEMORY, 0, memory}};
    lsched_task_resize z = LSCHED_TASK_RESIZE_INIT;
    z.job = t.web;
    z.task_index = task;
    z.request = request;
    z.n_request = memory ? 2 : 1;
    t.err = (lsched_error)LSCHED_ERROR_INIT;
    return lsched_tasks_resize(t.c, &z, 1, sizeof z, NULL, NULL, &t.err);
}

static int64_t used(uint32_t kind) {
    int64_t amount = -1;
    lsched_queue_amount(t.c, t.queue, kind, &amount, NULL, NULL, &t.err);
    return amount;
}

static int64_t free_of(uint32_t kind) {
    int64_t amount = -1;
    lsched_node_amount(t.c, t.node, kind, NULL, &amount, &t.err);
    return amount;
}

static int64_t amount(uint32_t task, uint32_t kind, uint32_t which) {
    return lsched_resize_amount(t.c, t.web, task, kind, which, &t.err);
}

static lsched_resize_info info_of(uint32_t task) {
    lsched_resize_info info = LSCHED_RESIZE_INFO_INIT;
    assert_int_equal(lsched_resize_get(t.c, t.web, task, &info, &t.err), LSCHED_OK);
    return info;
}

static void sound(void) {
    int32_t rc = lsched_verify(t.c, NULL, &t.err);
    if (rc != LSCHED_OK) print_error("%s\n", t.err.message);
    assert_int_equal(rc, LSCHED_OK);
}

/* Returns the id of the RESIZE that a cycle makes now. */
static lsched_id proposed(void) {
    cycle(all);
    const lsched_decision *d = first(LSCHED_DECIDE_RESIZE);
    assert_non_null(d);
    assert_true(d->job == t.web && d->node == t.node && d->reason == LSCHED_FOR_NONE);
    return d->id;
}

static void settle(lsched_id decision, lsched_outcome how) {
    assert_int_equal(settle_each(t.c, &decision, &how, 1, NULL, &t.err), LSCHED_OK);
    sound();
}

static uint64_t image(void) {
    uint64_t h = 0;
    lsched_cluster_hash(t.c, LSCHED_HASH_IMAGE, &h, NULL);
    return h;
}

/* ---- tests ---- */

static void a_growth_is_charged_when_it_is_proposed(void **unused) {
    (void)unused;
    assert_int_equal(ask(0, 4000, 0), 1);
    assert_int_equal(used(LSCHED_CPU), 4000);
    assert_int_equal(info_of(0).state, LSCHED_RESIZE_STATE_WAITING);
    sound();
    lsched_id d = proposed();
    assert_int_equal(used(LSCHED_CPU), 6000);
    assert_int_equal(free_of(LSCHED_CPU), 2000);
    assert_int_equal(amount(0, LSCHED_CPU, LSCHED_RESIZE_AMOUNT_HAS), 2000);
    assert_int_equal(amount(0, LSCHED_CPU, LSCHED_RESIZE_AMOUNT_WANTS), 4000);
    assert_int_equal(amount(0, LSCHED_CPU, LSCHED_RESIZE_AMOUNT_CHARGED), 4000);
    assert_true(info_of(0).decision == d);
    cycle(all);
    assert_null(first(LSCHED_DECIDE_RESIZE)); /* it is open already */
    settle(d, LSCHED_OUTCOME_CONFIRMED);
    assert_int_equal(info_of(0).state, LSCHED_RESIZE_STATE_DONE);
    assert_int_equal(amount(0, LSCHED_CPU, LSCHED_RESIZE_AMOUNT_HAS), 4000);
    assert_int_equal(used(LSCHED_CPU), 6000);
}

static void a_shrink_is_charged_until_it_is_confirmed(void **unused) {
    (void)unused;
    assert_int_equal(ask(0, 500, 8 * GIB), 1);
    lsched_id d = proposed();
    /* cpu: the old amount; memory: the new one */
    assert_int_equal(used(LSCHED_CPU), 4000);
    assert_int_equal(used(LSCHED_MEMORY), 12 * GIB);
    settle(d, LSCHED_OUTCOME_CONFIRMED);
    assert_int_equal(used(LSCHED_CPU), 2500);
    assert_int_equal(used(LSCHED_MEMORY), 12 * GIB);
    /* back to what its job requests: no size of its own is left */
    assert_int_equal(ask(0, 2000, 4 * GIB), 1);
    settle(proposed(), LSCHED_OUTCOME_CONFIRMED);
    assert_int_equal(info_of(0).state, LSCHED_RESIZE_STATE_NONE);
    uint64_t cursor = 0;
    lsched_resize_info info = LSCHED_RESIZE_INFO_INIT;
    assert_int_equal(lsched_resizes_next(t.c, &cursor, &info, &t.err), 0);
}

static void a_rejection_ends_the_wish(void **unused) {
    (void)unused;
    assert_int_equal(ask(0, 4000, 0), 1);
    settle(proposed(), LSCHED_OUTCOME_REJECTED);
    assert_int_equal(used(LSCHED_CPU), 4000);
    assert_int_equal(info_of(0).state, LSCHED_RESIZE_STATE_NONE);
    cycle(all);
    assert_null(first(LSCHED_DECIDE_RESIZE));
}

static void a_limit_and_a_full_node_are_respected(void **unused) {
    (void)unused;
    assert_int_equal(ask(0, 6000, 0), 1); /* 8 cores of the node, but 7 of the queue */
    cycle(all);
    assert_null(first(LSCHED_DECIDE_RESIZE));
    lsched_resize_info info = info_of(0);
    assert_int_equal(info.code, LSCHED_WAIT_LIMIT);
    assert_true(info.limiting_queue == t.queue);
    assert_int_equal(info.need, 4000);
    assert_int_equal(info.have, 3000);
    assert_int_equal(ask(1, 7000, 0), 1); /* 5 more than it has; 4 are free */
    cycle(all);
    assert_int_equal(info_of(1).code, LSCHED_WAIT_ROOM);
    assert_int_equal(info_of(1).have, 4000);
    char why[2048] = "";
    assert_true(lsched_explain(t.c, t.web, why, sizeof why, NULL, &t.err) > 0);
    assert_non_null(strstr(why, "the limit of queue q leaves 3 cores"));
    assert_non_null(strstr(why, "node n had 4 cores free"));
    /* the end of one task makes room for the other, and below the limit */
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = LSCHED_EVENT_ENDED;
    e.job = t.web;
    assert_int_equal(lsched_tasks_report(t.c, &e, 1, sizeof e, NULL, NULL, &t.err), 1);
    sound();
    settle(proposed(), LSCHED_OUTCOME_CONFIRMED);
    assert_int_equal(used(LSCHED_CPU), 7000);
}

static void nothing_is_proposed_unless_asked_for(void **unused) {
    (void)unused;
    assert_int_equal(ask(0, 3000, 0), 1);
    cycle(0);
    assert_int_equal(lsched_plan_size(t.plan), 0);
    lsched_plan_info info = {.size = sizeof info};
    assert_int_equal(lsched_plan_get(t.plan, &info, NULL), LSCHED_OK);
    assert_true(info.next_wake_us > t.now);
    char why[2048] = "";
    assert_true(lsched_explain(t.c, t.web, why, sizeof why, NULL, &t.err) > 0);
    assert_non_null(strstr(why, "does not ask for decisions of the kind resize"));
    proposed();
}

static void an_eviction_withdraws_it(void **unused) {
    (void)unused;
    lsched_id open[2];
    for (uint32_t i = 0; i < 2; i++) assert_int_equal(ask(i, 3000, 0), 1);
    proposed();
    for (uint32_t i = 0; i < 2; i++) open[i] = info_of(i).decision;
    submit("first", 10, 1, 3000, 0);
    t.now += 3600 * SECOND;
    cycle(all);
    const lsched_decision *evict = first(LSCHED_DECIDE_EVICT);
    assert_non_null(evict);
    uint32_t gone = evict->task_index;
    lsched_id id = evict->id;
    assert_true(lsched_decision_state(t.c, open[gone], NULL) < 0);
    assert_true(lsched_decision_state(t.c, open[!gone], NULL) >= 0);
    assert_int_equal(info_of(gone).state, LSCHED_RESIZE_STATE_STOPPING);
    assert_int_equal(amount(gone, LSCHED_CPU, LSCHED_RESIZE_AMOUNT_CHARGED), 2000);
    sound();
    /* the task runs on: its wish waits again */
    settle(id, LSCHED_OUTCOME_REJECTED);
    assert_int_equal(info_of(gone).state, LSCHED_RESIZE_STATE_WAITING);
}

static void a_resized_task_that_stops_gives_all_back(void **unused) {
    (void)unused;
    assert_int_equal(ask(0, 4000, 8 * GIB), 1);
    settle(proposed(), LSCHED_OUTCOME_CONFIRMED);
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = LSCHED_EVENT_FAILED;
    e.job = t.web;
    assert_int_equal(lsched_tasks_report(t.c, &e, 1, sizeof e, NULL, NULL, &t.err), 1);
    sound();
    assert_int_equal(used(LSCHED_CPU), 2000);
    cycle(all); /* it starts again with what its job requests */
    assert_non_null(first(LSCHED_DECIDE_PLACE));
    assert_int_equal(used(LSCHED_CPU), 4000);
}

static void says(int32_t got, int32_t code, const char *words) {
    assert_int_equal(got, code);
    if (!strstr(t.err.message, words)) print_error("%s\n", t.err.message);
    assert_non_null(strstr(t.err.message, words));
}

static void refusals_name_the_cure(void **unused) {
    (void)unused;
    lsched_amount gpu = {LSCHED_GPU, 0, 1000};
    lsched_task_resize z = LSCHED_TASK_RESIZE_INIT;
    z.job = t.web;
    z.request = &gpu;
    z.n_request = 1;
    says(lsched_tasks_resize(t.c, &z, 1, sizeof z, NULL, NULL, &t.err), LSCHED_E_INVAL,
         "devices need a restart");
    z.n_request = 0;
    says(lsched_tasks_resize(t.c, &z, 1, sizeof z, NULL, NULL, &t.err), LSCHED_E_INVAL,
         "no amounts");
    z.reserved_zero = 1;
    says(lsched_tasks_resize(t.c, &z, 1, sizeof z, NULL, NULL, &t.err), LSCHED_E_INVAL,
         "reserved_zero");
    says(ask(7, 1000, 0), LSCHED_E_NOENT, "task 7 does not exist");
    lsched_amount none[] = {{LSCHED_CPU, 0, 0}, {LSCHED_MEMORY, 0, 0}};
    z.reserved_zero = 0;
    z.request = none;
    z.n_request = 2;
    says(lsched_tasks_resize(t.c, &z, 1, sizeof z, NULL, NULL, &t.err), LSCHED_E_INVAL,
         "nothing would be left");
    lsched_id waits = submit("waits", 0, 1, 8000, 0);
    gpu.kind = LSCHED_CPU;
    z.job = waits;
    z.request = &gpu;
    z.n_request = 1;
    says(lsched_tasks_resize(t.c, &z, 1, sizeof z, NULL, NULL, &t.err), LSCHED_E_STATE,
         "does not run");
    /* amounts that are wanted already */
    lsched_batch_opts again = {sizeof again, LSCHED_BATCH_IDEMPOTENT};
    int32_t status = 0;
    gpu.amount = 2000;
    z.job = t.web;
    assert_int_equal(lsched_tasks_resize(t.c, &z, 1, sizeof z, &again, &status, &t.err), 1);
    assert_int_equal(status, LSCHED_UNCHANGED);
    says((int32_t)lsched_resize_amount(t.c, t.web, 0, LSCHED_GPU, 0, &t.err), LSCHED_E_INVAL,
         "keeps its devices");
    says((int32_t)lsched_resize_amount(t.c, t.web, 0, LSCHED_CPU, 9, &t.err), LSCHED_E_INVAL,
         "LSCHED_RESIZE_AMOUNT_HAS");
    says((int32_t)lsched_resize_amount(t.c, waits, 0, LSCHED_CPU, 0, &t.err), LSCHED_E_STATE,
         "does not run");
    lsched_resize_info info = LSCHED_RESIZE_INFO_INIT;
    says((int32_t)lsched_resize_amount(t.c, t.web, 999, LSCHED_CPU, 0, &t.err), LSCHED_E_NOENT,
         "task 999 does not exist");
    says(lsched_resize_get(t.c, t.web, 999, &info, &t.err), LSCHED_E_NOENT,
         "task 999 does not exist");
}

static void a_new_request_replaces_the_wish(void **unused) {
    (void)unused;
    assert_int_equal(ask(0, 4000, 0), 1);
    lsched_id d = proposed();
    assert_int_equal(ask(0, 3000, 0), 1);
    assert_true(lsched_decision_state(t.c, d, NULL) < 0);
    assert_int_equal(used(LSCHED_CPU), 4000);
    sound();
    d = proposed();
    assert_int_equal(used(LSCHED_CPU), 5000);
    assert_int_equal(ask(0, 2000, 0), 1); /* what it has */
    assert_true(lsched_decision_state(t.c, d, NULL) < 0);
    assert_int_equal(info_of(0).state, LSCHED_RESIZE_STATE_NONE);
    sound();
}

static void priority_comes_first(void **unused) {
    (void)unused;
    lsched_id high = submit("high", 5, 1, 1000, 0);
    cycle(all);
    start(high, 1);
    assert_int_equal(ask(0, 4000, 0), 1);
    lsched_amount more = {LSCHED_CPU, 0, 3000};
    lsched_task_resize z = LSCHED_TASK_RESIZE_INIT;
    z.job = high;
    z.request = &more;
    z.n_request = 1;
    assert_int_equal(lsched_tasks_resize(t.c, &z, 1, sizeof z, NULL, NULL, &t.err), 1);
    cycle(all); /* 3 cores are free, and the queue may use 2 more */
    const lsched_decision *d = first(LSCHED_DECIDE_RESIZE);
    assert_non_null(d);
    assert_true(d->job == high);
    assert_int_equal(lsched_plan_size(t.plan), 1);
    assert_int_equal(info_of(0).code, LSCHED_WAIT_ROOM);
}

static void saved_and_cloned(void **unused) {
    (void)unused;
    assert_int_equal(ask(0, 4000, 0), 1);
    proposed();
    assert_int_equal(ask(1, 8000, 0), 1);
    cycle(all);
    lsched_cluster *copy = NULL, *was = t.c;
    assert_int_equal(lsched_cluster_clone(t.c, &copy, &t.err), LSCHED_OK);
    uint64_t before = image();
    t.c = copy;
    assert_int_equal(image(), before);
    sound();
    assert_int_equal(info_of(0).state, LSCHED_RESIZE_STATE_PROPOSED);
    assert_int_equal(info_of(1).state, LSCHED_RESIZE_STATE_WAITING);
    lsched_id open = info_of(0).decision;
    settle(open, LSCHED_OUTCOME_CONFIRMED);
    t.c = was;
    lsched_cluster_destroy(copy);
}

/* Each allocation of the request, the cycle and the settlement fails once; nothing is left of it. */
static void no_half_resize_without_memory(void **unused) {
    static struct fault_alloc f;
    lsched_allocator hooks = fault_hooks(&f);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &hooks;
    end(unused);
    make(&opts, 0);
    lsched_id d = 0;
    for (int step = 0; step < 4; step++) {
        uint64_t before = image();
        int32_t rc = LSCHED_E_NOMEM;
        for (uint64_t at = 1; rc == LSCHED_E_NOMEM; at++) {
            f.fail_at = f.calls + at;
            rc = step == 0   ? ask(0, 3000, 8 * GIB)
                 : step == 2 ? settle_each(t.c, &d, &(lsched_outcome){LSCHED_OUTCOME_CONFIRMED}, 1,
                                           NULL, &t.err)
                             : try_cycle(all);
            f.fail_at = 0;
            if (rc == LSCHED_E_NOMEM) assert_int_equal(image(), before);
        }
        assert_true(rc >= 0);
        if (step == 1) d = first(LSCHED_DECIDE_RESIZE)->id;
    }
    sound();
    end(NULL);
    assert_true(f.live_blocks == 0 && f.wrong_sizes == 0);
    make(NULL, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_growth_is_charged_when_it_is_proposed, begin, end),
        cmocka_unit_test_setup_teardown(a_shrink_is_charged_until_it_is_confirmed, begin, end),
        cmocka_unit_test_setup_teardown(a_rejection_ends_the_wish, begin, end),
        cmocka_unit_test_setup_teardown(a_limit_and_a_full_node_are_respected, begin, end),
        cmocka_unit_test_setup_teardown(nothing_is_proposed_unless_asked_for, begin, end),
        cmocka_unit_test_setup_teardown(an_eviction_withdraws_it, begin, end),
        cmocka_unit_test_setup_teardown(a_resized_task_that_stops_gives_all_back, begin, end),
        cmocka_unit_test_setup_teardown(refusals_name_the_cure, begin, end),
        cmocka_unit_test_setup_teardown(a_new_request_replaces_the_wish, begin, end),
        cmocka_unit_test_setup_teardown(priority_comes_first, begin, end),
        cmocka_unit_test_setup_teardown(saved_and_cloned, begin, end),
        cmocka_unit_test_setup_teardown(no_half_resize_without_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
