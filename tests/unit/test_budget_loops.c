/*
 * test_budget_loops.c -- what a cycle reads is charged, and no loop over what tenants or operators
 * can make many goes on after an interrupt: the filling of a search index, and the waking of those
 * that wait for an eviction. And a stream of new jobs that is larger than the work budget starves
 * nobody who came before it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/growth_world.h"

static lsched_plan_info cycle(struct growth_world *w, uint64_t budget) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    opts.now_us = w->now_us += 1000000;
    opts.work_budget = budget;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    growth_must(w, lsched_schedule(w->c, &opts, &plan, &w->err));
    growth_must(w, lsched_plan_get(plan, &info, NULL));
    lsched_plan_destroy(plan);
    return info;
}

static uint32_t waiting(struct growth_world *w, lsched_id job) {
    lsched_job_info info = {.size = sizeof info};
    growth_must(w, lsched_job_get(w->c, job, &info, NULL));
    return info.tasks_placed == 0;
}

/* ---- an index that is being filled ---- */

static struct {
    lsched_cluster *cluster; /* to be interrupted, once */
    uint64_t scored;
} host;

static int32_t host_score(void *self, const lsched_view *view, const lsched_task_shape *task,
                          const uint32_t *nodes, size_t n, int64_t *scores) {
    (void)self;
    (void)view;
    (void)task;
    (void)nodes;
    for (size_t i = 0; i < n; i++) scores[i] = 0;
    host.scored += n;
    if (host.cluster) lsched_interrupt(host.cluster);
    host.cluster = NULL;
    return LSCHED_OK;
}

static int32_t host_prepare(void *self, const lsched_view *view) {
    (void)self;
    (void)view;
    return LSCHED_OK;
}

static const lsched_place_ops host_ops = {
    .size = sizeof host_ops, .prepare = host_prepare, .score = host_score};

static const lsched_algorithm host_place = {.size = sizeof host_place,
                                            .api = LSCHED_ALGORITHM_API,
                                            .role = LSCHED_ROLE_PLACE,
                                            .name = "host-place",
                                            .place = &host_ops};

/* The first batch of scores interrupts: the rest of the nodes is not asked about, nobody is placed
 * or parked by half an index, and the next cycle fills it. */
static void test_interrupt_in_a_fill(void **state) {
    static const char policy[] = "return {api=1, name='h', placement='host-place'}";
    enum { NODES = 12000 };
    struct growth_world w;
    (void)state;
    growth_open(&w);
    growth_must(&w, lsched_algorithm_register(w.c, &host_place, &w.err));
    growth_must(&w, lsched_policy_load(w.c, LSCHED_TEXT("h"),
                                       (lsched_text){policy, sizeof policy - 1}, NULL, &w.err));
    growth_nodes(&w, NODES, 1);
    growth_queue(&w, "q", 0);
    lsched_id job = growth_job(&w, "j", "q", 1, 1, NULL);
    host.cluster = w.c;
    host.scored = 0;
    lsched_plan_info cut = cycle(&w, 0);
    assert_int_equal(cut.decisions, 0);
    assert_true(cut.flags & LSCHED_PLAN_INTERRUPTED);
    assert_true(cut.flags & LSCHED_PLAN_PARTIAL);
    assert_int_equal(cut.next_wake_us, w.now_us);
    assert_in_range(host.scored, 1, NODES / 2);
    lsched_plan_info whole = cycle(&w, 0);
    assert_int_equal(whole.decisions, 1);
    assert_true(host.scored >= NODES);
    assert_int_equal(waiting(&w, job), 0);
    lsched_cluster_destroy(w.c);
}

/* ---- a job that interrupts end again and again ---- */

enum { CUT_NODES = 12000 };

static lsched_id cut_world(struct growth_world *w) {
    static const char policy[] = "return {api=1, name='h', placement='host-place'}";
    growth_open(w);
    growth_must(w, lsched_algorithm_register(w->c, &host_place, &w->err));
    growth_must(w, lsched_policy_load(w->c, LSCHED_TEXT("h"),
                                      (lsched_text){policy, sizeof policy - 1}, NULL, &w->err));
    growth_nodes(w, CUT_NODES, 1);
    growth_queue(w, "q", 0);
    host.scored = 0;
    return growth_job(w, "j", "q", 1, 1, NULL);
}

/* A cycle whose first search the host interrupts. */
static void cycle_cut_in_search(struct growth_world *w) {
    host.cluster = w->c;
    lsched_plan_info info = cycle(w, 0);
    assert_true(info.flags & LSCHED_PLAN_INTERRUPTED);
    assert_int_equal(info.decisions, 0);
}

/* A cycle before which the host's watchdog barks, too late for the cycle before. */
static void cycle_cut_before(struct growth_world *w) {
    lsched_interrupt(w->c);
    lsched_plan_info info = cycle(w, 0);
    assert_true(info.flags & LSCHED_PLAN_INTERRUPTED);
    assert_int_equal(info.decisions, 0);
}

