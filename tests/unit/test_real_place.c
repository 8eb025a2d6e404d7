/* Starts and imports that say where a task really runs: what is booked, what is refused, and each allocation of such a
 * call failing once, which changes nothing. docs/semantics.md 4 and 6 have the rules. */
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

static lsched_task_event start_of_open(void) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = LSCHED_EVENT_STARTED;
    e.job = w.open;
    return e;
}

static int32_t report(const lsched_task_event *e) {
    return lsched_tasks_report(w.cluster, e, 1, sizeof *e, NULL, NULL, &err);
}

static lsched_task_info task_of(lsched_id job) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    do assert_int_equal(lsched_tasks_next(w.cluster, job, 0, &cursor, &t, NULL), 1);
    while (t.task_index != 0);
    return t;
}

static int64_t gpus_free(int node) {
    lsched_node_info n = {.size = sizeof n};
    assert_true(lsched_node_get(w.cluster, w.nodes[node], &n, NULL) >= 0);
    return n.gpu_free_milli;
}

static void verified(void) {
    int32_t rc = lsched_verify(w.cluster, NULL, &err);
    if (rc < 0) print_message("%s\n", err.message);
    assert_true(rc >= 0);
}

static void starts_as_planned(void **state) {
    (void)state;
    lsched_task_info planned = task_of(w.open);
    assert_int_equal(planned.state, LSCHED_TASK_PROPOSED);
    lsched_task_event e = start_of_open();
    e.node = planned.node;
    e.device_mask = planned.device_mask;
    assert_int_equal(report(&e), 1);
    lsched_task_info t = task_of(w.open);
    assert_int_equal(t.state, LSCHED_TASK_RUNNING);
    assert_int_equal(t.device_mask, planned.device_mask);
    assert_int_equal(t.imported_excess, 0);
    assert_int_equal(lsched_decision_state(w.cluster, w.proposed, NULL), LSCHED_E_STALE);
    verified();
}

static void starts_on_another_node(void **state) {
    (void)state;
    lsched_task_info planned = task_of(w.open);
    int to = planned.node == w.nodes[0];
    int64_t here = gpus_free(!to), there = gpus_free(to);
    lsched_task_event e = start_of_open();
    e.node_name = to ? LSCHED_TEXT("n2") : LSCHED_TEXT("n1");
    assert_int_equal(report(&e), 1);
    lsched_task_info t = task_of(w.open);
    assert_true(t.node == w.nodes[to]);
    assert_int_equal(t.imported_excess, 0);
    int64_t amount = (int64_t)t.device_milli * __builtin_popcount(t.device_mask);
    assert_true(amount > 0);
    assert_int_equal(gpus_free(!to), here + amount);
    assert_int_equal(gpus_free(to), there - amount);
    assert_int_equal(lsched_decision_state(w.cluster, w.proposed, NULL), LSCHED_E_STALE);
    verified();
}

static void starts_on_taken_devices(void **state) {
    (void)state;
    lsched_task_info runs = task_of(w.busy), planned = task_of(w.open);
    lsched_task_event e = start_of_open();
    e.node = runs.node;
    /* as many devices as the task has, the lowest ones of the running task */
    e.device_mask = runs.device_mask & ((1u << __builtin_popcount(planned.device_mask)) - 1);
    assert_int_equal(__builtin_popcount(e.device_mask), __builtin_popcount(planned.device_mask));
    assert_int_equal(report(&e), 1);
    lsched_task_info t = task_of(w.open);
    assert_int_equal(t.device_mask, e.device_mask);
    assert_int_equal(t.imported_excess, 1);
    verified();
}

static void refuses_places_that_cannot_be(void **state) {
    (void)state;
    uint64_t before = api_image(w.cluster);
    lsched_task_event e = start_of_open();
    e.device_mask = 1u << 15;
    assert_int_equal(report(&e), LSCHED_E_RANGE);
    e = start_of_open();
    e.node = w.gone_node;
    assert_int_equal(report(&e), LSCHED_E_STALE);
    e = start_of_open();
    e.numa_mask = 1;
    assert_int_equal(report(&e), LSCHED_E_RANGE);
    e = start_of_open();
    e.device_starts = 1;
    assert_int_equal(report(&e), LSCHED_E_INVAL);
    e = start_of_open();
    e.reserved2_zero = 1;
    assert_int_equal(report(&e), LSCHED_E_INVAL);
    e = start_of_open();
    e.event = LSCHED_EVENT_ENDED;
    e.job = w.busy;
    e.node = w.nodes[0];
    assert_int_equal(report(&e), LSCHED_E_INVAL);
    assert_non_null(strstr(err.message, "only LSCHED_EVENT_STARTED"));
    assert_true(api_image(w.cluster) == before);
}

/* An event of the size that hosts of the first version use means the planned place. */
static void reads_a_short_event(void **state) {
    (void)state;
    lsched_task_event e = start_of_open();
    e.size = 32;
    e.node = w.gone_node; /* beyond the size: not read */
    assert_int_equal(lsched_tasks_report(w.cluster, &e, 1, 32, NULL, NULL, &err), 1);
    assert_int_equal(task_of(w.open).state, LSCHED_TASK_RUNNING);
}

static int32_t start_elsewhere(void) {
    lsched_task_event e = start_of_open();
    e.node = task_of(w.open).node == w.nodes[0] ? w.nodes[1] : w.nodes[0];
    return report(&e);
}

static int32_t import_proposed(void) {
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    m.job = w.open;
    m.node = task_of(w.open).node == w.nodes[0] ? w.nodes[1] : w.nodes[0];
    return lsched_tasks_import(w.cluster, &m, 1, sizeof m, NULL, NULL, &err);
}

static void imports_what_is_proposed(void **state) {
    (void)state;
    assert_int_equal(import_proposed(), 1);
    assert_int_equal(lsched_decision_state(w.cluster, w.proposed, NULL), LSCHED_E_STALE);
    assert_int_equal(task_of(w.open).state, LSCHED_TASK_RUNNING);
    verified();
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
    walk(start_elsewhere);
    walk(import_proposed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(starts_as_planned, setup, teardown),
        cmocka_unit_test_setup_teardown(starts_on_another_node, setup, teardown),
        cmocka_unit_test_setup_teardown(starts_on_taken_devices, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_places_that_cannot_be, setup, teardown),
        cmocka_unit_test_setup_teardown(reads_a_short_event, setup, teardown),
        cmocka_unit_test_setup_teardown(imports_what_is_proposed, setup, teardown),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
