/*
 * The fragmentation table against the definition: F by a walk over every entry of the mix and every
 * device, in the plainest way, on random nodes. Exact: the counts sum to 1024, so popularity is
 * not rounded. The sequence of worlds is fixed; LSCHED_TEST_SEED and LSCHED_TEST_SCALE move it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algorithms/support/frag_case.h"
#include "support/place_world.h"

#define COUNT_SUM 1024

static struct place_world world;
static uint64_t random_state;

static uint64_t random_below(uint64_t n) {
    uint64_t z = random_state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % n;
}

/* ---- the definition --------------------------------------------------------------------- */

static int runs_here(const lsched_task_shape *task, uint32_t node, int cpu_alone) {
    if (task->gpu_devices == 0) return 0;
    for (int kind = 1; kind < PLACE_KINDS; kind++) {
        if (kind == LSCHED_GPU || (cpu_alone && kind != LSCHED_CPU)) continue;
        if (task->request[kind] > world.free_amount[kind][node]) return 0;
    }
    return 1;
}

static int allowed(const lsched_task_shape *task, uint32_t model) {
    int found = task->n_models == 0;
    for (uint32_t i = 0; i < task->n_models; i++) found |= task->models[i] == model;
    return found;
}

/* F(node) times COUNT_SUM, in milli-GPU. */
static int64_t fragmentation(uint32_t node, int cpu_alone) {
    int64_t sum = 0;
    uint32_t first = world.device_first[node];
    for (uint32_t m = 0; m < world.view.n_mix; m++) {
        const lsched_task_shape *task = &world.mix[m];
        int64_t idle = 0;
        int64_t unusable = 0;
        uint32_t able = 0;
        for (uint32_t d = first; d < first + world.device_count[node]; d++) {
            int64_t piece = world.device_free[d];
            int usable =
                piece >= (int64_t)task->device_milli && allowed(task, world.device_model[d]);
            idle += piece;
            able += (uint32_t)usable;
            if (!usable) unusable += piece;
        }
        int runs = runs_here(task, node, cpu_alone) && able >= task->gpu_devices;
        sum += world.mix_count[m] * (runs ? unusable : idle);
    }
    return sum;
}

/* ---- random worlds ---------------------------------------------------------------------- */

static lsched_task_shape random_task(void) {
    static const uint32_t shares[] = {50, 190, 333, 500, 810, 1000, 1000, 1000};
    static const uint32_t device_counts[] = {0, 1, 1, 1, 1, 2, 3, 4, 8, 20};
    uint32_t devices = device_counts[random_below(10)];
    lsched_task_shape task =
        place_task((int64_t)random_below(12) * 2000, (int64_t)random_below(6) * 1000, devices,
                   shares[random_below(8)]);
    if (random_below(4) == 0) task.request[PLACE_OTHER] = (int64_t)random_below(3);
    return task;
}

static void random_mix(uint32_t n) {
    int64_t left = COUNT_SUM;
    for (uint32_t i = 0; i < n; i++) {
        lsched_task_shape task = random_task();
        if (i > 0 && random_below(5) == 0) task = world.mix[i - 1]; /* one class, listed twice */
        uint32_t models = random_below(3) ? 0 : 1 + (uint32_t)random_below(15);
        int64_t count = i + 1 == n ? left : 1 + (int64_t)random_below(2 * (uint64_t)left / (n - i));
        if (count > left - (int64_t)(n - i - 1)) count = left - (int64_t)(n - i - 1);
        left -= count;
        place_world_mix(&world, &task, models, count);
    }
}

static void random_nodes(void) {
    for (int i = 0; i < 12; i++) {
        uint32_t devices = (uint32_t)random_below(9);
        uint32_t node =
            place_world_node(&world, (int64_t)random_below(30000), (int64_t)random_below(6000),
                             devices, (uint32_t)random_below(PLACE_MODELS));
        world.free_amount[PLACE_OTHER][node] = (int64_t)random_below(3);
        uint32_t first = world.device_first[node];
        int mixed = random_below(4) == 0;
        for (uint32_t d = 0; d < devices; d++) {
            if (random_below(2))
                place_world_use_device(&world, node, d, 10 * (uint32_t)random_below(101));
            if (mixed)
                world.device_model[first + d] = place_model((uint32_t)random_below(PLACE_MODELS));
        }
    }
}

