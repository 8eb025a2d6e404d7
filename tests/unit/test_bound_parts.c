/*
 * test_bound_parts.c -- the parts of bounds, each alone: dual feasible functions against bin
 * packing by trying everything, patterns against all subsets, the linear programme against a
 * known answer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pack/bound/bound_master.h"
#include "pack/bound/bound_dual.h"
#include "pack/bound/bound_graph.h"
#include "pack/bound/bound_run.h"
#include "pack/bound/bound_price.h"
#include "pack/bound/bound_sets.h"
#include "property/chance.h"
#include "support/pack_inside.h"

/* ---- one list of sizes ----------------------------------------------------------------------- */

/* Fewest bins for sizes, by trying every bin for each in turn, bins in order of first use. */
static uint32_t fewest_bins(const int32_t *d, uint32_t n, int32_t capacity) {
    int32_t load[10] = {0};
    uint32_t at[10] = {0}, used[11] = {0}, i = 0, best = n;
    int is_in[10] = {0};
    for (;;) {
        if (is_in[i]) { /* take it back, try the next bin */
            load[at[i]++] -= d[i];
            is_in[i] = 0;
        }
        while (at[i] <= used[i] && at[i] < best && load[at[i]] + d[i] > capacity) at[i]++;
        if (at[i] > used[i] || at[i] >= best) {
            if (i == 0) return best;
            at[i--] = 0;
            continue;
        }
        load[at[i]] += d[i];
        is_in[i] = 1;
        uint32_t bins = at[i] == used[i] ? used[i] + 1 : used[i];
        if (i + 1 < n && bins < best) {
            used[++i] = bins;
            at[i] = 0;
        } else if (bins < best) {
            best = bins;
        }
    }
}

static void test_dual_is_a_bound(void **state) {
    (void)state;
    uint64_t seed = chance_seed(0xd0a1), work = 0;
    struct chance c = {seed};
    uint32_t rounds = chance_rounds(20000), met = 0;
    for (uint32_t k = 0; k < rounds; k++) {
        int32_t d[10], sorted[10], capacity = 5 + (int32_t)chance_below(&c, 100);
        uint32_t n = 1 + chance_below(&c, 9);
        for (uint32_t i = 0; i < n; i++) d[i] = 1 + (int32_t)chance_below(&c, (uint32_t)capacity);
        memcpy(sorted, d, sizeof d);
        dual_sort(sorted, n);
        for (uint32_t i = 1; i < n; i++) assert_true(sorted[i - 1] >= sorted[i]);
        uint32_t bound = dual_bins(sorted, n, capacity, &work), truth = fewest_bins(d, n, capacity);
        if (bound > truth)
            fail_msg("seed %#llx round %u: bound %u, %u bins are enough", (unsigned long long)seed,
                     k, bound, truth);
        met += bound == truth;
    }
    assert_true(met * 100 >= rounds * 97);
}

/* Area says 4 and 3 bins; what is above half, and what is above a third, say more. */
static void test_dual_knows_halves_and_thirds(void **state) {
    (void)state;
    uint64_t work = 0;
    int32_t halves[] = {51, 51, 51, 51, 51, 51}, thirds[] = {34, 34, 34, 34, 34, 34, 34, 34};
    int32_t mixed[] = {70, 60, 50, 33, 33, 33, 11, 7, 3};
    assert_int_equal(dual_bins(halves, 6, 100, &work), 6);
    assert_int_equal(dual_bins(thirds, 8, 100, &work), 4);
    assert_int_equal(dual_bins(mixed, 9, 100, &work), 4);
    assert_int_equal(dual_bins(mixed, 0, 100, &work), 0);
}

/* ---- pricing --------------------------------------------------------------------------------- */

struct subsets {
    struct pricer pr;
    void *block;
};

static void open_pricer(struct subsets *s, uint32_t n, uint32_t dims, int with_excludes) {
    struct pack_arena arena = {0};
    pricer_new(&s->pr, n, dims, with_excludes, &arena);
    s->block = pack_inside_block(&arena);
    pricer_new(&s->pr, n, dims, with_excludes, &arena);
    s->pr.n = n;
    s->pr.dims = dims;
}

