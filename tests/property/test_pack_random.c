/* What is promised of the packer, over random problems of every mixture of features and by every method: a plan
 * that lsched_pack_check agrees with, bounds that hold, more work never worse, runs cut in pieces equal
 * to whole ones, more capacity and smaller demands never worse from a plan that is known, and nothing
 * moved unless that saves patience times its price. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "property/chance.h"
#include "support/fault_alloc.h"
#include "support/pack_random.h"

enum { ITEMS_MAX = 12, MANY = 50, TASKS_MAX = 3 * MANY, WORK = 20000 };

struct outcome {
    lsched_pack_info info, judged;
    lsched_pack_place places[TASKS_MAX];
    size_t n;
};

static size_t count_tasks(const lsched_pack_problem *p) {
    size_t n = 0;
    for (uint32_t i = 0; i < p->n_items; i++) n += p->items[i].tasks ? p->items[i].tasks : 1;
    return n;
}

/* "seed 17, features 0x3 (method 2)": what failed, and with what. */
#define WHERE(r) (unsigned long long)(r)->seed, (r)->features, (r)->opts.method
#define AT       "seed %llu, features %#x, method %u: "

static lsched_packer *create(const struct pack_random *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_packer *packer = NULL;
    if (lsched_packer_create(&r->problem, &r->opts, &packer, &err) != 0)
        fail_msg(AT "%s", WHERE(r), err.message);
    return packer;
}

static int64_t absolute(int64_t x) {
    return x < 0 ? -x : x;
}

/* Expected overload is known to a thousandth; coarser where amounts are scaled. */
static int is_near(const struct pack_random *r, int64_t a, int64_t b, int64_t overload) {
    int is_coarse = (r->features & PACK_RANDOM_BIG) != 0;
    if (!(r->features & PACK_RANDOM_SOFT)) return a == b;
    return absolute(a - b) <= overload / (is_coarse ? 100 : 1000) + 1000;
}

static void judge_flags(const struct pack_random *r, const struct outcome *o) {
    uint32_t moved = 0;
    for (size_t k = 0; k < o->n; k++) {
        const lsched_pack_place *place = &o->places[k];
        const lsched_pack_item *item = &r->items[place->item];
        int is_out = place->bin == LSCHED_PACK_NONE;
        int is_new = !is_out && !item->bins_now;
        int is_moved = !is_out && !is_new && item->bins_now[place->task] != place->bin;
        moved += (uint32_t)is_moved;
        if (is_new != !!(place->flags & LSCHED_PACK_IS_NEW) ||
            is_moved != !!(place->flags & LSCHED_PACK_IS_MOVED))
            fail_msg(AT "flags %#x of place %zu", WHERE(r), place->flags, k);
    }
    assert_int_equal(moved, o->info.moves);
}

/* The plan as it is now, judged. */
static void look(const struct pack_random *r, const lsched_packer *packer, struct outcome *o) {
    lsched_error err = LSCHED_ERROR_INIT;
    memset(o, 0, sizeof *o);
    o->info.size = sizeof o->info;
    o->judged.size = sizeof o->judged;
    assert_int_equal(lsched_packer_get(packer, &o->info, &err), 0);
    o->n = (size_t)lsched_packer_places(packer, o->places, TASKS_MAX, &err);
    assert_int_equal(o->n, count_tasks(&r->problem));
    if (lsched_pack_check(&r->problem, &r->opts, o->places, o->n, &o->judged, &err) != 0)
        fail_msg(AT "%s", WHERE(r), err.message);
    const lsched_pack_info *a = &o->info, *b = &o->judged;
    if (a->left_out_weight != b->left_out_weight || a->bins != b->bins || a->moves != b->moves ||
        a->resizes != b->resizes || a->recuts != b->recuts || a->switch_ons != b->switch_ons ||
        a->left_out != b->left_out || a->end_us != b->end_us ||
        !is_near(r, a->compared_micro, b->compared_micro, b->overload_micro) ||
        !is_near(r, a->price_micro, b->price_micro, b->overload_micro) ||
        a->transition_micro != b->transition_micro)
        fail_msg(AT "the packer says %lld in %u bins, judged %lld in %u", WHERE(r),
                 (long long)a->compared_micro, a->bins, (long long)b->compared_micro, b->bins);
    judge_flags(r, o);
}

