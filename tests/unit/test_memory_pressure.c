/* Reports of device memory that ran out, as a host makes them: what is refused, who gives way, settling, and saved copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include "support/settle.h"

#define GIB (INT64_C(1) << 30)

static lsched_cluster *cluster;
static lsched_id node, jobs[2];
static lsched_error err = LSCHED_ERROR_INIT;

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

/* One device of 80 GiB, limits up to twice that; two jobs that run there, each of 20 GiB that may grow to 60. */
static int failed(void) {
    print_message("%s\n", err.message);
    return 1;
}

static int open_host(void **unused) {
    lsched_amount cpu = {LSCHED_CPU, 0, 64000};
    lsched_device_desc device = LSCHED_DEVICE_DESC_INIT;
    lsched_node_desc n = LSCHED_NODE_DESC_INIT, first = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    (void)unused;
    device.count = 1;
    device.model = text("H100");
    device.memory_bytes = 80 * GIB;
    device.share_mode = LSCHED_SHARING_MPS;
    device.memory_overcommit_milli = 2000;
    n.name = text("n");
    n.capacity = &cpu;
    n.n_capacity = 1;
    n.devices = &device;
    n.n_devices = 1;
    q.name = text("q");
    first.name = text("first"); /* so that the numbers of the node and of its device differ */
    if (lsched_cluster_create(NULL, &cluster, &err) < 0 ||
        lsched_nodes_add(cluster, &first, 1, sizeof first, NULL, NULL, NULL, &err) < 0 ||
        lsched_nodes_add(cluster, &n, 1, sizeof n, NULL, &node, NULL, &err) < 0 ||
        lsched_queues_add(cluster, &q, 1, sizeof q, NULL, NULL, NULL, &err) < 0)
        return failed();
    for (int i = 0; i < 2; i++) {
        lsched_device_request r = LSCHED_DEVICE_REQUEST_INIT;
        lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
        lsched_job_desc j = LSCHED_JOB_DESC_INIT;
        lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
        r.memory_bytes = 20 * GIB;
        r.memory_limit_bytes = 60 * GIB;
        g.device_requests = &r;
        g.n_device_requests = 1;
        g.device_request_elem_size = sizeof r;
        j.name = text(i ? "b" : "a");
        j.queue_name = text("q");
        j.priority = i;
        j.groups = &g;
        j.n_groups = 1;
        if (lsched_jobs_submit(cluster, &j, 1, sizeof j, NULL, &jobs[i], NULL, &err) < 0)
            return failed();
        m.job = jobs[i];
        m.node = node;
        if (lsched_tasks_import(cluster, &m, 1, sizeof m, NULL, NULL, &err) < 0) return failed();
    }
    return 0;
}

static int close_host(void **unused) {
    (void)unused;
    lsched_cluster_destroy(cluster);
    return 0;
}

static int32_t report(const lsched_collision *c) {
    return lsched_collisions_report(cluster, c, 1, sizeof *c, NULL, NULL, &err);
}

static void what_cannot_be_is_refused(void **unused) {
    lsched_collision good = LSCHED_COLLISION_INIT, c;
    (void)unused;
    good.node = node;
    c = good;
    c.device = 1;
    assert_int_equal(report(&c), LSCHED_E_RANGE);
    assert_non_null(strstr(err.message, "node 'n' has 1 device; device 1 does not exist"));
    c = good;
    c.node = 0;
    c.node_name = text("m");
    assert_int_equal(report(&c), LSCHED_E_NOENT);
    c = good;
    c.need_bytes = -1;
    assert_int_equal(report(&c), LSCHED_E_RANGE);
    c = good;
    c.task_index = 1;
    assert_int_equal(report(&c), LSCHED_E_INVAL);
    c.job = jobs[0];
    assert_int_equal(report(&c), LSCHED_E_RANGE);
    c = good;
    c.reserved_zero = 1;
    assert_int_equal(report(&c), LSCHED_E_INVAL);
    assert_int_equal(lsched_collisions_report(NULL, &good, 1, sizeof good, NULL, NULL, &err),
                     LSCHED_E_NULL);
    lsched_task_event gone = LSCHED_TASK_EVENT_INIT;
    gone.event = LSCHED_EVENT_FAILED;
    gone.job = jobs[0];
    assert_true(lsched_tasks_report(cluster, &gone, 1, sizeof gone, NULL, NULL, &err) >= 0);
    c = good;
    c.job = jobs[0];
    assert_int_equal(report(&c), LSCHED_E_STATE);
    assert_int_equal(report(&good), 1);
}

static uint32_t out_of(lsched_cluster *c, lsched_id job) {
    lsched_task_info info = {.size = sizeof info};
    uint64_t cursor = 0;
    assert_int_equal(lsched_tasks_next(c, job, 0, &cursor, &info, NULL), 1);
    return info.memory_state;
}

