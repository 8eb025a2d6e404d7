/* fgd and least-fragmentation on hand-made nodes: what they prefer, and that running out of memory
 * leaves nothing behind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "algorithms/support/frag_worth.h"
#include "algorithms/builtin.h"
#include "support/place_world.h"

#define GIB   ((int64_t)1 << 30)
#define MILLI FRAG_ONE /* of score, per milli-GPU, of least-fragmentation */

static struct place_world world;
static struct place_run run;

static int setup(void **state) {
    (void)state;
    place_world_init(&world);
    return 0;
}

static void add_mix(int64_t cpu_milli, uint32_t devices, uint32_t share, uint32_t models,
                    int64_t count) {
    lsched_task_shape task = place_task(cpu_milli, 0, devices, share);
    place_world_mix(&world, &task, models, count);
}

/* Two nodes of one GPU, of which 700 and 500 are idle; half of the mix wants a whole GPU, a quarter
 * each 500 and 200. A task of 500 gains: on the first 700 * 1/2 - 200 * 3/4, on the second 250. */
static void test_fgd_by_hand(void **state) {
    (void)state;
    uint32_t a = place_world_node(&world, 96000, 0, 1, 0);
    uint32_t b = place_world_node(&world, 96000, 0, 1, 0);
    place_world_use_device(&world, a, 0, 300);
    place_world_use_device(&world, b, 0, 500);
    add_mix(4000, 1, 1000, 0, 2);
    add_mix(4000, 1, 500, 0, 1);
    add_mix(4000, 1, 200, 0, 1);
    lsched_task_shape task = place_task(1000, 0, 1, 500);
    place_run_begin(&run, &place_fgd, &world);
    assert_string_equal(place_fgd.name, "fgd");
    assert_int_equal(place_run_score(&run, &world, &task, a),
                     (int64_t)floor(100 / (1 + exp(-(0.350 - 0.150)))));
    assert_int_equal(place_run_score(&run, &world, &task, b),
                     (int64_t)floor(100 / (1 + exp(-0.250))));
    place_run_end(&run);
}

/* A mix of which `part` of 2^24 can use anything on a node with 4 cpu, and the rest nothing. */
static void mix_of_two(int64_t part) {
    place_world_init(&world);
    add_mix(4000, 1, 1, 0, part);
    add_mix(0, 0, 1, 0, FRAG_ONE - part);
}

/* A node with so much idle: `devices` pieces of `each`. */
static uint32_t node_with(uint32_t devices, uint32_t each) {
    uint32_t node = place_world_node(&world, 4000, 0, devices, 0);
    for (uint32_t i = 0; i < devices; i++) place_world_use_device(&world, node, i, 1000 - each);
    return node;
}

static int64_t fgd_score_of(const lsched_task_shape *task, uint32_t node) {
    place_run_begin(&run, &place_fgd, &world);
    int64_t score = place_run_score(&run, &world, task, node);
    place_run_end(&run);
    return score;
}

/* Just below and just above every step, on both sides of zero. With `part` of the mix able to use
 * what is idle, a task that takes the cpu away loses part * idle, and one that takes the idle GPUs
 * wins (1 - part) * idle. Steps are kept in millionths of a GPU. */
static void test_fgd_is_the_sigmoid_in_hundredths(void **state) {
    (void)state;
    const lsched_task_shape takes_cpu = place_task(1000, 0, 0, 1);
    for (int q = 51; q <= 99; q++) {
        double gain = log((double)q / (100 - q));
        uint32_t devices = gain > 0.9 ? 8 : 1;
        uint32_t each = gain > 0.09 ? 1000 : 100;
        int64_t part = (int64_t)(gain * 1000 / (devices * each) * (double)FRAG_ONE);
        int64_t two_millionths = FRAG_ONE / 500 / (devices * each) + 1;
        const lsched_task_shape takes_gpus = place_task(0, 0, devices, each);
        for (int above = 0; above < 2; above++) {
            int64_t near = part + (above ? two_millionths : -two_millionths);
            mix_of_two(near);
            assert_int_equal(fgd_score_of(&takes_cpu, node_with(devices, each)),
                             above ? 99 - q : 100 - q);
            mix_of_two(FRAG_ONE - near);
            assert_int_equal(fgd_score_of(&takes_gpus, node_with(devices, each)),
                             above ? q : q - 1);
        }
    }
    mix_of_two(FRAG_ONE / 2);
    const lsched_task_shape takes_nothing = place_task(0, 0, 0, 1);
    assert_int_equal(fgd_score_of(&takes_nothing, node_with(8, 1000)), 50);
}

