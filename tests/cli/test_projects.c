/* Projects: schedules and bounds against all orders of small projects, and the check of schedules.
 * The shortest schedule of small projects is found here by trying every order of the activities,
 * which shares no code with the two searches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/projects/learn_order.h"
#include "cli/projects/learn_project.h"
#include "cli/projects/list_schedule.h"
#include "cli/projects/population.h"
#include "cli/projects/project_check.h"
#include "cli/projects/project_solve.h"
#include "cli/projects/psplib_read.h"
#include "cli/support/prng.h"

enum { SMALL = 7, TIMES = 200 };

/* ---- random projects ---- */

static void random_project(struct project *p, uint64_t seed, uint32_t n, int32_t longest) {
    struct prng prng = {seed};
    project_begin(p, n, 2);
    for (uint32_t k = 0; k < 2; k++) p->capacity[k] = 4 + (int32_t)prng_below(&prng, 4);
    for (uint32_t i = 0; i < n; i++) {
        p->duration[i] = (int32_t)prng_below(&prng, (uint64_t)longest + 1);
        for (uint32_t k = 0; k < 2; k++)
            p->demand[2 * i + k] = (int32_t)prng_below(&prng, (uint64_t)p->capacity[k] + 1);
        for (uint32_t j = 0; j < i; j++)
            if (prng_below(&prng, 5) == 0) project_link(p, j, i);
    }
    assert_int_equal(project_finish(p), n);
}

/* ---- every order ---- */

struct orders {
    const struct project *p;
    int32_t start[SMALL];
    uint32_t placed; /* mask */
    int32_t best;
    int64_t use[2][TIMES];
};

static bool has_room(const struct orders *o, uint32_t i, int32_t from) {
    for (int32_t t = from; t < from + o->p->duration[i]; t++)
        for (uint32_t k = 0; k < 2; k++)
            if (o->use[k][t] + o->p->demand[2 * i + k] > o->p->capacity[k]) return false;
    return true;
}

static void take(struct orders *o, uint32_t i, int32_t sign) {
    for (int32_t t = o->start[i]; t < o->start[i] + o->p->duration[i]; t++)
        for (uint32_t k = 0; k < 2; k++) o->use[k][t] += sign * o->p->demand[2 * i + k];
    o->placed ^= 1u << i;
}

static bool may_come(const struct orders *o, uint32_t i, int32_t *ready) {
    *ready = 0;
    if (o->placed >> i & 1) return false;
    for (size_t e = 0; e < o->p->n_links; e++) {
        uint32_t before = o->p->links[e].before;
        if (o->p->links[e].after != i) continue;
        if ((o->placed >> before & 1) == 0) return false;
        if (o->start[before] + o->p->duration[before] > *ready)
            *ready = o->start[before] + o->p->duration[before];
    }
    return true;
}

/* The depth is at most SMALL. */
static void try_orders(struct orders *o, uint32_t n_placed, int32_t makespan) {
    if (n_placed == o->p->n && makespan < o->best) o->best = makespan;
    for (uint32_t i = 0; i < o->p->n; i++) {
        int32_t ready = 0;
        if (!may_come(o, i, &ready)) continue;
        while (!has_room(o, i, ready)) ready++;
        o->start[i] = ready;
        int32_t end = ready + o->p->duration[i];
        take(o, i, 1);
        try_orders(o, n_placed + 1, end > makespan ? end : makespan);
        take(o, i, -1);
    }
}

static int32_t shortest(const struct project *p) {
    struct orders o = {.p = p, .best = INT32_MAX};
    try_orders(&o, 0, 0);
    return o.best;
}

/* ---- tests ---- */

static void must_be_valid(const struct project *p, const int32_t *start, int32_t makespan) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (project_check(p, start, makespan, &err) != 0) fail_msg("%s", err.message);
}

static void test_small_projects_are_solved(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct project p;
        struct project_result result;
        struct project_wish wish = {.work = 50000000, .seed = seed};
        random_project(&p, seed, 1 + (uint32_t)(seed % SMALL), 6);
        int32_t best = shortest(&p);
        project_solve(&p, &wish, &result);
        must_be_valid(&p, result.start, result.makespan);
        if (result.makespan != best || result.lower_bound != best)
            fail_msg("seed %d: %d and %d, not %d", (int)seed, result.makespan, result.lower_bound,
                     best);
        project_result_free(&result);
        project_free(&p);
    }
}

/* With any budget, the schedule is valid and the bound is not above the shortest schedule. */
static void test_budgets(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct project p;
        int32_t before = INT32_MAX, bound = 0;
        random_project(&p, 1000 + seed, 40, 9);
        for (int64_t work = 1; work < 3000000; work *= 10) {
            struct project_result result, again;
            struct project_wish wish = {.work = work, .seed = 5};
            project_solve(&p, &wish, &result);
            project_solve(&p, &wish, &again);
            must_be_valid(&p, result.start, result.makespan);
            assert_true(result.lower_bound <= result.makespan);
            assert_true(result.makespan <= before);
            assert_memory_equal(result.start, again.start, p.n * sizeof result.start[0]);
            assert_true(result.work == again.work && result.lower_bound == again.lower_bound);
            before = result.makespan;
            if (result.lower_bound > bound) bound = result.lower_bound;
            project_result_free(&result);
            project_result_free(&again);
        }
        assert_true(bound <= before);
        project_free(&p);
    }
}