static void judge_bounds(const struct pack_random *r, const struct outcome *o) {
    const lsched_pack_info *a = &o->info;
    if (a->lower_bound_micro > a->compared_micro ||
        (a->left_out == 0 && a->lower_bound_bins > a->bins) ||
        (a->left_out == 0 && a->lower_bound_end_us > a->end_us))
        fail_msg(AT "bound %lld of price %lld, %u of %u bins, end %lld of %lld", WHERE(r),
                 (long long)a->lower_bound_micro, (long long)a->compared_micro, a->lower_bound_bins,
                 a->bins, (long long)a->lower_bound_end_us, (long long)a->end_us);
    if (a->proved && a->gap_ppm != 0) fail_msg(AT "proved, and a gap", WHERE(r));
}

/* Less is better: weight left out, then price. */
static int compare(const lsched_pack_info *a, const lsched_pack_info *b) {
    if (a->left_out_weight != b->left_out_weight)
        return a->left_out_weight < b->left_out_weight ? -1 : 1;
    return (a->compared_micro > b->compared_micro) - (a->compared_micro < b->compared_micro);
}

static void make(struct pack_random *r, uint64_t seed, uint32_t features) {
    static const uint32_t methods[] = {LSCHED_PACK_METHOD_AUTO, LSCHED_PACK_METHOD_AUTO,
                                       LSCHED_PACK_METHOD_SEED, LSCHED_PACK_METHOD_DP,
                                       LSCHED_PACK_METHOD_RUIN, LSCHED_PACK_METHOD_EXACT,
                                       LSCHED_PACK_METHOD_BOUND};
    struct chance c = {seed ^ 0x736f6c76u};
    uint32_t method = methods[chance_below(&c, sizeof methods / sizeof *methods)];
    uint32_t n = 1 + chance_below(&c, method == LSCHED_PACK_METHOD_EXACT ? 6 : ITEMS_MAX);
    if (method != LSCHED_PACK_METHOD_EXACT && chance_one_in(&c, 20)) n = MANY;
    pack_random_make(r, seed, n, pack_random_features(seed, features));
    r->opts.method = method;
}

/* ---- one packer ---- */

static void test_every_plan_is_one_and_more_work_is_never_worse(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(1), rounds = chance_rounds(2000), proved = 0, better = 0, moves = 0;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t k = 0; k < rounds; k++) {
        static struct outcome now, before;
        struct pack_random r;
        struct chance c = {seed + k};
        make(&r, seed + k, PACK_RANDOM_ALL);
        lsched_packer *packer = create(&r);
        int32_t more = lsched_packer_run(packer, 0, NULL);
        look(&r, packer, &now);
        for (uint64_t done = 0, n = 0; more == 1 && done < WORK && n < 8; n++) {
            before = now;
            more = lsched_packer_run(packer, 1u << chance_below(&c, 14), NULL);
            look(&r, packer, &now);
            judge_bounds(&r, &now);
            if (compare(&now.info, &before.info) > 0) fail_msg(AT "more work, worse", WHERE(&r));
            if (now.info.lower_bound_micro < before.info.lower_bound_micro &&
                now.info.left_out_weight == before.info.left_out_weight)
                fail_msg(AT "the bound fell", WHERE(&r));
            better += compare(&now.info, &before.info) < 0;
            done = now.info.work;
        }
        assert_true(more == 0 || more == 1);
        proved += now.info.proved, moves += now.info.moves;
        lsched_packer_destroy(packer);
        pack_random_free(&r);
    }
    print_message("%llu proved, %llu improved on the way, %llu moves\n", (unsigned long long)proved,
                  (unsigned long long)better, (unsigned long long)moves);
    assert_true(rounds < 100 || (proved > rounds / 10 && better > rounds / 50 && moves > 0));
}

static void test_pieces_are_the_whole(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(300000), rounds = chance_rounds(600);
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t k = 0; k < rounds; k++) {
        static struct outcome pieces, whole;
        struct pack_random r;
        struct chance c = {seed + k};
        make(&r, seed + k, PACK_RANDOM_ALL);
        lsched_packer *a = create(&r), *b = create(&r);
        for (uint32_t n = 1 + chance_below(&c, 12); n > 0; n--)
            (void)lsched_packer_run(a, 1u << chance_below(&c, 12), NULL);
        look(&r, a, &pieces);
        (void)lsched_packer_run(b, pieces.info.work, NULL);
        look(&r, b, &whole);
        if (memcmp(&pieces.info, &whole.info, sizeof whole.info) != 0 ||
            memcmp(pieces.places, whole.places, sizeof whole.places) != 0)
            fail_msg(AT "in pieces: work %llu, price %lld; whole: work %llu, price %lld", WHERE(&r),
                     (unsigned long long)pieces.info.work, (long long)pieces.info.compared_micro,
                     (unsigned long long)whole.info.work, (long long)whole.info.compared_micro);
        lsched_packer_destroy(a);
        lsched_packer_destroy(b);
        pack_random_free(&r);
    }
}

