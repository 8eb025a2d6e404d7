/*
 * test_wave.c -- the programme with a beam: one state wide it is the greedy rule, its plans are
 * plans, it never beats what is proved, a run cut in pieces is the whole run, and more work is
 * never worse.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pack/wave/wave.h"
#include "support/pack_inside.h"
#include "support/pack_random.h"

enum { SLOTS = 6, ITEMS = 24, BINS = ITEMS };

struct bench {
    struct pack_random random;
    struct pack_inside inside;
    struct pack_cost *cost;
    struct wave *wave, *exact;
    struct pack_spot *spots;
    struct pack_best best;
    void *block;
};

/* Of b->random; 0: the problem is not legal. */
static int set_up_problem(struct bench *b) {
    lsched_error err = {.size = sizeof err};
    struct pack_arena arena = {0};
    if (pack_inside_make(&b->inside, &b->random.problem, &b->random.opts, &err) != 0) {
        pack_random_free(&b->random);
        return 0;
    }
    for (uint32_t pass = 0; pass < 2; pass++) {
        if (pass) b->block = pack_inside_block(&arena);
        b->cost = pack_cost_new(&b->inside.problem, &arena);
        b->wave = wave_new(&b->inside.problem, &b->random.opts, 0, &arena);
        b->exact = wave_new(&b->inside.problem, &b->random.opts, 1, &arena);
        b->spots = pack_take(&arena, b->inside.problem.n_tasks, sizeof *b->spots);
    }
    b->best = (struct pack_best){.spots = b->spots, .cost = b->cost};
    return 1;
}

static int set_up(struct bench *b, uint64_t seed, uint32_t n_items, uint32_t features,
                  uint32_t beam) {
    memset(b, 0, sizeof *b);
    pack_random_make(&b->random, seed, n_items, features);
    b->random.opts.beam = beam;
    return set_up_problem(b);
}

static void tear_down(struct bench *b) {
    free(b->block);
    pack_inside_free(&b->inside);
    pack_random_free(&b->random);
}

static void plans_are_plans(void **state) {
    (void)state;
    uint32_t n = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct bench b;
        uint32_t features = pack_random_features(seed, PACK_RANDOM_ALL);
        if (!set_up(&b, seed, 1 + (uint32_t)(seed % 20), features, 1 + (uint32_t)(seed % 9)))
            continue;
        struct pack_meter m = {.until = 20000};
        int proved;
        (void)wave_run(b.wave, &b.best, &m, NULL, &proved);
        assert_false(proved);
        if (b.best.has_plan) {
            struct pack_value value;
            uint32_t bad;
            n++;
            assert_int_equal(pack_value_of(b.cost, b.best.spots, &value, &bad, NULL), 0);
            assert_int_equal(value.left_out, b.best.value.left_out);
            assert_int_equal(value.price, b.best.value.price);
        }
        tear_down(&b);
    }
    print_message("%u of 400 have a plan after 20000 units\n", n);
    assert_true(n > 350);
}

static void never_below_what_is_proved(void **state) {
    (void)state;
    uint32_t met = 0, n = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct bench b;
        uint32_t features = pack_random_features(seed, PACK_RANDOM_ALL);
        if (!set_up(&b, seed + 9000, 1 + (uint32_t)(seed % 4), features, 8)) continue;
        struct pack_meter m = {.until = 100000};
        int proved = 0, none;
        (void)wave_run(b.exact, &b.best, &m, NULL, &proved);
        struct pack_value least = b.best.value;
        b.best.has_plan = 0;
        m = (struct pack_meter){.until = 30000};
        (void)wave_run(b.wave, &b.best, &m, NULL, &none);
        if (proved && b.best.has_plan) {
            if (pack_value_less(b.best.value, least))
                print_error("seed %llu: the beam is better than what is proved\n",
                            (unsigned long long)seed);
            assert_false(pack_value_less(b.best.value, least));
            met += !pack_value_less(least, b.best.value);
            n++;
        }
        tear_down(&b);
    }
    print_message("as good as proved: %u of %u\n", met, n);
    assert_true(n > 200);
    assert_true(met * 10 > n * 7);
}

