/*
 * test_advise_cost.c -- how the cost of advice grows, by counts: the trials with the nodes of a
 * catalogue, the cycles and the work of a play with the jobs.
 *
 * The units of work are those that cycles charge and the budget of the advice counts. A time would
 * depend on the machine; bench_advise measures it.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/advise/node_search.h"
#include "cli/support/prng.h"

#include <setjmp.h>
#include <cmocka.h>

struct advice_cost {
    uint64_t trials, work, work_of_one; /* work_of_one: of the play without a change */
};

static char *cluster_text(const char *action, int nodes, int jobs, size_t *len) {
    char *text = NULL;
    struct prng prng = {1};
    FILE *out = open_memstream(&text, len);
    assert_non_null(out);
    fprintf(out,
            "start: 2026-01-05T08:00Z\npolicy: {name: p, text: 'return { api = 1, name = \"p\", "
            "order = \"fifo\", pipeline = { \"%s\" } }'}\n"
            "nodes: [{name: \"n-[0-%d]\", cpu: 64, gpus: 8, price: 30}]\n"
            "queues: [{name: q}]\njobs:\n",
            action, nodes - 1);
    for (int i = 0; i < jobs; i++)
        fprintf(out, "  - {name: w-%d, queue: q, duration: %dm, tasks: {gpu: %d, cpu: 8}}\n", i,
                10 + (int)prng_below(&prng, 591), 1 << prng_below(&prng, 4));
    fclose(out);
    return text;
}

static struct advice_cost cost_of(const char *action, int nodes, int jobs, int offers) {
    char types[256];
    struct session session;
    struct catalogue catalogue;
    struct node_trials trials;
    struct node_advice advice;
    lsched_schedule_opts schedule;
    lsched_error err = LSCHED_ERROR_INIT;
    struct input_file cluster = {.name = "cluster"}, offered = {.name = "nodes", .text = types};
    const struct advise_opts opts = {.value_micro = 5000000,
                                     .hold_us = (int64_t)3600 * 1000000,
                                     .horizon_us = (int64_t)30 * 86400 * 1000000,
                                     .budget = UINT64_MAX / 2};
    cluster.text = cluster_text(action, nodes, jobs, &cluster.len);
    offered.len = (size_t)snprintf(types, sizeof types,
                                   "nodes: [{name: \"more-[0-%d]\", cpu: 64, gpus: 8, price: 20, "
                                   "leaves: 0, back: 10m}]\n",
                                   offers - 1);
    assert_int_equal(session_open_text(&cluster, NULL, &session), EXIT_OK);
    assert_int_equal(session_apply(&session, &schedule), EXIT_OK);
    assert_int_equal(catalogue_open_text(&offered, &catalogue), EXIT_OK);
    assert_int_equal(node_trials_open(&session, &schedule, &catalogue, &opts, &trials), EXIT_OK);
    struct advice_cost cost = {.work_of_one = trials.work};
    assert_int_equal(node_search_add(&trials, &advice, &err), LSCHED_OK);
    cost.trials = trials.trials;
    cost.work = trials.work;
    node_advice_free(&advice);
    node_trials_close(&trials);
    catalogue_close(&catalogue);
    session_close(&session);
    free(cluster.text);
    return cost;
}

/* A play costs a bounded number of units for each job: two for each start and each end, and one for
 * each cycle, which is one for each end at most. */
static void test_work_grows_with_the_jobs(void **state) {
    static const char *const actions[] = {"allocate", "backfill"};
    (void)state;
    for (int a = 0; a < 2; a++) {
        struct advice_cost small = cost_of(actions[a], 20, 200, 8);
        struct advice_cost large = cost_of(actions[a], 80, 800, 8);
        print_message("%s: 200 jobs %llu units in a play, 800 jobs %llu\n", actions[a],
                      (unsigned long long)small.work_of_one, (unsigned long long)large.work_of_one);
        assert_true(large.work_of_one <= 5 * small.work_of_one);
        assert_true(large.work_of_one >= 3 * small.work_of_one);
        assert_true(large.work <= (large.trials + 1) * large.work_of_one * 5 / 4);
    }
}

/* Four trials for each doubling of the nodes that a type has. */
static void test_trials_grow_with_the_logarithm(void **state) {
    uint64_t doublings = 2;
    (void)state;
    for (int offers = 4; offers <= 256; offers *= 4, doublings += 2) {
        struct advice_cost cost = cost_of("backfill", 4, 200, offers);
        print_message("%d nodes of a type: %llu trials\n", offers, (unsigned long long)cost.trials);
        assert_true(cost.trials <= 1 + 4 * doublings);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_work_grows_with_the_jobs),
                                       cmocka_unit_test(test_trials_grow_with_the_logarithm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
