/* model/store/name_order.h: rows that come and go stay in the order of their names, and marks compare as names do.
 * Checked against a sort of the live rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/store/name_order.h"
#include "property/chance.h"
#include "support/model_world.h"

enum { NAMES_MAX = 3000 };

static struct model_world world;
static struct name_order order;

static int open_world(void **unused) {
    (void)unused;
    if (world_open(&world, NULL) != LSCHED_OK) return 1;
    name_order_open(&order, (struct name_order_of){T_NODE, C_NODE_NAME, C_NODE_GEN});
    return 0;
}

static int close_world(void **unused) {
    (void)unused;
    name_order_close(&order, &world.k);
    world_close(&world);
    return 0;
}

static uint32_t add_node(const char *name) {
    uint32_t row = NO_ROW;
    assert_int_equal(world_node(&world, name, 8000, 0, 0, NULL, &row), LSCHED_OK);
    return row;
}

static int by_name(const void *a, const void *b) {
    const uint32_t *name = world.k.c[C_NODE_NAME].u32;
    return text_compare(&world.k, name[*(const uint32_t *)a], name[*(const uint32_t *)b]);
}

/* The order has the live rows, sorted by name, with ascending marks. */
static void check_order(void) {
    static uint32_t want[NAMES_MAX], got[NAMES_MAX];
    uint32_t n = 0;
    for (uint32_t r = 0; r < table_rows(&world.k, T_NODE); r++) {
        assert_true(name_order_is_current(&order, &world.k, r));
        if (row_is_live(&world.k, T_NODE, r)) want[n++] = r;
    }
    qsort(want, n, sizeof *want, by_name);
    assert_int_equal(order.n, n);
    name_order_list(&order, got);
    if (n) assert_memory_equal(got, want, n * sizeof *want);
    for (uint32_t i = 1; i < n; i++) assert_true(order.mark[got[i - 1]] < order.mark[got[i]]);
    uint32_t in_runs = 0;
    for (uint32_t i = 0; i < order.n_runs; i++) {
        assert_true(order.run[i].n > 0 && order.run[i].n <= NAME_ORDER_RUN);
        in_runs += order.run[i].n;
    }
    assert_int_equal(in_runs, n);
}

static void put(const char *name) {
    uint32_t row = add_node(name);
    assert_false(name_order_is_current(&order, &world.k, row));
    assert_int_equal(name_order_put_in(&order, &world.k, row), LSCHED_OK);
}

static void test_empty(void **state) {
    (void)state;
    check_order();
    assert_int_equal(name_order_renew(&order, &world.k), LSCHED_OK);
    check_order();
}

/* Names that ascend use up the numbers after the last mark, names that descend those before the
 * first, and names that halve a gap use up this gap: then all rows get new marks. */
static void test_each_end_and_one_gap(void **state) {
    char name[64] = "m";
    (void)state;
    put("m");
    for (int i = 0; i < 600; i++) {
        snprintf(name, sizeof name, "x%04d", i);
        put(name);
        snprintf(name, sizeof name, "b%04d", 9999 - i);
        put(name);
    }
    check_order();
    for (int i = 0; i < 600; i++) {
        snprintf(name, sizeof name, "m%04d", 9999 - i); /* always just after "m" */
        put(name);
    }
    check_order();
}

/* A run that becomes full is divided, and one that becomes empty is used again. */
static void test_runs_split_and_go(void **state) {
    uint32_t rows[NAME_ORDER_RUN * 3];
    char name[16];
    (void)state;
    for (uint32_t i = 0; i < NAME_ORDER_RUN * 3; i++) {
        snprintf(name, sizeof name, "n%05u", i);
        rows[i] = add_node(name);
        assert_int_equal(name_order_put_in(&order, &world.k, rows[i]), LSCHED_OK);
    }
    uint32_t slots = order.n_slots;
    assert_true(order.n_runs >= 3);
    for (uint32_t i = 0; i < NAME_ORDER_RUN * 3; i++) {
        name_order_take_out(&order, &world.k, rows[i]);
        assert_int_equal(world_remove_node(&world, rows[i]), LSCHED_OK);
        if (i % 100 == 0) check_order();
    }
    assert_int_equal(order.n_runs, 0);
    for (uint32_t i = 0; i < NAME_ORDER_RUN * 3; i++) {
        snprintf(name, sizeof name, "n%05u", i);
        put(name);
    }
    check_order();
    assert_int_equal(order.n_slots, slots);
}

/* Rows come, go and get the rows of others; now and then all are brought up to date at once. */
static void test_random_rows(void **state) {
    struct chance c = {chance_seed(1)};
    uint64_t changes = order.changes;
    (void)state;
    for (uint32_t i = 0; i < 4000; i++) {
        uint32_t row = chance_below(&c, table_rows(&world.k, T_NODE) + 1);
        if (row_is_live(&world.k, T_NODE, row) && chance_one_in(&c, 2)) {
            name_order_take_out(&order, &world.k, row);
            assert_int_equal(world_remove_node(&world, row), LSCHED_OK);
        } else {
            char name[16];
            snprintf(name, sizeof name, "%x", (unsigned)(chance_word(&c) >> 40));
            if (table_live(&world.k, T_NODE) < NAMES_MAX / 2 &&
                name_find(&world.k, T_IX_NODE, name, strlen(name)) == NO_ROW)
                put(name);
        }
        assert_true(order.changes >= changes);
        changes = order.changes;
        if (i % 200 == 0) check_order();
    }
    check_order();
    /* rows end and others take their places, without a call: renew notices it */
    for (uint32_t r = 0; r < table_rows(&world.k, T_NODE); r += 3)
        if (row_is_live(&world.k, T_NODE, r))
            assert_int_equal(world_remove_node(&world, r), LSCHED_OK);
    for (uint32_t i = 0; i < 40; i++) {
        char name[16];
        snprintf(name, sizeof name, "new%u", i);
        add_node(name);
    }
    assert_int_equal(name_order_renew(&order, &world.k), LSCHED_OK);
    check_order();
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_empty), TEST(test_each_end_and_one_gap),
                                       TEST(test_runs_split_and_go), TEST(test_random_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
