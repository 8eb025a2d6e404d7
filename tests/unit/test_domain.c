/* Topology trees: domains come with the first node that names them and go with the last; a walk
 * meets each once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "model/shapes/domain.h"
#include "model/nodes/node.h"
#include "property/chance.h"
#include "support/model_world.h"

static struct model_world world;

static int open_world(void **unused) {
    (void)unused;
    return world_open(&world, NULL);
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

static uint32_t tree(const char *name, const lsched_text *levels, uint32_t n) {
    uint32_t row = NO_ROW;
    assert_int_equal(topology_add(&world.k, text(name), levels, n, 0, &row), LSCHED_OK);
    return row;
}

/* A node with those labels of zone, row and rack that are given. */
static uint32_t node(const char *name, const char *zone, const char *row, const char *rack) {
    static struct node_spec spec;
    lsched_label labels[3];
    uint32_t out;
    memset(&spec, 0, sizeof spec);
    spec.name = text(name);
    if (rack) labels[spec.n_labels++] = (lsched_label){text("rack"), text(rack)};
    if (row) labels[spec.n_labels++] = (lsched_label){text("row"), text(row)};
    if (zone) labels[spec.n_labels++] = (lsched_label){text("zone"), text(zone)};
    spec.labels = labels;
    spec.capacity[LSCHED_CPU] = 1000;
    assert_int_equal(node_add(&world.k, &spec, &out), LSCHED_OK);
    return out;
}

static uint32_t count_domains(uint32_t root, uint32_t *nodes) {
    uint32_t n = 0;
    *nodes = 0;
    for (uint32_t d = root; d != NO_ROW; d = domain_next(&world.k, root, d)) {
        n++;
        for (uint32_t x = domain_first_node(&world.k, d); x != NO_ROW;
             x = domain_next_node(&world.k, d, x))
            ++*nodes;
    }
    return n;
}

static void domains_come_and_go_with_nodes(void **unused) {
    (void)unused;
    lsched_text levels[] = {text("zone"), text("row"), text("rack")};
    uint32_t t = tree("site", levels, 3), nodes;
    const struct columns *k = &world.k;
    uint32_t a = node("a", "z1", "w1", "r1"), b = node("b", "z1", "w1", "r2"),
             c = node("c", "z1", "w2", "r1");
    uint32_t outside = node("d", "z1", NULL, "r1");
    assert_int_equal(table_live(k, T_DOMAIN),
                     6); /* z1; w1, w2; two racks in w1, another r1 in w2 */
    assert_int_equal(domain_of_node(k, t, outside, 0), NO_ROW);
    uint32_t zone = domain_of_node(k, t, a, 0);
    assert_int_equal(zone, domain_of_node(k, t, c, 0));
    assert_int_equal(domain_of_node(k, t, a, 1), domain_of_node(k, t, b, 1));
    assert_int_not_equal(domain_of_node(k, t, a, 2), domain_of_node(k, t, b, 2));
    assert_int_not_equal(domain_of_node(k, t, a, 2),
                         domain_of_node(k, t, c, 2)); /* r1 of another row */
    assert_true(domain_contains(k, zone, b) && domain_contains(k, domain_of_node(k, t, b, 2), b));
    assert_false(domain_contains(k, domain_of_node(k, t, a, 2), b));
    assert_int_equal(count_domains(zone, &nodes), 6);
    assert_int_equal(nodes, 3);
    assert_int_equal(k->c[C_DOMAIN_NODES].u32[zone], 3);
    assert_int_equal(verify_state(k, NULL), LSCHED_OK);
    node_remove(&world.k, c);
    assert_int_equal(table_live(k, T_DOMAIN), 4);
    node_remove(&world.k, a);
    node_remove(&world.k, b);
    assert_int_equal(table_live(k, T_DOMAIN), 0);
    assert_int_equal(verify_state(k, NULL), LSCHED_OK);
}

static void a_tree_that_comes_late_finds_the_nodes(void **unused) {
    (void)unused;
    lsched_text both[] = {text("zone"), text("rack")}, one[] = {text("row")};
    uint32_t a = node("a", "z1", "w1", "r1"), b = node("b", "z2", "w1", "r1");
    uint32_t first = tree("first", both, 2), second = tree("second", one, 1);
    const struct columns *k = &world.k;
    assert_int_not_equal(domain_of_node(k, first, a, 1), domain_of_node(k, first, b, 1));
    assert_int_equal(domain_of_node(k, second, a, 0), domain_of_node(k, second, b, 0));
    assert_int_equal(topology_find(k, text("second")), second);
    assert_int_equal(topology_find(k, text("")), NO_ROW); /* not the only one any more */
    assert_int_equal(topology_level(k, first, text("rack")), 1);
    assert_int_equal(topology_level(k, first, text("row")), NO_ROW);
    assert_int_equal(topology_level_key(k, first, 1).len, 4);
    tree("third", one, 1);
    tree("fourth", one, 1);
    uint32_t row;
    assert_int_equal(topology_add(&world.k, text("fifth"), one, 1, 0, &row), LSCHED_E_LIMIT);
    assert_int_equal(verify_state(k, NULL), LSCHED_OK);
}

static void random_nodes_keep_the_trees_whole(void **unused) {
    (void)unused;
    enum { NODES = 60 };
    uint32_t row[NODES];
    uint64_t seed = chance_seed(12);
    print_message("seed %llu\n", (unsigned long long)seed);
    struct chance c = {seed};
    lsched_text levels[] = {text("zone"), text("row"), text("rack")}, flat[] = {text("rack")};
    tree("deep", levels, 3);
    tree("flat", flat, 1);
    memset(row, 0xFF, sizeof row);
    for (uint32_t round = chance_rounds(1500); round > 0; round--) {
        uint32_t i = chance_below(&c, NODES);
        char name[8], zone[8], way[8], rack[8];
        if (row[i] != NO_ROW) {
            node_remove(&world.k, row[i]);
            row[i] = NO_ROW;
        } else {
            snprintf(name, sizeof name, "n%u", i);
            snprintf(zone, sizeof zone, "z%u", chance_below(&c, 2));
            snprintf(way, sizeof way, "w%u", chance_below(&c, 3));
            snprintf(rack, sizeof rack, "r%u", chance_below(&c, 4));
            row[i] = node(name, chance_one_in(&c, 9) ? NULL : zone,
                          chance_one_in(&c, 9) ? NULL : way, chance_one_in(&c, 9) ? NULL : rack);
        }
        if (round % 16 == 0) assert_int_equal(verify_state(&world.k, NULL), LSCHED_OK);
    }
    for (uint32_t i = 0; i < NODES; i++)
        if (row[i] != NO_ROW) node_remove(&world.k, row[i]);
    assert_int_equal(table_live(&world.k, T_DOMAIN), 0);
    assert_int_equal(verify_state(&world.k, NULL), LSCHED_OK);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(domains_come_and_go_with_nodes),
        TEST(a_tree_that_comes_late_finds_the_nodes),
        TEST(random_nodes_keep_the_trees_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
