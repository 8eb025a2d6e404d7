/*
 * test_time_pack.c -- the solver of flexible problems: every plan that it offers is one and costs
 * what cost.c says; the profile is undone exactly; mig80-like problems come near to their bound;
 * more work is never worse, and cutting a run in pieces changes nothing. /
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pack/timed/time_ruin.h"
#include "support/pack_inside.h"
#include "support/pack_random.h"

struct solver {
    struct pack_inside inside;
    const struct pack_problem *p;
    struct time_pack *f;
    struct pack_best best;
    struct pack_meter m;
    int stop;
    void *block;
};

static void take(struct solver *s, const lsched_pack_opts *opts, struct pack_arena *a) {
    s->f = time_new(s->p, opts, a);
    s->best.cost = pack_cost_new(s->p, a);
    s->best.spots = pack_take(a, s->p->n_tasks, sizeof *s->best.spots);
}

static void open_solver(struct solver *s, const lsched_pack_problem *in,
                        const lsched_pack_opts *opts) {
    struct pack_arena a = {0};
    lsched_error err;
    memset(s, 0, sizeof *s);
    lsched_init(&err, sizeof err);
    if (pack_inside_make(&s->inside, in, opts, &err) != 0) fail_msg("%s", err.message);
    s->p = &s->inside.problem;
    take(s, opts, &a);
    s->block = pack_inside_block(&a);
    take(s, opts, &a);
    s->m.stop = &s->stop;
}

static void close_solver(struct solver *s) {
    free(s->block);
    pack_inside_free(&s->inside);
}

/* What the state keeps by difference is what the whole plan costs. */
static void expect_kept(struct solver *s, uint64_t seed, uint32_t features) {
    struct pack_value truth, kept = time_plan_value(&s->f->st);
    uint32_t bad = 0;
    for (uint32_t t = 0; t < s->p->n_tasks; t++)
        if (!s->f->st.is_in[s->f->st.item_of[t]]) s->f->st.spots[t].bin = PACK_NO_BIN;
    if (pack_value_of(s->best.cost, s->f->st.spots, &truth, &bad, NULL) != 0)
        fail_msg("seed %llu: not a plan, task %u", (unsigned long long)seed, bad);
    if (truth.left_out != kept.left_out || truth.price != kept.price)
        fail_msg("seed %llu (%x): kept %lld left out, %lld; it is %lld, %lld",
                 (unsigned long long)seed, features, (long long)kept.left_out,
                 (long long)kept.price, (long long)truth.left_out, (long long)truth.price);
}

static void test_kept_is_truth(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct pack_random r;
        struct solver s;
        pack_random_make(&r, seed, 1 + (uint32_t)(seed % 14),
                         pack_random_features(seed, PACK_RANDOM_ALL) | PACK_RANDOM_FLEXIBLE);
        open_solver(&s, &r.problem, &r.opts);
        if (s.p->kind == PACK_FIXED) { /* the dice fell so */
            close_solver(&s);
            pack_random_free(&r);
            continue;
        }
        time_seed(s.f, &s.best, &s.m);
        assert_true(s.best.has_plan);
        expect_kept(&s, seed, r.features);
        for (uint64_t until = 500; until <= 6000; until += 500) {
            struct pack_value bound = {0, 0}, before = s.best.value;
            s.m.until = s.m.done + 500;
            (void)time_ruin(s.f, &s.best, &s.m, &bound);
            expect_kept(&s, seed, r.features);
            assert_false(pack_value_less(before, s.best.value));
        }
        close_solver(&s);
        pack_random_free(&r);
    }
}

/* Of the first seeds; small runs. In pieces or whole, the same plan; another seed, as good as
 * legal. */