/* ---- one method against another ---- */

/* What one proves no other beats, and no bound of one lies above the plan of another. */
static void judge_pair(const struct pack_random *r, const struct outcome *a,
                       const struct outcome *b) {
    int64_t room = r->features & PACK_RANDOM_SOFT ? 1000 + a->judged.overload_micro / 500 : 0;
    if (a->info.proved && compare(&b->info, &a->info) < 0 &&
        (b->info.left_out_weight < a->info.left_out_weight ||
         b->info.compared_micro < a->info.compared_micro - room))
        fail_msg(AT "proved %lld, %lld left out; by method %u: %lld, %lld", WHERE(r),
                 (long long)a->info.compared_micro, (long long)a->info.left_out_weight,
                 b->info.method, (long long)b->info.compared_micro,
                 (long long)b->info.left_out_weight);
    if (a->info.left_out_weight == b->info.left_out_weight &&
        a->info.lower_bound_micro > b->info.compared_micro + room)
        fail_msg(AT "bound %lld (by %u), and a plan of %lld by method %u", WHERE(r),
                 (long long)a->info.lower_bound_micro, a->info.bound,
                 (long long)b->info.compared_micro, b->info.method);
    if (b->info.left_out == 0 &&
        (a->info.lower_bound_bins > b->info.bins || a->info.lower_bound_end_us > b->info.end_us))
        fail_msg(AT "bound %u bins, end %lld; a plan of %u, %lld", WHERE(r),
                 a->info.lower_bound_bins, (long long)a->info.lower_bound_end_us, b->info.bins,
                 (long long)b->info.end_us);
}

static void plan(const struct pack_random *r, const struct outcome *from, uint64_t work,
                 struct outcome *out);

static void test_no_method_beats_a_proof(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(1500000), rounds = chance_rounds(600), proofs = 0;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t k = 0; k < rounds; k++) {
        enum { METHODS = LSCHED_PACK_METHOD_BOUND + 1 };
        static struct outcome by[METHODS];
        struct pack_random r;
        struct chance c = {seed + k};
        uint32_t n = 1 + chance_below(&c, 6);
        pack_random_make(&r, seed + k, n, pack_random_features(seed + k, PACK_RANDOM_ALL));
        for (uint32_t m = 0; m < METHODS; m++) {
            r.opts.method = m;
            plan(&r, NULL, 2 * WORK, &by[m]);
            proofs += by[m].info.proved;
        }
        for (uint32_t m = 0; m < METHODS * METHODS; m++) {
            r.opts.method = m / METHODS;
            judge_pair(&r, &by[m / METHODS], &by[m % METHODS]);
        }
        pack_random_free(&r);
    }
    print_message("%llu proofs\n", (unsigned long long)proofs);
    assert_true(rounds < 100 || proofs > rounds);
}

/* ---- from a plan that is known ---- */

static void plan(const struct pack_random *r, const struct outcome *from, uint64_t work,
                 struct outcome *out) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_packer *packer = create(r);
    if (from && lsched_packer_start_from(packer, from->places, from->n, &err) != 0)
        fail_msg(AT "%s", WHERE(r), err.message);
    assert_true(lsched_packer_run(packer, work, NULL) >= 0);
    look(r, packer, out);
    lsched_packer_destroy(packer);
}