/* Idle 1000, 600 and 450; a task of 400. The mix can use the 200 that it leaves of 600, not the 50
 * that it leaves of the tightest. */
static void test_devices_that_leave_something_useful(void **state) {
    (void)state;
    uint32_t node = place_world_node(&world, 96000, 0, 3, 0);
    place_world_use_device(&world, node, 1, 400);
    place_world_use_device(&world, node, 2, 550);
    add_mix(1000, 1, 1000, 0, 10);
    add_mix(1000, 1, 150, 0, 90);
    lsched_task_shape task = place_task(1000, 0, 1, 400);
    const lsched_algorithm *both[2] = {&place_fgd, &place_least_fragmentation};
    for (int i = 0; i < 2; i++) {
        place_run_begin(&run, both[i], &world);
        assert_int_equal(place_run_devices(&run, &world, &task, node), 1u << 1);
        lsched_task_shape two = place_task(1000, 0, 2, 400); /* several: the tightest */
        assert_int_equal(place_run_devices(&run, &world, &two, node), 1u << 1 | 1u << 2);
        lsched_task_shape none = place_task(1000, 0, 0, 1);
        assert_int_equal(place_run_devices(&run, &world, &none, node), 0);
        place_run_end(&run);
    }
}

static void test_of_equal_devices_the_tightest(void **state) {
    (void)state;
    uint32_t node = place_world_node(&world, 96000, 0, 4, 0);
    place_world_use_device(&world, node, 1, 400);
    place_world_use_device(&world, node, 2, 400);
    lsched_task_shape task = place_task(1000, 0, 1, 300);
    const lsched_algorithm *both[2] = {&place_fgd, &place_least_fragmentation};
    for (int i = 0; i < 2; i++) {
        place_run_begin(&run, both[i], &world); /* no mix: all gains are 0 */
        assert_int_equal(place_run_devices(&run, &world, &task, node), 1u << 1);
        place_run_end(&run);
    }
}

/* ---- least-fragmentation ---------------------------------------------------------------- */

static void test_without_a_mix_it_is_best_fit(void **state) {
    (void)state;
    const uint32_t devices[5] = {8, 8, 4, 2, 1};
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t node = place_world_node(&world, 128000 - 17000 * (int64_t)i, 0, devices[i], 0);
        place_world_use(&world, node, 1000 * ((7 * (int64_t)i) % 5), 0);
        if (i == 1) place_world_use_device(&world, node, 5, 1000);
    }
    struct place_run best_fit;
    lsched_task_shape task = place_task(2000, 0, 1, 500);
    place_run_begin(&run, &place_least_fragmentation, &world);
    place_run_begin(&best_fit, &place_best_fit, &world);
    for (uint32_t a = 0; a < 5; a++)
        for (uint32_t b = 0; b < 5; b++)
            assert_int_equal(place_run_score(&run, &world, &task, a) <
                                 place_run_score(&run, &world, &task, b),
                             place_run_score(&best_fit, &world, &task, a) <
                                 place_run_score(&best_fit, &world, &task, b));
    place_run_end(&run);
    place_run_end(&best_fit);
}

/* The mix needs 10 cpu per GPU. A node with 20 cpu for 4 idle GPUs strands 2 of them; a task of 15
 * cpu and one GPU leaves 5 cpu for 3: 2.5. On a node with plenty of cpu nothing strands. */
