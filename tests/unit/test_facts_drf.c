/*
 * The published cases of dominant-resource fairness through the public calls: nodes, queues, jobs,
 * one plan. Names are chosen against creation order, so that it is creation time that decides where
 * shares are equal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#define GIB ((int64_t)1 << 30)

static lsched_cluster *cluster;
static lsched_plan *plan;
static int64_t created_us;

static int start(void **state) {
    (void)state;
    created_us = 0;
    plan = NULL;
    return lsched_cluster_create(NULL, &cluster, NULL);
}

static int end(void **state) {
    (void)state;
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(cluster);
    return 0;
}

static void must(int32_t code, const lsched_error *err) {
    if (code < 0) fail_msg("%d %s", code, err->message);
}

static void add_node(const char *name, int64_t cores, int64_t gib) {
    const lsched_amount capacity[] = {{LSCHED_CPU, 0, cores * 1000}, {LSCHED_MEMORY, 0, gib * GIB}};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    node.name = lsched_cstr(name);
    node.capacity = capacity;
    node.n_capacity = 2;
    must(lsched_nodes_add(cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err), &err);
}

static void add_queue(const char *name, const char *parent, int64_t weight) {
    const lsched_amount weights = {LSCHED_ANY_RESOURCE, 0, weight * 1000};
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    queue.name = lsched_cstr(name);
    queue.parent_name = lsched_cstr(parent);
    queue.weight_milli = &weights;
    queue.n_weight = 1;
    queue.created_us = ++created_us;
    must(lsched_queues_add(cluster, &queue, 1, sizeof queue, NULL, NULL, NULL, &err), &err);
}

/* `n` jobs of one task; as one job of n tasks without a minimum if `elastic`. The job's tag is
 * the queue's letter. */
static void submit(const char *queue, int64_t cores, int64_t gib, uint32_t n, int elastic) {
    const lsched_amount request[] = {{LSCHED_CPU, 0, cores * 1000}, {LSCHED_MEMORY, 0, gib * GIB}};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    group.request = request;
    group.n_request = 2;
    if (elastic) {
        group.max_count = n;
        group.min_count = 1;
    }
    job.queue_name = lsched_cstr(queue);
    job.groups = &group;
    job.n_groups = 1;
    job.tag = (uint64_t)queue[strlen(queue) - 1];
    for (uint32_t i = 0; i < (elastic ? 1 : n); i++) {
        char name[32] = {0};
        strcpy(name, queue);
        name[strlen(queue)] = (char)('0' + i / 10);
        name[strlen(queue) + 1] = (char)('0' + i % 10);
        job.name = lsched_cstr(name);
        must(lsched_jobs_submit(cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err), &err);
    }
}

static void schedule(void) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    opts.now_us = 1000000;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    lsched_plan_destroy(plan);
    must(lsched_schedule(cluster, &opts, &plan, &err), &err);
}

static void assert_holds(const char *queue, int64_t cores, int64_t gib) {
    int64_t used = -1;
    lsched_id id = lsched_find(cluster, LSCHED_KIND_QUEUE, lsched_cstr(queue));
    assert_true(lsched_queue_amount(cluster, id, LSCHED_CPU, &used, NULL, NULL, NULL) >= 0);
    assert_int_equal(used, cores * 1000);
    assert_true(lsched_queue_amount(cluster, id, LSCHED_MEMORY, &used, NULL, NULL, NULL) >= 0);
    assert_int_equal(used, gib * GIB);
}

/* The queues of the plan's decisions, in order. */
static void assert_order(const char *letters) {
    assert_int_equal(lsched_plan_size(plan), strlen(letters));
    for (size_t i = 0; letters[i]; i++)
        assert_int_equal(lsched_plan_at(plan, i)->job_tag, letters[i]);
}

/* Facts 1. NSDI'11, table 2: B, A, A, B, A. Where shares are equal, at the start and after three
 * tasks, the older queue goes first: B. */
