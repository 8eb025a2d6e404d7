/*
 * test_walk_moved.c -- walks over the tasks of a node or of a job while other calls move the task at
 * the cursor: the walk returns only what was asked for, or LSCHED_E_STATE.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/api_world.h"

#define SECOND INT64_C(1000000)
#define START  INT64_C(1700000000000000)

static lsched_cluster *cluster;
static lsched_error err;
static lsched_id nodes[2], one;

static lsched_id submit(const char *name, uint32_t count) {
    static const lsched_amount cpu = {LSCHED_CPU, 0, 1000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_id id = 0;
    g.max_count = count;
    g.min_count = 1;
    g.request = &cpu;
    g.n_request = 1;
    lsched_job_desc j = api_job(name, &g, 1);
    j.submit_us = START;
    assert_int_equal(lsched_jobs_submit(cluster, &j, 1, sizeof j, NULL, &id, NULL, &err), 1);
    return id;
}

static int set_up(void **state) {
    (void)state;
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    q.name = LSCHED_TEXT("research");
    cluster = NULL;
    if (lsched_cluster_create(NULL, &cluster, &err) < 0) return -1;
    for (int i = 0; i < 2; i++) {
        static const lsched_amount cpu = {LSCHED_CPU, 0, 8000};
        lsched_node_desc n = LSCHED_NODE_DESC_INIT;
        n.name = lsched_cstr(i ? "b" : "a");
        n.capacity = &cpu;
        n.n_capacity = 1;
        if (lsched_nodes_add(cluster, &n, 1, sizeof n, NULL, &nodes[i], NULL, &err) < 0) return -1;
    }
    if (lsched_queues_add(cluster, &q, 1, sizeof q, NULL, NULL, NULL, &err) < 0) return -1;
    one = submit("one", 6);
    return api_cycle(cluster, START, NULL);
}

static int tear_down(void **state) {
    (void)state;
    lsched_cluster_destroy(cluster);
    return 0;
}

static void report(lsched_id job, uint32_t index, uint32_t event, int64_t at) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = event;
    e.job = job;
    e.task_index = index;
    e.at_us = at;
    assert_int_equal(lsched_tasks_report(cluster, &e, 1, sizeof e, NULL, NULL, &err), 1);
}

static void cordon(lsched_id node) {
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = node;
    u.set = LSCHED_NODE_SET_STATE;
    u.state = LSCHED_NODE_CORDONED;
    assert_int_equal(lsched_nodes_update(cluster, &u, 1, sizeof u, NULL, NULL, &err), 1);
}

static void hold(lsched_id job) {
    lsched_job_hold h = LSCHED_INIT(lsched_job_hold);
    h.job = job;
    assert_int_equal(lsched_jobs_hold(cluster, &h, 1, sizeof h, NULL, NULL, &err), 1);
}

/* Starts all tasks of the job, and begins a walk. Returns the index of the task at the cursor. */
static uint32_t walk_begun(lsched_id job, lsched_id node, uint64_t *cursor) {
    lsched_task_info t = LSCHED_INIT(lsched_task_info);
    for (uint32_t i = 0; i < 6; i++) report(one, i, LSCHED_EVENT_STARTED, START);
    *cursor = 0;
    assert_int_equal(lsched_tasks_next(cluster, job, node, cursor, &t, &err), 1);
    uint64_t ahead = *cursor;
    assert_int_equal(lsched_tasks_next(cluster, job, node, &ahead, &t, &err), 1);
    return t.task_index;
}

static lsched_id node_of(uint32_t index) {
    lsched_task_info t = LSCHED_INIT(lsched_task_info);
    uint64_t cursor = 0;
    while (lsched_tasks_next(cluster, one, 0, &cursor, &t, &err) == 1)
        if (t.task_index == index) return t.node;
    return 0;
}

static void the_task_at_the_cursor_goes_to_another_node(void **state) {
    (void)state;
    lsched_task_info t = LSCHED_INIT(lsched_task_info);
    uint64_t cursor;
    lsched_id from = node_of(0), to = from == nodes[0] ? nodes[1] : nodes[0];
    uint32_t index = walk_begun(0, from, &cursor);
    uint64_t before = cursor;
    report(one, index, LSCHED_EVENT_FAILED, START + SECOND);
    cordon(from);
    assert_int_equal(api_cycle(cluster, START + 100 * SECOND, NULL), LSCHED_OK);
    assert_true(node_of(index) == to);
    assert_int_equal(lsched_tasks_next(cluster, 0, from, &cursor, &t, &err), LSCHED_E_STATE);
    assert_true(cursor == before);
    for (cursor = 0; lsched_tasks_next(cluster, 0, from, &cursor, &t, &err) == 1;)
        assert_true(t.node == from); /* the new walk */
}

/* The rows of a job of which nothing is placed are free for other jobs. */
static void the_row_at_the_cursor_is_of_another_job(void **state) {
    (void)state;
    lsched_task_info t = LSCHED_INIT(lsched_task_info);
    uint64_t cursor;
    walk_begun(one, 0, &cursor);
    uint64_t row = cursor;
    for (uint32_t i = 0; i < 6; i++) report(one, i, LSCHED_EVENT_FAILED, START + SECOND);
    hold(one);
    lsched_id two = submit("two", 8);
    assert_int_equal(api_cycle(cluster, START + 2 * SECOND, NULL), LSCHED_OK);
    /* The row is in use again: a walk of the other job accepts it. */
    assert_int_equal(lsched_tasks_next(cluster, two, 0, &row, &t, &err), 1);
    assert_true(t.job == two);
    assert_int_equal(lsched_tasks_next(cluster, one, 0, &cursor, &t, &err), LSCHED_E_STATE);
}

/* A task that waits again has a row that is in neither list. */
static void the_task_at_the_cursor_waits_again(void **state) {
    (void)state;
    lsched_task_info t = LSCHED_INIT(lsched_task_info);
    uint64_t cursor, of_job;
    lsched_id node = node_of(0);
    uint32_t index = walk_begun(0, node, &cursor);
    of_job = cursor;
    report(one, index, LSCHED_EVENT_FAILED, START + SECOND);
    assert_int_equal(lsched_tasks_next(cluster, 0, node, &cursor, &t, &err), LSCHED_E_STATE);
    assert_int_equal(lsched_tasks_next(cluster, one, 0, &of_job, &t, &err), LSCHED_E_STATE);
}

/* A task that has ended keeps a row, which is on no node. */
static void the_task_at_the_cursor_has_ended(void **state) {
    (void)state;
    lsched_task_info t = LSCHED_INIT(lsched_task_info);
    uint64_t cursor;
    lsched_id node = node_of(0);
    uint32_t index = walk_begun(0, node, &cursor);
    report(one, index, LSCHED_EVENT_ENDED, START + SECOND);
    assert_int_equal(lsched_tasks_next(cluster, 0, node, &cursor, &t, &err), LSCHED_E_STATE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_task_at_the_cursor_goes_to_another_node, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_row_at_the_cursor_is_of_another_job, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_task_at_the_cursor_waits_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_task_at_the_cursor_has_ended, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
