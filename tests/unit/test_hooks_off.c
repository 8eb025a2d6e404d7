/* Hooks that count as failed on request: a cycle whose failure came from memory, which no repetition meets, is repeated by what
 * its plan said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/api_world.h"

static struct api_world world;

static int begin(void **unused) {
    (void)unused;
    return api_world_make(&world, NULL);
}

static int end(void **unused) {
    (void)unused;
    api_world_drop(&world);
    return 0;
}

/* What is left of it after a few thousand tables is too little for them, with 256 KiB; with 64 MiB it is not. */
static void load_policy(lsched_cluster *cluster, uint64_t memory) {
    static const char text[] =
        "return { api = 1, placement = 'spread', score = function(job, node)\n"
        "  local t = {}\n"
        "  if node.name ~= 'trial' then for i = 1, 20000 do t[i] = { i } end end\n"
        "  return node.name == 'n1' and 2 or 1 end }";
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    opts.memory_limit_bytes = memory;
    opts.instructions_per_call = 100000000;
    if (lsched_policy_load(cluster, LSCHED_TEXT("p.lua"), (lsched_text){text, sizeof text - 1},
                           &opts, &err) < 0)
        fail_msg("%s", err.message);
}

static lsched_plan *cycle(lsched_cluster *cluster, uint32_t hooks_off, lsched_plan_info *info) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = world.now_us + 1;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    opts.hooks_off = hooks_off;
    if (lsched_schedule(cluster, &opts, &plan, &err) < 0) fail_msg("%s", err.message);
    *info = (lsched_plan_info){.size = sizeof *info};
    assert_int_equal(lsched_plan_get(plan, info, NULL), LSCHED_OK);
    return plan;
}

static void submit(void) {
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("one-more", &group, 1);
    lsched_id id;
    job.queue = world.product;
    job.queue_name = (lsched_text){NULL, 0};
    assert_int_equal(lsched_jobs_submit(world.cluster, &job, 1, sizeof job, NULL, &id, NULL, NULL),
                     1);
}

static void a_failure_for_want_of_memory_is_repeated(void **unused) {
    (void)unused;
    lsched_cluster *rich = NULL, *again = NULL;
    lsched_plan_info failed, other, repeated;
    submit();
    assert_int_equal(lsched_cluster_clone(world.cluster, &rich, NULL), LSCHED_OK);
    load_policy(rich, (uint64_t)64 << 20);
    assert_int_equal(lsched_cluster_clone(rich, &again, NULL), LSCHED_OK);
    load_policy(world.cluster, (uint64_t)256 << 10);

    lsched_plan *plan = cycle(world.cluster, 0, &failed);
    assert_non_null(strstr(lsched_plan_policy_error(plan), "holds more memory than its limit"));
    assert_int_equal(failed.hooks_off, LSCHED_HOOK_SCORE);
    assert_int_equal(failed.flags &
                         (LSCHED_PLAN_POLICY_FAILED | LSCHED_PLAN_POLICY_NOT_DETERMINISTIC),
                     LSCHED_PLAN_POLICY_FAILED | LSCHED_PLAN_POLICY_NOT_DETERMINISTIC);
    assert_true(failed.decisions > 0);
    lsched_plan_destroy(plan);

    /* Where there is memory the same cycle has another plan, unless it is told. */
    lsched_plan_destroy(cycle(rich, 0, &other));
    assert_int_equal(other.hooks_off, 0);
    assert_true(other.plan_hash != failed.plan_hash);
    lsched_plan_destroy(cycle(again, failed.hooks_off, &repeated));
    assert_true(repeated.plan_hash == failed.plan_hash);
    assert_int_equal(repeated.hooks_off, failed.hooks_off);
    assert_int_equal(repeated.flags,
                     failed.flags & ~(uint32_t)LSCHED_PLAN_POLICY_NOT_DETERMINISTIC);
    assert_int_equal(repeated.policy_error, failed.policy_error);

    lsched_policy_info info[2] = {{.size = sizeof info[0]}, {.size = sizeof info[1]}};
    assert_int_equal(lsched_policy_get(world.cluster, &info[0], NULL), LSCHED_OK);
    assert_int_equal(lsched_policy_get(again, &info[1], NULL), LSCHED_OK);
    assert_int_equal(info[0].failures, 1);
    assert_int_equal(info[1].failures, 1);
    lsched_cluster_destroy(rich);
    lsched_cluster_destroy(again);
}

static void hooks_that_the_policy_has_not_are_no_matter(void **unused) {
    (void)unused;
    lsched_plan_info info;
    load_policy(world.cluster, (uint64_t)64 << 20);
    lsched_plan_destroy(cycle(world.cluster, LSCHED_HOOK_QUOTA, &info));
    assert_int_equal(info.hooks_off, 0);
    assert_int_equal(info.flags & LSCHED_PLAN_POLICY_FAILED, 0);
}

static void unknown_hooks_are_refused(void **unused) {
    (void)unused;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    uint64_t before = api_image(world.cluster);
    opts.now_us = world.now_us + 1;
    opts.hooks_off = LSCHED_HOOK_PREEMPT_PRIORITY << 1;
    assert_int_equal(lsched_schedule(world.cluster, &opts, &plan, &err), LSCHED_E_INVAL);
    assert_string_equal(err.message, "schedule options: unknown hooks 0x8000");
    assert_null(plan);
    assert_true(api_image(world.cluster) == before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_failure_for_want_of_memory_is_repeated, begin, end),
        cmocka_unit_test_setup_teardown(hooks_that_the_policy_has_not_are_no_matter, begin, end),
        cmocka_unit_test_setup_teardown(unknown_hooks_are_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
