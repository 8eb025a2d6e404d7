/*
 * test_fit.c -- the solvers of fixed items: loads and prices kept by difference agree with those from scratch, plans
 * are plans, work may be cut anywhere, and what is found is near what trying everything finds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pack/fit/fit_eject.h"
#include "pack/fit/fit_ruin.h"
#include "pack/fit/fit_seed.h"
#include "pack/wave/wave.h"
#include "property/chance.h"
#include "support/pack_inside.h"
#include "support/pack_random.h"

enum {
    FIXED = PACK_RANDOM_PROFILES | PACK_RANDOM_SOFT | PACK_RANDOM_CLASSES | PACK_RANDOM_LIMITED |
            PACK_RANDOM_RESERVED | PACK_RANDOM_PLACED | PACK_RANDOM_PINNED | PACK_RANDOM_PRICES |
            PACK_RANDOM_ENDLESS | PACK_RANDOM_BIG,
    PROBLEMS = 1500
};

struct fixture {
    struct pack_random random;
    struct pack_inside inside;
    struct fit *fit;
    struct pack_best best;
    void *fit_block, *cost_block;
};

static void *take_fit(struct fixture *x) {
    struct pack_arena arena = {0};
    assert_null(fit_new(&x->inside.problem, &x->random.opts, &arena));
    uint64_t counted = arena.used;
    x->fit_block = pack_inside_block(&arena);
    x->fit = fit_new(&x->inside.problem, &x->random.opts, &arena);
    assert_non_null(x->fit);
    assert_int_equal(arena.used, counted);
    return x->fit;
}

/* A random fixed problem and its solver. */
static void begin(struct fixture *x, uint64_t seed, uint32_t n_items, uint32_t allowed) {
    lsched_error err = LSCHED_ERROR_INIT;
    memset(x, 0, sizeof *x);
    pack_random_make(&x->random, seed, n_items, pack_random_features(seed, allowed));
    if (pack_inside_make(&x->inside, &x->random.problem, &x->random.opts, &err))
        fail_msg("seed %llu: %s", (unsigned long long)seed, err.message);
    assert_int_equal(x->inside.problem.kind, PACK_FIXED);
    struct pack_arena arena = {0};
    (void)pack_cost_new(&x->inside.problem, &arena);
    x->cost_block = pack_inside_block(&arena);
    x->best.cost = pack_cost_new(&x->inside.problem, &arena);
    x->best.spots = calloc(x->inside.problem.n_tasks, sizeof *x->best.spots);
    assert_non_null(x->best.spots);
    (void)take_fit(x);
}

static void end(struct fixture *x) {
    free(x->best.spots);
    free(x->cost_block);
    free(x->fit_block);
    pack_inside_free(&x->inside);
    pack_random_free(&x->random);
}

/* Where items are, as spots; what pack_value_of says of it. */
static int value_of_state(struct fixture *x, struct pack_value *value) {
    const struct pack_problem *p = &x->inside.problem;
    uint32_t bad;
    for (uint32_t i = 0; i < p->n_items; i++)
        x->fit->spots[i] = (struct pack_spot){
            .bin = x->fit->items[i].bin, .slice = PACK_NO_SLICE, .start = p->items[i].ready};
    return pack_value_of(x->best.cost, x->fit->spots, value, &bad, NULL);
}

/* Random puts and takes: a check says what the plan as a whole says, and prices by difference are those of the whole. */
static void state_is_exact(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= chance_rounds(PROBLEMS); seed++) {
        struct fixture x;
        begin(&x, seed, 8, FIXED);
        struct fit *f = x.fit;
        const struct pack_problem *p = &x.inside.problem;
        for (int turn = 0; turn < 60; turn++) {
            uint32_t i = pack_random_below(&f->random, p->n_items),
                     b = pack_random_below(&f->random, p->n_bins);
            struct pack_value value;
            if (f->items[i].bin == FIT_NONE && f->bins[b].listed_at == FIT_NONE &&
                f->class_rows[p->bin_class[b]] == 0)
                continue; /* more bins than run at once */
            if (f->items[i].bin != FIT_NONE) {
                fit_take(f, i);
            } else {
                f->rule = (enum fit_rule)pack_random_below(&f->random, 3);
                int64_t score = fit_check(f, i, b);
                f->items[i].bin = b;
                int rc = value_of_state(&x, &value);
                f->items[i].bin = FIT_NONE;
                if ((score != FIT_NO_FIT) != (rc == 0))
                    fail_msg("seed %llu turn %d: item %u in bin %u: score %lld, as a plan %d",
                             (unsigned long long)seed, turn, i, b, (long long)score, rc);
                if (score != FIT_NO_FIT) fit_put(f, i, b);
            }
            assert_int_equal(value_of_state(&x, &value), 0);
            assert_int_equal(value.left_out, f->left_out);
            if (!f->is_plain && !p->makespan_price && value.price != f->price)
                fail_msg("seed %llu turn %d: price %lld, by difference %lld",
                         (unsigned long long)seed, turn, (long long)value.price,
                         (long long)f->price);
        }
        end(&x);
    }
}

