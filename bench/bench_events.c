/*
 * bench_events.c -- what an event costs: a stream of mixed events comes to a full cluster, and one
 * cycle runs after each. Rows say p50, p99.9 and max of the thread CPU time of an event with its
 * cycle, for all events and for each kind, and the steps of an event. The baseline is the same
 * stream in a cluster with a quarter of the nodes and of the waiting jobs: a ratio near 1 says that
 * the cost follows the event, and not the size of the cluster.
 *
 * Options, each with a number or a name:
 *   --policy    a ready-made policy, `allocate` (the action allocate alone), or `all` for each of
 *               the ready-made policies; may be given several times
 *   --nodes, --queues, --pending, --bundles, --events, --seed
 * `--bundles` is the number of pairs of a queue and a shape in which jobs wait; it is a multiple of
 * the number of queues. Without options the run is small. The large runs:
 *   bench_events --policy all --nodes 1000 --pending 10000 --bundles 80 --events 100000
 *   bench_events --policy guaranteed-quota --nodes 100000 --pending 1000000 --bundles 1000
 *                --events 100000
 *   bench_events --policy allocate --nodes 1000000 --pending 10000 --bundles 80 --events 100000
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "bench_support.h"
#include "support/event_world.h"

enum { POLICIES_MAX = 64, WARM = 20 };

struct stream {
    const char *policies[POLICIES_MAX];
    uint32_t n_policies;
    uint32_t nodes, queues, pending, bundles, events;
    uint64_t seed;
};

/* The measured costs of one stream, by kind. */
struct measured {
    double *seconds[EVENT_KINDS + 1]; /* the last one: of all kinds */
    uint32_t n[EVENT_KINDS + 1];
    uint64_t steps[EVENT_KINDS + 1];
};

static void note_cost(struct measured *m, uint32_t kind, const struct event_cost *cost) {
    m->seconds[kind][m->n[kind]++] = cost->seconds;
    m->steps[kind] += cost->steps;
}

static void run(const struct stream *s, const char *policy, uint32_t part, struct measured *m) {
    const struct event_size size = {.policy = strcmp(policy, "allocate") == 0 ? NULL : policy,
                                    .nodes = s->nodes / part,
                                    .queues = s->queues,
                                    .waiting = s->queues,
                                    .shapes = s->bundles / s->queues,
                                    .jobs = s->pending / part / s->bundles,
                                    .seed = s->seed};
    struct event_world *w = event_world_open(&size);
    struct event_cost cost;
    for (uint32_t kind = 0; kind <= EVENT_KINDS; kind++) {
        m->seconds[kind] = calloc(s->events + 1, sizeof *m->seconds[kind]);
        if (!m->seconds[kind]) exit(1);
        m->n[kind] = 0;
        m->steps[kind] = 0;
    }
    for (uint32_t i = 0; i < WARM; i++) event_world_run(w, event_world_draw(w), 1, &cost);
    for (uint32_t i = 0; i < s->events; i++) {
        enum event_kind kind = event_world_draw(w);
        if (!event_world_run(w, kind, 1, &cost)) continue;
        note_cost(m, kind, &cost);
        note_cost(m, EVENT_KINDS, &cost);
    }
    for (uint32_t kind = 0; kind <= EVENT_KINDS; kind++)
        if (m->n[kind]) (void)rows_median(m->seconds[kind], m->n[kind]); /* sorts */
    event_world_close(w);
}

static void put(const char *policy, const char *what, const struct measured *m,
                const struct measured *base, uint32_t kind) {
    static const struct {
        const char *name;
        double share;
    } quantiles[] = {{"p50", 0.5}, {"p99_9", 0.999}, {"max", 1}};
    char name[96];
    if (m->n[kind] == 0 || base->n[kind] == 0) return;
    for (int i = 0; i < 3; i++) {
        double share = quantiles[i].share;
        snprintf(name, sizeof name, "%s.%s.%s", policy, what, quantiles[i].name);
        rows_put(name, "us", 1e6 * rows_quantile(m->seconds[kind], m->n[kind], share),
                 "a quarter of the nodes and jobs",
                 1e6 * rows_quantile(base->seconds[kind], base->n[kind], share));
    }
    snprintf(name, sizeof name, "%s.%s.steps", policy, what);
    rows_put(name, "steps", (double)m->steps[kind] / m->n[kind], "a quarter of the nodes and jobs",
             (double)base->steps[kind] / base->n[kind]);
}

static void measure(const struct stream *s, const char *policy) {
    struct measured whole, quarter;
    run(s, policy, 4, &quarter);
    run(s, policy, 1, &whole);
    put(policy, "all", &whole, &quarter, EVENT_KINDS);
    for (uint32_t kind = 0; kind < EVENT_KINDS; kind++)
        put(policy, event_world_name((enum event_kind)kind), &whole, &quarter, kind);
    for (uint32_t kind = 0; kind <= EVENT_KINDS; kind++) {
        free(whole.seconds[kind]);
        free(quarter.seconds[kind]);
    }
}

static void add_policy(struct stream *s, const char *name) {
    lsched_ready_policy ready = {.size = sizeof ready};
    if (strcmp(name, "all") != 0) {
        if (s->n_policies < POLICIES_MAX) s->policies[s->n_policies++] = name;
        return;
    }
    for (size_t i = 0; lsched_ready_policies_at(i, &ready, NULL) == LSCHED_OK; i++)
        add_policy(s, ready.name.ptr);
}

static void read_options(struct stream *s, int argc, char **argv) {
    struct {
        const char *name;
        uint32_t *value;
    } numbers[] = {{"--nodes", &s->nodes},
                   {"--queues", &s->queues},
                   {"--pending", &s->pending},
                   {"--bundles", &s->bundles},
                   {"--events", &s->events}};
    for (int i = 1; i < argc; i += 2) {
        uint32_t known = 0;
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--policy") == 0) add_policy(s, value), known = 1;
        if (strcmp(argv[i], "--seed") == 0) s->seed = strtoull(value, NULL, 10), known = 1;
        for (uint32_t j = 0; j < sizeof numbers / sizeof numbers[0]; j++)
            if (strcmp(argv[i], numbers[j].name) == 0)
                *numbers[j].value = (uint32_t)strtoul(value, NULL, 10), known = 1;
        if (known) continue;
        fprintf(stderr, "bench_events: unknown option %s\n", argv[i]);
        exit(2);
    }
    if (s->queues == 0 || s->bundles < s->queues || s->pending < 4 * s->bundles || s->nodes < 4) {
        fprintf(stderr, "bench_events: too few nodes, queues, bundles, or jobs per bundle\n");
        exit(2);
    }
}

int main(int argc, char **argv) {
    struct stream s = {
        .nodes = 100, .queues = 8, .pending = 1000, .bundles = 40, .events = 20000, .seed = 1};
    argc = rows_open("events", argc, argv);
    read_options(&s, argc, argv);
    if (s.n_policies == 0) {
        add_policy(&s, "allocate");
        add_policy(&s, "drf");
        add_policy(&s, "guaranteed-quota");
    }
    rows_note("%u nodes x 8 GPUs, all taken; %u jobs wait in %u bundles of %u queues; %u events, "
              "seed %llu",
              s.nodes, s.pending, s.bundles, s.queues, s.events, (unsigned long long)s.seed);
    for (uint32_t i = 0; i < s.n_policies; i++) measure(&s, s.policies[i]);
    return 0;
}