/* ---- comparing -------------------------------------------------------------------------- */

static void place_on(const lsched_task_shape *task, uint32_t node, const uint64_t *on, int sign) {
    for (int kind = 1; kind < PLACE_KINDS; kind++)
        world.free_amount[kind][node] -= sign * task->request[kind];
    for (uint32_t d = 0; d < world.device_count[node]; d++) {
        uint16_t *piece = &world.device_free[world.device_first[node] + d];
        if (on[d / 64] >> d % 64 & 1) *piece = (uint16_t)(*piece - sign * (int)task->device_milli);
    }
}

static int64_t expected_gain(const lsched_task_shape *task, uint32_t node, const uint64_t *on,
                             int cpu_alone) {
    int64_t before = fragmentation(node, cpu_alone);
    place_on(task, node, on, 1);
    int64_t after = fragmentation(node, cpu_alone);
    place_on(task, node, on, -1);
    return (before - after) * (FRAG_ONE / COUNT_SUM);
}

static uint32_t pieces_of(const struct piece_set *set) {
    return (uint32_t)(__builtin_popcountll(set->word[0]) + __builtin_popcountll(set->word[1]));
}

static int has_room(const lsched_task_shape *task, uint32_t node, const struct frag_case *c) {
    for (int kind = 1; kind < PLACE_KINDS; kind++)
        if (kind != LSCHED_GPU && task->request[kind] > world.free_amount[kind][node]) return 0;
    return pieces_of(&c->pieces.fits) >= task->gpu_devices;
}

/* Every choice offered has the gain of the definition; and for one device, no device is better than
 * the best choice offered. Returns how many choices were compared. */
static int check_case(const struct frag_table *table, const lsched_task_shape *task, uint32_t node,
                      int cpu_alone) {
    struct frag_case c;
    struct piece_set chosen;
    int compared = 0;
    int64_t best = INT64_MIN;
    frag_case_open(&c, table, &world.view, task, node);
    if (!has_room(task, node, &c)) return 0;
    for (uint32_t walk = 0; frag_case_next(&c, &walk, &chosen); compared++) {
        uint64_t on[LSCHED_DEVICE_WORDS] = {0};
        place_pieces_devices(&c.pieces, &chosen, on);
        int64_t gain = frag_case_gain(&c, &chosen);
        assert_int_equal(pieces_of(&chosen), task->gpu_devices);
        assert_int_equal(gain, expected_gain(task, node, on, cpu_alone));
        if (gain > best) best = gain;
    }
    assert_true(compared > 0);
    for (uint32_t j = 0; task->gpu_devices == 1 && j < c.pieces.n; j++)
        if (piece_set_has(&c.pieces.fits, j)) {
            uint64_t on[LSCHED_DEVICE_WORDS] = {0};
            on[c.pieces.device[j] / 64] = (uint64_t)1 << c.pieces.device[j] % 64;
            assert_true(expected_gain(task, node, on, cpu_alone) <= best);
        }
    return compared;
}

static int check_world(int cpu_alone) {
    struct place_memory memory = {0};
    lsched_algorithm_env env = place_env(&memory);
    struct frag_table table = {0};
    const struct frag_rule rule = {100, (uint32_t)cpu_alone};
    int compared = 0;
    assert_int_equal(frag_table_read(&table, &env, &world.view, &rule), LSCHED_OK);
    for (uint32_t i = 0; i < world.view.n_nodes * 8; i++) {
        lsched_task_shape task = random_task();
        if (i % 2) task = world.mix[random_below(world.view.n_mix)];
        compared += check_case(&table, &task, i / 8, cpu_alone);
    }
    frag_table_free(&table, &env);
    assert_int_equal(memory.out_bytes, 0);
    return compared;
}

static void test_gain_equals_the_definition(void **state) {
    (void)state;
    const char *scale = getenv("LSCHED_TEST_SCALE");
    const char *seed = getenv("LSCHED_TEST_SEED");
    random_state = seed ? strtoull(seed, NULL, 0) : 20240611;
    long worlds = 400 * (scale ? atol(scale) : 100) / 100;
    int compared = 0;
    print_message("seed %llu, %ld worlds\n", (unsigned long long)random_state, worlds);
    for (long i = 0; i < worlds; i++) {
        place_world_init(&world);
        random_mix(1 + (uint32_t)random_below(40));
        random_nodes();
        compared += check_world((int)(i % 2));
    }
    assert_true(compared > worlds * 20);
}