static void test_pieces_are_the_whole(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct pack_random r;
        struct solver whole, pieces;
        struct pack_value bound = {0, 0};
        pack_random_make(&r, seed, 20,
                         PACK_RANDOM_FLEXIBLE | PACK_RANDOM_PRICES | PACK_RANDOM_GANGS);
        open_solver(&whole, &r.problem, &r.opts);
        open_solver(&pieces, &r.problem, &r.opts);
        if (whole.p->kind == PACK_FLEXIBLE) {
            time_seed(whole.f, &whole.best, &whole.m);
            time_seed(pieces.f, &pieces.best, &pieces.m);
            uint64_t until = whole.m.done + 20000;
            whole.m.until = until;
            (void)time_ruin(whole.f, &whole.best, &whole.m, &bound);
            while (pieces.m.done < until) {
                pieces.m.until = pieces.m.done + 1 + seed * 7;
                if (pieces.m.until > until) pieces.m.until = until;
                if (time_ruin(pieces.f, &pieces.best, &pieces.m, &bound) == PACK_DONE) break;
            }
            assert_int_equal(whole.m.done, pieces.m.done);
            assert_memory_equal(whole.best.spots, pieces.best.spots,
                                whole.p->n_tasks * sizeof *whole.best.spots);
        }
        close_solver(&whole);
        close_solver(&pieces);
        pack_random_free(&r);
    }
}

/* ---- the profile ---- */

static uint64_t digest(const struct time_profile *t, uint32_t bin) {
    uint64_t h = 1469598103934665603ULL;
    for (uint32_t i = 1 + bin; i; i = t->points[i].next) {
        h = (h ^ (uint64_t)t->points[i].from) * 1099511628211ULL;
        h = (h ^ t->points[i].mask ^ (uint64_t)t->points[i].running << 32) * 1099511628211ULL;
        for (uint32_t r = 0; r < t->p->n_resources; r++)
            h = (h ^ (uint64_t)t->loads[(uint64_t)i * t->p->n_resources + r]) * 1099511628211ULL;
    }
    return h;
}

/* Taking everything out in another order leaves the bins as they were, and loses no breakpoint. */
static void test_profile_undone(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct pack_random r;
        struct solver s;
        pack_random_make(&r, seed, 12,
                         pack_random_features(seed, PACK_RANDOM_ALL) | PACK_RANDOM_FLEXIBLE);
        open_solver(&s, &r.problem, &r.opts);
        struct time_state *st = &s.f->st;
        time_state_reset(st);
        uint64_t before = 0, after = 0, dice = seed;
        for (uint32_t b = 0; b < s.p->n_bins; b++) before = before * 31 + digest(&st->profile, b);
        for (uint32_t round = 0; round < 40; round++) {
            uint32_t i = pack_random_below(&dice, s.p->n_items);
            struct time_rule rule = {.not_before = INT64_MIN};
            if (st->is_in[i])
                time_take(st, i);
            else
                (void)time_insert(st, i, &rule);
        }
        for (uint32_t i = s.p->n_items; i-- > 0;)
            if (st->is_in[i]) time_take(st, i);
        for (uint32_t b = 0; b < s.p->n_bins; b++) after = after * 31 + digest(&st->profile, b);
        if (before != after)
            fail_msg("seed %llu: the profile is not what it was", (unsigned long long)seed);
        assert_true(st->price == 0 && st->over == 0);
        close_solver(&s);
        pack_random_free(&r);
    }
}

/* ---- figures that are known ---- */

struct jobs {
    lsched_pack_item items[80];
    lsched_pack_config configs[80];
    lsched_pack_class class;
    lsched_pack_problem problem;
    lsched_pack_opts opts;
};

static void begin_jobs(struct jobs *j, uint32_t gpus) {
    memset(j, 0, sizeof *j);
    j->class = (lsched_pack_class){.size = sizeof j->class, .count = gpus};
    j->class.mig_table = LSCHED_TEXT("h100-80gb");
    j->opts = (lsched_pack_opts){.size = sizeof j->opts, .seed = 7};
    j->problem = (lsched_pack_problem){.size = sizeof j->problem,
                                       .classes = &j->class,
                                       .items = j->items,
                                       .n_classes = 1,
                                       .makespan_price_micro_per_hour = 3600000000,
                                       .class_size = sizeof j->class,
                                       .item_size = sizeof *j->items,
                                       .config_size = sizeof *j->configs};
}

static void add_job(struct jobs *j, lsched_text profile, int64_t seconds) {
    uint32_t i = j->problem.n_items++;
    j->configs[i] = (lsched_pack_config){
        .size = sizeof *j->configs, .duration_us = seconds * 1000000, .mig_profile = profile};
    j->items[i] =
        (lsched_pack_item){.size = sizeof *j->items, .configs = &j->configs[i], .n_configs = 1};
}