/* A search beside them costs bounds that count at most as much again, and a turn of each. */
static void test_a_search_costs_the_bounds_half_at_most(void **unused) {
    (void)unused;
    enum { TURN = 16384, SERVICES = 160 };
    uint64_t seed = chance_seed(2500000), rounds = chance_rounds(40), cut = 0;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t k = 0; k < rounds; k++) {
        static struct pack_random r;
        struct chance c = {seed + k};
        lsched_pack_info alone = {.size = sizeof alone}, beside = {.size = sizeof beside};
        pack_random_make(&r, seed + k, SERVICES, PACK_RANDOM_PROFILES);
        r.opts.method = LSCHED_PACK_METHOD_SEED;
        lsched_packer *packer = create(&r);
        assert_true(lsched_packer_run(packer, 0, NULL) >= 0);
        lsched_packer_get(packer, &alone, NULL);
        uint64_t begun = alone.work;
        (void)lsched_packer_run(packer, 1 + chance_below(&c, 16 * TURN), NULL);
        lsched_packer_get(packer, &alone, NULL);
        lsched_packer_destroy(packer);
        r.opts.method = LSCHED_PACK_METHOD_AUTO;
        packer = create(&r);
        (void)lsched_packer_run(packer, begun + 2 * (alone.work - begun) + 2 * TURN, NULL);
        lsched_packer_get(packer, &beside, NULL);
        lsched_packer_destroy(packer);
        int counted = alone.bound != LSCHED_PACK_BY_COLUMNS && alone.bound != LSCHED_PACK_BY_SEARCH;
        if (counted && beside.lower_bound_bins < alone.lower_bound_bins)
            fail_msg(AT
                     "the bounds alone say %u bins after %llu units, beside a search %u after %llu",
                     WHERE(&r), alone.lower_bound_bins, (unsigned long long)alone.work,
                     beside.lower_bound_bins, (unsigned long long)beside.work);
        cut += counted && alone.work - begun < 8 * TURN;
        pack_random_free(&r);
    }
    assert_true(rounds < 20 || cut > 0);
}

static void more_capacity(struct pack_random *r, struct chance *c) {
    for (uint32_t k = 0; k < r->problem.n_classes; k++) {
        int64_t *capacity = (int64_t *)(uintptr_t)r->classes[k].capacity;
        for (uint32_t i = 0; i < r->problem.n_resources; i++)
            if (chance_one_in(c, 2)) capacity[i] += chance_between(c, 0, capacity[i] / 2);
    }
}

static void smaller_demands(struct pack_random *r, struct chance *c) {
    for (uint32_t i = 0; i < r->problem.n_items; i++)
        for (uint32_t k = 0; k < r->items[i].n_configs; k++) {
            lsched_pack_config *x = &r->configs[i * PACK_RANDOM_CONFIGS_MAX + k];
            size_t n = (size_t)r->problem.n_resources * (x->n_slots ? x->n_slots : 1);
            int64_t *demand = (int64_t *)(uintptr_t)x->demand;
            for (size_t at = 0; demand && at < n; at++)
                if (chance_one_in(c, 3)) demand[at] -= chance_between(c, 0, demand[at]);
        }
}

/* Fewer hours; the plan's ends come earlier with them. Not of what is now, so that nothing is over. */
static void shorter_durations(struct pack_random *r, struct chance *c, struct outcome *o) {
    for (uint32_t i = 0; i < r->problem.n_items; i++)
        for (uint32_t k = 0; k < r->items[i].n_configs; k++) {
            lsched_pack_config *x = &r->configs[i * PACK_RANDOM_CONFIGS_MAX + k];
            if (x->n_slots || x->duration_us == INT64_MAX || !chance_one_in(c, 3)) continue;
            x->duration_us -= chance_between(c, 0, x->duration_us / 2);
        }
    for (size_t k = 0; k < o->n; k++) {
        const lsched_pack_config *x =
            &r->configs[o->places[k].item * PACK_RANDOM_CONFIGS_MAX + o->places[k].config];
        if (o->places[k].bin != LSCHED_PACK_NONE && !x->n_slots && x->duration_us < INT64_MAX)
            o->places[k].end_us = o->places[k].start_us + x->duration_us;
    }
}

