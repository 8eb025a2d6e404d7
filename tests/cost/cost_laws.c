/*
 * cost_laws.c -- measures the laws of laws.def: one event and its cycle in worlds of size n, 4n and
 * 16n, under three policies.
 *
 * All laws of one dimension use the same worlds: each world is built once, and the events of its
 * laws come one after another. Each law lets its event happen a few times to warm caches, and
 * measures the last time. The program prints a line for each measurement: the law, the policy, the
 * size, and the steps. check_laws.py compares the growth with the laws. It takes the steps of these
 * lines, or the instructions that callgrind counts in event_world_measured() until each call of
 * cost_laws_mark(). No output depends on a clock, so two runs print the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/event_world.h"

enum dimension {
    NODES,
    QUEUES,
    WAITING,
    SHAPES,
    JOBS,
    CHANGES,
    DEVICES,
    DEPENDANTS,
    ABSENT,
    STOPS,
    RESIZES,
    DIMENSIONS
};
enum { WARM = 2, STEPS = 3, POLICIES = 3 };

struct law {
    enum event_kind event;
    enum dimension dimension;
    const char *name; /* as in docs/cost.md */
};

#define LAW(event, dimension, ...) {EVENT_##event, dimension, #event " " #dimension},
static const struct law laws[] = {
#include "laws.def"
};
#undef LAW

/* Returns the world of a dimension in the size 4^step times the smallest. *times: how many events
 * come before one cycle. */
static struct event_size size_of(enum dimension d, uint32_t step, uint32_t *times, uint32_t *n) {
    static const uint32_t least[DIMENSIONS] = {64, 16, 8, 8, 8, 4, 8, 4, 64, 16, 8};
    struct event_size size = {
        .nodes = 64, .queues = 8, .waiting = 4, .shapes = 4, .jobs = 4, .seed = 1};
    *n = least[d] << 2 * step;
    *times = 1;
    switch (d) {
    case NODES: size.nodes = *n; break;
    case QUEUES: size.queues = *n; break;
    case WAITING:
        size.queues = least[d] << 4;
        size.waiting = *n;
        break;
    case SHAPES: size.shapes = *n; break;
    case JOBS: size.jobs = *n; break;
    case CHANGES:
        size.jobs = 64;
        *times = *n;
        break;
    case DEVICES:
        size.nodes = 16;
        size.gpus = *n;
        break;
    case DEPENDANTS: size.dependants = *n; break;
    case ABSENT:
        size.nodes = *n;
        size.absent = 1;
        break;
    case STOPS:
        size.nodes = *n;
        size.absent = size.stops = 1;
        break;
    case RESIZES: size.resizes = *n; break;
    case DIMENSIONS: break;
    }
    return size;
}

/* Callgrind writes its counts when this function is called. The empty assembly keeps the call. */
void cost_laws_mark(void);
__attribute__((noinline)) void cost_laws_mark(void) {
    __asm__ volatile("");
}

static int of_overdue(const struct law *l) {
    return l->event == EVENT_CHECKPOINT || l->event == EVENT_EVICT_AFTER;
}

/* Measures the laws of the dimension; overdue: those whose world has the action
 * evict-overdue. */
static void measure(enum dimension d, const char *policy, uint32_t step, uint32_t overdue) {
    uint32_t times, n;
    struct event_size size = size_of(d, step, &times, &n);
    size.overdue = overdue;
    size.policy = strcmp(policy, "allocate") == 0 ? NULL : policy;
    struct event_world *w = event_world_open(&size);
    for (uint32_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        struct event_cost cost;
        if (laws[i].dimension != d || of_overdue(&laws[i]) != (int)overdue) continue;
        for (uint32_t j = 0; j <= WARM; j++) {
            if (event_world_run(w, laws[i].event, times, &cost)) continue;
            fprintf(stderr, "%s: the world has no object for the event\n", laws[i].name);
            exit(1);
        }
        printf("%s %s %u %llu\n", laws[i].name, policy, n, (unsigned long long)cost.steps);
        cost_laws_mark();
    }
    event_world_close(w);
}

/* cost_laws [POLICY]: all policies, or one. */
int main(int argc, char **argv) {
    static const char *const policies[POLICIES] = {"allocate", "drf", "guaranteed-quota"};
    for (uint32_t d = 0; d < DIMENSIONS; d++)
        for (uint32_t p = 0; p < POLICIES; p++)
            for (uint32_t step = 0; step < STEPS; step++)
                for (uint32_t overdue = 0; overdue < 2; overdue++)
                    if (argc < 2 || strcmp(argv[1], policies[p]) == 0)
                        measure((enum dimension)d, policies[p], step, overdue);
    return 0;
}
