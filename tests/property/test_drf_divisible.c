/*
 * What dominant-resource fairness promises (NSDI'11, sections 3 and 6), checked on random instances
 * of the allocation with divisible tasks. test_drf_discrete holds the library to that allocation;
 * this file shows that the allocation is the right thing to be held to. All comparisons are within
 * 1e-9.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "property/drf_divisible.h"

#define SLACK 1e-9

static uint64_t first_seed;
static uint32_t n_seeds;

/* Violations are reported with the seed of the instance. */
#define HOLDS(seed, condition)                                                               \
    do {                                                                                     \
        if (!(condition)) fail_msg("seed %llu: %s", (unsigned long long)(seed), #condition); \
    } while (0)

static double sum_of_weights(const struct users *u) {
    double sum = 0;
    for (int i = 0; i < u->n; i++) sum += u->weight[i];
    return sum;
}

static void check_sharing_incentive(uint64_t seed, const struct users *u, const double *tasks) {
    for (int i = 0; i < u->n; i++) {
        double part[KINDS];
        for (int r = 0; r < u->m; r++) part[r] = u->capacity[r] * u->weight[i] / sum_of_weights(u);
        HOLDS(seed, tasks[i] >= tasks_in(u, i, part) * (1 - SLACK));
    }
}

static void check_envy_freeness(uint64_t seed, const struct users *u, const double *tasks) {
    for (int i = 0; i < u->n; i++) {
        for (int j = 0; j < u->n; j++) {
            double bundle[KINDS];
            bundle_of(u, j, tasks[j] * u->weight[i] / u->weight[j], bundle);
            HOLDS(seed, tasks[i] >= tasks_in(u, i, bundle) * (1 - SLACK));
        }
    }
}

/* Nobody who wants more has room in every resource that it needs. */
static void check_pareto(uint64_t seed, const struct users *u, const double *tasks) {
    for (int i = 0; i < u->n; i++) {
        int stopped = tasks[i] >= u->demand[i] * (1 - SLACK);
        for (int r = 0; r < u->m; r++) {
            double used = 0;
            for (int j = 0; j < u->n; j++) used += tasks[j] * u->task[j][r];
            HOLDS(seed, used <= u->capacity[r] * (1 + SLACK));
            stopped |= u->task[i][r] > 0 && used >= u->capacity[r] * (1 - SLACK);
        }
        HOLDS(seed, stopped);
    }
}

/* A lie about needs, resources that are not needed included, or about demand never gains a task. */
static void check_strategy(uint64_t seed, struct chance *c, const struct users *u,
                           const double *tasks) {
    static const double factors[] = {0.5, 0.75, 0.9, 1, 1.1, 1.5, 2};
    for (int lie = 0; lie < 8; lie++) {
        struct users told = *u;
        int i = (int)chance_below(c, (uint32_t)u->n);
        for (int r = 0; r < u->m; r++) {
            told.task[i][r] *= factors[chance_below(c, 7)];
            if (u->task[i][r] <= 0 && chance_one_in(c, 3))
                told.task[i][r] = u->capacity[r] / (double)chance_between(c, 10, 1000);
        }
        if (chance_one_in(c, 2)) told.demand[i] = INFINITY;
        double got[USERS];
        double bundle[KINDS];
        divide(&told, got);
        bundle_of(&told, i, got[i], bundle);
        HOLDS(seed, tasks_in(u, i, bundle) <= tasks[i] * (1 + SLACK) + SLACK);
    }
}

/* When somebody leaves nobody else loses, where everybody needs something of everything (as the
 * paper has it; test_population_monotonicity_needs_all_kinds shows why). */
static void check_population(uint64_t seed, const struct users *u) {
    double tasks[USERS];
    divide(u, tasks);
    for (int gone = 0; gone < u->n; gone++) {
        struct users rest = *u;
        double got[USERS];
        rest.n--;
        for (int i = gone; i < rest.n; i++) {
            memcpy(rest.task[i], u->task[i + 1], sizeof rest.task[i]);
            rest.demand[i] = u->demand[i + 1];
            rest.weight[i] = u->weight[i + 1];
        }
        divide(&rest, got);
        for (int i = 0; i < rest.n; i++)
            HOLDS(seed, got[i] >= tasks[i + (i >= gone)] * (1 - SLACK));
    }
}

static void test_random_instances(void **state) {
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
        struct chance c = {seed};
        struct users u;
        double tasks[USERS];
        int weighted = chance_one_in(&c, 2);
        random_users(&u, &c, weighted, chance_between(&c, 1, 100));
        divide(&u, tasks);
        check_sharing_incentive(seed, &u, tasks);
        check_envy_freeness(seed, &u, tasks);
        check_pareto(seed, &u, tasks);
        check_strategy(seed, &c, &u, tasks);
        for (int i = 0; i < u.n; i++)
            for (int r = 0; r < u.m; r++) u.task[i][r] = fmax(u.task[i][r], 1);
        check_population(seed, &u);
    }
}