static void pieces_are_the_whole(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct bench whole, pieces;
        uint32_t features = pack_random_features(seed, PACK_RANDOM_ALL), none = 0;
        if (!set_up(&whole, seed, 12, features, 4)) continue;
        assert_int_equal(set_up(&pieces, seed, 12, features, 4), 1);
        struct pack_meter a = {.until = 4000}, c = {0};
        int proved, more = PACK_MORE;
        (void)wave_run(whole.wave, &whole.best, &a, NULL, &proved);
        while (c.done < 4000 && more == PACK_MORE) {
            c.until = c.done + 1 + (none++ * 37) % 90;
            if (c.until > 4000) c.until = 4000;
            more = wave_run(pieces.wave, &pieces.best, &c, NULL, &proved);
        }
        assert_int_equal(a.done, c.done);
        assert_int_equal(a.states, c.states);
        assert_int_equal(whole.best.has_plan, pieces.best.has_plan);
        assert_int_equal(whole.best.value.price, pieces.best.value.price);
        if (whole.best.has_plan)
            assert_memory_equal(whole.spots, pieces.spots,
                                whole.inside.problem.n_tasks * sizeof *whole.spots);
        tear_down(&whole);
        tear_down(&pieces);
    }
}

/* ---- one state wide ---- */

struct greedy {
    int64_t load[BINS][SLOTS], demand[ITEMS][SLOTS], capacity;
    uint32_t order[ITEMS], bin[ITEMS];
};

static int64_t peak_of(const int64_t *load, const int64_t *more) {
    int64_t peak = 0;
    for (uint32_t s = 0; s < SLOTS; s++) {
        int64_t x = load[s] + (more ? more[s] : 0);
        if (x > peak) peak = x;
    }
    return peak;
}

/* Items by peak, the largest first; into the bin whose peak rises least, of these the one with
 * the highest, of these the first. */
static uint32_t greedy_bins(struct greedy *g) {
    uint32_t used = 0;
    memset(g->load, 0, sizeof g->load);
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t at = i;
        for (; at > 0 && peak_of(g->demand[g->order[at - 1]], NULL) < peak_of(g->demand[i], NULL);
             at--)
            g->order[at] = g->order[at - 1];
        g->order[at] = i;
    }
    for (uint32_t k = 0; k < ITEMS; k++) {
        const int64_t *demand = g->demand[g->order[k]];
        int64_t best_rise = INT64_MAX, best_peak = 0;
        uint32_t best = used;
        for (uint32_t b = 0; b < used; b++) {
            int64_t was = peak_of(g->load[b], NULL), is = peak_of(g->load[b], demand);
            if (is > g->capacity) continue;
            if (is - was < best_rise || (is - was == best_rise && is > best_peak)) {
                best = b;
                best_rise = is - was;
                best_peak = is;
            }
        }
        if (best == used) used++;
        for (uint32_t s = 0; s < SLOTS; s++) g->load[best][s] += demand[s];
        g->bin[g->order[k]] = best;
    }
    return used;
}

/* Random services over the slots of `g`, in one class without a limit. */
struct services {
    lsched_pack_problem problem;
    lsched_pack_resource resource;
    lsched_pack_class class;
    lsched_pack_item items[ITEMS];
    lsched_pack_config configs[ITEMS];
    int64_t slots[SLOTS + 1];
};

static void make_services(struct services *v, struct greedy *g, uint64_t seed) {
    uint64_t random = seed * 0x9E3779B97F4A7C15u;
    for (uint32_t s = 0; s <= SLOTS; s++) v->slots[s] = s * INT64_C(60000000);
    for (uint32_t i = 0; i < ITEMS; i++) {
        for (uint32_t s = 0; s < SLOTS; s++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            g->demand[i][s] = 1 + (int64_t)((random >> 40) % 32);
        }
        v->configs[i] = (lsched_pack_config){
            .size = sizeof v->configs[i], .n_slots = SLOTS, .demand = g->demand[i]};
        v->items[i] = (lsched_pack_item){
            .size = sizeof v->items[i], .configs = &v->configs[i], .n_configs = 1};
    }
    v->resource = (lsched_pack_resource){.size = sizeof v->resource};
    v->class = (lsched_pack_class){.size = sizeof v->class,
                                   .count = LSCHED_PACK_UNLIMITED,
                                   .capacity = &g->capacity,
                                   .open_price_micro = 1000000};
    v->problem = (lsched_pack_problem){.size = sizeof v->problem,
                                       .n_resources = 1,
                                       .resources = &v->resource,
                                       .classes = &v->class,
                                       .items = v->items,
                                       .n_classes = 1,
                                       .n_items = ITEMS,
                                       .n_slots = SLOTS,
                                       .slot_bounds = v->slots,
                                       .resource_size = sizeof v->resource,
                                       .class_size = sizeof v->class,
                                       .item_size = sizeof *v->items,
                                       .config_size = sizeof *v->configs,
                                       .reservation_size = sizeof(lsched_pack_reservation)};
}

