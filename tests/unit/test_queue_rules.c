/* What queues say to a placement, by the public calls: guarantees of non-preemptible work, numbers
 * of jobs, lending; and what lsched_queue_share_get() reports of it. docs/queues.md has the rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/queue_world.h"

#define GPU(n) ((n)*1000)

static struct queue_world world;

static void queue(struct queue_form form) {
    int32_t code = queue_world_queue(&world, form);
    if (code < 0) print_message("%s\n", world.err.message);
    assert_int_equal(code, 1);
}

static void job(const char *name, const char *to, uint32_t tasks, uint32_t min, uint32_t flags) {
    struct work_form form = {.name = name, .queue = to, .tasks = tasks, .min = min, .flags = flags};
    assert_int_equal(queue_world_job(&world, form), 1);
}

static void expect_waits(const char *name, uint32_t code, const char *limiting, int64_t need,
                         int64_t have) {
    lsched_waiting w = queue_world_waits(&world, name);
    assert_int_equal(w.code, code);
    assert_true(w.limiting_queue == queue_world_id(&world, LSCHED_KIND_QUEUE, limiting));
    assert_int_equal(w.need, need);
    assert_int_equal(w.have, have);
}

/* ---- non-preemptible work ---- */

static void a_firm_minimum_must_fit_the_guarantee(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, "quota");
    queue(QUEUE_FORM(.name = "a", .quota = 2));
    queue(QUEUE_FORM(.name = "b", .quota = 3));
    job("large", "a", 3, 3, LSCHED_JOB_NON_PREEMPTIBLE);
    job("elastic", "a", 5, 2, LSCHED_JOB_NON_PREEMPTIBLE);
    while (queue_world_cycle(&world) > 0) continue;
    expect_waits("large", LSCHED_WAIT_QUOTA, "a", GPU(3), GPU(0));
    assert_int_equal(queue_world_placed(&world, "elastic"), 5); /* its surplus is not bound */
    lsched_queue_share s = queue_world_share(&world, "a");
    assert_int_equal(s.used, GPU(5));
    assert_int_equal(s.used_core, GPU(2));
    assert_int_equal(s.demand, GPU(8));
    assert_int_equal(s.quota, GPU(2));
    assert_int_equal(s.guarantee, GPU(2));
    assert_int_equal(queue_world_update(&world, QUEUE_FORM(.name = "a", .quota = 5)), 1);
    queue_world_cycle(&world); /* a quota that grew wakes it */
    assert_int_equal(queue_world_placed(&world, "large"), 3);
    assert_int_equal(queue_world_share(&world, "a").used_core, GPU(5));
    queue_world_close(&world);
}

static void every_level_has_its_guarantee(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, "quota");
    queue(QUEUE_FORM(.name = "org", .quota = 3));
    queue(QUEUE_FORM(.name = "a", .parent = "org", .quota = 3));
    queue(QUEUE_FORM(.name = "b", .parent = "org", .quota = 0));
    queue(QUEUE_FORM(.name = "other", .quota = 5));
    job("one", "a", 2, 2, LSCHED_JOB_NON_PREEMPTIBLE);
    job("two", "b", 1, 1, LSCHED_JOB_NON_PREEMPTIBLE);
    queue_world_cycle(&world);
    assert_int_equal(queue_world_placed(&world, "one"), 2);
    expect_waits("two", LSCHED_WAIT_QUOTA, "b", GPU(1), GPU(0));
    assert_int_equal(queue_world_share(&world, "org").used_core, GPU(2));
    queue_world_remove(&world, "one");
    assert_int_equal(queue_world_share(&world, "org").used_core, 0);
    queue_world_close(&world);
}

/* A sibling's quota scales this one's guarantee; the next cycle is due when it changes. */
static void a_siblings_quota_changes_a_guarantee(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, "quota");
    queue(QUEUE_FORM(.name = "org", .quota = 4));
    queue(QUEUE_FORM(.name = "a", .parent = "org", .quota = 4));
    queue(QUEUE_FORM(.name = "b", .parent = "org", .quota = 4));
    job("firm", "a", 3, 3, LSCHED_JOB_NON_PREEMPTIBLE);
    while (queue_world_cycle(&world) > 0) continue;
    expect_waits("firm", LSCHED_WAIT_QUOTA, "a", GPU(3), GPU(2));
    assert_true(lsched_next_wake(world.cluster) > world.now_us);
    assert_int_equal(queue_world_update(&world, QUEUE_FORM(.name = "b", .parent = "org")), 1);
    assert_true(lsched_next_wake(world.cluster) <= world.now_us);
    queue_world_cycle(&world);
    assert_int_equal(queue_world_placed(&world, "firm"), 3);
    queue_world_close(&world);
}