static void test_an_easier_problem_is_never_worse(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(700000), rounds = chance_rounds(1200), better = 0;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t k = 0; k < rounds; k++) {
        static struct outcome first, then;
        struct pack_random r;
        struct chance c = {seed + k};
        lsched_error err = LSCHED_ERROR_INIT;
        make(&r, seed + k, PACK_RANDOM_ALL);
        plan(&r, NULL, chance_below(&c, WORK), &first);
        uint32_t what = chance_below(&c, 4);
        if (what == 0) more_capacity(&r, &c);
        if (what == 1) smaller_demands(&r, &c);
        if (what == 2) shorter_durations(&r, &c, &first);
        /* what == 3: only the seed is another */
        r.opts.seed = chance_word(&c);
        /* the plan is still one, at most at its price; switches can come between shorter ones */
        lsched_pack_info old = {.size = sizeof old};
        if (lsched_pack_check(&r.problem, &r.opts, first.places, first.n, &old, &err) != 0)
            fail_msg(AT "easier (%u), and no plan: %s", WHERE(&r), what, err.message);
        if (what != 2 && compare(&old, &first.info) > 0 &&
            !is_near(&r, old.compared_micro, first.info.compared_micro, old.overload_micro + 1))
            fail_msg(AT "easier (%u), and the plan costs more", WHERE(&r), what);
        /* without work, so that nothing but the plan itself can be as good */
        plan(&r, &first, chance_one_in(&c, 2) ? 0 : chance_below(&c, WORK), &then);
        if (compare(&then.info, &old) > 0 &&
            !is_near(&r, then.info.compared_micro, old.compared_micro, old.overload_micro))
            fail_msg(AT "easier (%u): %lld, %lld left out, from a plan of %lld, %lld", WHERE(&r),
                     what, (long long)then.info.compared_micro,
                     (long long)then.info.left_out_weight, (long long)old.compared_micro,
                     (long long)old.left_out_weight);
        better += compare(&then.info, &old) < 0;
        pack_random_free(&r);
    }
    print_message("%llu better\n", (unsigned long long)better);
    assert_true(rounds < 100 || better > rounds / 20);
}

/* ---- what is committed ---- */

/* The plan that leaves all where it is, and what is nowhere out. */
static void stay(const struct pack_random *r, struct outcome *o) {
    memset(o, 0, sizeof *o);
    for (uint32_t i = 0; i < r->problem.n_items; i++) {
        const lsched_pack_item *item = &r->items[i];
        for (uint32_t t = 0; t < item->tasks; t++) {
            lsched_pack_place *to = &o->places[o->n++];
            *to = (lsched_pack_place){.item = i, .task = t, .bin = LSCHED_PACK_NONE};
            if (!item->bins_now) continue;
            const lsched_pack_config *x =
                &r->configs[i * PACK_RANDOM_CONFIGS_MAX + item->config_now];
            to->bin = item->bins_now[t];
            to->config = item->config_now;
            to->start_us = item->ready_us;
            to->end_us = x->duration_us == INT64_MAX ? INT64_MAX : item->ready_us + x->duration_us;
            to->slice = item->slice_now;
        }
    }
    o->judged.size = sizeof o->judged;
}

/* Items of which the new plan differs from where they are now stay there if we undo all of it: then what the
 * plan saves must be worth patience times the price. */
static void test_nothing_moves_unless_it_pays(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(900000), rounds = chance_rounds(1500), moves = 0, plans = 0;
    const uint32_t features = PACK_RANDOM_ALL & ~(uint32_t)PACK_RANDOM_BIG;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (uint64_t k = 0; k < rounds; k++) {
        static struct outcome as_is, planned;
        struct pack_random r;
        struct chance c = {seed + k};
        lsched_error err = LSCHED_ERROR_INIT;
        make(&r, seed + k, features | PACK_RANDOM_PLACED);
        stay(&r, &as_is);
        int32_t rc =
            lsched_pack_check(&r.problem, &r.opts, as_is.places, as_is.n, &as_is.judged, &err);
        if (rc != 0) fail_msg(AT "where items are is no plan: %s", WHERE(&r), err.message);
        plan(&r, NULL, chance_below(&c, WORK), &planned);
        const lsched_pack_info *a = &planned.info;
        if (compare(a, &as_is.judged) > 0 &&
            !is_near(&r, a->compared_micro, as_is.judged.compared_micro, a->overload_micro))
            fail_msg(AT "worse than to stay: %lld and %lld left out; staying %lld, %lld", WHERE(&r),
                     (long long)a->compared_micro, (long long)a->left_out_weight,
                     (long long)as_is.judged.compared_micro,
                     (long long)as_is.judged.left_out_weight);
        moves += a->moves + a->resizes;
        plans += a->moves > 0;
        pack_random_free(&r);
    }
    print_message("%llu moves and resizes in %llu plans\n", (unsigned long long)moves,
                  (unsigned long long)plans);
    assert_true(rounds < 100 || plans > rounds / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_plan_is_one_and_more_work_is_never_worse),
        cmocka_unit_test(test_pieces_are_the_whole),
        cmocka_unit_test(test_no_method_beats_a_proof),
        cmocka_unit_test(test_a_search_costs_the_bounds_half_at_most),
        cmocka_unit_test(test_an_easier_problem_is_never_worse),
        cmocka_unit_test(test_nothing_moves_unless_it_pays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
