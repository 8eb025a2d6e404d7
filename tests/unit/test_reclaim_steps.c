/* The steps (lsched_plan_info.steps) of one gang that reclaims half of a cluster grow linearly with
 * the cluster: n, 4n and 16n nodes. Two queues borrow all of the cluster. So each victim lowers the
 * excess of a queue, and the cost of all nodes with work of that queue.
 *
 * The first reclaim for one task finds the index of running work that an earlier cycle made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

enum { NODES = 64, PER_NODE = 4 };

static const char policy[] = "return { api = 1, name = 'steps', fair_share = 'quota',\n"
                             "  placement = 'binpack', pipeline = { 'allocate', 'reclaim' } }\n";

static lsched_error err = LSCHED_ERROR_INIT;

static void must(int32_t code) {
    if (code < 0) print_message("%d %s\n", code, err.message);
    assert_true(code >= 0);
}

static void add_nodes(lsched_cluster *c, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        lsched_amount cpu = {LSCHED_CPU, 0, 1000 * PER_NODE};
        snprintf(name, sizeof name, "n%u", i);
        node.name = lsched_cstr(name);
        node.capacity = &cpu;
        node.n_capacity = 1;
        must(lsched_nodes_add(c, &node, 1, sizeof node, NULL, NULL, NULL, &err));
    }
}

static void add_queue(lsched_cluster *c, const char *name, int64_t cores) {
    lsched_amount quota = {LSCHED_CPU, 0, 1000 * cores};
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name = lsched_cstr(name);
    queue.quota = &quota;
    queue.n_quota = 1;
    must(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, NULL, NULL, &err));
}

static void submit(lsched_cluster *c, const char *name, const char *queue, uint32_t tasks,
                   int64_t cores) {
    lsched_amount cpu = {LSCHED_CPU, 0, 1000 * cores};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    group.request = &cpu;
    group.n_request = 1;
    group.max_count = tasks;
    job.name = lsched_cstr(name);
    job.queue_name = lsched_cstr(queue);
    job.groups = &group;
    job.n_groups = 1;
    must(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, &err));
}

/* One-core jobs of both queues fill all nodes. mixed: 1 if each node has work of both queues. */
static void fill(lsched_cluster *c, uint32_t nodes, int mixed) {
    for (uint32_t i = 0; i < nodes * PER_NODE; i++) {
        char name[16], node[16];
        lsched_task_import task = LSCHED_TASK_IMPORT_INIT;
        uint32_t of = mixed ? i : i / PER_NODE;
        snprintf(name, sizeof name, "j%u", i);
        snprintf(node, sizeof node, "n%u", i / PER_NODE);
        submit(c, name, of % 2 ? "odd" : "even", 1, 1);
        task.job_name = lsched_cstr(name);
        task.node_name = lsched_cstr(node);
        task.start_us = 1;
        must(lsched_tasks_import(c, &task, 1, sizeof task, NULL, NULL, &err));
    }
}

/* A full cluster in which the queue "owner" has a quota of half of it and no work. */
static lsched_cluster *full_cluster(uint32_t nodes, int mixed) {
    lsched_cluster *c = NULL;
    must(lsched_cluster_create(NULL, &c, &err));
    must(lsched_policy_load(c, LSCHED_TEXT("steps"), (lsched_text){policy, sizeof policy - 1}, NULL,
                            &err));
    add_nodes(c, nodes);
    add_queue(c, "even", 0);
    add_queue(c, "odd", 0);
    add_queue(c, "owner", (int64_t)nodes * PER_NODE / 2);
    fill(c, nodes, mixed);
    return c;
}

/* Runs a cycle at this second, which must evict so many tasks, and returns its steps. */
static uint64_t cycle_steps(lsched_cluster *c, int64_t second, uint64_t evictions) {
    lsched_plan *plan = NULL;
    lsched_plan_info info = {.size = sizeof info};
    lsched_schedule_opts now = {.size = sizeof now, .now_us = second * 1000000};
    must(lsched_schedule(c, &now, &plan, &err));
    lsched_plan_get(plan, &info, NULL);
    assert_int_equal(info.evictions, evictions);
    lsched_plan_destroy(plan);
    return info.steps;
}

static uint64_t reclaim_steps(uint32_t nodes, int mixed) {
    lsched_cluster *c = full_cluster(nodes, mixed);
    submit(c, "gang", "owner", nodes / 2, PER_NODE);
    uint64_t steps = cycle_steps(c, 3600, (uint64_t)nodes / 2 * PER_NODE);
    lsched_cluster_destroy(c);
    return steps;
}

/* The steps of the first reclaim of a cluster, for one task, after a cycle with nothing to do. */
static uint64_t first_steps(uint32_t nodes) {
    lsched_cluster *c = full_cluster(nodes, 1);
    (void)cycle_steps(c, 3600, 0);
    submit(c, "one", "owner", 1, 1);
    uint64_t steps = cycle_steps(c, 3601, 1);
    lsched_cluster_destroy(c);
    return steps;
}

static void test_steps_grow_linearly(void **state) {
    (void)state;
    for (int mixed = 0; mixed < 2; mixed++) {
        uint64_t was = reclaim_steps(NODES, mixed);
        for (uint32_t n = 4 * NODES; n <= 16 * NODES; n *= 4) {
            uint64_t steps = reclaim_steps(n, mixed);
            print_message("mixed %d: %llu steps with %u nodes, %llu with %u\n", mixed,
                          (unsigned long long)was, n / 4, (unsigned long long)steps, n);
            assert_true(steps <= was * 5); /* 4, and the heights of heaps */
            was = steps;
        }
        /* the excess of a queue is measured in 64ths of the cluster: what each of these steps costs
         * for each node must be little */
        assert_true(was <= (uint64_t)16 * NODES * 320);
    }
}

static void test_first_reclaim_enters_no_tasks(void **state) {
    (void)state;
    uint64_t few = first_steps(NODES), many = first_steps(16 * NODES);
    print_message("the first reclaim: %llu steps with %d nodes, %llu with %d\n",
                  (unsigned long long)few, NODES, (unsigned long long)many, 16 * NODES);
    /* the first query of a task shape reads all nodes; to enter all tasks would be 9 steps a node */
    assert_true(many <= few + (uint64_t)16 * NODES * 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps_grow_linearly),
                                       cmocka_unit_test(test_first_reclaim_enters_no_tasks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
