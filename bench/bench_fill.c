/*
 * bench_fill.c -- fills an empty cluster in cycles with a bound on their decisions: jobs for eight
 * tasks on each node wait from the beginning. Rows say the memory that a cycle needs beside the
 * memory that it leaves: at most in the first cycle, which admits all the jobs, and at most in a
 * later one. The baseline of both is the same in a cluster with a quarter of the nodes and jobs: a
 * ratio near 1 says that this memory follows the bound.
 *
 *   bench_fill [NODES] [DECISIONS]   default: 10000 nodes, 5000 decisions in a cycle
 *
 * 1,000,000 nodes need about 8 GB.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "bench_support.h"

enum { QUEUES = 8, SHAPES = 8, TASKS = 8 };

/* What the library holds by its own allocator, and the most since `most` was set. */
struct counted {
    uint64_t held, most;
};

static void count(struct counted *c, uint64_t old, uint64_t bytes) {
    c->held += bytes - old;
    if (c->held > c->most) c->most = c->held;
}

static void *counted_new(void *user, size_t bytes) {
    void *p = malloc(bytes);
    if (p) count(user, 0, bytes);
    return p;
}

static void *counted_resize(void *user, void *old, size_t old_bytes, size_t bytes) {
    void *p = realloc(old, bytes);
    if (p) count(user, old_bytes, bytes);
    return p;
}

static void counted_free(void *user, void *old, size_t bytes) {
    count(user, bytes, 0);
    free(old);
}

struct filled {
    double first, later;            /* bytes that a cycle gave back, at most */
    double first_seconds, seconds;  /* the first cycle, and the longest later one */
    uint64_t cycles, placed, state; /* state: bytes of a clone */
};

static uint64_t held_by_clone(const lsched_cluster *c) {
    lsched_cluster *copy = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster_stats s = {.size = sizeof s};
    bench_check(lsched_cluster_clone(c, &copy, &err), &err, "clone");
    bench_check(lsched_cluster_stats_get(copy, &s, NULL), NULL, "stats");
    lsched_cluster_destroy(copy);
    return s.memory_bytes;
}

/* Starts the tasks that a plan places; so decisions do not stay open. */
static uint64_t carry_out(lsched_cluster *c, lsched_plan *plan) {
    uint64_t n = lsched_plan_size(plan);
    bench_report_placed(c, plan, LSCHED_EVENT_STARTED);
    lsched_plan_destroy(plan);
    return n;
}

static struct filled fill(uint32_t nodes, uint32_t decisions) {
    struct counted counted = {0, 0};
    lsched_allocator hooks = {sizeof hooks, 0, &counted, counted_new, counted_resize, counted_free};
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *c = NULL;
    struct filled f = {0, 0, 0, 0, 0, 0, 0};
    static const char policy[] = "return {api=1, name='fill', pipeline={'allocate'}}";
    opts.allocator = &hooks;
    bench_check(lsched_cluster_create(&opts, &c, &err), &err, "create");
    bench_check(lsched_policy_load(c, LSCHED_TEXT("fill"), (lsched_text){policy, sizeof policy - 1},
                                   NULL, &err),
                &err, "policy");
    bench_add_queues(c, QUEUES);
    bench_add_nodes(c, nodes, 0);
    bench_add_jobs(c, nodes * TASKS, 0, QUEUES, SHAPES);
    for (uint64_t n = 1; n > 0; f.placed += n, f.cycles++) {
        lsched_schedule_opts cycle = LSCHED_SCHEDULE_OPTS_INIT;
        lsched_plan *plan = NULL;
        cycle.now_us = 1000000 + (int64_t)f.cycles;
        cycle.decisions_max = decisions;
        counted.most = counted.held;
        double t = bench_seconds();
        bench_check(lsched_schedule(c, &cycle, &plan, &err), &err, "schedule");
        t = bench_seconds() - t;
        double gave_back = (double)(counted.most - counted.held);
        if (f.cycles == 0) f.first = gave_back, f.first_seconds = t;
        if (f.cycles > 0 && gave_back > f.later) f.later = gave_back;
        if (f.cycles > 0 && t > f.seconds) f.seconds = t;
        n = carry_out(c, plan);
    }
    f.state = held_by_clone(c);
    rows_note("%u nodes: %llu tasks placed in %llu cycles; %.1f MB held, a clone holds %.1f MB",
              nodes, (unsigned long long)f.placed, (unsigned long long)f.cycles,
              (double)counted.held / 1e6, (double)f.state / 1e6);
    lsched_cluster_destroy(c);
    return f;
}

int main(int argc, char **argv) {
    argc = rows_open("fill", argc, argv);
    uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 10000;
    uint32_t decisions = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 5000;
    static const char base[] = "a quarter of the nodes and jobs";
    struct filled quarter = fill(nodes / 4, decisions), whole = fill(nodes, decisions);
    char name[48];
    snprintf(name, sizeof name, "first_cycle_memory.%u_nodes", nodes);
    rows_put(name, "kB", whole.first / 1e3, base, quarter.first / 1e3);
    snprintf(name, sizeof name, "cycle_memory.%u_nodes", nodes);
    rows_put(name, "kB", whole.later / 1e3, base, quarter.later / 1e3);
    snprintf(name, sizeof name, "first_cycle.%u_nodes", nodes);
    rows_put(name, "ms", 1e3 * whole.first_seconds, base, 1e3 * quarter.first_seconds);
    snprintf(name, sizeof name, "longest_later_cycle.%u_nodes", nodes);
    rows_put(name, "ms", 1e3 * whole.seconds, base, 1e3 * quarter.seconds);
    return 0;
}
