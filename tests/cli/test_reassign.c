/* Machine reassignment: the search against all assignments of small problems, the costs that it
 * keeps against the check, and the check against damaged assignments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/reassign/reassign_bound.h"
#include "cli/reassign/reassign_check.h"
#include "cli/reassign/reassign_heat.h"
#include "cli/reassign/reassign_read.h"
#include "cli/reassign/reassign_solve.h"
#include "cli/reassign/reassign_state.h"
#include "cli/support/cli_errors.h"
#include "tests/cli/reassign_sketch.h"

enum { SEEDS = 60 };

/* The example of the challenge: its first assignment 0 3 0 costs 4200. */
static const char *const example =
    "2\n1 100\n0 10\n4\n0 0 30 400 16 80 0 1 4 5\n0 0 10 240 8 160 1 0 3 4\n"
    "1 1 15 100 12 80 4 3 0 2\n1 2 10 100 8 80 5 4 2 0\n2\n2 0\n1 1 0\n3\n0 12 10 1000\n"
    "0 10 20 100\n1 6 200 1\n1\n0 1 20\n10\n1 10 100\n";

/* ---- random problems ---- */

/* Draws a problem; `large` is the size of its first service. A machine has room for a few
 * processes. */
static void draw_problem(struct sketch *k, uint64_t seed, uint32_t machines, uint32_t services,
                         uint32_t large, uint32_t processes) {
    *k = (struct sketch){.prng = {seed}};
    put(k, 3);
    for (uint32_t r = 0; r < 3; r++) put(k, r == 0), put(k, some(k, 0, 20));
    put(k, machines);
    for (uint32_t m = 0; m < machines; m++) {
        put(k, some(k, 0, 2)), put(k, some(k, 0, 2));
        for (uint32_t r = 0; r < 3; r++) put(k, some(k, 20, 60));
        for (uint32_t r = 0; r < 3; r++) put(k, some(k, 0, 20));
        for (uint32_t to = 0; to < machines; to++)
            put(k, to == m ? 0 : seed % 3 == 0 ? some(k, 1, 70000) : some(k, 1, 300));
    }
    put(k, services);
    for (uint32_t s = 0; s < services; s++) {
        put(k, some(k, 0, 2));
        uint32_t needs = s > 0 && some(k, 0, 2) == 0;
        put(k, needs);
        if (needs > 0) put(k, some(k, 0, services - 1));
    }
    put(k, processes);
    for (uint32_t i = 0; i < processes; i++) {
        put(k, i < large ? 0 : some(k, 1, services - 1));
        for (uint32_t r = 0; r < 3; r++) put(k, some(k, 1, 15));
        put(k, some(k, 0, 50));
    }
    put(k, 2), put(k, 0), put(k, 1), put(k, some(k, 0, 5)), put(k, 3);
    put(k, 1), put(k, 2), put(k, some(k, 0, 5)), put(k, 1);
    put(k, some(k, 0, 5)), put(k, some(k, 0, 30)), put(k, some(k, 0, 5));
}

/* Draws a feasible assignment. Returns false if there is none among many. */
static bool draw_first(struct sketch *k, const struct reassign *p, uint32_t *at) {
    struct reassign_costs costs;
    lsched_error err = LSCHED_ERROR_INIT;
    for (int tries = 0; tries < 3000; tries++) {
        uint32_t skip = some(k, 0, p->n_machines - 1);
        for (uint32_t i = 0; i < p->n_processes; i++)
            at[i] = tries % 2 == 0 ? some(k, 0, p->n_machines - 1) : (i + skip) % p->n_machines;
        if (reassign_check(p, at, at, &costs, &err) == 0) return true;
    }
    return false;
}

/* ---- the example ---- */

static void the_example(void **state) {
    (void)state;
    struct reassign p;
    struct reassign_costs costs;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t first[3] = {0, 3, 0}, next[3] = {0, 2, 0};
    read_text(example, &p);
    assert_int_equal(reassign_check(&p, first, first, &costs, &err), 0);
    assert_int_equal(costs.load, 1700);
    assert_int_equal(costs.balance, 2500);
    assert_int_equal(costs.total, 4200);
    /* process 1 leaves machine 3, which had 2 of resource 0 above safety, for machine 2, which has
     * room; 170 instead of 250 are out of balance; the move costs 100 + 10 + 2 x 100 */
    assert_int_equal(reassign_check(&p, first, next, &costs, &err), 0);
    assert_int_equal(costs.load, 1500);
    assert_int_equal(costs.balance, 1700);
    assert_int_equal(costs.process_moves, 100);
    assert_int_equal(costs.service_moves, 10);
    assert_int_equal(costs.machine_moves, 200);
    assert_int_equal(costs.total, 3510);
    assert_int_equal(costs.moved, 1);
    reassign_free(&p);
}

