/* Rejections that say what to avoid, until when, and in which words: what is refused, what is closed, and each allocation
 * of such a call failing once, which changes nothing. docs/semantics.md 22 has the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/api_world.h"
#include "support/fault_alloc.h"

static struct api_world w;
static struct fault_alloc memory;
static lsched_error err = LSCHED_ERROR_INIT;

static int setup(void **state) {
    (void)state;
    memset(&memory, 0, sizeof memory);
    lsched_allocator hooks = fault_hooks(&memory);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &hooks;
    return api_world_make(&w, &opts);
}

static int teardown(void **state) {
    (void)state;
    api_world_drop(&w);
    return memory.live_blocks == 0 && memory.wrong_sizes == 0 ? 0 : -1;
}

static int32_t reject(const lsched_refusal *refusal) {
    lsched_settlement s = LSCHED_SETTLEMENT_INIT;
    s.outcome = LSCHED_OUTCOME_REJECTED;
    s.decision = w.proposed;
    s.refusal = refusal;
    return lsched_settle(w.cluster, &s, 1, sizeof s, NULL, NULL, NULL, &err);
}

static void verified(void) {
    int32_t rc = lsched_verify(w.cluster, NULL, &err);
    if (rc < 0) print_message("%s\n", err.message);
    assert_true(rc >= 0);
}

/* Returns the node where the first task of the open job is placed by a cycle, 0 if on none. */
static lsched_id placed_at(int64_t now_us) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    assert_true(api_cycle(w.cluster, now_us, NULL) >= 0);
    while (lsched_tasks_next(w.cluster, w.open, 0, &cursor, &t, NULL) == 1)
        if (t.state == LSCHED_TASK_PROPOSED) return t.node;
    return 0;
}

static void terms_that_cannot_be_are_refused(void **state) {
    (void)state;
    char text[257];
    uint64_t before = api_image(w.cluster);
    lsched_refusal r = LSCHED_REFUSAL_INIT;
    memset(text, 'x', sizeof text);
    r.avoid = 4;
    assert_int_equal(reject(&r), LSCHED_E_INVAL);
    r.avoid = LSCHED_AVOID_NODE;
    r.until_us = 1;
    assert_int_equal(reject(&r), LSCHED_E_TIME);
    r.until_us = 0;
    r.words = (lsched_text){text, 256};
    assert_int_equal(reject(&r), LSCHED_E_RANGE);
    r.words = (lsched_text){NULL, 3};
    assert_int_equal(reject(&r), LSCHED_E_NULL);
    r.words = (lsched_text){NULL, 0};
    r.avoid = LSCHED_AVOID_DOMAIN;
    r.level = LSCHED_TEXT("row");
    assert_int_equal(reject(&r), LSCHED_E_KEY);
    assert_non_null(strstr(err.message, "has no level 'row'"));
    r.topology = LSCHED_TEXT("elsewhere");
    assert_int_equal(reject(&r), LSCHED_E_NOENT);
    r.size = 2;
    assert_int_equal(reject(&r), LSCHED_E_SIZE);
    assert_true(api_image(w.cluster) == before);
}

static void a_closed_zone_closes_its_nodes(void **state) {
    (void)state;
    lsched_refusal r = LSCHED_REFUSAL_INIT;
    r.avoid = LSCHED_AVOID_DOMAIN;
    r.level = LSCHED_TEXT("zone"); /* both nodes are in zone a */
    r.until_us = w.now_us + INT64_C(3600000000);
    r.words = LSCHED_TEXT("no volume in this zone");
    assert_int_equal(reject(&r), 1);
    verified();
    assert_int_equal(placed_at(w.now_us + 1000000), 0);
    char text[512];
    lsched_waiting why = {.size = sizeof why};
    assert_true(lsched_explain(w.cluster, w.open, text, sizeof text, &why, &err) > 0);
    assert_int_equal(why.code, LSCHED_WAIT_REFUSED);
    assert_true(why.until_us == r.until_us);
    assert_non_null(strstr(text, "no volume in this zone"));
    assert_true(lsched_next_wake(w.cluster) <= r.until_us);
    assert_int_equal(placed_at(r.until_us - 1), 0);
    assert_true(placed_at(r.until_us) != 0);
    verified();
}

static void a_node_alone_is_closed(void **state) {
    (void)state;
    lsched_refusal r = LSCHED_REFUSAL_INIT;
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    assert_int_equal(lsched_tasks_next(w.cluster, w.open, 0, &cursor, &t, NULL), 1);
    r.avoid = LSCHED_AVOID_NODE;
    r.until_us = LSCHED_NEVER_US;
    assert_int_equal(reject(&r), 1);
    for (int i = 1; i < 5; i++)
        assert_true(placed_at(w.now_us + i * INT64_C(86400000000)) != t.node);
    verified();
}

static int32_t reject_zone(void) {
    lsched_refusal r = LSCHED_REFUSAL_INIT;
    r.avoid = LSCHED_AVOID_DOMAIN;
    r.level = LSCHED_TEXT("zone");
    r.words = LSCHED_TEXT("words that no other row has");
    return reject(&r);
}

static int32_t reject_anywhere(void) {
    lsched_refusal r = LSCHED_REFUSAL_INIT;
    r.avoid = LSCHED_AVOID_ANYWHERE;
    r.words = LSCHED_TEXT("words that no other row has");
    return reject(&r);
}

/* Fails each allocation of the call once. */
static void walk(int32_t (*change)(void)) {
    for (uint64_t at = 1; at < 10000; at++) {
        assert_int_equal(setup(NULL), 0);
        uint64_t before = api_image(w.cluster);
        memory.fail_at = memory.calls + at;
        int32_t rc = change();
        int failed = memory.failures > 0;
        memory.fail_at = 0;
        if (failed) {
            assert_int_equal(rc, LSCHED_E_NOMEM);
            assert_true(api_image(w.cluster) == before);
            assert_int_equal(change(), 1);
        }
        verified();
        assert_int_equal(teardown(NULL), 0);
        if (!failed) return;
    }
    fail();
}

static void out_of_memory(void **state) {
    (void)state;
    walk(reject_zone);
    walk(reject_anywhere);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(terms_that_cannot_be_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_closed_zone_closes_its_nodes, setup, teardown),
        cmocka_unit_test_setup_teardown(a_node_alone_is_closed, setup, teardown),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
