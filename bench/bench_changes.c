/*
 * bench_changes.c -- what single changes cost in clusters of growing size: a GPU that comes free
 * while n queues wait for it, an idle cycle with n queues, a node, a queue or the first job of a
 * user added to n nodes, a job held or released, and a proposal that expires. Each row is the
 * median CPU time of the call with its cycle. The baseline is the same change in the smallest of
 * the clusters: a ratio near 1 says that the cost follows the change.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "bench_support.h"
#include "support/event_world.h"

enum { WARM = 3, MEASURED = 15 };

/* Measures the events in one world; costs[] has one entry per event. */
static void measure(const struct event_size *size, const enum event_kind *events, uint32_t n,
                    double *costs) {
    struct event_world *w = event_world_open(size);
    for (uint32_t i = 0; i < n; i++) {
        double spent[MEASURED];
        struct event_cost cost;
        for (uint32_t j = 0; j < WARM + MEASURED; j++) {
            if (!event_world_run(w, events[i], 1, &cost)) exit(1);
            if (j >= WARM) spent[j - WARM] = cost.seconds;
        }
        costs[i] = rows_median(spent, MEASURED) * 1e6;
    }
    event_world_close(w);
}

static void put(const char *policy, enum event_kind event, const char *what, uint32_t size,
                double cost, double least) {
    char name[96];
    snprintf(name, sizeof name, "%s.%s.%s_%u", policy ? policy : "allocate",
             event_world_name(event), what, size);
    rows_put(name, "us", cost, "the smallest cluster", least);
}

/* n queues wait, with a job each; a GPU comes free, or nothing happens. */
static void waiting_queues(const char *policy, uint32_t nodes, uint32_t most) {
    static const enum event_kind events[] = {EVENT_IDLE, EVENT_TASK_ENDED};
    double costs[2], least[2] = {0};
    for (uint32_t n = 10; n <= most; n *= 10) {
        const struct event_size size = {.policy = policy,
                                        .nodes = nodes,
                                        .queues = n,
                                        .waiting = n,
                                        .shapes = 1,
                                        .jobs = 2,
                                        .seed = 1};
        measure(&size, events, 2, costs);
        for (uint32_t i = 0; i < 2; i++) {
            if (n == 10) least[i] = costs[i];
            put(policy, events[i], "queues", n, costs[i], least[i]);
        }
    }
}

/* Jobs of 32 bundles wait on n full nodes. */
static void nodes(const char *policy, uint32_t most) {
    static const enum event_kind events[] = {EVENT_TASK_ENDED, EVENT_NODE_ADDED, EVENT_QUEUE_ADDED,
                                             EVENT_NEW_USER,   EVENT_FLAP,       EVENT_HOLD,
                                             EVENT_RELEASE,    EVENT_EXPIRED};
    enum { EVENTS = sizeof events / sizeof events[0] };
    double costs[EVENTS], least[EVENTS] = {0};
    for (uint32_t n = 1000; n <= most; n *= 10) {
        const struct event_size size = {.policy = policy,
                                        .nodes = n,
                                        .queues = 8,
                                        .waiting = 8,
                                        .shapes = 4,
                                        .jobs = 20,
                                        .seed = 1};
        measure(&size, events, EVENTS, costs);
        for (uint32_t i = 0; i < EVENTS; i++) {
            if (n == 1000) least[i] = costs[i];
            put(policy, events[i], "nodes", n, costs[i], least[i]);
        }
    }
}

int main(int argc, char **argv) {
    rows_open("changes", argc, argv);
    rows_note("full clusters of 8 GPUs a node; median of %d changes", MEASURED);
    waiting_queues(NULL, 1250, 10000);
    waiting_queues("drf", 1250, 1000);
    waiting_queues("guaranteed-quota", 1250, 1000);
    nodes(NULL, 100000);
    nodes("drf", 10000);
    nodes("guaranteed-quota", 10000);
    return 0;
}