static void test_paper_table(void **state) {
    (void)state;
    add_node("n", 9, 18);
    add_queue("B", NULL, 1);
    add_queue("A", NULL, 1);
    submit("A", 1, 4, 10, 0);
    submit("B", 3, 1, 10, 0);
    schedule();
    assert_order("BAABA");
    assert_holds("A", 3, 12);
    assert_holds("B", 6, 2);
    int64_t cpu_free = -1;
    lsched_id node = lsched_find(cluster, LSCHED_KIND_NODE, LSCHED_TEXT("n"));
    assert_true(lsched_node_amount(cluster, node, LSCHED_CPU, NULL, &cpu_free, NULL) >= 0);
    assert_int_equal(cpu_free, 0);
}

/* The same as two jobs that grow task by task. */
static void test_paper_table_elastic(void **state) {
    (void)state;
    add_node("n", 9, 18);
    add_queue("B", NULL, 1);
    add_queue("A", NULL, 1);
    submit("A", 1, 4, 10, 1);
    submit("B", 3, 1, 10, 1);
    schedule();
    assert_order("BAABA");
}

/* A at weight 2. Shares by weight are 1/9 for a task of A and 1/3 for one of B; ties to B again. */
static void test_paper_table_weighted(void **state) {
    (void)state;
    add_node("n", 9, 18);
    add_queue("B", NULL, 1);
    add_queue("A", NULL, 2);
    submit("A", 1, 4, 10, 0);
    submit("B", 3, 1, 10, 0);
    schedule();
    assert_order("BAAAB");
    assert_holds("A", 3, 12);
    assert_holds("B", 6, 2);
}

/* Facts 3, rescaling. */
static void test_hierarchy(void **state) {
    (void)state;
    add_node("n", 10, 10);
    add_queue("sci", NULL, 50);
    add_queue("eng", NULL, 50);
    add_queue("prod", "eng", 50);
    add_queue("dev", "eng", 50);
    submit("sci", 1, 1, 10, 0);
    submit("dev", 1, 0, 10, 0);
    submit("prod", 0, 1, 10, 0);
    schedule();
    assert_holds("sci", 5, 5);
    assert_holds("dev", 5, 0);
    assert_holds("prod", 0, 5);
    assert_holds("eng", 5, 5);
}

/* Facts 3, a blocked node; on several nodes, which must not matter where tasks are small. */
static void blocked_node(uint32_t nodes) {
    for (uint32_t i = 0; i < nodes; i++)
        add_node((const char *[]){"x", "y", "z"}[i], 30 / nodes, 30 / nodes);
    add_queue("pg1", NULL, 25);
    add_queue("pg2", NULL, 25);
    add_queue("pg3", NULL, 25);
    add_queue("pg4", NULL, 25);
    add_queue("pg31", "pg3", 50);
    add_queue("pg32", "pg3", 50);
    submit("pg1", 1, 0, 30, 0);
    submit("pg2", 1, 0, 30, 0);
    submit("pg31", 1, 0, 30, 0);
    submit("pg32", 0, 1, 30, 0);
    submit("pg4", 0, 1, 30, 0);
    schedule();
    assert_holds("pg1", 10, 0);
    assert_holds("pg2", 10, 0);
    assert_holds("pg31", 10, 0);
    assert_holds("pg32", 0, 15);
    assert_holds("pg4", 0, 15);
}

static void test_blocked_node(void **state) {
    (void)state;
    blocked_node(1);
}

static void test_blocked_node_on_three_nodes(void **state) {
    (void)state;
    blocked_node(3);
}

/* What a queue holds from earlier cycles counts in the next. */
static void test_shares_go_on_across_cycles(void **state) {
    (void)state;
    add_node("x", 4, 4);
    add_queue("A", NULL, 1);
    add_queue("B", NULL, 1);
    submit("A", 1, 1, 20, 0);
    schedule();
    assert_order("AAAA");
    add_node("y", 8, 8);
    submit("B", 1, 1, 20, 0);
    schedule();
    assert_order("BBBBABAB");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_paper_table, start, end),
        cmocka_unit_test_setup_teardown(test_paper_table_elastic, start, end),
        cmocka_unit_test_setup_teardown(test_paper_table_weighted, start, end),
        cmocka_unit_test_setup_teardown(test_hierarchy, start, end),
        cmocka_unit_test_setup_teardown(test_blocked_node, start, end),
        cmocka_unit_test_setup_teardown(test_blocked_node_on_three_nodes, start, end),
        cmocka_unit_test_setup_teardown(test_shares_go_on_across_cycles, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
