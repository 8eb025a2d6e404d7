/* Changes of single devices and their taints: what the node, the job and the device then say, what
 * is refused, and each allocation of a change failing once, which changes nothing. docs/semantics.md 23 has the rules. */
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

static int32_t set_health(lsched_id node, uint32_t device, uint32_t health) {
    lsched_device_update u = LSCHED_DEVICE_UPDATE_INIT;
    u.set = LSCHED_DEVICE_SET_HEALTH;
    u.node = node;
    u.device = device;
    u.health = health;
    return lsched_devices_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err);
}

static lsched_device_info device_of(lsched_id node, uint32_t device) {
    lsched_device_info d = {.size = sizeof d};
    assert_int_equal(lsched_device_get(w.cluster, node, device, &d, &err), 0);
    return d;
}

static lsched_node_info node_of(lsched_id node) {
    lsched_node_info n = {.size = sizeof n};
    assert_true(lsched_node_get(w.cluster, node, &n, NULL) >= 0);
    return n;
}

static lsched_task_info task_of(lsched_id job) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    assert_int_equal(lsched_tasks_next(w.cluster, job, 0, &cursor, &t, NULL), 1);
    return t;
}

static void verified(void) {
    int32_t rc = lsched_verify(w.cluster, NULL, &err);
    if (rc < 0) print_message("%s\n", err.message);
    assert_true(rc >= 0);
}

static void cordon_and_return(void **state) {
    (void)state;
    lsched_task_info t = task_of(w.busy);
    uint32_t device = (uint32_t)__builtin_ctz(t.device_mask);
    lsched_node_info before = node_of(t.node);
    uint64_t image = api_image(w.cluster);
    assert_int_equal(set_health(t.node, device, LSCHED_HEALTH_OK), 1);
    assert_true(api_image(w.cluster) == image); /* nothing changed */
    assert_int_equal(set_health(t.node, device, LSCHED_HEALTH_CORDONED), 1);
    assert_int_equal(task_of(w.busy).state, LSCHED_TASK_RUNNING);
    assert_int_equal(device_of(t.node, device).health, LSCHED_HEALTH_CORDONED);
    assert_int_equal(device_of(t.node, device).free_milli, 0);
    assert_int_equal(node_of(t.node).gpu_milli, before.gpu_milli - 1000);
    assert_int_equal(node_of(t.node).gpu_free_milli, before.gpu_free_milli);
    verified();
    assert_int_equal(set_health(t.node, device, LSCHED_HEALTH_OK), 1);
    assert_int_equal(node_of(t.node).gpu_milli, before.gpu_milli);
    assert_int_equal(node_of(t.node).gpu_free_milli, before.gpu_free_milli);
    assert_int_equal(lsched_device_failures(w.cluster, t.node, &err), 0);
    verified();
}

static void known_health_is_unchanged(void **state) {
    (void)state;
    lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_IDEMPOTENT};
    lsched_device_update u = LSCHED_DEVICE_UPDATE_INIT;
    int32_t status = 0;
    u.set = LSCHED_DEVICE_SET_HEALTH;
    u.node = w.nodes[0];
    assert_int_equal(lsched_devices_update(w.cluster, &u, 1, sizeof u, &opts, &status, &err), 1);
    assert_int_equal(status, LSCHED_UNCHANGED);
    u.health = LSCHED_HEALTH_FAILED;
    assert_int_equal(lsched_devices_update(w.cluster, &u, 1, sizeof u, &opts, &status, &err), 1);
    assert_int_equal(status, LSCHED_OK);
}

