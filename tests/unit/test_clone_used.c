/* A clone in the place of a cluster that was used: what that one remembered of its own nodes is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "engine/state/cache_check.h"

enum { DEVICES = 4 };

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

/* One node of four devices, in pairs (first, partner) and (the other two) by NVLink. */
static lsched_cluster *cluster_of_pairs(uint32_t partner) {
    lsched_link links[DEVICES * DEVICES];
    for (uint32_t i = 0; i < DEVICES; i++)
        for (uint32_t j = 0; j < DEVICES; j++) {
            int first = i == 0 || i == partner, other = j == 0 || j == partner;
            uint32_t kind = i == j           ? LSCHED_LINK_SELF
                            : first == other ? LSCHED_LINK_NVLINK
                                             : LSCHED_LINK_SYS;
            links[i * DEVICES + j] =
                (lsched_link){(uint16_t)kind, kind == LSCHED_LINK_NVLINK ? 1 : 0, 0};
        }
    lsched_machine_desc machine = LSCHED_MACHINE_DESC_INIT;
    machine.n_devices = DEVICES;
    machine.links = links;
    lsched_device_desc devices = LSCHED_DEVICE_DESC_INIT;
    devices.count = DEVICES;
    devices.model = text("H100");
    lsched_amount cpu = {LSCHED_CPU, 0, 64000};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    node.name = text("n");
    node.capacity = &cpu;
    node.n_capacity = 1;
    node.devices = &devices;
    node.n_devices = 1;
    node.machine = &machine;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name = text("q");
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(lsched_cluster_create(NULL, &c, &err), LSCHED_OK);
    if (lsched_nodes_add(c, &node, 1, sizeof node, NULL, NULL, NULL, &err) < 0)
        fail_msg("%s", err.message);
    assert_true(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err) >= 0);
    return c;
}

static uint64_t plan_hash(lsched_cluster *c, int64_t now) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    opts.now_us = now;
    assert_int_equal(lsched_schedule(c, &opts, &plan, NULL), LSCHED_OK);
    assert_true(lsched_plan_get(plan, &info, NULL) >= 0);
    assert_true(info.decisions > 0);
    lsched_plan_destroy(plan);
    return info.plan_hash;
}

static void submit(lsched_cluster *c, const char *name) {
    lsched_amount gpus = {LSCHED_GPU, 0, 2000};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    group.max_count = 1;
    group.request = &gpus;
    group.n_request = 1;
    job.name = text(name);
    job.queue_name = text("q");
    job.groups = &group;
    job.n_groups = 1;
    assert_true(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, NULL) >= 0);
}

static void test_a_used_target_forgets_its_machines(void **state) {
    (void)state;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *from = cluster_of_pairs(1), *used = cluster_of_pairs(2), *fresh = NULL;
    submit(used, "before");
    plan_hash(used, 1);
    submit(from, "a");
    assert_true(lsched_cluster_clone(from, &used, &err) >= 0);
    assert_true(lsched_cluster_clone(from, &fresh, &err) >= 0);
    if (cache_checks_cold.all(used, &err) < 0) fail_msg("%s", err.message);
    cache_check_on(used);
    uint64_t by_fresh = plan_hash(fresh, 2);
    assert_true(plan_hash(used, 2) == by_fresh);
    assert_true(plan_hash(from, 2) == by_fresh);
    lsched_cluster_destroy(from);
    lsched_cluster_destroy(used);
    lsched_cluster_destroy(fresh);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_used_target_forgets_its_machines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