/* What an exchange promises is what taking one out and checking the other says. */
static void exchanges_are_exact(void **state) {
    uint64_t seen[2] = {0, 0};
    (void)state;
    for (uint64_t seed = 1; seed <= chance_rounds(PROBLEMS); seed++) {
        struct fixture x;
        begin(&x, seed, 10, FIXED & ~(uint32_t)(PACK_RANDOM_SOFT | PACK_RANDOM_PINNED));
        struct fit *f = x.fit;
        struct pack_meter meter = {0, UINT64_MAX, 0, 0, NULL};
        fit_seed(f, &x.best, &meter);
        for (int turn = 0; turn < 40; turn++) {
            uint32_t i = pack_random_below(&f->random, f->p->n_items),
                     j = pack_random_below(&f->random, f->p->n_items);
            uint32_t b = f->items[j].bin;
            const struct fit_item *it = &f->items[i], *out = &f->items[j];
            if (i == j || b == FIT_NONE || !fit_is_allowed(f, i, b)) continue;
            if (it->low >= out->high || out->low >= it->high) continue;
            uint32_t home = it->bin;
            if (home != FIT_NONE) fit_take(f, i);
            int says = fit_without(f, i, b, j);
            fit_take(f, j);
            int is = fit_check(f, i, b) != FIT_NO_FIT;
            fit_put(f, j, b);
            if (home != FIT_NONE) fit_put(f, i, home);
            seen[is]++;
            if (says != is)
                fail_msg("seed %llu: item %u for %u in bin %u: %d, expected %d",
                         (unsigned long long)seed, i, j, b, says, is);
        }
        end(&x);
    }
    assert_true(seen[0] > 1000 && seen[1] > 1000);
}

static void run(struct fixture *x, uint64_t until, uint64_t piece) {
    struct pack_meter meter = {0, UINT64_MAX, 0, 0, NULL};
    struct pack_value bound = {0, 0};
    fit_seed(x->fit, &x->best, &meter);
    meter.done = 0;
    do {
        meter.until = piece < until - meter.done ? meter.done + piece : until;
        if (fit_ruin(x->fit, &x->best, &meter, &bound) == PACK_DONE) break;
    } while (meter.done < until);
}

/* The plan is one, its value is its own, and pieces of work add up to the same. */
static void work_may_be_cut_anywhere(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= chance_rounds(PROBLEMS / 5); seed++) {
        struct fixture x, y;
        begin(&x, seed, 24, FIXED);
        begin(&y, seed, 24, FIXED);
        run(&x, 30000, UINT64_MAX);
        run(&y, 30000, 1 + seed % 700);
        struct pack_value value;
        uint32_t bad;
        assert_int_equal(pack_value_of(x.best.cost, x.best.spots, &value, &bad, NULL), 0);
        assert_int_equal(value.left_out, x.best.value.left_out);
        assert_int_equal(value.price, x.best.value.price);
        if (x.best.value.price != y.best.value.price ||
            memcmp(x.best.spots, y.best.spots, x.inside.problem.n_tasks * sizeof *x.best.spots))
            fail_msg("seed %llu: in pieces another plan", (unsigned long long)seed);
        end(&x);
        end(&y);
    }
}

/* Against trying everything: never better, and seldom worse. */
static void finds_nearly_all_best_plans(void **state) {
    uint32_t worse = 0, all = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= chance_rounds(PROBLEMS / 3); seed++) {
        struct fixture x;
        begin(&x, seed, 6, FIXED & ~(uint32_t)PACK_RANDOM_BIG);
        run(&x, 60000, UINT64_MAX);
        struct pack_value found = x.best.value, bound = {0, 0};
        struct pack_arena arena = {0};
        (void)wave_new(&x.inside.problem, &x.random.opts, 1, &arena);
        void *block = pack_inside_block(&arena);
        struct wave *wave = wave_new(&x.inside.problem, &x.random.opts, 1, &arena);
        struct pack_meter meter = {0, 50000000, 0, 0, NULL};
        int proved = 0;
        (void)wave_run(wave, &x.best, &meter, &bound, &proved);
        all += proved != 0;
        if (proved && pack_value_less(x.best.value, found)) {
            worse++;
            print_message("seed %llu features %x: %lld %lld, least %lld %lld\n",
                          (unsigned long long)seed, x.random.features, (long long)found.left_out,
                          (long long)found.price, (long long)x.best.value.left_out,
                          (long long)x.best.value.price);
        }
        free(block);
        end(&x);
    }
    print_message("%u of %u not the best\n", worse, all);
    assert_true(all > chance_rounds(PROBLEMS) / 4);
    assert_true(worse * 50 <= all);
}

/* The plan to start from is never lost, and what does not fit goes anew. */
static void a_start_is_kept(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= chance_rounds(PROBLEMS / 3); seed++) {
        struct fixture x, y;
        begin(&x, seed, 12, FIXED);
        run(&x, 20000, UINT64_MAX);
        begin(&y, seed, 12, FIXED);
        struct pack_meter meter = {0, UINT64_MAX, 0, 0, NULL};
        fit_start(y.fit, x.best.spots, &y.best, &meter);
        assert_true(y.best.has_plan);
        assert_false(pack_value_less(x.best.value, y.best.value));
        end(&x);
        end(&y);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(state_is_exact),           cmocka_unit_test(exchanges_are_exact),
        cmocka_unit_test(work_may_be_cut_anywhere), cmocka_unit_test(finds_nearly_all_best_plans),
        cmocka_unit_test(a_start_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
