/* A change of one queue or one node costs the same number of steps (lsched_plan_info.steps) in a small and in a large
 * cluster, in the cycle after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

enum { NODES = 64 };

static lsched_error err = LSCHED_ERROR_INIT;

static void must(int32_t code) {
    if (code < 0) print_message("%d %s\n", code, err.message);
    assert_true(code >= 0);
}

static void submit_as(lsched_cluster *c, const char *name, const char *queue, const char *user) {
    lsched_amount cpu = {LSCHED_CPU, 0, 1000};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    group.request = &cpu;
    group.n_request = 1;
    job.name = (lsched_text){name, 0};
    job.queue_name = (lsched_text){queue, 0};
    job.user = (lsched_text){user, 0};
    job.groups = &group;
    job.n_groups = 1;
    must(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, &err));
}

static void submit(lsched_cluster *c, const char *name) {
    submit_as(c, name, "q", "");
}

static void node_add(lsched_cluster *c, const char *name) {
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_amount cpu = {LSCHED_CPU, 0, 8000};
    node.name = (lsched_text){name, 0};
    node.capacity = &cpu;
    node.n_capacity = 1;
    must(lsched_nodes_add(c, &node, 1, sizeof node, NULL, NULL, &err));
}

static lsched_cluster *world_of(uint32_t nodes) {
    lsched_cluster *c = NULL;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    must(lsched_cluster_create(NULL, &c, &err));
    queue.name = (lsched_text)LSCHED_TEXT("q");
    must(lsched_queues_add(c, &queue, 1, sizeof queue, NULL, NULL, &err));
    for (uint32_t i = 0; i < nodes; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        node_add(c, name);
    }
    return c;
}

static lsched_plan_info cycle(lsched_cluster *c, int64_t now_us) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    opts.now_us = now_us;
    must(lsched_schedule(c, &opts, &plan, &err));
    must(lsched_plan_info_get(plan, &info));
    lsched_plan_destroy(plan);
    return info;
}

static lsched_id queue_add(lsched_cluster *c, const char *name, uint32_t flags) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_id id = 0;
    queue.name = (lsched_text){name, 0};
    queue.flags = flags;
    must(lsched_queues_add(c, &queue, 1, sizeof queue, &id, NULL, &err));
    return id;
}

static void change_queue(lsched_cluster *c) {
    queue_add(c, "another", 0);
}

static void change_quota(lsched_cluster *c) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_amount cpu = {LSCHED_CPU, 0, 5000};
    lsched_id id = lsched_find(c, LSCHED_KIND_QUEUE, "q", 1);
    queue.name = (lsched_text)LSCHED_TEXT("q");
    queue.quota = &cpu;
    queue.n_quota = 1;
    must(lsched_queues_update(c, &id, &queue, 1, sizeof queue, NULL, &err));
}

static void change_remove(lsched_cluster *c) {
    lsched_id id = lsched_find(c, LSCHED_KIND_QUEUE, "spare", 5);
    must(lsched_queues_remove(c, &id, 1, NULL, &err));
}

static void change_user(lsched_cluster *c) {
    submit_as(c, "of a new user", "users", "ada");
}

static void change_node(lsched_cluster *c) {
    node_add(c, "n30 and more"); /* this name sorts between others */
}

static void change_gone(lsched_cluster *c) {
    lsched_id id = lsched_find(c, LSCHED_KIND_NODE, "n40", 3);
    must(lsched_nodes_remove(c, &id, 1, NULL, &err));
}

static void node_update(lsched_cluster *c, lsched_node_update *u) {
    u->name = (lsched_text)LSCHED_TEXT("n50");
    must(lsched_nodes_update(c, u, 1, sizeof *u, NULL, &err));
}

static void change_cordon(lsched_cluster *c) {
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.set = LSCHED_NODE_SET_STATE;
    u.state = LSCHED_NODE_CORDONED;
    node_update(c, &u);
}

static void change_labels(lsched_cluster *c) {
    lsched_label label = {LSCHED_TEXT("zone"), LSCHED_TEXT("b")};
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.set = LSCHED_NODE_SET_LABELS;
    u.labels = &label;
    u.n_labels = 1;
    node_update(c, &u);
}

static void change_capacity(lsched_cluster *c) {
    lsched_amount cpu = {LSCHED_CPU, 0, 7000};
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.set = LSCHED_NODE_SET_CAPACITY;
    u.capacity = &cpu;
    u.n_capacity = 1;
    node_update(c, &u);
}

/* A call that fails after it has changed queues: the second element has no name. */
static void change_fails(lsched_cluster *c) {
    lsched_queue_desc queues[2] = {LSCHED_QUEUE_DESC_INIT, LSCHED_QUEUE_DESC_INIT};
    queues[0].name = (lsched_text)LSCHED_TEXT("first");
    assert_true(lsched_queues_add(c, queues, 2, sizeof queues[0], NULL, NULL, &err) < 0);
}

/* Returns the steps of the cycle after the change, in which one job is placed. An earlier cycle has
 * placed a job of the same shape, which still runs. */
static uint64_t steps_after(uint32_t nodes, void (*change)(lsched_cluster *c)) {
    lsched_cluster *c = world_of(nodes);
    queue_add(c, "spare", 0);
    queue_add(c, "users", LSCHED_QUEUE_PER_USER);
    submit(c, "a");
    cycle(c, 1);
    submit(c, "b");
    cycle(c, 2);
    change(c);
    submit(c, "c");
    uint64_t steps = cycle(c, 3).steps;
    lsched_cluster_destroy(c);
    return steps;
}

static void test_changes_cost_no_scan(void **state) {
    static const struct {
        const char *what;
        void (*change)(lsched_cluster *c);
    } changes[] = {{"queue added", change_queue},      {"quota changed", change_quota},
                   {"queue removed", change_remove},   {"job of a new user", change_user},
                   {"call that fails", change_fails},  {"node added", change_node},
                   {"node removed", change_gone},      {"node cordoned", change_cordon},
                   {"node relabelled", change_labels}, {"node made smaller", change_capacity}};
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        uint64_t few = steps_after(NODES, changes[i].change),
                 many = steps_after(15 * NODES, changes[i].change);
        print_message("%s: %llu steps with %u nodes, %llu with %u\n", changes[i].what,
                      (unsigned long long)few, NODES, (unsigned long long)many, 15 * NODES);
        assert_true(many <= few + 32); /* the heights of trees are larger in the large cluster */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_changes_cost_no_scan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
