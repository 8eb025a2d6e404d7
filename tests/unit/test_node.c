/* Nodes and devices: what fits, which devices are picked, what is held and given back, what is
 * inherited when capacity shrinks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "model/nodes/node.h"
#include "model/devices/device_select.h"
#include "support/model_world.h"

static uint32_t picked(const struct columns *k, uint32_t node, uint32_t shape) {
    struct hold hold;
    return device_select(k, node, shape, DEVICE_NOW, NULL, &hold) ? (uint32_t)hold.mask : 0;
}

static struct model_world world;

static int open_world(void **unused) {
    (void)unused;
    uint32_t row;
    return world_open(&world, NULL) || world_topology(&world) ||
           world_queue(&world, "q", NO_ROW, &row);
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static uint32_t add_node(const char *name, uint32_t gpus, int shared) {
    uint32_t row = NO_ROW;
    assert_int_equal(world_node(&world, name, 10000, gpus, shared, "r1", &row), LSCHED_OK);
    return row;
}

/* The shape of one task of a job that is made for it. */
static uint32_t shape_of(const char *name, struct group_form g) {
    struct job_form f = {.name = name, .queue = 0, .n_groups = 1, .groups = {g}};
    uint32_t job = NO_ROW;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    return group_shape(&world.k, world.k.c[C_JOB_SHAPE].u32[job], 0);
}

static int64_t free_of(uint32_t node, uint32_t kind) {
    return world.k.c[C_NODE_FREE + kind].i64[node];
}

static void what_fits_depends_on_every_kind(void **unused) {
    (void)unused;
    uint32_t n = add_node("n", 0, 0), small = shape_of("s", (struct group_form){.cpu = 10000}),
             big = shape_of("b", (struct group_form){.cpu = 10001}),
             gpu = shape_of("g", (struct group_form){.devices = 1, .milli = 1000}),
             memory = shape_of("m", (struct group_form){.memory = (INT64_C(1) << 38) + 1});
    const struct columns *k = &world.k;
    assert_true(node_able(k, n, small) && node_fits(k, n, small));
    assert_false(node_able(k, n, big) || node_able(k, n, gpu) || node_able(k, n, memory));
    node_take(&world.k, n, small, &(struct hold){0});
    assert_true(node_able(k, n, small));
    assert_false(node_fits(k, n, small));
    assert_int_equal(free_of(n, LSCHED_CPU), 0);
    node_give(&world.k, n, small, &(struct hold){0});
    assert_int_equal(free_of(n, LSCHED_CPU), 10000);
}

static void selectors_are_values_or_mere_presence(void **unused) {
    (void)unused;
    uint32_t n = add_node("n", 0, 0);
    const struct columns *k = &world.k;
    assert_true(node_able(k, n, shape_of("a", (struct group_form){.key = "rack", .value = "r1"})));
    assert_false(node_able(k, n, shape_of("b", (struct group_form){.key = "rack", .value = "r2"})));
    assert_true(node_able(k, n, shape_of("c", (struct group_form){.key = "rack"})));
    assert_false(node_able(k, n, shape_of("d", (struct group_form){.key = "row"})));
    assert_false(node_able(k, n, shape_of("e", (struct group_form){.key = "rac"})));
    lsched_text v;
    assert_true(node_label(k, n, "disk", 4, &v));
    assert_true(v.len == 3 && memcmp(v.ptr, "ssd", 3) == 0);
}

static void models_and_share_modes_are_kept(void **unused) {
    (void)unused;
    uint32_t whole = add_node("whole", 2, 0), shared = add_node("shared", 2, 1);
    uint32_t a100 =
                 shape_of("a", (struct group_form){.devices = 1, .milli = 1000, .model = "A100"}),
             part = shape_of("p", (struct group_form){.devices = 1, .milli = 250}),
             two = shape_of("t", (struct group_form){.devices = 2, .milli = 500}),
             three = shape_of("th", (struct group_form){.devices = 3, .milli = 1000});
    const struct columns *k = &world.k;
    assert_true(node_fits(k, whole, a100) && !node_able(k, shared, a100));
    assert_true(node_fits(k, shared, part) &&
                !node_able(k, whole, part)); /* whole devices are not shared */
    assert_true(node_fits(k, shared, two) && !node_able(k, shared, three));
    assert_false(device_select_allows(k, shared, two, DEVICE_NOW,
                                      &(struct hold){.mask = 1})); /* two devices, not one */
    assert_false(device_select_allows(k, shared, two, DEVICE_NOW,
                                      &(struct hold){.mask = 5})); /* device 2 does not exist */
    assert_true(device_select_allows(k, shared, two, DEVICE_NOW, &(struct hold){.mask = 3}));
}

static void the_tightest_device_is_picked_lowest_first(void **unused) {
    (void)unused;
    uint32_t n = add_node("n", 4, 1),
             part = shape_of("p", (struct group_form){.devices = 1, .milli = 300}),
             half = shape_of("h", (struct group_form){.devices = 1, .milli = 500}),
             whole = shape_of("w", (struct group_form){.devices = 2, .milli = 1000});
    struct columns *k = &world.k;
    assert_int_equal(picked(k, n, part), 1);
    node_take(k, n, half, &(struct hold){.mask = 1u << 2});
    assert_int_equal(picked(k, n, part), 1u << 2);
    node_take(k, n, part, &(struct hold){.mask = 1u << 2});
    assert_int_equal(k->c[C_DEVICE_FREE_MILLI].u16[k->c[C_NODE_DEVICE_FIRST].u32[n] + 2], 200);
    assert_int_equal(picked(k, n, part), 1);
    assert_int_equal(k->c[C_NODE_GPU_WHOLE].u8[n], 3);
    assert_int_equal(picked(k, n, whole), 3);
    node_take(k, n, whole, &(struct hold){.mask = 3});
    assert_int_equal(k->c[C_NODE_GPU_WHOLE].u8[n], 1);
    assert_int_equal(picked(k, n, whole), 0);
    assert_false(node_fits(k, n, whole));
    assert_int_equal(free_of(n, LSCHED_GPU), 1200);
}

