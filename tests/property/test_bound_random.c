/*
 * test_bound_random.c -- no plan is better than the bound: small random problems of every mixture
 * of features against the proved best (the exact search is judged against brute force by its own
 * test), larger ones against plans that heuristics find. Also: a run cut in pieces says the same
 * as a whole one, bounds only grow, and on plain problems they are mostly what is needed, so that
 * a bound of nothing would fail here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pack/bound/bound_run.h"
#include "pack/fit/fit_ruin.h"
#include "pack/fit/fit_seed.h"
#include "pack/timed/time_ruin.h"
#include "pack/wave/wave.h"
#include "property/chance.h"
#include "support/pack_inside.h"
#include "support/pack_random.h"

enum { EXACT_UNITS = 300000, PIECE = 700 };

struct judged {
    struct pack_inside inside;
    struct pack_bound bound;
    struct pack_best best;
    lsched_pack_info parts;
    int is_proved;
};

static void run_whole(const struct pack_problem *p, const lsched_pack_opts *opts,
                      struct pack_bound *out) {
    struct pack_arena arena = {0};
    struct pack_meter m = {.until = UINT64_MAX};
    bounds_new(p, opts, &arena);
    void *block = pack_inside_block(&arena);
    struct bounds *b = bounds_new(p, opts, &arena);
    assert_int_equal(bounds_run(b, out, &m, NULL), PACK_DONE);
    free(block);
}

/* In pieces; each piece's bound is no less than the one before. */
static void run_pieces(const struct pack_problem *p, const lsched_pack_opts *opts,
                       struct pack_bound *out) {
    struct pack_arena arena = {0};
    struct pack_meter m = {.until = 1};
    struct pack_bound before;
    bounds_new(p, opts, &arena);
    void *block = pack_inside_block(&arena);
    struct bounds *b = bounds_new(p, opts, &arena);
    int more = bounds_run(b, out, &m, NULL);
    while (more == PACK_MORE) {
        before = *out;
        m.until = m.done + PIECE;
        more = bounds_run(b, out, &m, NULL);
        assert_false(pack_value_less(out->value, before.value));
        assert_true(out->bins >= before.bins && out->end >= before.end);
    }
    free(block);
}

static void solve(struct judged *j, const lsched_pack_opts *opts, int exact) {
    const struct pack_problem *p = &j->inside.problem;
    struct pack_arena arena = {0};
    struct pack_meter m = {.until = EXACT_UNITS};
    struct pack_value nothing = {0, 0};
    struct pack_cost *cost;
    struct wave *wave;
    struct fit *fit;
    struct time_pack *time;
    struct pack_spot *spots;
    void *block = NULL;
    for (int pass = 0; pass < 2; pass++) {
        if (pass) block = pack_inside_block(&arena);
        cost = pack_cost_new(p, &arena);
        spots = pack_take(&arena, p->n_tasks, sizeof *spots);
        wave = exact ? wave_new(p, opts, 1, &arena) : NULL;
        fit = !exact && p->kind == PACK_FIXED ? fit_new(p, opts, &arena) : NULL;
        time = !exact && p->kind == PACK_FLEXIBLE ? time_new(p, opts, &arena) : NULL;
    }
    j->best = (struct pack_best){.spots = spots, .cost = cost};
    if (exact) {
        while (wave_run(wave, &j->best, &m, &nothing, &j->is_proved) == PACK_MORE &&
               m.done < EXACT_UNITS) {}
    } else if (fit) {
        m.until = 200000;
        fit_seed(fit, &j->best, &m);
        fit_ruin(fit, &j->best, &m, &nothing);
    } else {
        m.until = 50000;
        time_seed(time, &j->best, &m);
        time_ruin(time, &j->best, &m, &nothing);
    }
    if (j->best.has_plan) {
        uint32_t bad;
        struct pack_value value;
        assert_int_equal(pack_value_of(cost, j->best.spots, &value, &bad, &j->parts), 0);
        j->best.value = value;
    }
    free(block);
}

