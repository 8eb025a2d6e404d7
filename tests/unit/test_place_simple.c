/* The place algorithms that look at amounts only: first-fit, best-fit, binpack, spread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "algorithms/builtin.h"
#include "support/place_world.h"

#define GIB ((int64_t)1 << 30)

static struct place_world world;

static int64_t score(const lsched_algorithm *algorithm, const lsched_task_shape *task,
                     uint32_t node) {
    struct place_run run;
    place_run_begin(&run, algorithm, &world);
    int64_t value = place_run_score(&run, &world, task, node);
    place_run_end(&run);
    return value;
}

static uint32_t devices(const lsched_algorithm *algorithm, const lsched_task_shape *task,
                        uint32_t node) {
    struct place_run run;
    place_run_begin(&run, algorithm, &world);
    uint32_t mask = place_run_devices(&run, &world, task, node);
    place_run_end(&run);
    return mask;
}

static int setup(void **state) {
    (void)state;
    place_world_init(&world);
    return 0;
}

/* Of equal scores, the engine takes the node whose name sorts first. */
static void test_first_fit_scores_all_nodes_alike(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) place_world_node(&world, 8000 + 1000 * i, GIB, 0, 0);
    lsched_task_shape task = place_task(1000, 0, 0, 1);
    assert_string_equal(place_first_fit.name, "first-fit");
    assert_int_equal(score(&place_first_fit, &task, 1), score(&place_first_fit, &task, 2));
    assert_int_equal(score(&place_first_fit, &task, 2), score(&place_first_fit, &task, 0));
}

/* Largest node: 128 cpu, 8 GPUs. Left over, in 2^-30: cpu part + gpu part. */
static void test_best_fit_adds_parts_of_the_largest_node(void **state) {
    (void)state;
    const int64_t whole = (int64_t)1 << 30;
    uint32_t big = place_world_node(&world, 128000, GIB, 8, 0);
    uint32_t mid = place_world_node(&world, 64000, GIB, 4, 0);
    uint32_t cpu = place_world_node(&world, 32000, GIB, 0, 0);
    assert_string_equal(place_best_fit.name, "best-fit");
    lsched_task_shape gpu_task = place_task(32000, 0, 2, 1000);
    assert_int_equal(score(&place_best_fit, &gpu_task, big), -(whole * 3 / 4 + whole * 3 / 4));
    assert_int_equal(score(&place_best_fit, &gpu_task, mid), -(whole / 4 + whole / 4));
    lsched_task_shape cpu_task = place_task(16000, 0, 0, 1);
    assert_int_equal(score(&place_best_fit, &cpu_task, cpu), -(whole / 8));
    assert_int_equal(score(&place_best_fit, &cpu_task, mid), -(whole * 3 / 8 + whole / 2));
    assert_int_equal(devices(&place_best_fit, &gpu_task, big), 0); /* left to the engine */
}

static void test_best_fit_scales_to_any_amount(void **state) {
    (void)state;
    uint32_t a = place_world_node(&world, LSCHED_AMOUNT_MAX, 0, 0, 0);
    uint32_t b = place_world_node(&world, LSCHED_AMOUNT_MAX / 2, 0, 0, 0);
    lsched_task_shape task = place_task(LSCHED_AMOUNT_MAX / 4, 0, 0, 1);
    const int64_t whole = (int64_t)1 << 30;
    assert_int_equal(score(&place_best_fit, &task, a), -(whole * 3 / 4));
    assert_int_equal(score(&place_best_fit, &task, b), -(whole / 4));
}

static void test_binpack_keeps_whole_gpus_together(void **state) {
    (void)state;
    uint32_t eight = place_world_node(&world, 96000, 8 * GIB, 8, 0); /* 3 idle: a smaller part */
    uint32_t four = place_world_node(&world, 96000, 8 * GIB, 4, 0);  /* 2 idle: fewer GPUs */
    uint32_t plain = place_world_node(&world, 96000, 8 * GIB, 0, 0);
    for (uint32_t i = 0; i < 5; i++) place_world_use_device(&world, eight, i, 1000);
    for (uint32_t i = 0; i < 2; i++) place_world_use_device(&world, four, i, 1000);
    place_world_use(&world, eight, 90000, 7 * GIB); /* fuller otherwise: counts only among equals */
    lsched_task_shape gpu_task = place_task(4000, 0, 1, 1000);
    assert_string_equal(place_binpack.name, "binpack");
    assert_true(score(&place_binpack, &gpu_task, four) > score(&place_binpack, &gpu_task, eight));
    lsched_task_shape cpu_task = place_task(4000, GIB, 0, 1);
    assert_true(score(&place_binpack, &cpu_task, plain) > score(&place_binpack, &cpu_task, four));
}