static void memory_of_devices_goes_with_the_share(void **unused) {
    (void)unused;
    uint32_t n = add_node("n", 1, 1),
             third = shape_of("t", (struct group_form){.devices = 1, .milli = 333});
    struct columns *k = &world.k;
    uint32_t d = k->c[C_NODE_DEVICE_FIRST].u32[n];
    int64_t all = INT64_C(16) << 30;
    assert_int_equal(device_memory_need(k, d, third),
                     (int64_t)((double)all * 333 / 1000)); /* rounded down */
    node_take(k, n, third, &(struct hold){.mask = 1});
    assert_int_equal(k->c[C_DEVICE_MEM_FREE].i64[d], all - device_memory_need(k, d, third));
    node_give(k, n, third, &(struct hold){.mask = 1});
    assert_int_equal(k->c[C_DEVICE_MEM_FREE].i64[d], all);
}

/* S-shrink and imports: excess is marked while something is negative or a task is marked, and
 * not a moment longer. */
static void excess_is_marked_as_long_as_it_lasts(void **unused) {
    (void)unused;
    uint32_t n = add_node("n", 1, 1), job;
    struct columns *k = &world.k;
    struct job_form f = {
        .name = "j",
        .queue = 0,
        .n_groups = 1,
        .groups = {{.cpu = 6000, .max = 4, .min = 1, .devices = 1, .milli = 1000}}};
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(world_import(&world, job, i, n), LSCHED_OK);
    assert_int_equal(free_of(n, LSCHED_CPU), 10000 - 18000);
    assert_int_equal(free_of(n, LSCHED_GPU), -2000);
    assert_int_equal(k->c[C_DEVICE_FREE_MILLI].u16[k->c[C_NODE_DEVICE_FIRST].u32[n]], 0);
    assert_int_equal(k->c[C_NODE_EXCESS].u8[n], 1);
    assert_false(node_fits(k, n, shape_of("tiny", (struct group_form){.cpu = 1})));
    assert_int_equal(verify_state(k, NULL), LSCHED_OK);
    assert_int_equal(world_release(&world, job, 1, LSCHED_TASK_NONE), LSCHED_OK);
    assert_int_equal(world_release(&world, job, 2, LSCHED_TASK_NONE), LSCHED_OK);
    assert_int_equal(free_of(n, LSCHED_CPU), 4000);
    assert_int_equal(k->c[C_NODE_EXCESS].u8[n], 0);
    assert_int_equal(verify_state(k, NULL), LSCHED_OK);
    assert_int_equal(node_set_capacity(k, n, LSCHED_CPU, 5000), LSCHED_OK);
    assert_int_equal(free_of(n, LSCHED_CPU), -1000);
    assert_int_equal(k->c[C_NODE_EXCESS].u8[n], 1);
    assert_int_equal(verify_state(k, NULL), LSCHED_OK);
    assert_int_equal(node_set_capacity(k, n, LSCHED_CPU, 6000), LSCHED_OK);
    assert_int_equal(k->c[C_NODE_EXCESS].u8[n], 0);
    assert_int_equal(verify_state(k, NULL), LSCHED_OK);
}

static void totals_and_classes_follow_the_nodes(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t a = add_node("a", 2, 0), b = add_node("b", 2, 0);
    assert_int_equal(k->c[C_NODE_CLASS].u32[a], k->c[C_NODE_CLASS].u32[b]);
    assert_int_equal(meta(k, M_TOTAL_CAP + LSCHED_GPU), 4000);
    node_set_state(k, b, LSCHED_NODE_CORDONED);
    assert_int_equal(meta(k, M_TOTAL_CAP + LSCHED_CPU), 20000);
    assert_int_equal(meta(k, M_TOTAL_READY + LSCHED_CPU), 10000);
    assert_int_equal(node_set_capacity(k, b, LSCHED_CPU, 12000), LSCHED_OK);
    assert_int_not_equal(k->c[C_NODE_CLASS].u32[a], k->c[C_NODE_CLASS].u32[b]);
    assert_int_equal(meta(k, M_TOTAL_CAP + LSCHED_CPU), 22000);
    assert_int_equal(meta(k, M_TOTAL_READY + LSCHED_CPU), 10000);
    assert_int_equal(verify_state(k, NULL), LSCHED_OK);
    node_set_state(k, b, LSCHED_NODE_READY);
    node_remove(k, a);
    assert_int_equal(meta(k, M_TOTAL_READY + LSCHED_CPU), 12000);
    node_remove(k, b);
    assert_int_equal(table_live(k, T_CLASS) + table_live(k, T_LABELS) + table_live(k, T_STRING), 0);
    assert_int_equal(meta(k, M_GREW_HEAD), NO_ROW);
    assert_int_equal(verify_state(k, NULL), LSCHED_OK);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(what_fits_depends_on_every_kind),
        TEST(selectors_are_values_or_mere_presence),
        TEST(models_and_share_modes_are_kept),
        TEST(the_tightest_device_is_picked_lowest_first),
        TEST(memory_of_devices_goes_with_the_share),
        TEST(excess_is_marked_as_long_as_it_lasts),
        TEST(totals_and_classes_follow_the_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