static void test_same_numbers_when_the_table_is_too_large(void **state) {
    (void)state;
    random_state = 7;
    place_world_init(&world);
    for (uint32_t i = 0; i < PLACE_MIX; i++) {
        lsched_task_shape task = place_task(1000 + 40 * i, 10 * (i % 60), 1, 1000 - i);
        place_world_mix(&world, &task, i % 3 ? 0 : 5, COUNT_SUM / PLACE_MIX);
    }
    random_nodes();
    struct place_memory memory = {0};
    lsched_algorithm_env env = place_env(&memory);
    struct frag_table table = {0};
    const struct frag_rule rule = {100, 0};
    assert_int_equal(frag_table_read(&table, &env, &world.view, &rule), LSCHED_OK);
    assert_null(table.rows);
    frag_table_free(&table, &env);
    assert_true(check_world(0) > 20);
}

/* ---- classes ---------------------------------------------------------------------------- */

static void test_classes_merge_and_rare_ones_go(void **state) {
    (void)state;
    place_world_init(&world);
    lsched_task_shape common = place_task(4000, 100, 1, 1000);
    lsched_task_shape same_but_memory = place_task(4000, 200, 1, 1000);
    lsched_task_shape cpu_only = place_task(8000, 0, 0, 1);
    lsched_task_shape rare = place_task(2000, 0, 1, 500);
    place_world_mix(&world, &common, 0, 40);
    place_world_mix(&world, &cpu_only, 0, 20);
    place_world_mix(&world, &rare, 0, 4);
    place_world_mix(&world, &same_but_memory, 0, 36);
    struct place_memory memory = {0};
    lsched_algorithm_env env = place_env(&memory);
    struct frag_mix mix = {0};

    const struct frag_rule paper = {95, 1};
    assert_int_equal(frag_mix_read(&mix, &env, &world.view, &paper), LSCHED_OK);
    assert_int_equal(mix.n, 2); /* 76 and 20 of 100; parts are of the 96 */
    assert_int_equal(mix.n_gpu, 1);
    assert_int_equal(mix.classes[0].popularity, (76 * FRAG_ONE + 48) / 96);
    assert_int_equal(mix.classes[1].devices, 0);
    assert_int_equal(mix.classes[1].popularity, (20 * FRAG_ONE + 48) / 96);

    const struct frag_rule just_two = {96, 1};
    assert_int_equal(frag_mix_read(&mix, &env, &world.view, &just_two), LSCHED_OK);
    assert_int_equal(mix.n, 2); /* 96 % are covered: no third */

    const struct frag_rule all = {100, 0};
    assert_int_equal(frag_mix_read(&mix, &env, &world.view, &all), LSCHED_OK);
    assert_int_equal(mix.n, 4);
    assert_int_equal(mix.n_gpu, 3);
    assert_int_equal(frag_requests(&mix, LSCHED_CPU)[0], 2000);
    assert_int_equal(mix.classes[0].popularity, (4 * FRAG_ONE + 50) / 100);
    frag_mix_free(&mix, &env);
    assert_int_equal(memory.out_bytes, 0);
}

static void test_counts_of_any_size(void **state) {
    (void)state;
    place_world_init(&world);
    lsched_task_shape a = place_task(4000, 0, 1, 1000);
    lsched_task_shape b = place_task(8000, 0, 1, 1000);
    place_world_mix(&world, &a, 0, (int64_t)3 << 60);
    place_world_mix(&world, &b, 0, (int64_t)1 << 60);
    struct place_memory memory = {0};
    lsched_algorithm_env env = place_env(&memory);
    struct frag_mix mix = {0};
    const struct frag_rule all = {100, 0};
    assert_int_equal(frag_mix_read(&mix, &env, &world.view, &all), LSCHED_OK);
    assert_int_equal(mix.classes[0].popularity, FRAG_ONE / 4 * 3);
    assert_int_equal(mix.classes[1].popularity, FRAG_ONE / 4);
    frag_mix_free(&mix, &env);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gain_equals_the_definition),
        cmocka_unit_test(test_same_numbers_when_the_table_is_too_large),
        cmocka_unit_test(test_classes_merge_and_rare_ones_go),
        cmocka_unit_test(test_counts_of_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
