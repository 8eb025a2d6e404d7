/* A policy is loaded anew while the cluster runs: what is wrong leaves the old one as it is, every
 * plan says which text decided, repeated failure ejects with a record, and however often it is done
 * no memory is kept. test_policy_reload_long.c does it 10,000 times. */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/api_world.h"
#include "support/fault_alloc.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KEEPS_FREED_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KEEPS_FREED_MEMORY 1
#endif
#endif
#ifndef KEEPS_FREED_MEMORY
#define KEEPS_FREED_MEMORY 0
#endif

#ifndef RELOADS
#define RELOADS 500
#endif

static const char first[] =
    "return { api = 1, name = 'first', score = function(job, node) return -node.gpu_free end }";
static const char second[] =
    "return { api = 1, name = 'second', params = { n = 2 },\n"
    "  priority = function(job, queue, now) return calendar.hour(now) + hash(job.name) end,\n"
    "  quota = function(queue, now) return { gpu = params.n * 4 }, calendar.next(now, '20:00') end,\n"
    "  score = function(job, node) return node.gpu_free end }";
static const char fails[] =
    "return { api = 1, name = 'fails', priority = function(job)\n"
    "  if not string.starts_with(job.name, 'trial') then error('never for ' .. job.name) end\n"
    "  return 1 end }";

static struct fault_alloc memory;
static struct api_world world;

static int begin(void **unused) {
    (void)unused;
    memory = (struct fault_alloc){0};
    lsched_allocator hooks = fault_hooks(&memory);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &hooks;
    return api_world_make(&world, &opts) < 0;
}

static int end(void **unused) {
    (void)unused;
    api_world_drop(&world);
    return memory.live_bytes != 0 || memory.wrong_sizes != 0;
}

static int32_t load(const char *text, lsched_error *err) {
    *err = (lsched_error)LSCHED_ERROR_INIT;
    return lsched_policy_load(world.cluster, LSCHED_TEXT("p.lua"), lsched_cstr(text), NULL, err);
}

static lsched_policy_info policy_now(void) {
    lsched_policy_info info = {.size = sizeof info};
    assert_int_equal(lsched_policy_get(world.cluster, &info, NULL), LSCHED_OK);
    return info;
}

static lsched_plan_info cycle(void) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    opts.now_us = world.now_us += 60000000;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    assert_int_equal(lsched_schedule(world.cluster, &opts, &plan, NULL), LSCHED_OK);
    assert_int_equal(lsched_plan_get(plan, &info, NULL), LSCHED_OK);
    lsched_plan_destroy(plan);
    return info;
}

static void what_is_wrong_leaves_the_old_one(void **unused) {
    (void)unused;
    static const char *const wrong[] = {
        "return { api = 1, prority = 3 }",                              /* a key */
        "return { api = 1, score = function(j, n) return n.gpus end }", /* a field */
        "return { api = 1, weight = function() return 0/0 end }",       /* the trial run */
        "while true do end",                                            /* never done */
        "return { api = 1, pipeline = { 'alocate' } }", /* what only the engine knows */
        "return {",
        "",
    };
    lsched_error err;
    assert_int_equal(load(first, &err), LSCHED_OK);
    uint64_t hash = policy_now().hash;
    assert_true(cycle().policy_hash == hash);
    int64_t bytes = memory.live_bytes;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_true(load(wrong[i], &err) < 0);
        assert_true(strncmp(err.message, "p.lua:", 6) == 0);
        assert_string_equal(policy_now().name, "first");
        assert_int_equal(memory.live_bytes, bytes);
    }
    assert_true(cycle().policy_hash == hash);
    assert_int_equal(cycle().policy_error, LSCHED_OK);
    assert_int_equal(load(second, &err), LSCHED_OK);
    assert_true(policy_now().hash != hash && cycle().policy_hash == policy_now().hash);
    assert_true(cycle().policy_instructions > 0 || policy_now().instructions_spent == 0);
}

static void repeated_failure_ejects_with_a_record(void **unused) {
    (void)unused;
    lsched_error err;
    assert_int_equal(load(fails, &err), LSCHED_OK);
    for (uint32_t i = 1; i <= 3; i++) {
        lsched_plan_info info = cycle();
        assert_int_equal(info.policy_error, LSCHED_E_POLICY);
        assert_true(info.flags & LSCHED_PLAN_POLICY_FAILED);
        assert_int_equal(!!(info.flags & LSCHED_PLAN_POLICY_EJECTED), i == 3);
    }
    lsched_policy_info info = policy_now();
    assert_true(info.ejected && info.hash == 0);
    assert_non_null(strstr(info.last_error, "never for "));
    assert_int_equal(cycle().policy_error, LSCHED_OK); /* the built-in one */
    assert_int_equal(load(first, &err), LSCHED_OK);
    info = policy_now();
    assert_true(!info.ejected && info.failures == 0);
    assert_true(cycle().policy_hash == info.hash);
}

/* What was spent is told per hook, and adds up. */
static void the_host_sees_what_each_hook_spent(void **unused) {
    (void)unused;
    lsched_error err;
    uint64_t sum = 0;
    uint32_t i = 0;
    lsched_policy_hook_info info = {.size = sizeof info};
    assert_int_equal(load(second, &err), LSCHED_OK);
    uint64_t spent = cycle().policy_instructions;
    for (; lsched_policy_hooks_at(world.cluster, i, &info, NULL) == LSCHED_OK; i++) {
        sum += info.spent + info.kept;
        if (info.hook == LSCHED_HOOK_PRIORITY) assert_true(info.spent > 0 && info.asked >= 1);
        if (info.hook == LSCHED_HOOK_QUOTA) assert_int_equal(info.asked, 3); /* queues */
    }
    assert_int_equal(i, 3);
    assert_true(spent > 0 && sum == spent);
}

static long resident_kib(void) {
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* The host's allocator sees every byte but those of the dynamic linker; these show in the process.
 * */
static void reloads_keep_no_memory(void **unused) {
    (void)unused;
    lsched_error err;
    int64_t most = 0; /* not exact: how large LuaJIT's tables grow depends on its hash seed */
    long before = 0;
    for (int i = 0; i < RELOADS; i++) {
        assert_int_equal(load(i % 2 ? second : first, &err), LSCHED_OK);
        assert_true(load("return { api = 1, nme = 1 }", &err) < 0);
        if (i < 20 && memory.live_bytes > most) most = memory.live_bytes;
        assert_true(memory.live_bytes < most + 4096);
        if (i == RELOADS / 10) before = resident_kib();
    }
    long grown = resident_kib() - before;
    print_message("%d reloads: the process has %ld KiB more\n", RELOADS, grown);
    if (!KEEPS_FREED_MEMORY) assert_true(grown < 2048);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_wrong_leaves_the_old_one, begin, end),
        cmocka_unit_test_setup_teardown(repeated_failure_ejects_with_a_record, begin, end),
        cmocka_unit_test_setup_teardown(the_host_sees_what_each_hook_spent, begin, end),
        cmocka_unit_test_setup_teardown(reloads_keep_no_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
