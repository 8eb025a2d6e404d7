/*
 * Which nodes a task shape can use, kept from cycle to cycle (ts_able), against a plain array: on up
 * to 60 nodes, whatever number of nodes changes between two questions, each map says what the engine
 * says. And what a question costs: while no node changes in what it could hold, the map stays,
 * however many nodes change otherwise, and what is counted for it is not counted anew.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/planning/tsdpbp_bins.h"
#include "property/chance.h"
#include "support/place_world.h"

enum { BINS_MAX = 60, SHAPES = 3, ROUNDS = 300, CYCLES = 25, RING = 128 };

/* The engine's side: able[s][b] is 1 if bin b could hold a task of shape s. */
static struct {
    uint8_t able[SHAPES][BINS_MAX];
    uint8_t is_empty[BINS_MAX];
    uint32_t n;
    uint64_t seed;
} model;

/* The number of the job is that of its shape. */
static int32_t tell_able(lsched_cycle *cycle, uint32_t job, const uint8_t **able) {
    (void)cycle;
    *able = model.able[job];
    return LSCHED_OK;
}

static const lsched_act act = {.size = sizeof act, .plan_able = tell_able};

static void fill(struct ts *t, uint32_t bin, int64_t free) {
    const struct free_timeline_amount amount = {{free, free}};
    assert_int_equal(free_timeline_draft(&t->timeline, &amount), LSCHED_OK);
    assert_int_equal(free_timeline_reset(&t->timeline, bin), LSCHED_OK);
    model.is_empty[bin] = 0;
}

static void begin(struct ts *t, struct chance *c, const lsched_algorithm_env *env) {
    assert_int_equal(ts_open(t, env), LSCHED_OK);
    t->act = &act;
    model.n = 1 + chance_below(c, BINS_MAX);
    free_timeline_clear(&t->timeline, 100, 2);
    assert_int_equal(free_timeline_bins(&t->timeline, model.n), LSCHED_OK);
    t->maps_serial = t->timeline.maps_serial;
    assert_true(ENV_ROOM(env, t->news, t->cap_news, RING));
    for (uint32_t b = 0; b < model.n; b++) {
        fill(t, b, 1 + chance_below(c, 4));
        for (uint32_t s = 0; s < SHAPES; s++) model.able[s][b] = (uint8_t)chance_below(c, 2);
    }
}

/* Up to twice as many changes as there are nodes: of the free amounts, of whether there is a node,
 * and, if `moves`, of what it could hold. */
static void change(struct ts *t, struct chance *c, int moves) {
    uint32_t n = chance_below(c, 2 * model.n + 1);
    assert_true(2 * model.n <= t->cap_news);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bin = chance_below(c, model.n);
        t->news[t->n_news++ & (t->cap_news - 1)] = bin;
        if (moves && chance_one_in(c, 3)) model.able[chance_below(c, SHAPES)][bin] ^= 1;
        if (moves && chance_one_in(c, 8)) {
            free_timeline_remove(&t->timeline, bin);
            model.is_empty[bin] = 1;
        } else {
            fill(t, bin, 1 + chance_below(c, 4));
        }
    }
}

static uint32_t ask(struct ts *t, uint32_t shape) {
    const lsched_task_shape task = {.serial = 10 + shape};
    const lsched_plan_ask asked = {.size = sizeof asked, .task = &task};
    int32_t map = ts_able(t, shape, &asked);
    assert_true(map >= 0);
    for (uint32_t b = 0; b < model.n; b++) {
        if (model.is_empty[b]) continue;
        int allows = free_timeline_allows(&t->timeline, (uint32_t)map, b);
        if (allows != model.able[shape][b])
            print_message("seed %llu: shape %u, node %u\n", (unsigned long long)model.seed,
                          (unsigned)shape, (unsigned)b);
        assert_int_equal(allows, model.able[shape][b]);
    }
    return (uint32_t)map;
}

static void next_cycle(struct ts *t) {
    assert_int_equal(ts_able_clear_many(t), LSCHED_OK);
    for (uint32_t i = 0; i < t->n_able; i++) t->able[i].asked = 0;
}

static void test_maps_say_what_the_engine_says(void **state) {
    (void)state;
    struct place_memory memory = {0};
    const lsched_algorithm_env env = place_env(&memory);
    const uint64_t first = chance_seed(1), rounds = chance_rounds(ROUNDS);
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        struct chance c = {seed};
        static struct ts t;
        model.seed = seed;
        begin(&t, &c, &env);
        for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
            change(&t, &c, 1);
            next_cycle(&t);
            for (uint32_t s = 0; s < SHAPES; s++)
                if (!chance_one_in(&c, 3)) (void)ask(&t, s);
        }
        ts_close(&t, &env);
    }
    assert_int_equal(memory.out_bytes, 0);
}

static void test_a_map_stays_while_no_node_could_hold_more(void **state) {
    (void)state;
    struct place_memory memory = {0};
    const lsched_algorithm_env env = place_env(&memory);
    const struct free_timeline_amount need = {{1, 1}};
    const uint64_t first = chance_seed(1), rounds = chance_rounds(ROUNDS);
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        struct chance c = {seed};
        static struct ts t;
        uint32_t map[SHAPES];
        model.seed = seed;
        begin(&t, &c, &env);
        for (uint32_t s = 0; s < SHAPES; s++) map[s] = ask(&t, s);
        uint32_t maps = t.timeline.n_maps;
        const struct free_counts *of =
            free_counts_collect(&t.scratch.search.counts, &t.timeline, map[0], &need);
        uint32_t questions = t.scratch.search.counts.next;
        for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
            change(&t, &c, 0);
            next_cycle(&t);
            for (uint32_t s = 0; s < SHAPES; s++) assert_int_equal(ask(&t, s), map[s]);
            assert_ptr_equal(
                free_counts_collect(&t.scratch.search.counts, &t.timeline, map[0], &need), of);
        }
        assert_int_equal(t.timeline.n_maps, maps);
        assert_int_equal(t.scratch.search.counts.next, questions);
        ts_close(&t, &env);
    }
    assert_int_equal(memory.out_bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_maps_say_what_the_engine_says),
        cmocka_unit_test(test_a_map_stays_while_no_node_could_hold_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
