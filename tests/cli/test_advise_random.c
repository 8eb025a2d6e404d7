/*
 * test_advise_random.c -- the search for nodes to add against brute force, in small random
 * clusters.
 *
 * A cluster has one to three nodes and up to eight waiting jobs, some of them gangs; a catalogue
 * has two types with up to three nodes each. Brute force makes the trial of each combination of
 * counts. The search must never be better than brute force (it makes the same trials), must
 * never cost more than no change, must propose no node without work, and must find the best
 * price in at least nine of ten clusters. The share is printed with the seeds.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/advise/node_search.h"
#include "cli/support/prng.h"

#include <setjmp.h>
#include <cmocka.h>

enum { SEEDS = 300, TEXT_BYTES = 8192, TYPE_NODES = 3 };

struct text {
    char bytes[TEXT_BYTES];
    size_t len;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text->bytes + text->len, TEXT_BYTES - text->len, format, args);
    va_end(args);
    assert_true(n >= 0 && text->len + (size_t)n < TEXT_BYTES);
    text->len += (size_t)n;
}

static int below(struct prng *prng, int n) {
    return (int)prng_below(prng, (uint64_t)n);
}

static void put_cluster(struct text *text, struct prng *prng) {
    static const char *const actions[] = {"allocate", "backfill"};
    put(text,
        "start: 2026-01-05T08:00Z\npolicy: {name: p, text: 'return { api = 1, name = \"p\", "
        "order = \"fifo\", pipeline = { \"%s\" } }'}\n",
        actions[below(prng, 2)]);
    put(text, "nodes: [{name: \"n[0-%d]\", cpu: 8, price: 1}]\nqueues: [{name: q}]\njobs:\n",
        below(prng, 3));
    int jobs = 1 + below(prng, 8);
    for (int i = 0; i < jobs; i++)
        put(text,
            "  - {name: j%d, queue: q, submitted: -%dm, duration: %dm, tasks: {count: %d, cpu: "
            "%d}}\n",
            i, below(prng, 90), 15 * (1 + below(prng, 16)),
            below(prng, 3) > 0 ? 1 : 1 + below(prng, 4), 2 + 2 * below(prng, 5));
}

static void put_catalogue(struct text *text, struct prng *prng) {
    static const char *const boots[] = {"", ", leaves: 0, back: 10m",
                                        ", leaves: 0, back: 5m, leaves_every: 2h5m"};
    put(text, "nodes:\n");
    for (int t = 0; t < 2; t++)
        put(text, "  - {name: \"t%d-[0-%d]\", cpu: %d, price: %d.%d%s}\n", t,
            below(prng, TYPE_NODES), 6 + 2 * below(prng, 4), below(prng, 4), 1 + below(prng, 9),
            boots[below(prng, 3)]);
}

/* The least price over all combinations of counts. */
static int64_t brute_force(struct node_trials *trials) {
    int64_t least = trials->base.total_micro;
    struct node_change change = {.drained = NULL};
    size_t most0 = trials->catalogue->types[0].n, most1 = trials->catalogue->types[1].n;
    for (size_t a = 0; a <= most0; a++)
        for (size_t b = 0; b <= most1; b++) {
            struct node_figures figures;
            lsched_error err = LSCHED_ERROR_INIT;
            change.counts[0] = a;
            change.counts[1] = b;
            assert_int_equal(node_trial_make(trials, &change, &figures, &err), 1);
            if (figures.total_micro < least) least = figures.total_micro;
        }
    return least;
}

/* Returns true if the search found the best price. */
static bool check_seed(uint64_t seed) {
    struct prng prng = {seed};
    struct text cluster = {.len = 0}, nodes = {.len = 0};
    struct session session;
    struct catalogue catalogue;
    struct node_trials trials;
    struct node_advice advice;
    lsched_schedule_opts schedule;
    lsched_error err = LSCHED_ERROR_INIT;
    put_cluster(&cluster, &prng);
    put_catalogue(&nodes, &prng);
    const struct input_file cluster_file = {
        .name = "cluster", .text = cluster.bytes, .len = cluster.len};
    const struct input_file nodes_file = {.name = "nodes", .text = nodes.bytes, .len = nodes.len};
    const struct advise_opts opts = {.value_micro = 1000000 * (1 + (int64_t)prng_below(&prng, 8)),
                                     .hold_us = (int64_t)3600 * 1000000,
                                     .horizon_us = (int64_t)4 * 86400 * 1000000,
                                     .budget = UINT64_MAX / 2};
    assert_int_equal(session_open_text(&cluster_file, NULL, &session), EXIT_OK);
    assert_int_equal(session_apply(&session, &schedule), EXIT_OK);
    assert_int_equal(catalogue_open_text(&nodes_file, &catalogue), EXIT_OK);
    assert_int_equal(node_trials_open(&session, &schedule, &catalogue, &opts, &trials), EXIT_OK);
    assert_int_equal(catalogue.n_types, 2);
    assert_int_equal(node_search_add(&trials, &advice, &err), LSCHED_OK);
    int64_t found = advice.added.total_micro, least = brute_force(&trials);
    if (found < least || found > trials.base.total_micro)
        print_error("seed %llu: found %lld, least %lld, unchanged %lld\n", (unsigned long long)seed,
                    (long long)found, (long long)least, (long long)trials.base.total_micro);
    assert_true(found >= least && found <= trials.base.total_micro);
    for (size_t t = 0; t < 2; t++) assert_int_equal(advice.added.used[t], advice.change.counts[t]);
    node_advice_free(&advice);
    node_trials_close(&trials);
    catalogue_close(&catalogue);
    session_close(&session);
    return found == least;
}

static void test_search_against_brute_force(void **state) {
    size_t best = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) best += check_seed(seed);
    print_message("seeds 1 to %d: the best price in %zu of %d clusters\n", SEEDS, best, SEEDS);
    assert_true(best * 10 >= (size_t)SEEDS * 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_search_against_brute_force)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
