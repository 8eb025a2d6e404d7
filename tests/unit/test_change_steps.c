/* A change of one queue or one node costs the same number of steps (lsched_plan_info.steps) in a small and in a large
 * cluster, in the cycle after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/steps_world.h"
#include "support/queue_update.h"

enum { NODES = 64 };

static void change_queue(lsched_cluster *c) {
    steps_queue_add(c, "another", 0);
}

static void change_quota(lsched_cluster *c) {
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    lsched_amount cpu = {LSCHED_CPU, 0, 5000};
    lsched_id id = lsched_find(c, LSCHED_KIND_QUEUE, LSCHED_TEXT("q"));
    queue.name = LSCHED_TEXT("q");
    queue.quota = &cpu;
    queue.n_quota = 1;
    steps_must(queue_update_all(c, id, &queue, &steps_err));
}

static void change_remove(lsched_cluster *c) {
    lsched_id id = lsched_find(c, LSCHED_KIND_QUEUE, LSCHED_TEXT("spare"));
    steps_must(lsched_queues_remove(c, &id, 1, NULL, NULL, &steps_err));
}

static void change_user(lsched_cluster *c) {
    steps_submit_as(c, "of a new user", 1000, "users", "ada");
}

static void change_node(lsched_cluster *c) {
    steps_node_add(c, "n30 and more"); /* this name sorts between others */
}

static void change_gone(lsched_cluster *c) {
    lsched_id id = lsched_find(c, LSCHED_KIND_NODE, LSCHED_TEXT("n40"));
    steps_must(lsched_nodes_remove(c, &id, 1, NULL, NULL, &steps_err));
}

static void node_update(lsched_cluster *c, lsched_node_update *u) {
    u->name = LSCHED_TEXT("n50");
    steps_must(lsched_nodes_update(c, u, 1, sizeof *u, NULL, NULL, &steps_err));
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
    queues[0].name = LSCHED_TEXT("first");
    assert_true(lsched_queues_add(c, queues, 2, sizeof queues[0], NULL, NULL, NULL, &steps_err) <
                0);
}

/* Returns the steps of the cycle after the change, in which one job is placed. An earlier cycle has
 * placed a job of the same shape, which still runs. */
static uint64_t steps_after(uint32_t nodes, void (*change)(lsched_cluster *c)) {
    lsched_cluster *c = steps_world(nodes);
    steps_queue_add(c, "spare", 0);
    steps_queue_add(c, "users", LSCHED_QUEUE_PER_USER);
    steps_submit(c, "a");
    steps_cycle(c, 1);
    steps_submit(c, "b");
    steps_cycle(c, 2);
    change(c);
    steps_submit(c, "c");
    uint64_t steps = steps_cycle(c, 3).steps;
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
