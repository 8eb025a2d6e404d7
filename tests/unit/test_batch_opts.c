/* test_batch_opts.c -- the options of batches: PARTIAL applies the good elements of every batch call
 * beside a bad one, and IDEMPOTENT accepts what is already so without changing a byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "support/api_world.h"

static struct api_world world;
static lsched_error err;
static int32_t status[3];
static const lsched_batch_opts partial = {sizeof partial, LSCHED_BATCH_PARTIAL};
static const lsched_batch_opts idempotent = {sizeof idempotent, LSCHED_BATCH_IDEMPOTENT};

static int set_up(void **state) {
    (void)state;
    err = (lsched_error)LSCHED_ERROR_INIT;
    memset(status, 0, sizeof status);
    return api_world_make(&world, NULL);
}

static int tear_down(void **state) {
    (void)state;
    api_world_drop(&world);
    return 0;
}

/* One element was applied, the other has this error, and the record describes it. */
static void one_is_bad(int32_t applied, size_t bad, int32_t code) {
    if (applied != 1) fail_msg("%d applied: %s", applied, err.message);
    assert_int_equal(status[bad], code);
    assert_int_equal(status[!bad], LSCHED_OK);
    assert_int_equal(err.index, bad);
    assert_int_equal(err.code, code);
}

/* The call counts one element, says that it changed nothing, and the image is the same. */
static void is_unchanged(int32_t applied, uint64_t image) {
    if (applied != 1) fail_msg("%d: %s", applied, err.message);
    assert_int_equal(status[0], LSCHED_UNCHANGED);
    assert_int_equal(api_image(world.cluster), image);
}

static void removals_are_partial(void **state) {
    (void)state;
    lsched_cluster *c = world.cluster;
    lsched_id nodes[] = {world.gone_node, world.nodes[1]}, jobs[] = {world.gone_job, world.later},
              queues[] = {world.gone_queue, world.product};
    one_is_bad(lsched_nodes_remove(c, nodes, 2, &partial, status, &err), 0, LSCHED_E_STALE);
    one_is_bad(lsched_jobs_remove(c, jobs, 2, &partial, status, &err), 0, LSCHED_E_STALE);
    one_is_bad(lsched_queues_remove(c, queues, 2, &partial, status, &err), 0, LSCHED_E_STALE);
    assert_int_equal(lsched_verify(c, NULL, &err), LSCHED_OK);
}

/* An update whose `set` names no field is applied, and changes nothing, whatever its fields are. */
static void an_update_without_fields_changes_nothing(void **state) {
    (void)state;
    lsched_cluster *c = world.cluster;
    uint64_t image = api_image(c);
    int64_t wake = lsched_next_wake(c);
    lsched_node_update node = LSCHED_NODE_UPDATE_INIT;
    lsched_queue_update queue = LSCHED_QUEUE_UPDATE_INIT;
    lsched_job_update job = LSCHED_JOB_UPDATE_INIT;
    lsched_device_update device = LSCHED_DEVICE_UPDATE_INIT;
    node.node = device.node = world.nodes[0];
    node.state = LSCHED_NODE_DRAINING;
    node.tasks_max = 1;
    queue.queue = world.research;
    queue.jobs_max = 1;
    job.job = world.later;
    job.priority = 5;
    device.health = LSCHED_HEALTH_FAILED;
    assert_int_equal(lsched_nodes_update(c, &node, 1, sizeof node, NULL, status, &err), 1);
    assert_int_equal(lsched_queues_update(c, &queue, 1, sizeof queue, NULL, status, &err), 1);
    assert_int_equal(lsched_jobs_update(c, &job, 1, sizeof job, NULL, status, &err), 1);
    assert_int_equal(lsched_devices_update(c, &device, 1, sizeof device, NULL, status, &err), 1);
    assert_int_equal(status[0], LSCHED_OK);
    assert_true(api_image(c) == image);
    assert_int_equal(lsched_next_wake(c), wake);
    node.set = 1u << 31;
    assert_int_equal(lsched_nodes_update(c, &node, 1, sizeof node, NULL, status, &err),
                     LSCHED_E_INVAL);
}