static void test_stranded_by_hand(void **state) {
    (void)state;
    place_world_node(&world, 20000, 0, 4, 0);
    add_mix(10000, 1, 1000, 0, 1);
    struct place_memory memory = {0};
    lsched_algorithm_env env = place_env(&memory);
    struct frag_mix mix = {0};
    struct frag_worth worth = {0};
    const struct frag_rule all = {100, 0};
    assert_int_equal(frag_mix_read(&mix, &env, &world.view, &all), LSCHED_OK);
    assert_int_equal(frag_worth_read(&worth, &env, &world.view, &mix), LSCHED_OK);
    const int64_t near = 4000 * (MILLI / 1000); /* rounding of milli-GPU per unit of cpu */
    int64_t stranded = frag_stranded(&worth, 4000, 20000, 0);
    assert_in_range(stranded, 2000 * MILLI, 2000 * MILLI + near);
    stranded = frag_stranded(&worth, 3000, 5000, 0);
    assert_in_range(stranded, 2500 * MILLI, 2500 * MILLI + near);
    assert_int_equal(frag_stranded(&worth, 4000, 60000, 0), 0);
    assert_in_range(frag_stranded(&worth, 4000, -1000, 0), 4000 * MILLI, 4000 * MILLI);

    /* Tasks without GPUs, as much cpu again: counted in full, or not where other nodes carry it. */
    add_mix(10000, 0, 1, 0, 1);
    assert_int_equal(frag_mix_read(&mix, &env, &world.view, &all), LSCHED_OK);
    assert_int_equal(frag_worth_read(&worth, &env, &world.view, &mix), LSCHED_OK);
    stranded = frag_stranded(&worth, 4000, 20000, 0);
    assert_in_range(stranded, 3000 * MILLI, 3000 * MILLI + near);
    place_world_node(&world, 20000, 0, 0, 0); /* carries half of what comes with 4 GPUs */
    assert_int_equal(frag_worth_read(&worth, &env, &world.view, &mix), LSCHED_OK);
    stranded = frag_stranded(&worth, 4000, 30000, 0);
    assert_in_range(stranded, 2000 * MILLI, 2000 * MILLI + near);
    frag_worth_free(&worth, &env);
    frag_mix_free(&mix, &env);
    assert_int_equal(memory.out_bytes, 0);
}

/* 2 devices of model 0, 6 of model 1. Half of the demand may use any, half only model 0: the load
 * of 0 is 1/2 + 1/2 * 8/2, that of 1 is 1/2. */
static void test_load_by_hand(void **state) {
    (void)state;
    place_world_node(&world, 64000, 0, 2, 0);
    place_world_node(&world, 64000, 0, 6, 1);
    add_mix(1000, 1, 1000, 0, 3);
    add_mix(2000, 1, 1000, 1u << 0, 3);
    struct place_memory memory = {0};
    lsched_algorithm_env env = place_env(&memory);
    struct frag_mix mix = {0};
    struct frag_worth worth = {0};
    const struct frag_rule all = {100, 0};
    assert_int_equal(frag_mix_read(&mix, &env, &world.view, &all), LSCHED_OK);
    assert_int_equal(frag_worth_read(&worth, &env, &world.view, &mix), LSCHED_OK);
    assert_int_equal(worth.load[frag_model_number(&mix.models, place_model(0))], FRAG_ONE * 5 / 2);
    assert_int_equal(worth.load[frag_model_number(&mix.models, place_model(1))], FRAG_ONE / 2);
    frag_worth_free(&worth, &env);
    frag_mix_free(&mix, &env);
}

/* Equal nodes of two models; half of the mix is bound to the first. A task that may use both: on
 * the second it takes a GPU that half of the mix cannot use, and the difference in load is 1. */
static void test_score_adds_gain_and_load(void **state) {
    (void)state;
    uint32_t bound = place_world_node(&world, 64000, 0, 8, 0);
    uint32_t other = place_world_node(&world, 64000, 0, 8, 1);
    add_mix(4000, 1, 1000, 0, 5);
    add_mix(4000, 1, 1000, 1u << 0, 5);
    lsched_task_shape task = place_task(4000, 0, 1, 1000);
    place_run_begin(&run, &place_least_fragmentation, &world);
    assert_int_equal(place_run_score(&run, &world, &task, other) -
                         place_run_score(&run, &world, &task, bound),
                     (500 + 1000) * MILLI);
    place_run_end(&run);
}

