/*
 * test_given_twice.c -- lists of one element that give the same key twice: amounts, labels, taints,
 * levels and the like. The code is LSCHED_E_INVAL, and not LSCHED_E_EXISTS, which a host may take for
 * "the cluster knows this object already".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/api_world.h"
#include "support/refused.h"

static struct api_world world;

static const lsched_amount cores[] = {{LSCHED_CPU, 0, 1000}, {LSCHED_CPU, 0, 2000}};
static const lsched_label labels[] = {{LSCHED_TEXT_INIT("app"), LSCHED_TEXT_INIT("a")},
                                      {LSCHED_TEXT_INIT("app"), LSCHED_TEXT_INIT("b")}};
static const lsched_taint taints[] = {{LSCHED_TEXT_INIT("hot"), LSCHED_TEXT_INIT("x"), 0, 0},
                                      {LSCHED_TEXT_INIT("hot"), LSCHED_TEXT_INIT("x"), 0, 0}};
static const lsched_text words[] = {LSCHED_TEXT_INIT("same"), LSCHED_TEXT_INIT("same")};

static int set_up(void **state) {
    (void)state;
    return api_world_make(&world, NULL);
}

static int tear_down(void **state) {
    (void)state;
    api_world_drop(&world);
    return 0;
}

static int32_t add_node(const lsched_node_desc *n, lsched_error *err) {
    return lsched_nodes_add(world.cluster, n, 1, sizeof *n, NULL, NULL, NULL, err);
}

static int32_t add_queue(const lsched_queue_desc *q, lsched_error *err) {
    return lsched_queues_add(world.cluster, q, 1, sizeof *q, NULL, NULL, NULL, err);
}

static int32_t submit(const lsched_group_desc *g, lsched_error *err) {
    lsched_job_desc j = api_job("new", g, 1);
    return lsched_jobs_submit(world.cluster, &j, 1, sizeof j, NULL, NULL, NULL, err);
}

static void lists_of_a_node(void **state) {
    static const lsched_label attributes[] = {{LSCHED_TEXT_INIT("nvlink"), LSCHED_TEXT_INIT("1")},
                                              {LSCHED_TEXT_INIT("nvlink"), LSCHED_TEXT_INIT("2")}};
    (void)state;
    lsched_node_desc n = api_node("new");
    n.capacity = cores;
    REFUSED(&world, LSCHED_E_INVAL, "given twice", add_node(&n, &err));
    n = api_node("new");
    n.labels = labels;
    REFUSED(&world, LSCHED_E_INVAL, "'app' is given twice", add_node(&n, &err));
    n = api_node("new");
    n.taints = taints;
    n.n_taints = 2;
    REFUSED(&world, LSCHED_E_INVAL, "'hot' is given twice", add_node(&n, &err));
    n = api_node("new");
    lsched_device_desc d = *n.devices;
    d.attributes = attributes;
    d.n_attributes = 2;
    n.devices = &d;
    REFUSED(&world, LSCHED_E_INVAL, "'nvlink' is given twice", add_node(&n, &err));
    n = api_node("new");
    lsched_machine_desc m = LSCHED_INIT(lsched_machine_desc);
    m.n_devices = 8;
    m.nics = words;
    m.n_nics = 2;
    n.machine = &m;
    REFUSED(&world, LSCHED_E_INVAL, "are named 'same'", add_node(&n, &err));
}

static void lists_of_an_update(void **state) {
    (void)state;
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = world.nodes[0];
    u.set = LSCHED_NODE_SET_LABELS;
    u.labels = labels;
    u.n_labels = 2;
    REFUSED(&world, LSCHED_E_INVAL, "'app' is given twice",
            lsched_nodes_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err));
    u.set = LSCHED_NODE_SET_TAINTS;
    u.taints = taints;
    u.n_taints = 2;
    REFUSED(&world, LSCHED_E_INVAL, "'hot' is given twice",
            lsched_nodes_update(world.cluster, &u, 1, sizeof u, NULL, NULL, &err));
}

static void lists_of_a_queue_and_a_topology(void **state) {
    (void)state;
    lsched_queue_desc q = api_queue("new", NULL);
    q.quota = cores;
    q.n_quota = 2;
    REFUSED(&world, LSCHED_E_INVAL, "given twice", add_queue(&q, &err));
    q = api_queue("new", NULL);
    q.limit = cores;
    q.n_limit = 2;
    REFUSED(&world, LSCHED_E_INVAL, "given twice", add_queue(&q, &err));
    lsched_topology_desc t = LSCHED_TOPOLOGY_DESC_INIT;
    t.name = LSCHED_TEXT("new");
    t.levels = words;
    t.n_levels = 2;
    REFUSED(&world, LSCHED_E_INVAL, "'same' is given twice",
            lsched_topologies_add(world.cluster, &t, 1, sizeof t, NULL, NULL, NULL, &err));
}

static void lists_of_a_job(void **state) {
    static const lsched_dependency needs[] = {
        {.size = sizeof(lsched_dependency), .name = LSCHED_TEXT_INIT("busy")},
        {.size = sizeof(lsched_dependency), .name = LSCHED_TEXT_INIT("busy")}};
    (void)state;
    lsched_group_desc g = api_group(1);
    lsched_job_desc j = api_job("new", &g, 1);
    j.labels = labels;
    j.n_labels = 2;
    REFUSED(&world, LSCHED_E_INVAL, "'app' is given twice",
            lsched_jobs_submit(world.cluster, &j, 1, sizeof j, NULL, NULL, NULL, &err));
    j = api_job("new", &g, 1);
    j.dependencies = needs;
    j.n_dependencies = 2;
    REFUSED(&world, LSCHED_E_INVAL, "on the same event",
            lsched_jobs_submit(world.cluster, &j, 1, sizeof j, NULL, NULL, NULL, &err));
}

static void lists_of_a_group(void **state) {
    static const lsched_selector selectors[] = {
        {.size = sizeof(lsched_selector), .key = LSCHED_TEXT_INIT("zone")},
        {.size = sizeof(lsched_selector), .key = LSCHED_TEXT_INIT("zone")}};
    static const lsched_slice slices[] = {{LSCHED_TEXT_INIT("rack"), 1, 0},
                                          {LSCHED_TEXT_INIT("rack"), 1, 0}};
    static const lsched_demand_step steps[] = {
        {.size = sizeof(lsched_demand_step), .kind = LSCHED_CPU, .amount = 1000},
        {.size = sizeof(lsched_demand_step), .kind = LSCHED_CPU, .amount = 2000}};
    (void)state;
    lsched_group_desc g = api_group(1);
    g.request = cores;
    REFUSED(&world, LSCHED_E_INVAL, "given twice", submit(&g, &err));
    g = api_group(1);
    g.selectors = selectors;
    g.n_selectors = 2;
    REFUSED(&world, LSCHED_E_INVAL, "two selectors for 'zone'", submit(&g, &err));
    g = api_group(1);
    g.slices = slices;
    g.n_slices = 2;
    REFUSED(&world, LSCHED_E_INVAL, "'rack' are given twice", submit(&g, &err));
    g = api_group(1);
    g.demand = steps;
    g.n_demand = 2;
    g.demand_period_us = INT64_C(86400000000);
    REFUSED(&world, LSCHED_E_INVAL, "another step of 'cpu'", submit(&g, &err));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lists_of_a_node, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lists_of_an_update, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lists_of_a_queue_and_a_topology, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lists_of_a_job, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lists_of_a_group, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