/* ---- all assignments ---- */

static int64_t cheapest(const struct reassign *p, const uint32_t *first) {
    uint32_t at[8] = {0};
    int64_t best = INT64_MAX;
    uint64_t all = 1;
    struct reassign_costs costs;
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < p->n_processes; i++) all *= p->n_machines;
    for (uint64_t code = 0; code < all; code++) {
        uint64_t rest = code;
        for (uint32_t i = 0; i < p->n_processes; i++, rest /= p->n_machines)
            at[i] = (uint32_t)(rest % p->n_machines);
        if (reassign_check(p, first, at, &costs, &err) == 0 && costs.total < best)
            best = costs.total;
    }
    return best;
}

static void the_search_finds_the_cheapest(void **state) {
    (void)state;
    static struct sketch k;
    uint32_t problems = 0, found = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct reassign p;
        struct reassign_result result;
        uint32_t first[8];
        struct reassign_wish wish = {.work = 400000, .seed = seed};
        draw_problem(&k, seed, 4, 4, 2, 6);
        read_text(k.text, &p);
        if (draw_first(&k, &p, first)) {
            reassign_solve(&p, first, &wish, &result);
            int64_t best = cheapest(&p, first);
            if (result.cost < best || result.lower_bound > best)
                fail_msg("seed %llu: cost %lld, bound %lld, cheapest %lld",
                         (unsigned long long)seed, (long long)result.cost,
                         (long long)result.lower_bound, (long long)best);
            problems++;
            found += result.cost == best;
            reassign_result_free(&result);
        }
        reassign_free(&p);
    }
    print_message("%u of %u cheapest\n", found, problems);
    assert_true(problems >= SEEDS / 3);
    /* a shift or a swap alone does not reach every feasible assignment */
    assert_true(found * 10 >= problems * 9);
}

/* ---- costs of changes ---- */

/* The change must be refused exactly if the check refuses the assignment after it, and its price
 * must be what the check says. */
static void one_shift(struct reassign_state *s, uint32_t process, uint32_t to, uint64_t seed) {
    struct reassign_costs costs;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t from = s->at[process];
    int64_t before = s->cost, price = reassign_state_price(s, process, to);
    s->at[process] = to;
    int32_t rc = reassign_check(s->p, s->first, s->at, &costs, &err);
    s->at[process] = from;
    if ((rc == 0) != (price < INT64_MAX) || (rc == 0 && costs.total != before + price))
        fail_msg("seed %llu: price %lld, check %d: %s", (unsigned long long)seed, (long long)price,
                 rc, err.message);
    assert_false(price < INT64_MAX && reassign_state_shift(s, process, to, price - 1));
    assert_int_equal(reassign_state_shift(s, process, to, price), rc == 0);
    assert_int_equal(s->cost, rc == 0 ? costs.total : before);
}

/* A swap of two services can be refused although the assignment after it is feasible, because its
 * shifts are not feasible one after the other. A swap inside a service has no such order. */
static void one_swap(struct reassign_state *s, uint32_t one, uint32_t two, uint64_t seed) {
    struct reassign_costs costs;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t at_one = s->at[one], at_two = s->at[two];
    if (at_one == at_two) return;
    if (s->p->service[one] == s->p->service[two]) {
        s->at[one] = at_two;
        s->at[two] = at_one;
        bool feasible = reassign_check(s->p, s->first, s->at, &costs, &err) == 0;
        s->at[one] = at_one;
        s->at[two] = at_two;
        assert_int_equal(reassign_state_swap(s, one, two, INT64_MAX), feasible);
        if (!feasible) return;
    } else if (!reassign_state_swap(s, one, two, INT64_MAX)) {
        return;
    }
    if (reassign_check(s->p, s->first, s->at, &costs, &err) < 0 || costs.total != s->cost)
        fail_msg("seed %llu: cost %lld, check %lld: %s", (unsigned long long)seed,
                 (long long)s->cost, (long long)costs.total, err.message);
}