/* Ranges of cells in order of their beginning, one or two resources. */
static void draw_candidates(struct subsets *s, struct chance *c, uint32_t resources) {
    struct pricer *pr = &s->pr;
    uint32_t cells = pr->dims / resources, first = 0;
    for (uint32_t d = 0; d < pr->dims; d++) pr->capacity[d] = 20 + (int32_t)(d % resources) * 10;
    for (uint32_t i = 0; i < pr->n; i++) {
        if (first + 1 < cells && chance_one_in(c, 3)) first++;
        uint32_t end = first + 1 + chance_below(c, cells - first);
        for (uint32_t d = 0; d < pr->dims; d++) {
            uint32_t cell = d / resources;
            pr->amount[i * pr->dims + d] =
                cell >= first && cell < end ? 1 + (int32_t)chance_below(c, 12) : 0;
        }
        pr->first[i] = first * resources;
        pr->value[i] = (int64_t)(chance_word(c) % (uint64_t)PRICE_ONE);
    }
    pricer_open(pr);
    for (uint32_t i = 0; pr->has_excludes && i < pr->n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (chance_one_in(c, 4)) {
                pr->excludes[i * pr->words] |= UINT64_C(1) << j;
                pr->excludes[j * pr->words] |= UINT64_C(1) << i;
            }
}

static int64_t most_worth(const struct pricer *pr) {
    int64_t most = 0;
    for (uint32_t set = 0; set < 1u << pr->n; set++) {
        int64_t worth = 0;
        int fits = 1;
        for (uint32_t d = 0; d < pr->dims && fits; d++) {
            int32_t sum = 0;
            for (uint32_t i = 0; i < pr->n; i++)
                if (set >> i & 1) sum += pr->amount[i * pr->dims + d];
            fits = sum <= pr->capacity[d];
        }
        for (uint32_t i = 0; i < pr->n && fits; i++) {
            if (!(set >> i & 1)) continue;
            if (pr->has_excludes && (pr->excludes[i * pr->words] & set)) fits = 0;
            worth += pr->value[i];
        }
        if (fits && worth > most) most = worth;
    }
    return most;
}

static int64_t found_worth(const struct pricer *pr) {
    int64_t most = 0;
    for (uint32_t k = 0; k < pr->n_list; k++)
        if (pr->worth[pr->list[k]] > most) most = pr->worth[pr->list[k]];
    return most;
}

static void test_pricing_against_subsets(void **state) {
    (void)state;
    uint64_t seed = chance_seed(0x9a1ce);
    struct chance c = {seed};
    struct pack_meter m = {0};
    for (uint32_t k = 0; k < chance_rounds(600); k++) {
        struct subsets s = {0};
        uint32_t resources = 1 + chance_below(&c, 2);
        open_pricer(&s, 1 + chance_below(&c, 11), resources * (1 + chance_below(&c, 4)),
                    chance_one_in(&c, 2));
        draw_candidates(&s, &c, resources);
        int64_t truth = most_worth(&s.pr);
        pricer_start(&s.pr, 0, PRICE_LABELS, &m);
        while (pricer_step(&s.pr, &m)) {}
        int64_t found = found_worth(&s.pr);
        if (s.pr.over != 0 || found != truth)
            fail_msg("seed %#llx round %u: %lld found, %lld there is", (unsigned long long)seed, k,
                     (long long)found, (long long)truth);
        /* with few labels the best may be lost; then it is below `over` */
        pricer_start(&s.pr, PRICE_ONE / 2, 2, &m);
        while (pricer_step(&s.pr, &m)) {}
        found = found_worth(&s.pr);
        assert_true(found <= truth);
        assert_true(truth <= PRICE_ONE / 2 || found == truth || s.pr.over >= truth);
        free(s.block);
    }
}

/* The same candidates, by the search over sets: a cell of it holds all resources. */
static void test_sets_against_subsets(void **state) {
    (void)state;
    uint64_t seed = chance_seed(0x5e75);
    struct chance c = {seed};
    struct pack_meter m = {0};
    for (uint32_t k = 0; k < chance_rounds(600); k++) {
        struct subsets s = {0};
        struct sets sets = {0};
        struct pack_arena arena = {0};
        uint32_t resources = 1 + chance_below(&c, 2), cells = 1 + chance_below(&c, 70);
        cells = cells * resources > PRICE_DIMS ? 3 : cells;
        open_pricer(&s, 1 + chance_below(&c, 11), resources * cells, 1);
        draw_candidates(&s, &c, resources);
        sets_new(&sets, s.pr.n, cells, resources, &arena);
        void *block = pack_inside_block(&arena);
        sets_new(&sets, s.pr.n, cells, resources, &arena);
        sets.n = s.pr.n;
        sets.value = s.pr.value;
        sets.excludes = s.pr.excludes;
        for (uint32_t d = 0; d < s.pr.dims; d++) {
            sets.capacity[d % resources] = s.pr.capacity[d];
            for (uint32_t i = 0; i < s.pr.n; i++)
                sets.amount[i * s.pr.dims + d % resources * cells + d / resources] =
                    s.pr.amount[i * s.pr.dims + d];
        }
        sets_start(&sets, 0, &m);
        while (sets_step(&sets, &m)) {}
        int64_t worth = 0, truth = most_worth(&s.pr);
        uint32_t last = (sets.n_found - 1) % SETS_FOUND;
        for (uint32_t i = 0; sets.n_found && i < sets.found_n[last]; i++)
            worth += s.pr.value[sets.found[last * SETS_DEPTH + i]];
        if (sets.best != truth || worth != truth)
            fail_msg("seed %#llx round %u: %lld found, a set of %lld, %lld there is",
                     (unsigned long long)seed, k, (long long)sets.best, (long long)worth,
                     (long long)truth);
        free(block);
        free(s.block);
    }
}

/* ---- the linear programme -------------------------------------------------------------------- */

/* Five rows, every pattern a pair of neighbours on a ring: each row half in two patterns, 5/2 in
 * all. */
static void test_master_covers_a_ring(void **state) {
    (void)state;
    struct master s = {0};
    struct pack_arena arena = {0};
    master_new(&s, 5, &arena);
    void *block = pack_inside_block(&arena);
    master_new(&s, 5, &arena);
    uint32_t demand[5] = {1, 1, 1, 1, 1};
    master_open(&s, 5, demand, 0);
    for (int again = 1; again;) {
        again = master_relax(&s);
        for (uint32_t k = 0; k < 5; k++) {
            uint16_t rows[2] = {(uint16_t)k, (uint16_t)((k + 1) % 5)};
            if (master_reduced(&s, rows, 2) < -1e-7) again |= master_enter(&s, 5 + k, rows, 2);
        }
    }
    double sum = 0;
    for (uint32_t i = 0; i < 5; i++) sum += s.price[i];
    assert_true(s.value > 2.4999 && s.value < 2.5001);
    assert_true(sum > 2.4999 && sum < 2.5001);
    free(block);
}

/* ---- known answers of whole problems --------------------------------------------------------- */

enum { MINUTE = 60000000 };

/* n equal items of one resource for `minutes` each, on bins of 100. */
static void bound_of(uint32_t n, int64_t amount, int64_t minutes, uint32_t bins, int is_fixed,
                     struct pack_bound *out) {
    int64_t capacity = 100;
    lsched_pack_item items[8];
    lsched_pack_resource resource = {.size = sizeof resource};
    lsched_pack_class bin = {.size = sizeof bin, .count = bins, .capacity = &capacity};
    lsched_pack_config config = {
        .size = sizeof config, .duration_us = minutes * MINUTE, .demand = &amount};
    for (uint32_t i = 0; i < n; i++)
        items[i] = (lsched_pack_item){.size = sizeof items[i],
                                      .flags = is_fixed ? LSCHED_PACK_ITEM_HAS_LATEST : 0,
                                      .configs = &config,
                                      .n_configs = 1};
    lsched_pack_problem problem = {.size = sizeof problem,
                                   .n_resources = 1,
                                   .resources = &resource,
                                   .classes = &bin,
                                   .items = items,
                                   .n_classes = 1,
                                   .n_items = n};
    lsched_pack_opts opts = {.size = sizeof opts};
    struct pack_inside inside;
    struct pack_arena arena = {0};
    struct pack_meter m = {.until = UINT64_MAX};
    assert_int_equal(pack_inside_make(&inside, &problem, &opts, NULL), LSCHED_OK);
    bounds_new(&inside.problem, &opts, &arena);
    void *block = pack_inside_block(&arena);
    struct bounds *b = bounds_new(&inside.problem, &opts, &arena);
    bounds_run(b, out, &m, NULL);
    free(block);
    pack_inside_free(&inside);
}

/* Four halves fill two bins once: an hour, to the microsecond. Five whole ones: three rounds. */
static void test_ends_are_exact(void **state) {
    (void)state;
    struct pack_bound b;
    bound_of(4, 50, 60, 2, 0, &b);
    assert_int_equal(b.end, (int64_t)60 * MINUTE);
    bound_of(8, 50, 60, 2, 0, &b);
    assert_int_equal(b.end, (int64_t)120 * MINUTE);
    bound_of(5, 100, 60, 2, 0, &b);
    assert_int_equal(b.end, (int64_t)180 * MINUTE); /* area says 150 */
}

/* Three of 60 in two bins: by area all would fit; one must go, not more. */
static void test_what_must_be_left_out(void **state) {
    (void)state;
    struct pack_bound b;
    bound_of(3, 60, 60, 2, 1, &b);
    assert_int_equal(b.bins, 3);
    assert_int_equal(b.value.left_out, 1);
    bound_of(8, 50, 60, 2, 1, &b);
    assert_int_equal(b.value.left_out, 4);
    bound_of(4, 50, 60, 2, 1, &b);
    assert_int_equal(b.bins, 2);
    assert_int_equal(b.value.left_out, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dual_is_a_bound),
                                       cmocka_unit_test(test_dual_knows_halves_and_thirds),
                                       cmocka_unit_test(test_pricing_against_subsets),
                                       cmocka_unit_test(test_sets_against_subsets),
                                       cmocka_unit_test(test_master_covers_a_ring),
                                       cmocka_unit_test(test_ends_are_exact),
                                       cmocka_unit_test(test_what_must_be_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