/* Who may go anywhere leaves the model alone that others are bound to, even when best fit would
 * rather fill it. */
static void test_scarce_models_are_spared(void **state) {
    (void)state;
    uint32_t scarce = place_world_node(&world, 16000, 0, 2, 0);
    uint32_t common = place_world_node(&world, 64000, 0, 8, 1);
    add_mix(4000, 1, 1000, 0, 5);
    lsched_task_shape task = place_task(4000, 0, 1, 1000);
    place_run_begin(&run, &place_least_fragmentation, &world);
    assert_true(place_run_score(&run, &world, &task, scarce) >
                place_run_score(&run, &world, &task, common));
    place_run_end(&run);
    add_mix(4000, 1, 1000, 1u << 0, 5);
    place_run_begin(&run, &place_least_fragmentation, &world);
    assert_true(place_run_score(&run, &world, &task, scarce) <
                place_run_score(&run, &world, &task, common));
    place_run_end(&run);
}

/* On a node of two models a task takes the device that fewer others need. */
static void test_scarce_devices_of_one_node_are_spared(void **state) {
    (void)state;
    uint32_t node = place_world_node(&world, 64000, 0, 2, 0);
    world.device_model[1] = place_model(1);
    add_mix(4000, 1, 1000, 0, 5);
    add_mix(4000, 1, 1000, 1u << 0, 5);
    lsched_task_shape task = place_task(4000, 0, 1, 1000);
    place_run_begin(&run, &place_least_fragmentation, &world);
    assert_int_equal(place_run_devices(&run, &world, &task, node), 1u << 1);
    place_run_end(&run);
}

/* A task that needs much cpu goes where there is much per GPU, though it fits both. */
static void test_cpu_heavy_tasks_go_where_cpu_is(void **state) {
    (void)state;
    uint32_t lean = place_world_node(&world, 96000, 0, 8, 0);
    uint32_t rich = place_world_node(&world, 96000, 0, 2, 0);
    add_mix(12000, 1, 1000, 0, 9);
    add_mix(32000, 0, 1, 0, 1);
    lsched_task_shape heavy = place_task(32000, 0, 0, 1);
    place_run_begin(&run, &place_least_fragmentation, &world);
    assert_true(place_run_score(&run, &world, &heavy, rich) >
                place_run_score(&run, &world, &heavy, lean));
    place_run_end(&run);
}

static void test_a_new_mix_takes_effect(void **state) {
    (void)state;
    uint32_t node = place_world_node(&world, 96000, 0, 2, 0);
    place_world_use_device(&world, node, 0, 500);
    lsched_task_shape half = place_task(1000, 0, 1, 500);
    add_mix(1000, 1, 1000, 0, 1);
    place_run_begin(&run, &place_least_fragmentation, &world);
    int64_t before = place_run_score(&run, &world, &half, node);
    world.mix_count[0] = 1;
    add_mix(1000, 1, 500, 0, 7);
    world.view.structure_serial++;
    assert_int_equal(place_least_fragmentation.place->prepare(run.self, &world.view), LSCHED_OK);
    /* 500 idle were useless and are gone: all of it gained before, an eighth of it now; the load is
     * 1 both times */
    assert_in_range(before - place_run_score(&run, &world, &half, node), 437 * MILLI, 438 * MILLI);
    world.view.n_mix = 0;
    assert_int_equal(place_least_fragmentation.place->prepare(run.self, &world.view), LSCHED_OK);
    assert_true(place_run_score(&run, &world, &half, node) <= 0);
    place_run_end(&run);
}

/* ---- memory ----------------------------------------------------------------------------- */

/* Nodes of few states, some of which differ in one amount only: one call for all of them gives each
 * the score that it gets alone. */