/* Price of the plan after so much work: with these prices its makespan in microseconds. */
static int64_t end_after(struct jobs *j, uint64_t work) {
    struct solver s;
    struct pack_value bound = {0, 0};
    open_solver(&s, &j->problem, &j->opts);
    time_seed(s.f, &s.best, &s.m);
    s.m.until = s.m.done + work;
    if (work) (void)time_ruin(s.f, &s.best, &s.m, &bound);
    int64_t price = s.best.value.price;
    assert_int_equal(s.best.value.left_out, 0);
    close_solver(&s);
    return price;
}

/* A perfect packing that was cut into jobs: per GPU an hour, a whole one and then halves, quarters
 * and eighths in their lanes. The seventh slice of the second half is lost beside a quarter. */
static void test_known_makespan(void **state) {
    (void)state;
    struct jobs j;
    uint64_t dice = 5;
    begin_jobs(&j, 4);
    for (uint32_t g = 0; g < 4; g++) {
        int64_t whole = 600 + pack_random_below(&dice, 900), rest = 3600 - whole;
        int64_t half = rest / 2 + pack_random_below(&dice, 300);
        add_job(&j, LSCHED_TEXT("7g.80gb"), whole);
        add_job(&j, LSCHED_TEXT("3g.40gb"), half);
        add_job(&j, LSCHED_TEXT("3g.40gb"), rest);
        for (uint32_t lane = 0; lane < 2; lane++) {
            int64_t left = rest - half, cut = left / 3 + pack_random_below(&dice, 200);
            add_job(&j, LSCHED_TEXT("2g.20gb"), cut);
            add_job(&j, LSCHED_TEXT("2g.20gb"), left - cut);
        }
    }
    int64_t seed = end_after(&j, 0), found = end_after(&j, 4000000);
    print_message("makespan: seed %.1f s, found %.1f s, best 3600 s\n", (double)seed / 1e6,
                  (double)found / 1e6);
    assert_true(found >= 3600 * INT64_C(1000000));
    assert_true(found <= 3600 * INT64_C(1025000));
}

/* 80 jobs drawn as mig80 draws them: within 4 % of the area of their memory slices or compute
 * slices, and never worse for more work. */
static void test_makespan_near_the_area(void **state) {
    (void)state;
    static const lsched_text kinds[] = {LSCHED_TEXT_INIT("1g.10gb"), LSCHED_TEXT_INIT("2g.20gb"),
                                        LSCHED_TEXT_INIT("3g.40gb"), LSCHED_TEXT_INIT("7g.80gb")};
    static const int64_t memory[] = {1, 2, 4, 8}, compute[] = {1, 2, 3, 7};
    int64_t gaps = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct jobs j;
        uint64_t dice = seed * 77;
        int64_t area = 0, work = 0;
        begin_jobs(&j, 8);
        for (uint32_t i = 0; i < 80; i++) {
            uint32_t x = pack_random_below(&dice, 100), kind = x < 30   ? 0
                                                               : x < 60 ? 1
                                                               : x < 85 ? 2
                                                                        : 3;
            int64_t seconds = 240 << pack_random_below(&dice, 3);
            seconds += pack_random_below(&dice, (uint32_t)seconds);
            area += memory[kind] * seconds;
            work += compute[kind] * seconds;
            add_job(&j, kinds[kind], seconds);
        }
        int64_t bound = (area * 7 > work * 8 ? area * 1000000 / 64 : work * 1000000 / 56),
                last = INT64_MAX;
        for (uint64_t units = 0; units <= 2000000; units += 1000000) {
            int64_t end = end_after(&j, units);
            assert_true(end <= last && end >= bound);
            last = end;
        }
        gaps += (last - bound) * 1000 / bound;
    }
    print_message("mean gap to the area: %.1f %%\n", (double)gaps / 30);
    assert_true(gaps <= 3 * 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_is_truth),          cmocka_unit_test(test_pieces_are_the_whole),
        cmocka_unit_test(test_profile_undone),         cmocka_unit_test(test_known_makespan),
        cmocka_unit_test(test_makespan_near_the_area),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