/* What gives back wakes who waits for the guarantee. */
static void firm_work_waits_for_firm_work(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, "quota");
    queue(QUEUE_FORM(.name = "a", .quota = 4));
    job("first", "a", 3, 3, LSCHED_JOB_NON_PREEMPTIBLE);
    queue_world_cycle(&world);
    job("second", "a", 2, 2, LSCHED_JOB_NON_PREEMPTIBLE);
    job("may-go", "a", 4, 4, 0); /* what may be evicted is not bound */
    queue_world_cycle(&world);
    expect_waits("second", LSCHED_WAIT_QUOTA, "a", GPU(2), GPU(1));
    assert_int_equal(queue_world_placed(&world, "may-go"), 4);
    for (uint32_t i = 0; i < 3; i++) queue_world_event(&world, "first", i, LSCHED_EVENT_ENDED);
    queue_world_cycle(&world);
    assert_int_equal(queue_world_placed(&world, "second"), 2);
    queue_world_close(&world);
}

/* What a policy says is in force while that policy is. */
static void a_hooks_quota_goes_with_its_policy(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, "quota");
    queue(QUEUE_FORM(.name = "a", .quota = 4));
    job("firm", "a", 3, 3, LSCHED_JOB_NON_PREEMPTIBLE);
    queue_world_policy(&world, "return { api = 1, name = 't', fair_share = 'quota', "
                               "quota = function(queue, now) return { gpu = 1 } end }");
    queue_world_cycle(&world);
    expect_waits("firm", LSCHED_WAIT_QUOTA, "a", GPU(3), GPU(1));
    assert_int_equal(queue_world_share(&world, "a").quota, GPU(1));
    queue_world_policy(&world, "return { api = 1, name = 't', fair_share = 'quota' }");
    queue_world_cycle(&world);
    assert_int_equal(queue_world_share(&world, "a").quota, GPU(4));
    assert_int_equal(queue_world_placed(&world, "firm"), 3);
    queue_world_close(&world);
}

static void without_guarantees_there_is_no_such_rule(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, NULL);
    queue(QUEUE_FORM(.name = "a", .quota = 1));
    job("large", "a", 6, 6, LSCHED_JOB_NON_PREEMPTIBLE);
    queue_world_cycle(&world);
    assert_int_equal(queue_world_placed(&world, "large"), 6);
    lsched_queue_share s = queue_world_share(&world, "a");
    assert_int_equal(s.used_core, GPU(6));
    assert_int_equal(s.guarantee, 0);
    assert_true(s.fair_share == LSCHED_UNLIMITED);
    queue_world_close(&world);
}

/* ---- numbers of jobs ---- */

static void a_queue_runs_so_many_jobs(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, NULL);
    queue(QUEUE_FORM(.name = "org", .jobs_max = 3));
    queue(QUEUE_FORM(.name = "a", .parent = "org", .jobs_max = 2));
    queue(QUEUE_FORM(.name = "b", .parent = "org"));
    job("a1", "a", 1, 0, 0);
    job("a2", "a", 1, 0, 0);
    job("a3", "a", 1, 0, 0);
    assert_int_equal(queue_world_cycle(&world), 2);
    expect_waits("a3", LSCHED_WAIT_JOBS, "a", 3, 2);
    job("b1", "b", 1, 0, 0);
    job("b2", "b", 1, 0, 0);
    assert_int_equal(queue_world_cycle(&world), 1);
    expect_waits("b2", LSCHED_WAIT_JOBS, "org", 4, 3);
    queue_world_event(&world, "a1", 0, LSCHED_EVENT_ENDED);
    assert_int_equal(queue_world_cycle(&world), 1); /* a3 or b2, not both */
    assert_int_equal(queue_world_cycle(&world), 0);
    assert_int_equal(queue_world_update(&world, QUEUE_FORM(.name = "org")), 1);
    assert_int_equal(queue_world_cycle(&world), 1);
    queue_world_close(&world);
}

static void growing_is_no_job_more(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 4, NULL);
    queue(QUEUE_FORM(.name = "a", .jobs_max = 1));
    job("wide", "a", 6, 1, 0);
    while (queue_world_cycle(&world) > 0) continue;
    assert_int_equal(queue_world_placed(&world, "wide"), 4);
    queue_world_event(&world, "wide", 0, LSCHED_EVENT_ENDED);
    queue_world_cycle(&world);
    assert_int_equal(queue_world_placed(&world, "wide"), 4);
    assert_int_equal(queue_world_share(&world, "a").demand, GPU(5));
    queue_world_close(&world);
}

