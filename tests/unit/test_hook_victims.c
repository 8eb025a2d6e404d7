/* The engine asks the policy what stopping somebody costs: rounding, "never", batches, and that a failure closes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/algorithm.h>

#include "engine/policy_hooks/hook_victims.h"
#include "support/api_world.h"

enum { MANY = 600 };

/* What the action that asks has seen in the latest cycle, the restart included. */
static struct {
    uint32_t n; /* candidates to ask about */
    int64_t gpu_milli[MANY];
    int64_t costs[MANY];
    int has, asked, lets_evict, refused;
} seen;

static int32_t probe_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    static struct policy_candidate c[MANY];
    (void)self, (void)act;
    struct lsched_cycle *cy = cycle;
    uint32_t job = 0;
    while (!row_is_live(cy->k, T_JOB, job)) job++;
    seen.has = hook_has_victims(cy);
    seen.lets_evict = hook_lets_evict(cy);
    seen.refused += !seen.lets_evict;
    if (!seen.has) return LSCHED_OK;
    for (uint32_t i = 0; i < seen.n; i++)
        c[i] = (struct policy_candidate){.job = job,
                                         .queue = cy->k->c[C_JOB_QUEUE].u32[job],
                                         .tasks = i,
                                         .gpu_milli = seen.gpu_milli[i]};
    seen.asked++;
    return hook_victims(cy, job, c, seen.n, seen.costs);
}

static const lsched_act_ops probe_ops = {.size = sizeof probe_ops, .run = probe_run};
static const lsched_algorithm probe = {.size = sizeof probe,
                                       .api = LSCHED_ALGORITHM_API,
                                       .role = LSCHED_ROLE_ACT,
                                       .name = "probe",
                                       .act = &probe_ops};

static struct api_world world;

static int begin(void **unused) {
    (void)unused;
    memset(&seen, 0, sizeof seen);
    return api_world_make(&world, NULL) < 0 ||
           lsched_algorithm_register(world.cluster, &probe, NULL) < 0;
}

static int end(void **unused) {
    (void)unused;
    api_world_drop(&world);
    return 0;
}

static void load_policy(const char *victim) {
    char text[300];
    lsched_error err = LSCHED_ERROR_INIT;
    snprintf(text, sizeof text, "return { api = 1, pipeline = { 'allocate', 'probe' }%s%s }",
             victim ? ", victim = function(job, candidate) return " : "", victim ? victim : "");
    if (victim) strcpy(strrchr(text, '}'), "end }");
    if (lsched_policy_load(world.cluster, LSCHED_TEXT("p.lua"), lsched_cstr(text), NULL, &err) < 0)
        fail_msg("%s", err.message);
}

static uint32_t cycle(char *message, size_t cap) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    opts.now_us = ++world.now_us;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    assert_int_equal(lsched_schedule(world.cluster, &opts, &plan, NULL), LSCHED_OK);
    lsched_plan_get(plan, &info, NULL);
    snprintf(message, cap, "%s", lsched_plan_policy_error(plan));
    lsched_plan_destroy(plan);
    return info.flags;
}

static void costs_are_rounded_and_bounded(void **unused) {
    (void)unused;
    static const struct {
        int64_t gpu_milli;
        int64_t cost;
    } cases[] = {
        {0, 0},           {1000, 1048576},
        {1, 1049}, /* 1048.576 */
        {-1, HOOK_NEVER}, {INT64_MAX, INT64_C(4000000000000000000)},
    };
    char message[LSCHED_MESSAGE_BYTES];
    for (size_t i = 0; i < 5; i++) seen.gpu_milli[i] = cases[i].gpu_milli;
    seen.n = 5;
    load_policy("candidate.gpu >= 0 and candidate.gpu or nil ");
    assert_int_equal(cycle(message, sizeof message) & LSCHED_PLAN_POLICY_FAILED, 0);
    assert_int_equal(seen.asked, 1);
    for (size_t i = 0; i < 5; i++) assert_int_equal(seen.costs[i], cases[i].cost);
}

static void many_are_asked_in_batches(void **unused) {
    (void)unused;
    char message[LSCHED_MESSAGE_BYTES];
    seen.n = MANY;
    load_policy("candidate.tasks ");
    cycle(message, sizeof message);
    for (int64_t i = 0; i < MANY; i++) assert_int_equal(seen.costs[i], i * 1048576);
}

static void without_the_hook_nobody_is_asked(void **unused) {
    (void)unused;
    char message[LSCHED_MESSAGE_BYTES];
    seen.n = 1;
    load_policy(NULL);
    cycle(message, sizeof message);
    assert_false(seen.has);
    assert_true(seen.lets_evict);
}

static void a_failure_closes_the_cycle(void **unused) {
    (void)unused;
    char message[LSCHED_MESSAGE_BYTES];
    seen.n = MANY;
    load_policy("candidate.tasks == 599 and -1 or 1 ");
    uint32_t flags = cycle(message, sizeof message);
    assert_true(flags & LSCHED_PLAN_POLICY_FAILED);
    assert_int_equal(seen.asked, 1);
    assert_int_equal(seen.refused, 1); /* the second attempt of the cycle */
    assert_non_null(strstr(message, "must return nil or a number from 0, got a negative one"));
    assert_non_null(strstr(message, "victim of job '"));
    cycle(message, sizeof message); /* the next one asks again */
    assert_int_equal(seen.asked, 2);
}

static void three_failures_eject_the_policy(void **unused) {
    (void)unused;
    char message[LSCHED_MESSAGE_BYTES];
    seen.n = 1;
    load_policy("candidate.name ~= 'trial' and 0 / 0 or 1 ");
    for (int i = 1; i <= 3; i++)
        assert_int_equal((cycle(message, sizeof message) & LSCHED_PLAN_POLICY_EJECTED) != 0,
                         i == 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(costs_are_rounded_and_bounded, begin, end),
        cmocka_unit_test_setup_teardown(many_are_asked_in_batches, begin, end),
        cmocka_unit_test_setup_teardown(without_the_hook_nobody_is_asked, begin, end),
        cmocka_unit_test_setup_teardown(a_failure_closes_the_cycle, begin, end),
        cmocka_unit_test_setup_teardown(three_failures_eject_the_policy, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