static void failures_are_counted(void **state) {
    (void)state;
    lsched_task_info t = task_of(w.busy);
    uint32_t device = (uint32_t)__builtin_ctz(t.device_mask);
    uint32_t tasks = device_of(t.node, device).n_tasks;
    assert_true(tasks > 0);
    for (int i = 0; i < 2; i++) /* a device that has failed does not fail again */
        assert_int_equal(set_health(t.node, device, LSCHED_HEALTH_FAILED), 1);
    assert_int_equal(device_of(t.node, device).failures, 1);
    assert_int_equal(device_of(t.node, device).n_tasks, 0);
    assert_int_equal(lsched_device_failures(w.cluster, t.node, &err), 1);
    assert_int_equal(lsched_device_failures(w.cluster, w.busy, &err), 1);
    assert_int_equal(lsched_device_failures(w.cluster, w.later, &err), 0);
    assert_int_equal(set_health(t.node, device, LSCHED_HEALTH_OK), 1);
    assert_int_equal(set_health(t.node, device, LSCHED_HEALTH_FAILED), 1);
    assert_int_equal(device_of(t.node, device).failures, 2);
    assert_int_equal(lsched_device_failures(w.cluster, w.busy, &err), 1); /* it lost nothing */
    verified();
}

static void a_failed_device_closes_its_decisions(void **state) {
    (void)state;
    lsched_task_info t = task_of(w.open);
    assert_int_equal(
        set_health(t.node, (uint32_t)__builtin_ctz(t.device_mask), LSCHED_HEALTH_FAILED), 1);
    assert_int_equal(lsched_decision_state(w.cluster, w.proposed, NULL), LSCHED_E_STALE);
    verified();
}

static void refuses(void **state) {
    (void)state;
    uint64_t image = api_image(w.cluster);
    lsched_device_info d = {.size = sizeof d};
    lsched_device_update u = LSCHED_DEVICE_UPDATE_INIT;
    assert_int_equal(set_health(w.nodes[0], 8, LSCHED_HEALTH_FAILED), LSCHED_E_RANGE);
    assert_non_null(strstr(err.message, "has no device 8; it has 8 devices"));
    assert_int_equal(set_health(w.nodes[0], 0, 3), LSCHED_E_INVAL);
    assert_int_equal(set_health(w.gone_node, 0, 1), LSCHED_E_STALE);
    u.node = w.nodes[0];
    u.set = 1024;
    assert_int_equal(lsched_devices_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err),
                     LSCHED_E_INVAL);
    u.set = LSCHED_DEVICE_SET_MIG;
    assert_int_equal(lsched_devices_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err),
                     LSCHED_E_STATE);
    assert_int_equal(lsched_device_get(w.cluster, w.nodes[0], 8, &d, &err), LSCHED_E_RANGE);
    assert_int_equal(lsched_device_get(w.cluster, w.nodes[0], 0, NULL, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_device_failures(w.cluster, w.org, &err), LSCHED_E_KIND);
    assert_true(api_image(w.cluster) == image);
}

/* A saved cluster, loaded again, has the same closed devices. */
struct bytes {
    size_t n;
    char p[1 << 21];
};
static int32_t keep(void *user, const void *p, size_t n) {
    struct bytes *b = user;
    if (n > sizeof b->p - b->n) return -1;
    memcpy(b->p + b->n, p, n);
    b->n += n;
    return 0;
}
static void is_saved(void **state) {
    (void)state;
    static struct bytes b;
    lsched_cluster *copy = NULL;
    b.n = 0;
    assert_int_equal(set_health(w.nodes[1], 3, LSCHED_HEALTH_CORDONED), 1);
    assert_true(lsched_cluster_save(w.cluster, keep, &b, &err) >= 0);
    assert_true(lsched_cluster_load(NULL, b.p, b.n, &copy, &err) >= 0);
    assert_true(api_image(copy) == api_image(w.cluster));
    lsched_cluster_destroy(copy);
}

static int32_t set_foreign(void) {
    lsched_foreign_use u = LSCHED_FOREIGN_USE_INIT;
    lsched_amount cpu = {LSCHED_CPU, 0, INT64_C(1000000)};
    u.node = w.nodes[0];
    u.amounts = &cpu;
    u.n_amounts = 1;
    u.device_mask = 3;
    return lsched_foreign_set(w.cluster, &u, 1, sizeof u, NULL, NULL, &err);
}