static void test_binpack_then_the_fuller_node(void **state) {
    (void)state;
    uint32_t empty = place_world_node(&world, 96000, 8 * GIB, 4, 0);
    uint32_t little_cpu = place_world_node(&world, 96000, 8 * GIB, 4, 0);
    uint32_t little_memory = place_world_node(&world, 96000, 8 * GIB, 4, 0);
    place_world_use(&world, little_cpu, 48000, 0);
    place_world_use(&world, little_memory, 0, 5 * GIB);
    lsched_task_shape task = place_task(1000, GIB, 1, 500);
    int64_t at[3] = {score(&place_binpack, &task, empty), score(&place_binpack, &task, little_cpu),
                     score(&place_binpack, &task, little_memory)};
    assert_true(at[2] > at[1] && at[1] > at[0]);
}

static void test_spread_evens_the_load(void **state) {
    (void)state;
    uint32_t eight = place_world_node(&world, 96000, 8 * GIB, 8, 0); /* half taken */
    uint32_t four = place_world_node(&world, 96000, 8 * GIB, 4, 0);  /* a quarter taken */
    uint32_t plain = place_world_node(&world, 96000, 8 * GIB, 0, 0);
    for (uint32_t i = 0; i < 4; i++) place_world_use_device(&world, eight, i, 1000);
    place_world_use_device(&world, four, 0, 1000);
    place_world_use(&world, plain, 90000, 0);
    lsched_task_shape gpu_task = place_task(4000, 0, 1, 1000);
    assert_string_equal(place_spread.name, "spread");
    assert_true(score(&place_spread, &gpu_task, four) > score(&place_spread, &gpu_task, eight));
    lsched_task_shape cpu_task = place_task(4000, GIB, 0, 1);
    assert_true(score(&place_spread, &cpu_task, plain) > score(&place_spread, &cpu_task, four));
    place_world_use(&world, eight, 48000, 0);
    assert_true(score(&place_spread, &cpu_task, four) > score(&place_spread, &cpu_task, eight));
}

static void test_spread_takes_the_emptiest_devices(void **state) {
    (void)state;
    uint32_t node = place_world_node(&world, 96000, 8 * GIB, 4, 0);
    place_world_use_device(&world, node, 0, 600);
    place_world_use_device(&world, node, 2, 100);
    lsched_task_shape one = place_task(1000, 0, 1, 300);
    assert_int_equal(devices(&place_spread, &one, node), 1u << 1);
    lsched_task_shape two = place_task(1000, 0, 2, 300);
    assert_int_equal(devices(&place_spread, &two, node), 1u << 1 | 1u << 3);
    lsched_task_shape three = place_task(1000, 0, 3, 300);
    assert_int_equal(devices(&place_spread, &three, node), 1u << 1 | 1u << 3 | 1u << 2);
}

static void test_spread_passes_over_devices_that_do_not_fit(void **state) {
    (void)state;
    uint32_t node = place_world_node(&world, 96000, 8 * GIB, 3, 0);
    world.device_model[0] = place_model(2);
    for (uint32_t i = 0; i < 3; i++)
        world.device_memory[i] = world.device_memory_free[i] = 16 * GIB;
    world.device_memory_free[1] = 4 * GIB - 1;
    const uint32_t only_model_0[] = {place_model(0)};
    lsched_task_shape task = place_task(1000, 0, 1, 250); /* 4 GiB of device memory */
    assert_int_equal(devices(&place_spread, &task, node), 1u << 0);
    task.models = only_model_0;
    task.n_models = 1;
    assert_int_equal(devices(&place_spread, &task, node), 1u << 2);
    task.device_memory_bytes = 2 * GIB;
    assert_int_equal(devices(&place_spread, &task, node), 1u << 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_first_fit_scores_all_nodes_alike, setup),
        cmocka_unit_test_setup(test_best_fit_adds_parts_of_the_largest_node, setup),
        cmocka_unit_test_setup(test_best_fit_scales_to_any_amount, setup),
        cmocka_unit_test_setup(test_binpack_keeps_whole_gpus_together, setup),
        cmocka_unit_test_setup(test_binpack_then_the_fuller_node, setup),
        cmocka_unit_test_setup(test_spread_evens_the_load, setup),
        cmocka_unit_test_setup(test_spread_takes_the_emptiest_devices, setup),
        cmocka_unit_test_setup(test_spread_passes_over_devices_that_do_not_fit, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