/* Three searches in a row that an interrupt ended: the job steps aside for others. */
static void test_cut_three_times(void **state) {
    struct growth_world w;
    (void)state;
    lsched_id job = cut_world(&w);
    for (int i = 0; i < 3; i++) cycle_cut_in_search(&w);
    assert_int_equal(cycle(&w, 0).decisions, 0);
    assert_int_equal(waiting(&w, job), 1);
    char text[2048];
    assert_true(lsched_explain(w.c, job, text, sizeof text, NULL, &w.err) > 0);
    assert_non_null(strstr(text, "interrupts ended several cycles in a row"));
    w.now_us += INT64_C(3600000000); /* the next refresh tries it again */
    assert_int_equal(cycle(&w, 0).decisions, 1);
    lsched_cluster_destroy(w.c);
}

/* Interrupts that come before the cycle tries a job blame no job. */
static void test_cut_before_a_job(void **state) {
    struct growth_world w;
    (void)state;
    lsched_id job = cut_world(&w);
    for (int i = 0; i < 5; i++) cycle_cut_before(&w);
    for (int i = 0; i < 2; i++) {
        cycle_cut_in_search(&w);
        cycle_cut_before(&w);
    }
    assert_int_equal(cycle(&w, 0).decisions, 1);
    assert_int_equal(waiting(&w, job), 0);
    lsched_cluster_destroy(w.c);
}

/* What interrupts ended under a policy says nothing about the next policy. */
static void test_cut_under_another_policy(void **state) {
    static const char other[] = "return {api=1, name='o', placement='host-place', params={x=1}}";
    struct growth_world w;
    (void)state;
    cut_world(&w);
    for (int i = 0; i < 2; i++) cycle_cut_in_search(&w);
    growth_must(&w, lsched_policy_load(w.c, LSCHED_TEXT("o"),
                                       (lsched_text){other, sizeof other - 1}, NULL, &w.err));
    cycle_cut_in_search(&w);
    assert_int_equal(cycle(&w, 0).decisions, 1);
    lsched_cluster_destroy(w.c);
}

/* ---- those that wait for an eviction ---- */

/* n bundles wait, none of which fits anywhere: who evicts reads them all, and pays for it. */
static lsched_plan_info read_bundles(uint32_t n, uint64_t budget) {
    struct growth_world w;
    growth_open(&w);
    growth_nodes(&w, 1, 1);
    growth_queue(&w, "q", 0);
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "j%u", i);
        growth_job(&w, name, "q", 1, 2 + i, NULL);
    }
    cycle(&w, 0);
    growth_job(&w, "more", "q", 1, 2 + n, NULL);
    lsched_plan_info info = cycle(&w, budget);
    lsched_cluster_destroy(w.c);
    return info;
}

static void test_waking_is_charged(void **state) {
    enum { N = 500 };
    (void)state;
    lsched_plan_info all = read_bundles(N, 0), few = read_bundles(N, N / 2);
    assert_true(all.work_spent >= N);
    assert_false(all.flags & LSCHED_PLAN_PARTIAL);
    assert_true(few.work_spent <= N / 2);
    assert_true(few.flags & LSCHED_PLAN_PARTIAL);
}

/* ---- a stream of jobs ---- */

/* Each cycle brings more jobs that come first than its budget can look at. The one that was there
 * before them starts all the same, as soon as those of its pass have been looked at: no later than
 * without the stream, twice over. */
static uint32_t cycles_until_start(uint32_t others, uint32_t stream, uint64_t budget) {
    struct growth_world w;
    uint32_t cycles = 0, named = 0;
    growth_open(&w);
    growth_nodes(&w, 1, 1);
    growth_queue(&w, "q", 0);
    for (uint32_t i = 0; i < others; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%u", named++);
        growth_job(&w, name, "q", 1, 2 + named, NULL);
    }
    lsched_id last = growth_job(&w, "z", "q", 1, 1, NULL);
    while (waiting(&w, last) && cycles < 10000) {
        cycle(&w, budget);
        cycles++;
        for (uint32_t i = 0; i < stream; i++) {
            char name[16];
            snprintf(name, sizeof name, "a%u", named++);
            growth_job(&w, name, "q", 1, 2 + named, NULL);
        }
    }
    lsched_cluster_destroy(w.c);
    return cycles;
}

static void test_stream_above_the_budget(void **state) {
    (void)state;
    for (uint64_t budget = 1; budget <= 32; budget *= 2) {
        uint32_t alone = cycles_until_start(20, 0, budget),
                 beside = cycles_until_start(20, (uint32_t)(2 * budget), budget);
        print_message("budget %llu: starts in cycle %u, beside a stream in cycle %u\n",
                      (unsigned long long)budget, alone, beside);
        assert_in_range(beside, 1, 2 * alone + 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interrupt_in_a_fill), cmocka_unit_test(test_cut_three_times),
        cmocka_unit_test(test_cut_before_a_job),    cmocka_unit_test(test_cut_under_another_policy),
        cmocka_unit_test(test_waking_is_charged),   cmocka_unit_test(test_stream_above_the_budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
