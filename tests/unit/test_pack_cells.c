/* The cells of a packing problem against the definition: who is there when, which cells must be looked at, and what is rounded which
 * way. Times are few, so that events coincide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/pack.h>

#include "property/chance.h"
#include "support/pack_inside.h"

enum { ITEMS = 12, ROUNDS = 4000 };

struct world {
    lsched_pack_problem problem;
    lsched_pack_opts opts;
    lsched_pack_resource resource;
    lsched_pack_class bins;
    lsched_pack_item items[ITEMS];
    lsched_pack_config configs[ITEMS];
    int64_t capacity, demand[ITEMS];
};

static void world_init(struct world *w, uint32_t n) {
    *w = (struct world){.problem = LSCHED_PACK_PROBLEM_INIT,
                        .opts = LSCHED_PACK_OPTS_INIT,
                        .resource = LSCHED_PACK_RESOURCE_INIT,
                        .bins = LSCHED_PACK_CLASS_INIT,
                        .capacity = 100};
    w->bins.capacity = &w->capacity;
    w->bins.count = LSCHED_PACK_UNLIMITED;
    w->problem.resources = &w->resource;
    w->problem.classes = &w->bins;
    w->problem.items = w->items;
    w->problem.n_resources = w->problem.n_classes = 1;
    w->problem.n_items = n;
    for (uint32_t i = 0; i < n; i++) {
        w->items[i] = (lsched_pack_item)LSCHED_PACK_ITEM_INIT;
        w->configs[i] = (lsched_pack_config)LSCHED_PACK_CONFIG_INIT;
        w->items[i].configs = &w->configs[i];
        w->items[i].n_configs = 1;
        w->configs[i].demand = &w->demand[i];
        w->demand[i] = 10;
    }
}

static void at(struct world *w, uint32_t i, int64_t from, int64_t to) {
    w->items[i].flags |= LSCHED_PACK_ITEM_HAS_LATEST;
    w->items[i].ready_us = w->items[i].latest_us = from;
    w->configs[i].duration_us = to - from;
}

static uint32_t active_in(const struct pack_problem *p, uint32_t cell) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < p->n_items; i++)
        if (p->items[i].first_cell <= cell && cell < p->items[i].end_cell) set |= 1u << i;
    return set;
}

/* Who is there at an instant, by the definition. */
static uint32_t active_at(const struct world *w, int64_t t) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < w->problem.n_items; i++)
        if (w->items[i].ready_us <= t && t < w->items[i].ready_us + w->configs[i].duration_us)
            set |= 1u << i;
    return set;
}

static void judge_checks(const struct pack_problem *p) {
    for (uint32_t c = 0; c < p->n_cells; c++) {
        int covered = active_in(p, c) == 0;
        for (uint32_t k = 0; k < p->n_check; k++)
            covered |= (active_in(p, c) & ~active_in(p, p->check[k])) == 0;
        assert_true(covered);
    }
    for (uint32_t a = 0; a < p->n_check; a++)
        for (uint32_t b = 0; b < p->n_check; b++)
            if (a != b)
                assert_true(active_in(p, p->check[a]) & ~active_in(p, p->check[b])); /* maximal */
    for (uint32_t i = 0; i < p->n_items; i++)
        for (uint32_t k = 0; k < p->n_check; k++) {
            int inside = p->items[i].first_check <= k && k < p->items[i].end_check;
            assert_int_equal(inside, active_in(p, p->check[k]) >> i & 1);
        }
}

static void cells_without_slots(void **state) {
    (void)state;
    uint64_t first = chance_seed(1);
    uint32_t rounds = chance_rounds(ROUNDS);
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        struct chance chance = {seed};
        struct world w;
        struct pack_inside inside;
        if ((seed - first) % 1000 == 0)
            print_message("from seed %llu on\n", (unsigned long long)seed);
        world_init(&w, 1 + chance_below(&chance, ITEMS));
        for (uint32_t i = 0; i < w.problem.n_items; i++) {
            int64_t from = chance_below(&chance, 10);
            at(&w, i, from, from + 1 + chance_below(&chance, 6));
        }
        assert_int_equal(pack_inside_make(&inside, &w.problem, &w.opts, NULL), 0);
        const struct pack_problem *p = &inside.problem;
        assert_int_equal(p->kind, PACK_FIXED);
        for (uint32_t c = 0; c < p->n_cells; c++)
            for (int64_t t = p->cell[c]; t < p->cell[c + 1]; t++)
                assert_int_equal(active_in(p, c), active_at(&w, t));
        judge_checks(p);
        pack_inside_free(&inside);
    }
}