static void foreign_use_is_set_and_read(void **state) {
    (void)state;
    lsched_node_info before = node_of(w.nodes[0]);
    assert_int_equal(set_foreign(), 1);
    assert_int_equal(node_of(w.nodes[0]).cpu_free_milli, before.cpu_free_milli - 1000000);
    assert_int_equal(node_of(w.nodes[0]).gpu_milli, before.gpu_milli - 2000);
    assert_int_equal(lsched_foreign_amount(w.cluster, w.nodes[0], LSCHED_CPU, &err), 1000000);
    assert_int_equal(lsched_foreign_amount(w.cluster, w.nodes[0], LSCHED_GPU, &err), 2000);
    assert_int_equal(device_of(w.nodes[0], 1).foreign, 1);
    assert_int_equal(device_of(w.nodes[0], 1).health, LSCHED_HEALTH_OK);
    verified();
    /* health and foreign use are two things */
    assert_int_equal(set_health(w.nodes[0], 1, LSCHED_HEALTH_CORDONED), 1);
    lsched_foreign_use none = LSCHED_FOREIGN_USE_INIT;
    none.node = w.nodes[0];
    assert_int_equal(lsched_foreign_set(w.cluster, &none, 1, sizeof none, NULL, NULL, &err), 1);
    assert_int_equal(device_of(w.nodes[0], 1).health, LSCHED_HEALTH_CORDONED);
    assert_int_equal(node_of(w.nodes[0]).cpu_free_milli, before.cpu_free_milli);
    verified();
    uint64_t image = api_image(w.cluster);
    lsched_amount gpu = {LSCHED_GPU, 0, 1000}, much = {LSCHED_CPU, 0, INT64_MAX / 2};
    none.amounts = &gpu;
    none.n_amounts = 1;
    assert_true(lsched_foreign_set(w.cluster, &none, 1, sizeof none, NULL, NULL, &err) < 0);
    none.amounts = &much;
    assert_int_equal(lsched_foreign_set(w.cluster, &none, 1, sizeof none, NULL, NULL, &err),
                     LSCHED_E_RANGE);
    none.n_amounts = 0;
    none.device_mask = 256;
    assert_int_equal(lsched_foreign_set(w.cluster, &none, 1, sizeof none, NULL, NULL, &err),
                     LSCHED_E_RANGE);
    assert_true(api_image(w.cluster) == image);
}

/* ---- taints ---- */

static int32_t set_taints(lsched_id node, uint32_t device, const lsched_taint *taints, uint32_t n,
                          const lsched_batch_opts *opts, int32_t *status) {
    lsched_device_update u = LSCHED_DEVICE_UPDATE_INIT;
    u.set = LSCHED_DEVICE_SET_TAINTS;
    u.node = node;
    u.device = device;
    u.taints = taints;
    u.n_taints = n;
    return lsched_devices_update(w.cluster, &u, 1, sizeof u, opts, status, &err);
}

static const lsched_taint ecc = {{"ecc-errors", 10}, {"", 0}, LSCHED_TAINT_NO_START, 0};
static const lsched_taint xid = {{"xid", 3}, {"79", 2}, LSCHED_TAINT_STOP, 0};

static void taints_are_read_back(void **state) {
    (void)state;
    lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_IDEMPOTENT};
    lsched_taint both[2] = {xid, ecc};
    lsched_device_taint_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    int32_t status = 0;
    lsched_id node = w.nodes[0];
    assert_int_equal(set_taints(node, 1, both, 2, &opts, &status), 1);
    assert_int_equal(status, LSCHED_OK);
    assert_int_equal(device_of(node, 1).n_taints, 2);
    assert_int_equal(device_of(node, 0).n_taints, 0);
    assert_int_equal(lsched_device_taints_next(w.cluster, node, 1, &cursor, &t, &err), 1);
    assert_int_equal(t.effect, LSCHED_TAINT_NO_START);
    assert_memory_equal(t.key.ptr, "ecc-errors", 10);
    assert_int_equal(t.since_us, 0);
    assert_int_equal(lsched_device_taints_next(w.cluster, node, 1, &cursor, &t, &err), 1);
    assert_int_equal(t.effect, LSCHED_TAINT_STOP);
    assert_memory_equal(t.value.ptr, "79", 2);
    assert_true(t.since_us > 0);
    assert_int_equal(lsched_device_taints_next(w.cluster, node, 1, &cursor, &t, &err), 0);
    verified();
    both[0] = ecc, both[1] = xid; /* their order means nothing */
    assert_int_equal(set_taints(node, 1, both, 2, &opts, &status), 1);
    assert_int_equal(status, LSCHED_UNCHANGED);
    assert_int_equal(set_taints(node, 1, NULL, 0, &opts, &status), 1);
    assert_int_equal(status, LSCHED_OK);
    assert_int_equal(device_of(node, 1).n_taints, 0);
    verified();
}