static void check_bound(const struct judged *j, const struct pack_bound *b, uint64_t seed,
                        uint32_t features) {
    int wrong = pack_value_less(j->best.value, b->value);
    if (j->best.value.left_out == 0) wrong |= j->parts.bins < b->bins || j->parts.end_us < b->end;
    if (!wrong) return;
    fail_msg("seed %#llx features %#x: a plan of (%lld out, %lld micro, %u bins, end %lld) is "
             "better than the bound (%lld, %lld, %u, %lld) by %u",
             (unsigned long long)seed, features, (long long)j->best.value.left_out,
             (long long)j->best.value.price, j->parts.bins, (long long)j->parts.end_us,
             (long long)b->value.left_out, (long long)b->value.price, b->bins, (long long)b->end,
             b->by);
}

struct tally {
    uint32_t rounds, proved, met;
};

/* One problem; 0 if it is none (reservations that overlap). */
static void round_of(uint64_t seed, uint32_t n, uint32_t features, int exact, struct tally *t) {
    struct pack_random r;
    struct judged j = {0};
    struct pack_bound pieces;
    lsched_error err = LSCHED_ERROR_INIT;
    pack_random_make(&r, seed, n, features);
    int32_t rc = pack_inside_make(&j.inside, &r.problem, &r.opts, &err);
    if (rc != LSCHED_OK) fail_msg("seed %#llx: %s", (unsigned long long)seed, err.message);
    run_whole(&j.inside.problem, &r.opts, &j.bound);
    run_pieces(&j.inside.problem, &r.opts, &pieces);
    if (pieces.value.price != j.bound.value.price || pieces.bins != j.bound.bins ||
        pieces.value.left_out != j.bound.value.left_out || pieces.end != j.bound.end)
        fail_msg("seed %#llx: cut in pieces it says something else", (unsigned long long)seed);
    solve(&j, &r.opts, exact);
    t->rounds++;
    if (j.best.has_plan) check_bound(&j, &j.bound, seed, features);
    if (j.best.has_plan && j.is_proved) {
        t->proved++;
        t->met += !pack_value_less(j.bound.value, j.best.value);
    }
    pack_inside_free(&j.inside);
    pack_random_free(&r);
}

static void run_rounds(uint32_t rounds, uint32_t least, uint32_t most, uint32_t allowed,
                       uint32_t always, int exact, struct tally *t) {
    uint64_t seed = chance_seed(0x5eedb0bd);
    struct chance c = {seed};
    memset(t, 0, sizeof *t);
    for (uint32_t k = 0; k < chance_rounds(rounds); k++) {
        uint64_t one = k == 0 ? seed : chance_word(&c);
        struct chance choice = {one};
        uint32_t n = least + chance_below(&choice, most - least + 1);
        round_of(one, n, always | pack_random_features(one, allowed), exact, t);
    }
    print_message("%u rounds from seed %#llx, %u proved, the bound was met in %u\n", t->rounds,
                  (unsigned long long)seed, t->proved, t->met);
}

static void test_fixed_against_exact(void **state) {
    (void)state;
    struct tally t;
    run_rounds(1000, 2, 8,
               PACK_RANDOM_ALL & ~(uint32_t)(PACK_RANDOM_FLEXIBLE | PACK_RANDOM_MIG |
                                             PACK_RANDOM_GANGS | PACK_RANDOM_CONFIGS),
               0, 1, &t);
    assert_true(t.proved * 2 > t.rounds);
}

static void test_flexible_against_exact(void **state) {
    (void)state;
    struct tally t;
    run_rounds(300, 2, 4, PACK_RANDOM_ALL, PACK_RANDOM_FLEXIBLE, 1, &t);
    assert_true(t.proved * 4 > t.rounds);
}

static void test_larger_against_plans(void **state) {
    (void)state;
    struct tally t;
    run_rounds(150, 10, 40, PACK_RANDOM_ALL, 0, 0, &t);
}

/* Bins alone: here bounds are nearly always all that is needed. */
static void test_plain_is_tight(void **state) {
    (void)state;
    struct tally t;
    run_rounds(400, 4, 9, PACK_RANDOM_PROFILES, 0, 1, &t);
    assert_true(t.proved * 10 >= t.rounds * 9);
    assert_true(t.met * 10 >= t.proved * 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_against_exact), cmocka_unit_test(test_flexible_against_exact),
        cmocka_unit_test(test_larger_against_plans), cmocka_unit_test(test_plain_is_tight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