/* What is there in a part of a slot counts in all of it, and slots that are over are gone. */
static void cells_with_slots(void **state) {
    (void)state;
    static const int64_t bounds[] = {0, 3, 4, 10, 20};
    struct world w;
    struct pack_inside inside;
    int64_t profile[] = {5, 6, 7};
    world_init(&w, 3);
    w.problem.slot_bounds = bounds;
    w.problem.n_slots = 4;
    w.problem.now_us = 3;
    at(&w, 0, 2, 5);   /* slots 1, 2 are what remains */
    at(&w, 1, 10, 11); /* slot 3 */
    w.configs[2].n_slots = 3;
    w.configs[2].demand = profile; /* slot 0 is over */
    assert_int_equal(pack_inside_make(&inside, &w.problem, &w.opts, NULL), 0);
    const struct pack_problem *p = &inside.problem;
    assert_int_equal(p->n_cells, 3);
    assert_int_equal(p->n_check, 3);
    assert_int_equal(p->cell[0], 3);
    assert_int_equal(p->items[0].first_cell, 0);
    assert_int_equal(p->items[0].end_cell, 2);
    assert_int_equal(p->items[1].first_cell, 2);
    assert_int_equal(p->items[1].end_cell, 3);
    assert_int_equal(p->items[2].first_cell, 0);
    assert_int_equal(p->items[2].end_cell, 2);
    assert_int_equal(p->configs[2].n_span, 2);
    assert_int_equal(pack_amounts(p, 2)[0], 6);
    assert_int_equal(pack_amounts(p, 2)[1], 7);
    assert_int_equal(p->items[2].ready, 0);
    pack_inside_free(&inside);
}

/* Amounts beyond 2^29 are rounded against the item: what fits in units fits in truth. */
static void units_round_up(void **state) {
    (void)state;
    struct world w;
    struct pack_inside inside;
    world_init(&w, 2);
    at(&w, 0, 0, 1);
    at(&w, 1, 0, 1);
    w.capacity = ((int64_t)1 << 40) + 12345;
    w.demand[0] = ((int64_t)1 << 39) + 1;
    w.demand[1] = w.capacity;
    assert_int_equal(pack_inside_make(&inside, &w.problem, &w.opts, NULL), 0);
    const struct pack_problem *p = &inside.problem;
    int64_t unit = p->resources[0].unit;
    assert_true(p->classes[0].capacity[0] <= PACK_UNIT_MAX);
    assert_true(p->classes[0].capacity[0] * unit <= w.capacity);
    assert_true(pack_amounts(p, 0)[0] * unit >= w.demand[0]);
    assert_true((pack_amounts(p, 0)[0] - 1) * unit < w.demand[0]);
    assert_true(p->is_rounded);
    pack_inside_free(&inside);
    w.capacity = PACK_UNIT_MAX; /* exact up to here */
    w.demand[0] = 12345;
    w.demand[1] = 7;
    assert_int_equal(pack_inside_make(&inside, &w.problem, &w.opts, NULL), 0);
    assert_int_equal(p->resources[0].unit, 1);
    assert_false(p->is_rounded);
    pack_inside_free(&inside);
    w.capacity = (int64_t)80 << 30; /* whole GiB are counted in GiB */
    w.demand[0] = (int64_t)24 << 30;
    w.demand[1] = (int64_t)7 << 30;
    assert_int_equal(pack_inside_make(&inside, &w.problem, &w.opts, NULL), 0);
    assert_int_equal(p->classes[0].capacity[0], 80);
    assert_int_equal(pack_amounts(p, 0)[0], 24);
    assert_false(p->is_rounded);
    pack_inside_free(&inside);
}

/* Rounded up, a reservation is never more than its bin, which was rounded down. */
static void reservations_fit_their_bins(void **state) {
    (void)state;
    struct world w;
    struct pack_inside inside;
    lsched_pack_class two[2] = {LSCHED_PACK_CLASS_INIT, LSCHED_PACK_CLASS_INIT};
    int64_t small = 4, large = (int64_t)1 << 40, two_units = 2;
    lsched_pack_reservation r = LSCHED_PACK_RESERVATION_INIT;
    world_init(&w, 1);
    at(&w, 0, 0, 1);
    w.demand[0] = 3; /* no common divisor with the reservation */
    two[0].capacity = &small;
    two[1].capacity = &large;
    r.amount = &two_units;
    w.problem.classes = two;
    w.problem.n_classes = 2;
    w.problem.reservations = &r;
    w.problem.n_reservations = 1;
    assert_int_equal(pack_inside_make(&inside, &w.problem, &w.opts, NULL), 0);
    const struct pack_problem *p = &inside.problem;
    assert_true(p->is_rounded);
    assert_true(p->amounts[p->blocks[0].amounts] <= p->classes[0].capacity[0]);
    pack_inside_free(&inside);
}

/* Items one after another may not end where times no longer fit. */
static void times_that_pass_the_end_are_refused(void **state) {
    (void)state;
    struct world w;
    struct pack_inside inside;
    lsched_error err = LSCHED_ERROR_INIT;
    world_init(&w, 3);
    for (uint32_t i = 0; i < 3; i++) w.configs[i].duration_us = (int64_t)1 << 60;
    assert_int_equal(pack_inside_make(&inside, &w.problem, &w.opts, &err), LSCHED_E_RANGE);
    assert_non_null(strstr(err.message, "one after another"));
    w.problem.n_items = 2;
    assert_int_equal(pack_inside_make(&inside, &w.problem, &w.opts, &err), 0);
    pack_inside_free(&inside);
    w.problem.now_us = 1;
    assert_int_equal(pack_inside_make(&inside, &w.problem, &w.opts, &err), LSCHED_E_RANGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_without_slots),
        cmocka_unit_test(cells_with_slots),
        cmocka_unit_test(units_round_up),
        cmocka_unit_test(reservations_fit_their_bins),
        cmocka_unit_test(times_that_pass_the_end_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