static lsched_plan *schedule(lsched_cluster *c, int64_t now) {
    lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    o.now_us = now;
    o.flags = LSCHED_SCHEDULE_VERIFY;
    assert_int_equal(lsched_schedule(c, &o, &plan, &err), LSCHED_OK);
    return plan;
}

static void settle(lsched_cluster *c, lsched_plan *plan, lsched_outcome how) {
    lsched_id id = lsched_plan_at(plan, 0)->id;
    assert_int_equal(settle_each(c, &id, &how, 1, NULL, &err), LSCHED_OK);
    lsched_plan_destroy(plan);
}

static void one_waits_and_comes_back(void **unused) {
    lsched_collision c = LSCHED_COLLISION_INIT;
    (void)unused;
    c.node = node;
    c.need_bytes = GIB;
    assert_int_equal(report(&c), 1);
    lsched_plan *plan = schedule(cluster, 1000);
    assert_int_equal(lsched_plan_size(plan), 1);
    const lsched_decision *d = lsched_plan_at(plan, 0);
    assert_int_equal(d->kind, LSCHED_DECIDE_PAUSE);
    assert_int_equal(d->reason, LSCHED_FOR_COLLISION);
    assert_true(d->job == jobs[0]); /* of the lower priority */
    assert_int_equal(out_of(cluster, jobs[0]), LSCHED_MEMORY_STATE_PAUSED);
    settle(cluster, plan, LSCHED_OUTCOME_CONFIRMED);
    lsched_cluster *copy = NULL;
    assert_int_equal(lsched_cluster_clone(cluster, &copy, &err), LSCHED_OK);
    lsched_task_event ends = LSCHED_TASK_EVENT_INIT;
    ends.event = LSCHED_EVENT_ENDED;
    ends.job = jobs[1];
    assert_true(lsched_tasks_report(copy, &ends, 1, sizeof ends, NULL, NULL, &err) >= 0);
    plan = schedule(copy, 2000);
    assert_int_equal(lsched_plan_size(plan), 1);
    assert_int_equal(lsched_plan_at(plan, 0)->kind, LSCHED_DECIDE_RESUME);
    assert_int_equal(out_of(copy, jobs[0]),
                     LSCHED_MEMORY_STATE_PAUSED | LSCHED_MEMORY_STATE_RETURNING);
    settle(copy, plan, LSCHED_OUTCOME_CONFIRMED);
    assert_int_equal(out_of(copy, jobs[0]), LSCHED_MEMORY_STATE_NORMAL);
    lsched_cluster_destroy(copy);
    assert_int_equal(out_of(cluster, jobs[0]), LSCHED_MEMORY_STATE_PAUSED);
    /* room of another kind is none: the two still collide */
    lsched_amount more = {LSCHED_CPU, 0, 128000};
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = node;
    u.set = LSCHED_NODE_SET_CAPACITY;
    u.capacity = &more;
    u.n_capacity = 1;
    assert_int_equal(lsched_nodes_update(cluster, &u, 1, sizeof u, NULL, NULL, &err), 1);
    plan = schedule(cluster, 3000);
    assert_int_equal(lsched_plan_size(plan), 0);
    assert_int_equal(out_of(cluster, jobs[0]), LSCHED_MEMORY_STATE_PAUSED);
    lsched_plan_destroy(plan);
}

static void a_refusal_spares_the_task(void **unused) {
    lsched_collision c = LSCHED_COLLISION_INIT;
    (void)unused;
    c.node = node;
    assert_int_equal(report(&c), 1);
    settle(cluster, schedule(cluster, 1000), LSCHED_OUTCOME_REJECTED);
    assert_int_equal(out_of(cluster, jobs[0]), LSCHED_MEMORY_STATE_NORMAL);
    lsched_plan *plan = schedule(cluster, 2000);
    assert_int_equal(lsched_plan_size(plan), 1);
    assert_true(lsched_plan_at(plan, 0)->job == jobs[1]);
    lsched_plan_destroy(plan);
}

static void a_node_that_goes_takes_its_reports_along(void **unused) {
    lsched_collision c = LSCHED_COLLISION_INIT;
    (void)unused;
    c.node = node;
    assert_int_equal(report(&c), 1);
    assert_int_equal(lsched_jobs_remove(cluster, jobs, 2, NULL, NULL, &err), 2);
    assert_true(lsched_nodes_remove(cluster, &node, 1, NULL, NULL, &err) >= 0);
    lsched_plan_destroy(schedule(cluster, 1000));
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_host, close_host)
    const struct CMUnitTest tests[] = {
        TEST(what_cannot_be_is_refused),
        TEST(one_waits_and_comes_back),
        TEST(a_refusal_spares_the_task),
        TEST(a_node_that_goes_takes_its_reports_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