static void changes_cost_what_the_check_says(void **state) {
    (void)state;
    static struct sketch k;
    uint32_t walks = 0;
    for (uint64_t seed = 1; seed <= 3 * SEEDS; seed++) {
        struct reassign p;
        struct reassign_state s;
        uint32_t first[40];
        /* a service of more than 8 processes has counts, and a smaller one is looked through */
        draw_problem(&k, seed, 14, 8, 10, 24);
        read_text(k.text, &p);
        if (draw_first(&k, &p, first)) {
            walks++;
            reassign_state_begin(&s, &p, first);
            for (int i = 0; i < 400; i++) {
                uint32_t process = some(&k, 0, 23), to = some(&k, 0, 13);
                if (to != s.at[process]) one_shift(&s, process, to, seed);
                one_swap(&s, some(&k, 0, 23), some(&k, 0, 23), seed);
            }
            reassign_state_end(&s);
        }
        reassign_free(&p);
    }
    print_message("%u walks\n", walks);
    assert_true(walks >= 10);
}

/* ---- runs ---- */

static void step_falls(void *user, int64_t best, uint32_t thousandths) {
    int64_t *last = user;
    assert_true(best <= *last && thousandths <= 1000);
    *last = best;
}

/* Two processes of one service can change places, and with two machines nothing else can. */
static void a_service_swaps_inside(void **state) {
    (void)state;
    struct reassign p;
    struct reassign_result result;
    const uint32_t first[] = {0, 1};
    read_text("1\n0 1\n2\n0 0 20 10 0 0\n0 0 20 1 0 0\n1\n1 0\n2\n0 1 0\n0 10 0\n0\n0 0 0\n", &p);
    reassign_solve(&p, first, &(struct reassign_wish){.work = 10000, .seed = 1}, &result);
    assert_int_equal(result.start_cost, 9);
    assert_int_equal(result.cost, 0);
    reassign_result_free(&result);
    reassign_free(&p);
}

static void equal_work_gives_equal_results(void **state) {
    (void)state;
    static struct sketch k;
    struct reassign p;
    struct reassign_result one, two;
    uint32_t first[40];
    int64_t last = INT64_MAX;
    uint64_t seed = 1;
    do {
        draw_problem(&k, seed++, 14, 8, 3, 24);
        read_text(k.text, &p);
    } while (!draw_first(&k, &p, first) && (reassign_free(&p), true));
    struct reassign_wish wish = {.work = 500000, .seed = 7, .step = step_falls, .user = &last};
    reassign_solve(&p, first, &wish, &one);
    last = INT64_MAX;
    reassign_solve(&p, first, &wish, &two);
    assert_int_equal(one.cost, two.cost);
    assert_int_equal(one.work, two.work);
    assert_memory_equal(one.at, two.at, p.n_processes * sizeof one.at[0]);
    assert_true(one.cost <= one.start_cost && one.work >= 500000 && one.work < 600000);
    reassign_result_free(&one);
    reassign_result_free(&two);
    reassign_free(&p);
}

/* The search stops at its budget. One change beyond it is at most 30 units. */
static void the_budget_holds(void **state) {
    (void)state;
    static struct sketch k;
    struct reassign p;
    uint32_t first[40];
    uint64_t seed = 1;
    do {
        draw_problem(&k, seed++, 14, 8, 3, 24);
        read_text(k.text, &p);
    } while (!draw_first(&k, &p, first) && (reassign_free(&p), true));
    for (int64_t work = 1; work < 200000; work = work * 3 / 2 + 1) {
        struct reassign_result result;
        struct reassign_wish wish = {.work = work, .seed = 3};
        reassign_solve(&p, first, &wish, &result);
        if (result.work > (uint64_t)work + 30)
            fail_msg("work %lld: %llu done", (long long)work, (unsigned long long)result.work);
        reassign_result_free(&result);
    }
    reassign_free(&p);
}

