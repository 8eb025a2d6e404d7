/* Failures of jobs: what counts as one, how long a job waits, which node it avoids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "model/nodes/node.h"
#include "model/jobs/retry.h"
#include "model/jobs/bundle.h"
#include "support/model_world.h"

static struct model_world world;
static uint32_t n1, n2, q;

static int open_world(void **unused) {
    (void)unused;
    if (world_open(&world, NULL) != LSCHED_OK) return 1;
    world_node(&world, "n1", 8000, 0, 0, NULL, &n1);
    world_node(&world, "n2", 8000, 0, 0, NULL, &n2);
    return world_queue(&world, "q", NO_ROW, &q);
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static uint32_t add(const char *name, int64_t backoff, uint32_t retries_max) {
    struct job_form f = {.name = name,
                         .queue = q,
                         .groups = {{.min = 1, .max = 1}},
                         .backoff = backoff,
                         .retries_max = retries_max};
    uint32_t job = NO_ROW;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    return job;
}

static void fail_at(uint32_t job, uint32_t node, int64_t since, int64_t at) {
    assert_int_equal(retry_failed(&world.k, job, node, since, at), LSCHED_OK);
}

static void each_failure_doubles_the_wait(void **unused) {
    (void)unused;
    uint32_t job = add("j", 10, 0);
    assert_int_equal(retry_until(&world.k, job, 0), 0);
    int64_t wait = 10;
    for (int64_t at = 1000; at < 11000; at += 1000, wait *= 2) {
        fail_at(job, n1, at - 1, at);
        assert_int_equal(retry_until(&world.k, job, at), at + wait);
        assert_int_equal(retry_until(&world.k, job, at + wait - 1), at + wait);
        assert_int_equal(retry_until(&world.k, job, at + wait), 0);
    }
}

/* However often it fails and however long the backoff, the time stays a time. */
static void the_wait_ends_with_time(void **unused) {
    (void)unused;
    uint32_t job = add("j", LSCHED_AMOUNT_MAX / 4, 0);
    for (int64_t at = 1; at < 200; at++) {
        fail_at(job, n1, at, at);
        int64_t until = retry_until(&world.k, job, at);
        assert_true(until > at && until <= LSCHED_AMOUNT_MAX);
    }
    assert_int_equal(retry_until(&world.k, job, 200), LSCHED_AMOUNT_MAX);
}

static void tasks_that_stood_together_fail_once(void **unused) {
    (void)unused;
    uint32_t job = add("j", 10, 0);
    fail_at(job, n1, 50, 100);
    fail_at(job, n1, 50, 103);
    fail_at(job, n2, 99, 120);
    assert_int_equal(retry_until(&world.k, job, 100), 110);
    fail_at(job, n1, 100, 130); /* placed again since then */
    assert_int_equal(retry_until(&world.k, job, 130), 150);
}

static void too_many_failures_end_in_a_wait_for_the_host(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = add("j", 0, 2), other = add("k", 0, 2);
    fail_at(job, n1, 1, 10);
    fail_at(job, n1, 11, 20);
    assert_int_equal(retry_until(k, job, 20), 0);
    assert_int_equal(retry_park(k, job, 20), 0);
    fail_at(job, n1, 21, 30);
    assert_int_equal(retry_until(k, job, 30), LSCHED_NEVER_US);
    assert_int_equal(undo_begin(k), LSCHED_OK);
    assert_int_equal(retry_park(k, job, 30), 1);
    undo_end(k);
    uint32_t b = k->c[C_JOB_BUNDLE].u32[job];
    assert_int_equal(k->c[C_BUNDLE_CODE].u8[b], LSCHED_WAIT_RETRIES);
    assert_int_equal(k->c[C_BUNDLE_STATE].u8[b], BUNDLE_PARKED);
    assert_int_equal(k->c[C_BUNDLE_STATE].u8[k->c[C_JOB_BUNDLE].u32[other]], BUNDLE_ACTIVE);
    assert_int_equal(bundles_until(k), LSCHED_NEVER_US);
    assert_int_equal(verify_state(k, NULL), LSCHED_OK);
    retry_reset(k, job);
    assert_int_equal(k->c[C_BUNDLE_STATE].u8[b], BUNDLE_ACTIVE);
    assert_int_equal(retry_until(k, job, 31), 0);
}

/* The earliest time is what the cluster wakes for; a job that is gone may only make it wake early.
 * */
static void parked_jobs_wake_at_their_times(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t jobs[3];
    const int64_t backoff[3] = {30, 10, 20};
    for (int i = 0; i < 3; i++) {
        char name[2] = {(char)('a' + i), 0};
        jobs[i] = add(name, backoff[i], 0);
        fail_at(jobs[i], n1, 1, 100);
        assert_int_equal(retry_park(k, jobs[i], 100), 1);
    }
    assert_int_equal(bundles_until(k), 110);
    assert_int_equal(bundles_wake_until(k, 109), LSCHED_OK);
    assert_int_equal(meta(k, M_PARKED_JOBS), 3);
    assert_int_equal(bundles_wake_until(k, 110), LSCHED_OK);
    assert_int_equal(meta(k, M_PARKED_JOBS), 2);
    assert_int_equal(bundles_until(k), 120);
    assert_int_equal(world_remove_job(&world, jobs[2]), LSCHED_OK);
    assert_true(bundles_until(k) <= 130);
    assert_int_equal(bundles_wake_until(k, 120), LSCHED_OK);
    assert_int_equal(bundles_until(k), 130);
    assert_int_equal(verify_state(k, NULL), LSCHED_OK);
    assert_int_equal(bundles_wake_until(k, 1000), LSCHED_OK);
    assert_int_equal(meta(k, M_PARKED_JOBS), 0);
    assert_int_equal(bundles_until(k), LSCHED_NEVER_US);
}

static void a_node_in_the_same_slot_is_another_node(void **unused) {
    (void)unused;
    uint32_t job = add("j", 0, 0), again = NO_ROW;
    assert_int_equal(retry_avoids(&world.k, job), NO_ROW);
    fail_at(job, n1, 1, 10);
    assert_int_equal(retry_avoids(&world.k, job), n1);
    fail_at(job, n2, 1, 11); /* the same failure, another node */
    assert_int_equal(retry_avoids(&world.k, job), n2);
    assert_int_equal(world_remove_node(&world, n2), LSCHED_OK);
    assert_int_equal(retry_avoids(&world.k, job), NO_ROW);
    assert_int_equal(world_node(&world, "n2", 8000, 0, 0, NULL, &again), LSCHED_OK);
    assert_int_equal(again, n2);
    assert_int_equal(retry_avoids(&world.k, job), NO_ROW);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(each_failure_doubles_the_wait),
        TEST(the_wait_ends_with_time),
        TEST(tasks_that_stood_together_fail_once),
        TEST(too_many_failures_end_in_a_wait_for_the_host),
        TEST(parked_jobs_wake_at_their_times),
        TEST(a_node_in_the_same_slot_is_another_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