/* Units of time do not matter: durations times a million give the makespan times a million. */
static void test_long_durations(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct project p;
        struct project_result small, large;
        struct project_wish wish = {.work = 20000000, .seed = 1};
        random_project(&p, 50 + seed, 12, 9);
        project_solve(&p, &wish, &small);
        for (uint32_t i = 0; i < p.n; i++) p.duration[i] *= 1000000;
        project_solve(&p, &wish, &large);
        must_be_valid(&p, large.start, large.makespan);
        assert_int_equal(small.lower_bound, small.makespan);
        assert_int_equal(large.makespan, small.makespan * 1000000);
        project_result_free(&small);
        project_result_free(&large);
        project_free(&p);
    }
}

/* ---- what is learned ---- */

static bool holds(const struct learn_project *p, struct literal literal, const int32_t *start,
                  int32_t makespan) {
    uint32_t variable = literal.slot / 2, n = p->project->n;
    int32_t value = variable < n ? start[variable] : makespan;
    if (variable > n) {
        const struct pair *pair = &p->pairs[variable - n - 1];
        value = start[pair->first] < start[pair->second];
    }
    return (literal.slot % 2 == 0 ? value : -value) >= literal.value;
}

/* Asks for a schedule that ends before `makespan`, and checks what is learned against a schedule
 * that ends then: no clause and no bound of level 0 can forbid it. */
static void check_lessons(struct learn_project *p, const int32_t *start, int32_t makespan) {
    struct learn *learn = &p->learn;
    uint32_t end = p->project->n;
    while (learn->conflicts < 1500 && learn_least(learn, end) < makespan && !learn->broken) {
        if (!learn_project_propagate(p)) {
            learn_from_conflict(learn);
            bool any = false;
            for (size_t i = 0; i < learn->n_lesson; i++)
                any |= holds(p, learn->lesson[i], start, makespan);
            if (!any) fail_msg("conflict %d teaches a wrong clause", (int)learn->conflicts);
            continue;
        }
        uint32_t variable = learn->n_levels == 0 ? end : learn_order_next(learn);
        int32_t most = learn->n_levels == 0 ? makespan - 1 : learn_least(learn, variable);
        if (learn_least(learn, end) >= makespan) break;
        if (variable == learn->n_variables) break; /* there is a shorter schedule */
        learn_decide(learn, learn_until(variable, most));
        learn_order_put(learn, variable);
    }
    learn_back(learn, 0);
    assert_false(learn->broken);
    for (uint32_t i = 0; i <= end; i++) {
        int32_t value = i < end ? start[i] : makespan;
        assert_true(learn_least(learn, i) <= value && value <= learn_most(learn, i));
    }
}

static void test_lessons_hold_for_schedules(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct project p;
        struct project_result result;
        struct learn_project rules;
        struct project_wish wish = {.work = 3000000, .seed = 1};
        random_project(&p, 300 + seed, 10 + 2 * (uint32_t)seed, 9);
        project_solve(&p, &wish, &result);
        learn_project_begin(&rules, &p, result.makespan + 1);
        check_lessons(&rules, result.start, result.makespan);
        learn_project_end(&rules);
        project_result_free(&result);
        project_free(&p);
    }
}

static void test_justification_never_worsens(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct project p;
        struct list_schedule s;
        int32_t start[50];
        uint32_t list[50];
        random_project(&p, 7 * seed + 1, 50, 9);
        list_schedule_begin(&s, &p);
        int32_t makespan = list_schedule_make(&s, p.order, start);
        must_be_valid(&p, start, makespan);
        for (int i = 0; i < 3; i++) {
            int32_t next = list_schedule_justify(&s, start, list);
            must_be_valid(&p, start, next);
            assert_true(next <= makespan);
            makespan = next;
        }
        list_schedule_end(&s);
        project_free(&p);
    }
}

static void test_check_finds_each_fault(void **state) {
    (void)state;
    struct project p;
    lsched_error err = LSCHED_ERROR_INIT;
    project_begin(&p, 3, 1);
    p.capacity[0] = 2;
    for (uint32_t i = 0; i < 3; i++) p.duration[i] = 2, p.demand[i] = 1;
    p.demand[2] = 2;
    project_link(&p, 0, 1);
    assert_int_equal(project_finish(&p), 3);
    must_be_valid(&p, (int32_t[]){0, 2, 4}, 6);
    assert_int_equal(project_check(&p, (int32_t[]){0, 2, 4}, 5, &err), LSCHED_E_VERIFY);
    assert_string_equal(err.message, "the last job ends at 6, and the makespan is said to be 5");
    assert_int_equal(project_check(&p, (int32_t[]){-1, 2, 4}, 6, &err), LSCHED_E_VERIFY);
    assert_string_equal(err.message, "job 1 starts at -1, before time 0");
    assert_int_equal(project_check(&p, (int32_t[]){0, 1, 4}, 6, &err), LSCHED_E_VERIFY);
    assert_string_equal(err.message, "job 2 starts before its predecessor 1 has ended");
    assert_int_equal(project_check(&p, (int32_t[]){0, 2, 3}, 5, &err), LSCHED_E_VERIFY);
    assert_string_equal(err.message, "at time 3 the jobs use 3 of resource R 1, which has 2");
    project_free(&p);
}

static void test_cycles_are_found(void **state) {
    (void)state;
    struct project p;
    project_begin(&p, 5, 0);
    project_link(&p, 0, 1);
    project_link(&p, 1, 2);
    project_link(&p, 2, 3);
    project_link(&p, 3, 1);
    project_link(&p, 3, 4);
    uint32_t stuck = project_finish(&p);
    assert_true(stuck >= 1 && stuck <= 3);
    project_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_projects_are_solved),
        cmocka_unit_test(test_budgets),
        cmocka_unit_test(test_long_durations),
        cmocka_unit_test(test_lessons_hold_for_schedules),
        cmocka_unit_test(test_justification_never_worsens),
        cmocka_unit_test(test_check_finds_each_fault),
        cmocka_unit_test(test_cycles_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