static void a_queue_takes_so_many_jobs(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, NULL);
    queue(QUEUE_FORM(.name = "org", .submitted_max = 2));
    queue(QUEUE_FORM(.name = "a", .parent = "org"));
    job("one", "a", 1, 0, 0);
    job("two", "a", 9, 0, 0);
    struct work_form third = {.name = "three", .queue = "a"};
    assert_int_equal(queue_world_job(&world, third), LSCHED_E_LIMIT);
    assert_non_null(strstr(world.err.message, "'org' has 2 jobs; it accepts at most 2"));
    queue_world_remove(&world, "two");
    assert_int_equal(queue_world_job(&world, third), 1);
    queue_world_close(&world);
}

/* ---- lending ---- */

static void what_is_not_lent_stays_idle(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, "quota");
    queue(QUEUE_FORM(.name = "a", .quota = 4, .lend = LENDS(1)));
    queue(QUEUE_FORM(.name = "b", .quota = 2));
    job("b1", "b", 8, 1, 0);
    while (queue_world_cycle(&world) > 0) continue;
    assert_int_equal(queue_world_placed(&world, "b1"), 5); /* 8 less 4 - 1 */
    expect_waits("b1", LSCHED_WAIT_LENDING, "a", GPU(1), GPU(0));
    assert_int_equal(queue_world_share(&world, "a").hold, GPU(3));
    assert_int_equal(queue_world_share(&world, "b").hold, 0);
    job("a1", "a", 2, 2, 0);
    queue_world_cycle(&world);
    assert_int_equal(queue_world_placed(&world, "a1"), 2);
    assert_int_equal(queue_world_share(&world, "a").hold, GPU(1));
    assert_int_equal(queue_world_update(&world, QUEUE_FORM(.name = "a", .quota = 4)), 1);
    queue_world_cycle(&world); /* now all is lent */
    assert_int_equal(queue_world_placed(&world, "b1"), 6);
    assert_int_equal(queue_world_share(&world, "a").hold, 0);
    queue_world_close(&world);
}

static void what_a_child_keeps_its_cousins_do_not_get(void **unused) {
    (void)unused;
    queue_world_open(&world, 2, 8, "quota");
    queue(QUEUE_FORM(.name = "org", .quota = 8));
    queue(QUEUE_FORM(.name = "x", .parent = "org", .quota = 5, .lend = LENDS(0)));
    queue(QUEUE_FORM(.name = "y", .parent = "org", .quota = 3, .lend = LENDS(3)));
    queue(QUEUE_FORM(.name = "z", .quota = 4));
    job("z1", "z", 16, 1, 0);
    while (queue_world_cycle(&world) > 0) continue;
    assert_int_equal(queue_world_placed(&world, "z1"), 11);
    expect_waits("z1", LSCHED_WAIT_LENDING, "org", GPU(1), GPU(0));
    assert_int_equal(queue_world_share(&world, "org").hold, GPU(5));
    job("y1", "y", 5, 1, 0); /* a sibling of x: neither */
    while (queue_world_cycle(&world) > 0) continue;
    assert_true(queue_world_placed(&world, "y1") <= 3);
    job("x1", "x", 5, 5, 0);
    while (queue_world_cycle(&world) > 0) continue;
    assert_int_equal(queue_world_placed(&world, "x1"), 5);
    queue_world_close(&world);
}

/* Guarantees that are more than there is do not keep everybody out. */
static void a_guarantee_goes_before_what_others_keep(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, "quota");
    queue(QUEUE_FORM(.name = "a", .quota = 8, .lend = LENDS(0)));
    queue(QUEUE_FORM(.name = "b", .quota = 8, .lend = LENDS(0)));
    job("a1", "a", 8, 1, 0);
    while (queue_world_cycle(&world) > 0) continue;
    assert_int_equal(queue_world_placed(&world, "a1"), 4); /* the half that is its own */
    expect_waits("a1", LSCHED_WAIT_LENDING, "b", GPU(1), 0);
    assert_int_equal(queue_world_share(&world, "a").guarantee, GPU(8));
    assert_int_equal(queue_world_share(&world, "b").hold, GPU(4));
    job("b1", "b", 8, 4, 0);
    while (queue_world_cycle(&world) > 0) continue;
    assert_int_equal(queue_world_placed(&world, "b1"), 4);
    queue_world_close(&world);
}

/* Below a queue that nobody keeps account of, a child keeps what it is guaranteed, if there is as
 * much. */