static void one_state_is_the_greedy(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct greedy g = {.capacity = 64};
        struct services services;
        make_services(&services, &g, seed);
        lsched_pack_opts opts = {.size = sizeof opts, .beam = 1};
        lsched_error err = {.size = sizeof err};
        struct pack_inside inside;
        struct pack_arena arena = {0};
        assert_int_equal(pack_inside_make(&inside, &services.problem, &opts, &err), 0);
        (void)wave_new(&inside.problem, &opts, 0, &arena);
        void *block = pack_inside_block(&arena);
        struct wave *wave = wave_new(&inside.problem, &opts, 0, &arena);
        struct pack_spot spots[ITEMS];
        struct pack_best best = {.spots = spots};
        struct pack_meter m = {0};
        int proved;
        while (!best.has_plan) {
            m.until++;
            assert_int_equal(wave_run(wave, &best, &m, NULL, &proved), PACK_MORE);
        }
        uint32_t used = greedy_bins(&g);
        assert_int_equal(best.value.price, used * INT64_C(1000000));
        for (uint32_t i = 0; i < ITEMS; i++) {
            if (spots[i].bin != g.bin[i])
                print_error("seed %llu, item %u\n", (unsigned long long)seed, i);
            assert_int_equal(spots[i].bin, g.bin[i]);
        }
        free(block);
        pack_inside_free(&inside);
    }
}

/* ---- moments ---- */

/* Orders are disturbed by a part of the horizon: one of a few microseconds has none, and is packed
 * as any other. */
static void a_horizon_of_moments_is_packed(void **state) {
    (void)state;
    int64_t capacity[] = {2}, demand[] = {1};
    lsched_pack_resource resource = {.size = sizeof resource};
    lsched_pack_class class = {
        .size = sizeof class, .count = 3, .capacity = capacity, .open_price_micro = 1000};
    for (int64_t moments = 1; moments <= 40; moments++) {
        lsched_pack_config config = {
            .size = sizeof config, .duration_us = moments, .demand = demand};
        lsched_pack_item items[5];
        for (int64_t i = 0; i < 5; i++)
            items[i] = (lsched_pack_item){.size = sizeof *items,
                                          .flags = LSCHED_PACK_ITEM_HAS_LATEST,
                                          .ready_us = i < moments ? i : 0,
                                          .latest_us = i < moments ? i : 0,
                                          .configs = &config,
                                          .n_configs = 1};
        struct bench b;
        memset(&b, 0, sizeof b);
        pack_random_make(&b.random, 1, 5, 0);
        lsched_pack_problem p = {.size = sizeof p,
                                 .n_resources = 1,
                                 .resources = &resource,
                                 .classes = &class,
                                 .items = items,
                                 .n_classes = 1,
                                 .n_items = 5,
                                 .resource_size = sizeof resource,
                                 .class_size = sizeof class,
                                 .item_size = sizeof *items,
                                 .config_size = sizeof config,
                                 .reservation_size = sizeof(lsched_pack_reservation)};
        b.random.problem = p;
        assert_int_equal(set_up_problem(&b), 1);
        struct pack_meter m = {.until = 20000};
        int proved;
        (void)wave_run(b.wave, &b.best, &m, NULL, &proved);
        assert_int_equal(b.best.has_plan, 1);
        assert_int_equal(b.best.value.left_out, 0);
        tear_down(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_state_is_the_greedy),        cmocka_unit_test(plans_are_plans),
        cmocka_unit_test(never_below_what_is_proved),     cmocka_unit_test(pieces_are_the_whole),
        cmocka_unit_test(a_horizon_of_moments_is_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
