/*
 * test_victim_absence.c -- the time at which a node is back when stopped work is gone, against a
 * model that goes through the absences of each node for each time that work takes to stop; and the
 * steps that this costs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "engine/rights/victim_state.h"
#include "engine/state/cluster.h"
#include "engine/victims/victim_absence.h"
#include "property/chance.h"

enum { LEAST = 64, WORLDS = 400, NODES = 12, JOBS = 12 };
#define START  INT64_C(1700000000000000)
#define SECOND INT64_C(1000000)

struct leaving {
    int64_t leaves, back, every;
};

struct back_world {
    lsched_cluster *c;
    struct leaving of[NODES];
    int64_t stop[JOBS + 1]; /* the last one is that of the policy */
    uint32_t n_nodes, n_jobs;
    int64_t now;
};

static void add_leaving(lsched_cluster *c, uint32_t n, const struct leaving *of) {
    lsched_amount cores = {.kind = LSCHED_CPU, .amount = 4000};
    lsched_node_desc d = LSCHED_NODE_DESC_INIT;
    char name[16];
    snprintf(name, sizeof name, "n%u", n);
    d.name = lsched_cstr(name);
    d.capacity = &cores;
    d.n_capacity = 1;
    d.leaves_us = of->leaves;
    d.back_us = of->back;
    d.leaves_every_us = of->every;
    assert_int_equal(lsched_nodes_add(c, &d, 1, sizeof d, NULL, NULL, NULL, NULL), 1);
}

static void add_stopping(lsched_cluster *c, uint32_t j, int64_t stop) {
    lsched_amount cores = {.kind = LSCHED_CPU, .amount = 4000};
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    char name[16];
    snprintf(name, sizeof name, "j%u", j);
    g.request = &cores;
    g.n_request = 1;
    d.name = lsched_cstr(name);
    d.queue_name = LSCHED_TEXT("q");
    d.groups = &g;
    d.n_groups = 1;
    d.group_elem_size = sizeof g;
    d.release_us = stop;
    assert_int_equal(lsched_jobs_submit(c, &d, 1, sizeof d, NULL, NULL, NULL, NULL), 1);
}

static lsched_cluster *empty_cluster(void) {
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    lsched_cluster *c;
    assert_int_equal(lsched_cluster_create(NULL, &c, NULL), LSCHED_OK);
    q.name = LSCHED_TEXT("q");
    assert_int_equal(lsched_queues_add(c, &q, 1, sizeof q, NULL, NULL, NULL, NULL), 1);
    return c;
}

/* Asks for the time as a cycle does. */
static int64_t back_time(lsched_cluster *c, int64_t now, int64_t release) {
    struct victim_search *h = calloc(1, sizeof *h);
    struct lsched_cycle cy = {.c = c, .k = &c->k, .now = now, .victims = h};
    assert_non_null(h);
    cy.policy.eviction.release_us = release;
    assert_int_equal(victim_absence_next(&cy), LSCHED_OK);
    int64_t back = h->back;
    free(h);
    return back;
}

/* The first end of an absence of the node after `at`, found by counting periods. */
static int64_t first_end(const struct leaving *of, int64_t at) {
    int64_t back = of->back;
    if (back == 0) return LSCHED_NEVER_US;
    while (back <= at) {
        if (of->every == 0) return LSCHED_NEVER_US;
        back += of->every;
    }
    return back;
}

static int64_t model_time(const struct back_world *w) {
    int64_t first = LSCHED_NEVER_US;
    for (uint32_t s = 0; s <= w->n_jobs; s++)
        for (uint32_t n = 0; n < w->n_nodes; n++) {
            int64_t back = first_end(&w->of[n], w->now + w->stop[s]);
            if (back != LSCHED_NEVER_US && back - w->stop[s] < first) first = back - w->stop[s];
        }
    return first;
}

static void random_leaving(struct chance *at, struct leaving *of) {
    *of = (struct leaving){0, 0, 0};
    if (chance_one_in(at, 6)) return;
    of->leaves = START + chance_between(at, -50, 300) * SECOND;
    if (chance_one_in(at, 6)) return;
    of->back = of->leaves + chance_between(at, 1, 100) * SECOND;
    if (chance_one_in(at, 3)) return;
    of->every = of->back - of->leaves + chance_between(at, 1, 200) * SECOND;
}

static void the_time_is_that_of_a_model(void **state) {
    uint64_t seed = chance_seed(1), n = chance_rounds(WORLDS);
    uint32_t some = 0;
    (void)state;
    print_message("seeds %llu .. +%llu\n", (unsigned long long)seed, (unsigned long long)n);
    for (uint64_t i = 0; i < n; i++) {
        struct chance at = {.state = (seed + i) ^ 0xbac4};
        struct back_world w = {.c = empty_cluster(), .now = START};
        int64_t longest = chance_one_in(&at, 2) ? 20 : 500;
        w.n_nodes = 1 + chance_below(&at, NODES);
        w.n_jobs = chance_below(&at, JOBS + 1);
        for (uint32_t node = 0; node < w.n_nodes; node++) {
            random_leaving(&at, &w.of[node]);
            add_leaving(w.c, node, &w.of[node]);
        }
        for (uint32_t j = 0; j <= w.n_jobs; j++) {
            w.stop[j] = chance_between(&at, 1, longest) * SECOND;
            if (j < w.n_jobs) add_stopping(w.c, j, w.stop[j]);
        }
        for (uint32_t step = 0; step < 5; step++) {
            int64_t is = back_time(w.c, w.now, w.stop[w.n_jobs]), should = model_time(&w);
            if (is != should)
                fail_msg("seed %llu: at %lld: %lld, but the model says %lld",
                         (unsigned long long)(seed + i), (long long)w.now, (long long)is,
                         (long long)should);
            some += is != LSCHED_NEVER_US;
            w.now += chance_between(&at, 0, 100) * SECOND;
        }
        lsched_cluster_destroy(w.c);
    }
    assert_true(some > n);
}

/* Returns the steps of n nodes and n stop times. The longest one is two hours; all nodes are back
 * within it. */
static uint64_t steps_of(uint32_t n, int64_t every) {
    lsched_cluster *c = empty_cluster();
    for (uint32_t i = 0; i < n; i++) {
        int64_t leaves = START + SECOND + 3600 * SECOND / n * i;
        add_leaving(c, i, &(struct leaving){leaves, leaves + SECOND, every});
        add_stopping(c, i, 7200 * SECOND / n * (i + 1));
    }
    (void)back_time(c, START, SECOND); /* makes the line of nodes */
    uint64_t before = *c->k.steps;
    (void)back_time(c, START + 1, SECOND);
    uint64_t steps = *c->k.steps - before;
    lsched_cluster_destroy(c);
    return steps;
}

static void the_time_costs_nodes_and_stop_times(void **state) {
    static const int64_t every[] = {0, 86400 * SECOND, 3600 * SECOND};
    (void)state;
    for (uint32_t i = 0; i < sizeof every / sizeof every[0]; i++) {
        uint64_t few = steps_of(LEAST, every[i]), many = steps_of(16 * LEAST, every[i]);
        print_message("%llu steps for %d nodes and stop times, %llu for %d\n",
                      (unsigned long long)few, LEAST, (unsigned long long)many, 16 * LEAST);
        /* the product would be 256 times the steps */
        assert_true(many <= 20 * few);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_time_is_that_of_a_model),
        cmocka_unit_test(the_time_costs_nodes_and_stop_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