static void updates_are_partial(void **state) {
    (void)state;
    lsched_cluster *c = world.cluster;
    lsched_node_update n[2] = {LSCHED_NODE_UPDATE_INIT, LSCHED_NODE_UPDATE_INIT};
    n[0].node = world.nodes[1], n[1].node = world.gone_node;
    n[0].set = n[1].set = LSCHED_NODE_SET_TAG;
    one_is_bad(lsched_nodes_update(c, n, 2, sizeof n[0], &partial, status, &err), 1,
               LSCHED_E_STALE);
    lsched_queue_update q[2] = {LSCHED_QUEUE_UPDATE_INIT, LSCHED_QUEUE_UPDATE_INIT};
    q[0].queue = world.gone_queue, q[1].name = LSCHED_TEXT("product");
    q[0].set = q[1].set = LSCHED_QUEUE_SET_TAG;
    one_is_bad(lsched_queues_update(c, q, 2, sizeof q[0], &partial, status, &err), 0,
               LSCHED_E_STALE);
    lsched_job_update j[2] = {{.size = sizeof j[0]}, {.size = sizeof j[0]}};
    j[0].job = world.later, j[1].job = world.gone_job;
    j[0].set = j[1].set = LSCHED_JOB_SET_PRIORITY;
    one_is_bad(lsched_jobs_update(c, j, 2, sizeof j[0], &partial, status, &err), 1, LSCHED_E_STALE);
}

static void reports_are_partial(void **state) {
    (void)state;
    lsched_cluster *c = world.cluster;
    lsched_usage_sample u[2] = {LSCHED_USAGE_SAMPLE_INIT, LSCHED_USAGE_SAMPLE_INIT};
    u[0].job = world.gone_job, u[1].job = world.busy;
    u[0].kind = u[1].kind = LSCHED_GPU;
    one_is_bad(lsched_usage_report(c, u, 2, sizeof u[0], &partial, status, &err), 0,
               LSCHED_E_STALE);
    lsched_task_event e[2] = {LSCHED_TASK_EVENT_INIT, LSCHED_TASK_EVENT_INIT};
    e[0].job = world.busy, e[1].job = world.gone_job;
    e[0].event = e[1].event = LSCHED_EVENT_ENDED;
    one_is_bad(lsched_tasks_report(c, e, 2, sizeof e[0], &partial, status, &err), 1,
               LSCHED_E_STALE);
}

static void settling_is_partial(void **state) {
    (void)state;
    lsched_settlement s[2] = {LSCHED_SETTLEMENT_INIT, LSCHED_SETTLEMENT_INIT};
    s[0].decision = world.gone_decision, s[1].decision = world.proposed;
    s[0].outcome = s[1].outcome = LSCHED_OUTCOME_CONFIRMED;
    one_is_bad(lsched_settle(world.cluster, s, 2, sizeof s[0], &partial, NULL, status, &err), 0,
               LSCHED_E_STALE);
    assert_int_equal(lsched_decision_state(world.cluster, world.proposed, NULL),
                     LSCHED_DECISION_CONFIRMED);
}

/* The refusal of a rejected element counts even if an earlier element of the batch is bad. */
static void a_refusal_beside_a_bad_element_is_remembered(void **state) {
    (void)state;
    struct api_world other;
    assert_int_equal(api_world_make(&other, NULL), 0);
    lsched_settlement s[2] = {LSCHED_SETTLEMENT_INIT, LSCHED_SETTLEMENT_INIT};
    s[0].decision = world.gone_decision, s[1].decision = world.proposed;
    s[0].outcome = 7, s[1].outcome = LSCHED_OUTCOME_REJECTED;
    one_is_bad(lsched_settle(world.cluster, s, 2, sizeof s[0], &partial, NULL, status, &err), 0,
               LSCHED_E_INVAL);
    s[1].decision = other.proposed;
    assert_int_equal(lsched_settle(other.cluster, &s[1], 1, sizeof s[0], NULL, NULL, NULL, &err),
                     1);
    assert_int_equal(api_meaning(world.cluster), api_meaning(other.cluster));
    api_world_drop(&other);
}

static void what_is_gone_can_be_removed_again(void **state) {
    (void)state;
    lsched_cluster *c = world.cluster;
    uint64_t image = api_image(c);
    is_unchanged(lsched_nodes_remove(c, &world.gone_node, 1, &idempotent, status, &err), image);
    is_unchanged(lsched_queues_remove(c, &world.gone_queue, 1, &idempotent, status, &err), image);
    is_unchanged(lsched_jobs_remove(c, &world.gone_job, 1, &idempotent, status, &err), image);
    assert_int_equal(lsched_jobs_remove(c, &world.nodes[0], 1, &idempotent, status, &err),
                     LSCHED_E_KIND);
}