static void wrong_taints_are_refused(void **state) {
    (void)state;
    lsched_taint twice[2] = {ecc, ecc}, bad = ecc;
    lsched_device_taint_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    bad.effect = 3;
    assert_int_equal(set_taints(w.nodes[0], 1, twice, 2, NULL, NULL), LSCHED_E_INVAL);
    assert_non_null(strstr(err.message, "device 1 of node 'n1'"));
    assert_int_equal(set_taints(w.nodes[0], 1, &bad, 1, NULL, NULL), LSCHED_E_INVAL);
    assert_int_equal(set_taints(w.nodes[0], 1, NULL, 1, NULL, NULL), LSCHED_E_NULL);
    assert_int_equal(set_taints(w.nodes[0], 99, &ecc, 1, NULL, NULL), LSCHED_E_RANGE);
    assert_int_equal(lsched_device_taints_next(w.cluster, w.nodes[0], 99, &cursor, &t, &err),
                     LSCHED_E_RANGE);
    assert_int_equal(lsched_device_taints_next(w.cluster, w.nodes[0], 1, NULL, &t, &err),
                     LSCHED_E_NULL);
    assert_int_equal(lsched_device_taints_next(w.cluster, w.busy, 1, &cursor, &t, &err),
                     LSCHED_E_KIND);
}

/* The task goes on, clones and loaded copies have the taint, and the node can go with it. */
static void taints_are_copied(void **state) {
    (void)state;
    lsched_task_info t = task_of(w.busy);
    uint32_t device = (uint32_t)__builtin_ctz(t.device_mask);
    lsched_cluster *copy = NULL;
    assert_int_equal(set_taints(t.node, device, &xid, 1, NULL, NULL), 1);
    assert_int_equal(task_of(w.busy).state, LSCHED_TASK_RUNNING);
    verified();
    assert_int_equal(lsched_cluster_clone(w.cluster, &copy, &err), 0);
    assert_true(api_image(copy) == api_image(w.cluster));
    lsched_device_info d = {.size = sizeof d};
    assert_int_equal(lsched_device_get(copy, t.node, device, &d, &err), 0);
    assert_int_equal(d.n_taints, 1);
    assert_true(lsched_verify(copy, NULL, &err) >= 0);
    lsched_cluster_destroy(copy);
}

static int32_t fail_busy(void) {
    lsched_task_info t = task_of(w.busy);
    return set_health(t.node, (uint32_t)__builtin_ctz(t.device_mask), LSCHED_HEALTH_FAILED);
}
static int32_t cordon_one(void) {
    return set_health(w.nodes[0], 7, LSCHED_HEALTH_CORDONED);
}

static int32_t taint_one(void) {
    lsched_taint both[2] = {xid, ecc};
    return set_taints(task_of(w.busy).node, 0, both, 2, NULL, NULL);
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
    walk(fail_busy);
    walk(cordon_one);
    walk(set_foreign);
    walk(taint_one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cordon_and_return, setup, teardown),
        cmocka_unit_test_setup_teardown(known_health_is_unchanged, setup, teardown),
        cmocka_unit_test_setup_teardown(failures_are_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(a_failed_device_closes_its_decisions, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses, setup, teardown),
        cmocka_unit_test_setup_teardown(is_saved, setup, teardown),
        cmocka_unit_test_setup_teardown(foreign_use_is_set_and_read, setup, teardown),
        cmocka_unit_test_setup_teardown(taints_are_read_back, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_taints_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(taints_are_copied, setup, teardown),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