/* The resource is divided max-min fairly by weight: one level, under which only those are whose
 * demand is met. */
static void check_max_min(uint64_t seed, const struct users *u, const double *tasks, int r) {
    double level = 0;
    double used = 0;
    int all_met = 1;
    for (int i = 0; i < u->n; i++) {
        level = fmax(level, tasks[i] * u->task[i][r] / u->weight[i]);
        used += tasks[i] * u->task[i][r];
    }
    for (int i = 0; i < u->n; i++) {
        int met = tasks[i] >= u->demand[i] * (1 - SLACK);
        HOLDS(seed, met || tasks[i] * u->task[i][r] / u->weight[i] >= level * (1 - SLACK));
        all_met &= met;
    }
    HOLDS(seed, all_met || used >= u->capacity[r] * (1 - SLACK));
}

static void test_single_resource_is_max_min(void **state) {
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
        struct chance c = {seed};
        struct users u;
        double tasks[USERS];
        random_users(&u, &c, 1, 10);
        u.m = 1;
        for (int i = 0; i < u.n; i++) u.task[i][0] = fmax(u.task[i][0], 1);
        divide(&u, tasks);
        check_max_min(seed, &u, tasks, 0);
    }
}

/* One resource that everybody needs most, relative to what there is, is divided max-min fairly. */
static void test_bottleneck_is_max_min(void **state) {
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + n_seeds; seed++) {
        struct chance c = {seed};
        struct users u;
        double tasks[USERS];
        random_users(&u, &c, 1, 10);
        for (int i = 0; i < u.n; i++) u.task[i][0] = share_per_task(&u, i) * u.capacity[0];
        divide(&u, tasks);
        check_max_min(seed, &u, tasks, 0);
    }
}

/*
 * Resource monotonicity does not hold, and no rule that has sharing incentive and Pareto efficiency
 * can have it (NSDI'11, section 6). 6 CPU and 6 GB, A's tasks (1, 2), B's (2, 1): two tasks each.
 * With 12 CPU, B's tasks take half the share that they took, B gets three, and A is left with one
 * and a half: more CPU cost A half a task.
 */
static void test_resource_monotonicity_fails(void **state) {
    (void)state;
    struct users u = {.n = 2,
                      .m = 2,
                      .capacity = {6, 6},
                      .task = {{1, 2}, {2, 1}},
                      .demand = {INFINITY, INFINITY},
                      .weight = {1, 1}};
    double tasks[USERS];
    divide(&u, tasks);
    assert_true(fabs(tasks[0] - 2) < SLACK && fabs(tasks[1] - 2) < SLACK);
    u.capacity[0] = 12;
    divide(&u, tasks);
    assert_true(fabs(tasks[0] - 1.5) < SLACK && fabs(tasks[1] - 3) < SLACK);
}

/* Two users of CPU alone leave a third that needs both with a third of the CPU, so a fourth, of
 * memory alone, gets two thirds. When one of the first two leaves, the third is held back less
 * and the fourth gets half. */
static void test_population_monotonicity_needs_all_kinds(void **state) {
    (void)state;
    struct users u = {.n = 4,
                      .m = 2,
                      .capacity = {6, 6},
                      .task = {{0, 1}, {1, 1}, {1, 0}, {1, 0}},
                      .demand = {INFINITY, INFINITY, INFINITY, INFINITY},
                      .weight = {1, 1, 1, 1}};
    double tasks[USERS];
    divide(&u, tasks);
    assert_true(fabs(tasks[0] - 4) < SLACK && fabs(tasks[1] - 2) < SLACK);
    u.n = 3;
    divide(&u, tasks);
    assert_true(fabs(tasks[0] - 3) < SLACK && fabs(tasks[1] - 3) < SLACK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_instances),
        cmocka_unit_test(test_single_resource_is_max_min),
        cmocka_unit_test(test_bottleneck_is_max_min),
        cmocka_unit_test(test_resource_monotonicity_fails),
        cmocka_unit_test(test_population_monotonicity_needs_all_kinds),
    };
    first_seed = chance_seed(1);
    n_seeds = chance_rounds(5000);
    printf("seeds %llu .. +%u\n", (unsigned long long)first_seed, n_seeds);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
