/*
 * bench_advise.c -- how long `lsched advise` takes for 1,000 nodes and 5,000 waiting jobs, with a
 * catalogue of 64 nodes of one type, under the pipelines `allocate` and `backfill`.
 *
 * The baseline is one play of the cluster as it is, which every advice needs: the rest is the
 * search. The time to read the scenario is not measured.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, open_memstream */

#include <stdlib.h>
#include <string.h>

#include "bench_support.h"
#include "cli/advise/node_search.h"
#include "cli/support/prng.h"

enum { NODES = 1000, JOBS = 5000, OFFERS = 64 };

static char *cluster_text(const char *action, size_t *len) {
    char *text = NULL;
    struct prng prng = {1};
    FILE *out = open_memstream(&text, len);
    if (out == NULL) exit(1);
    fprintf(out,
            "start: 2026-01-05T08:00Z\npolicy: {name: p, text: 'return { api = 1, name = \"p\", "
            "order = \"fifo\", pipeline = { \"%s\" } }'}\n"
            "nodes: [{name: \"n-[0-%d]\", cpu: 64, gpus: {count: 8, model: H100}, price: 30}]\n"
            "queues: [{name: q}]\njobs:\n",
            action, NODES - 1);
    for (int i = 0; i < NODES; i++)
        fprintf(
            out,
            "  - {name: run-%d, queue: q, duration: %dh, running_on: n-%d, running_since: -30m, "
            "tasks: {gpu: 8, cpu: 32}}\n",
            i, 1 + (int)prng_below(&prng, 24), i);
    for (int i = 0; i < JOBS; i++)
        fprintf(out,
                "  - {name: wait-%d, queue: q, submitted: -%dm, duration: %dm, tasks: {gpu: %d, "
                "cpu: 8}}\n",
                i, 1 + (int)prng_below(&prng, 600), 10 + (int)prng_below(&prng, 591),
                1 << prng_below(&prng, 4));
    fclose(out);
    return text;
}

static void advise(const char *action, const char *row) {
    char nodes[256];
    struct session session;
    struct catalogue catalogue;
    struct node_trials trials;
    struct node_advice advice;
    lsched_schedule_opts schedule;
    lsched_error err = LSCHED_ERROR_INIT;
    struct input_file cluster = {.name = "cluster"}, types = {.name = "nodes", .text = nodes};
    const struct advise_opts opts = {.value_micro = 5000000,
                                     .hold_us = (int64_t)3600 * 1000000,
                                     .horizon_us = (int64_t)30 * 86400 * 1000000,
                                     .budget = 20000000};
    cluster.text = cluster_text(action, &cluster.len);
    types.len = (size_t)snprintf(nodes, sizeof nodes,
                                 "nodes: [{name: \"more-[0-%d]\", cpu: 64, gpus: {count: 8, model: "
                                 "H100}, price: 20, leaves: 0, back: 10m}]\n",
                                 OFFERS - 1);
    if (session_open_text(&cluster, NULL, &session) != EXIT_OK ||
        session_apply(&session, &schedule) != EXIT_OK ||
        catalogue_open_text(&types, &catalogue) != EXIT_OK)
        exit(1);
    double begin = bench_seconds();
    if (node_trials_open(&session, &schedule, &catalogue, &opts, &trials) != EXIT_OK) exit(1);
    double one = bench_seconds() - begin;
    bench_check(node_search_run(&trials, &advice, &err), &err, "search");
    double all = bench_seconds() - begin;
    rows_note("%s: %llu trials, %llu units of work, %zu nodes added", action,
              (unsigned long long)trials.trials, (unsigned long long)trials.work,
              advice.change.counts[0]);
    rows_put(row, "ms", all * 1e3, "one play", one * 1e3);
    node_advice_free(&advice);
    node_trials_close(&trials);
    catalogue_close(&catalogue);
    session_close(&session);
    free((char *)cluster.text);
}

int main(int argc, char **argv) {
    rows_open("advise", argc, argv);
    advise("allocate", "allocate");
    advise("backfill", "backfill");
    return 0;
}