/* Tables of places have a column for each place that there is, whatever its number in the file. */
static void places_are_numbered_without_gaps(void **state) {
    (void)state;
    struct reassign p;
    read_text("1 0 0 4 4294967295 7 9 9 0 0 0 0 5 4000000000 9 9 0 0 0 0 4294967295 7 9 9 0 0 0 0 "
              "6 0 9 9 0 0 0 0 1 0 0 1 0 1 1 0 0 0 0",
              &p);
    const uint32_t locations[4] = {1, 2, 1, 0}, neighbourhoods[4] = {2, 0, 2, 1};
    assert_int_equal(p.n_locations, 3);
    assert_int_equal(p.n_neighbourhoods, 3);
    assert_memory_equal(p.location_index, locations, sizeof locations);
    assert_memory_equal(p.neighbourhood_index, neighbourhoods, sizeof neighbourhoods);
    reassign_free(&p);
}

/* ---- the check ---- */

static void refused(const struct reassign *p, const uint32_t *first, uint32_t a, uint32_t b,
                    uint32_t c, const char *why) {
    struct reassign_costs costs;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t at[3] = {a, b, c};
    assert_int_equal(reassign_check(p, first, at, &costs, &err), LSCHED_E_VERIFY);
    assert_string_equal(err.message, why);
}

static void the_check_names_the_rule(void **state) {
    (void)state;
    struct reassign p;
    uint32_t first[3] = {0, 3, 0};
    read_text(example, &p);
    refused(&p, first, 1, 3, 0,
            "machine 1 has 10 of resource 0, and its processes need 12 (0 of it while they move "
            "away)");
    refused(&p, first, 0, 0, 0, "service 0 has two processes on machine 0");
    refused(&p, first, 0, 1, 0, "service 0 must run in 2 locations, and runs in 1");
    p.location[1] = 2;
    p.neighbourhood[1] = 2;
    refused(
        &p, first, 0, 3, 1,
        "service 1 runs in neighbourhood 2, and depends on service 0, which does not run there");
    reassign_free(&p);
}

static void transient_amounts_stay(void **state) {
    (void)state;
    struct reassign p;
    /* one machine of 10 for two processes of 6: they cannot change places if the amounts stay */
    read_text("1 1 0 2 0 0 10 10 0 1 0 0 10 10 1 0 2 0 0 0 0 2 0 6 0 1 6 0 0 0 0 0", &p);
    uint32_t first[2] = {0, 1};
    struct reassign_costs costs;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t at[2] = {1, 0};
    assert_int_equal(reassign_check(&p, first, at, &costs, &err), LSCHED_E_VERIFY);
    assert_string_equal(err.message, "machine 0 has 10 of resource 0, and its processes need 12 (6 "
                                     "of it while they move away)");
    p.transient[0] = false;
    assert_int_equal(reassign_check(&p, first, at, &costs, &err), 0);
    reassign_free(&p);
}

/* ---- heat ---- */

static void logarithms_are_near(void **state) {
    (void)state;
    struct reassign_heat h;
    struct prng prng = {5};
    reassign_heat_begin(&h);
    for (int i = 0; i < 10000; i++) {
        uint64_t x = prng_next(&prng) >> prng_below(&prng, 64);
        if (x == 0) continue;
        double log = (double)reassign_heat_log2(&h, x) / HEAT_ONE;
        assert_true(fabs(log - log2((double)x)) < 0.002);
        int64_t y = (int64_t)prng_below(&prng, (uint64_t)60 * HEAT_ONE);
        double power = (double)reassign_heat_exp2(&h, y), exact = exp2((double)y / HEAT_ONE);
        assert_true(fabs(power - exact) <= 1 + 0.001 * exact);
    }
    assert_int_equal(reassign_heat_limit(&h, 1000, UINT64_MAX) <= 1, 1);
    assert_true(reassign_heat_limit(&h, (int64_t)1 << 61, 1) == HEAT_LIMIT_MAX);
    int64_t half = reassign_heat_limit(&h, 1000, (uint64_t)1 << 63);
    assert_true(half >= 998 && half <= 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example),
        cmocka_unit_test(the_search_finds_the_cheapest),
        cmocka_unit_test(changes_cost_what_the_check_says),
        cmocka_unit_test(a_service_swaps_inside),
        cmocka_unit_test(equal_work_gives_equal_results),
        cmocka_unit_test(the_budget_holds),
        cmocka_unit_test(places_are_numbered_without_gaps),
        cmocka_unit_test(the_check_names_the_rule),
        cmocka_unit_test(transient_amounts_stay),
        cmocka_unit_test(logarithms_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