static int32_t report(lsched_id job, uint32_t event, int64_t at) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.job = job, e.event = event, e.at_us = at;
    return lsched_tasks_report(world.cluster, &e, 1, sizeof e, &idempotent, status, &err);
}

static void events_can_be_repeated(void **state) {
    (void)state;
    uint64_t image = api_image(world.cluster);
    is_unchanged(report(world.busy, LSCHED_EVENT_STARTED, world.now_us + 5000000), image);
    is_unchanged(report(world.gone_job, LSCHED_EVENT_ENDED, 0), image);
    is_unchanged(report(world.gone_job, LSCHED_EVENT_FAILED, 0), image);
    is_unchanged(report(world.later, LSCHED_EVENT_FAILED, 0), image);
    assert_int_equal(report(world.later, LSCHED_EVENT_ENDED, 0), LSCHED_E_STATE);
    assert_int_equal(report(world.later, LSCHED_EVENT_STARTED, 0), LSCHED_E_STATE);
    assert_int_equal(report(world.gone_job, LSCHED_EVENT_STARTED, 0), LSCHED_E_STALE);
    assert_int_equal(api_image(world.cluster), image);
    assert_int_equal(report(world.open, LSCHED_EVENT_STARTED, 0), 1);
    assert_int_equal(status[0], LSCHED_OK);
}

static int32_t settle(lsched_id decision, lsched_outcome outcome) {
    lsched_settlement s = {.size = sizeof s, .outcome = outcome, .decision = decision};
    return lsched_settle(world.cluster, &s, 1, sizeof s, &idempotent, NULL, status, &err);
}

static void outcomes_can_be_repeated(void **state) {
    (void)state;
    assert_int_equal(settle(world.proposed, LSCHED_OUTCOME_CONFIRMED), 1);
    assert_int_equal(status[0], LSCHED_OK);
    uint64_t image = api_image(world.cluster);
    is_unchanged(settle(world.proposed, LSCHED_OUTCOME_CONFIRMED), image);
    is_unchanged(settle(world.gone_decision, LSCHED_OUTCOME_REJECTED), image);
    assert_int_equal(settle(world.gone_decision, LSCHED_OUTCOME_CONFIRMED), LSCHED_E_STALE);
}

static void an_import_can_be_repeated(void **state) {
    (void)state;
    uint64_t cursor = 0, image = api_image(world.cluster);
    lsched_task_info is = {.size = sizeof is};
    assert_int_equal(lsched_tasks_next(world.cluster, world.busy, 0, &cursor, &is, NULL), 1);
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    m.job = world.busy, m.node = is.node;
    is_unchanged(lsched_tasks_import(world.cluster, &m, 1, sizeof m, &idempotent, status, &err),
                 image);
    m.device_mask = is.device_mask;
    is_unchanged(lsched_tasks_import(world.cluster, &m, 1, sizeof m, &idempotent, status, &err),
                 image);
    m.node = is.node == world.nodes[0] ? world.nodes[1] : world.nodes[0];
    assert_int_equal(lsched_tasks_import(world.cluster, &m, 1, sizeof m, &idempotent, status, &err),
                     LSCHED_E_STATE);
}

/* Text slices without a NUL byte, and empty ones with a pointer. */
static void an_empty_slice_is_empty(void **state) {
    (void)state;
    const char *line = "user=;group=secret";
    lsched_cluster *c = world.cluster;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("x", &group, 1);
    const lsched_text none = {line + 5, 0};
    job.name = none;
    assert_int_equal(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, &err),
                     LSCHED_E_INVAL);
    job.name = (lsched_text){line, 4};
    assert_int_equal(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, &err), 1);
    assert_true(lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("user")) != 0);
    assert_true(lsched_find(c, LSCHED_KIND_JOB, lsched_cstr("user")) != 0);
    assert_true(lsched_find(c, LSCHED_KIND_JOB, none) == 0);
    assert_true(lsched_find(c, LSCHED_KIND_JOB, lsched_cstr(NULL)) == 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(removals_are_partial),
        TEST(updates_are_partial),
        TEST(an_update_without_fields_changes_nothing),
        TEST(reports_are_partial),
        TEST(settling_is_partial),
        TEST(a_refusal_beside_a_bad_element_is_remembered),
        TEST(what_is_gone_can_be_removed_again),
        TEST(events_can_be_repeated),
        TEST(outcomes_can_be_repeated),
        TEST(an_import_can_be_repeated),
        TEST(an_empty_slice_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