static void below_an_unlimited_queue(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, "quota");
    lsched_amount all = {LSCHED_GPU, 0, LSCHED_UNLIMITED};
    lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
    d.name = LSCHED_TEXT("org");
    d.quota = &all;
    d.n_quota = 1;
    assert_int_equal(
        lsched_queues_add(world.cluster, &d, 1, sizeof d, NULL, NULL, NULL, &world.err), 1);
    queue(QUEUE_FORM(.name = "a", .parent = "org", .quota = 3, .lend = LENDS(1)));
    queue(QUEUE_FORM(.name = "b", .parent = "org", .quota = 2));
    job("b1", "b", 8, 1, 0);
    while (queue_world_cycle(&world) > 0) continue;
    assert_int_equal(queue_world_share(&world, "a").hold, GPU(2));
    assert_int_equal(queue_world_placed(&world, "b1"), 6);
    queue_world_close(&world);
}

/* ---- what is odd and legal, what is wrong ---- */

static void odd_queues(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, "quota");
    queue(QUEUE_FORM(.name = "a", .quota = 6, .limit = 2)); /* the limit binds */
    queue(QUEUE_FORM(.name = "p", .quota = 2));
    queue(QUEUE_FORM(.name = "c", .parent = "p", .quota = 6)); /* scaled to the parent's */
    job("a1", "a", 4, 1, 0);
    while (queue_world_cycle(&world) > 0) continue;
    assert_int_equal(queue_world_placed(&world, "a1"), 2);
    assert_int_equal(queue_world_share(&world, "c").guarantee, GPU(2));
    assert_int_equal(queue_world_share(&world, "c").quota, GPU(6));
    lsched_amount none = {LSCHED_ANY_RESOURCE, 0, 0};
    lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
    d.name = LSCHED_TEXT(
        "idle"); /* weight zero: no part of what is beyond guarantees, but what is idle */
    d.weight_milli = &none;
    d.n_weight = 1;
    assert_int_equal(
        lsched_queues_add(world.cluster, &d, 1, sizeof d, NULL, NULL, NULL, &world.err), 1);
    job("idle1", "idle", 3, 1, 0);
    while (queue_world_cycle(&world) > 0) continue;
    assert_int_equal(queue_world_placed(&world, "idle1"), 3);
    d.name = LSCHED_TEXT("bad");
    d.preemption_delay_us = -1;
    assert_int_equal(
        lsched_queues_add(world.cluster, &d, 1, sizeof d, NULL, NULL, NULL, &world.err),
        LSCHED_E_RANGE);
    assert_non_null(strstr(world.err.message, "preemption_delay_us"));
    d.preemption_delay_us = 0;
    d.flags = 64;
    assert_int_equal(
        lsched_queues_add(world.cluster, &d, 1, sizeof d, NULL, NULL, NULL, &world.err),
        LSCHED_E_INVAL);
    assert_non_null(strstr(world.err.message, "flags"));
    queue_world_close(&world);
}

static void share_get_checks_its_arguments(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, "quota");
    queue(QUEUE_FORM(.name = "a", .quota = 6));
    lsched_queue_share s = {.size = sizeof s};
    lsched_id id = queue_world_id(&world, LSCHED_KIND_QUEUE, "a");
    assert_int_equal(lsched_queue_share_get(world.cluster, id, 9, &s, &world.err), LSCHED_E_KEY);
    assert_int_equal(lsched_queue_share_get(world.cluster, id, LSCHED_GPU, NULL, &world.err),
                     LSCHED_E_NULL);
    assert_int_equal(lsched_queue_share_get(world.cluster, 0, LSCHED_GPU, &s, &world.err),
                     LSCHED_E_KIND);
    s.size = 4;
    assert_int_equal(lsched_queue_share_get(world.cluster, id, LSCHED_GPU, &s, &world.err),
                     LSCHED_E_SIZE);
    uint64_t before = 0, after = 0;
    lsched_cluster_hash(world.cluster, LSCHED_HASH_IMAGE, &before, NULL);
    assert_int_equal(queue_world_share(&world, "a").guarantee, GPU(6)); /* before any cycle */
    lsched_cluster_hash(world.cluster, LSCHED_HASH_IMAGE, &after, NULL);
    assert_true(before == after);
    queue_world_close(&world);
}

#define TEST(f) cmocka_unit_test(f)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_firm_minimum_must_fit_the_guarantee),
        TEST(every_level_has_its_guarantee),
        TEST(firm_work_waits_for_firm_work),
        TEST(a_siblings_quota_changes_a_guarantee),
        TEST(a_hooks_quota_goes_with_its_policy),
        TEST(without_guarantees_there_is_no_such_rule),
        TEST(a_queue_runs_so_many_jobs),
        TEST(growing_is_no_job_more),
        TEST(a_queue_takes_so_many_jobs),
        TEST(what_is_not_lent_stays_idle),
        TEST(what_a_child_keeps_its_cousins_do_not_get),
        TEST(a_guarantee_goes_before_what_others_keep),
        TEST(below_an_unlimited_queue),
        TEST(odd_queues),
        TEST(share_get_checks_its_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