static void test_one_call_for_many_nodes(void **state) {
    (void)state;
    uint32_t nodes[PLACE_NODES];
    for (uint32_t i = 0; i < PLACE_NODES; i++) {
        nodes[i] = place_world_node(&world, 64000, 64 * GIB, 2 + i % 3 / 2, i % 2);
        place_world_use(&world, nodes[i], 1000 * (i % 3), i / 3 % 2 * GIB);
        if (i % 5 == 0) place_world_use_device(&world, nodes[i], i % 2, 250);
        if (i % 7 == 0) world.device_memory_free[world.device_first[nodes[i]] + 1] = 0;
    }
    add_mix(2000, 1, 500, 0, 3);
    add_mix(4000, 2, 1000, 1u << 1, 2);
    add_mix(1000, 0, 1, 0, 1);
    const lsched_algorithm *both[2] = {&place_fgd, &place_least_fragmentation};
    for (int i = 0; i < 2; i++) {
        int64_t scores[PLACE_NODES];
        place_run_begin(&run, both[i], &world);
        for (uint32_t share = 250; share <= 1000; share *= 2) {
            lsched_task_shape task = place_task(1000, GIB, 1, share);
            int32_t rc =
                both[i]->place->score(run.self, &world.view, &task, nodes, PLACE_NODES, scores);
            assert_int_equal(rc, LSCHED_OK);
            for (uint32_t j = 0; j < PLACE_NODES; j++)
                assert_int_equal(scores[j], place_run_score(&run, &world, &task, nodes[j]));
        }
        place_run_end(&run);
    }
}

static void test_out_of_memory_at_every_allocation(void **state) {
    (void)state;
    const lsched_algorithm *both[2] = {&place_fgd, &place_least_fragmentation};
    uint32_t node = place_world_node(&world, 64000, 4 * GIB, 4, 1);
    add_mix(4000, 1, 1000, 0, 5);
    add_mix(8000, 4, 1000, 1u << 1, 5);
    lsched_task_shape task = place_task(4000, GIB, 1, 1000);
    for (int i = 0; i < 2; i++) {
        place_run_begin(&run, both[i], &world);
        int64_t expected = place_run_score(&run, &world, &task, node);
        uint32_t failures = 0;
        int32_t status = LSCHED_E_NOMEM;
        for (uint32_t at = 1; status != LSCHED_OK; at++) {
            run.memory.calls = 0;
            run.memory.fail_at = at;
            status = both[i]->place->prepare(run.self, &world.view);
            if (status != LSCHED_OK) {
                assert_int_equal(status, LSCHED_E_NOMEM);
                failures++;
            }
        }
        assert_true(failures >= 3);
        assert_int_equal(place_run_score(&run, &world, &task, node), expected);
        place_run_end(&run);

        struct place_memory memory = {.fail_at = 1};
        lsched_algorithm_env env = place_env(&memory);
        void *self = NULL;
        assert_int_equal(both[i]->create(&env, &self, NULL), LSCHED_E_NOMEM);
        assert_int_equal(memory.out_bytes, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_fgd_by_hand, setup),
        cmocka_unit_test_setup(test_fgd_is_the_sigmoid_in_hundredths, setup),
        cmocka_unit_test_setup(test_devices_that_leave_something_useful, setup),
        cmocka_unit_test_setup(test_of_equal_devices_the_tightest, setup),
        cmocka_unit_test_setup(test_score_adds_gain_and_load, setup),
        cmocka_unit_test_setup(test_without_a_mix_it_is_best_fit, setup),
        cmocka_unit_test_setup(test_stranded_by_hand, setup),
        cmocka_unit_test_setup(test_load_by_hand, setup),
        cmocka_unit_test_setup(test_scarce_models_are_spared, setup),
        cmocka_unit_test_setup(test_scarce_devices_of_one_node_are_spared, setup),
        cmocka_unit_test_setup(test_cpu_heavy_tasks_go_where_cpu_is, setup),
        cmocka_unit_test_setup(test_a_new_mix_takes_effect, setup),
        cmocka_unit_test_setup(test_one_call_for_many_nodes, setup),
        cmocka_unit_test_setup(test_out_of_memory_at_every_allocation, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
