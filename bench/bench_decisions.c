#define _POSIX_C_SOURCE 200809L /* clock_gettime */

/*
 * bench_decisions.c -- one cycle that places 40,000 one-GPU tasks of 8 queues on 5,000 nodes of 8 GPUs: DRF and binpack,
 * plan included, verifier not. Beside it, in the same run: the same with a Lua score, and a baseline that does what schedulers
 * without an index do, a scan of all nodes for each task.
 *
 * `bench_decisions once` runs the one cycle alone and prints nothing, so that its instructions can
 * be counted: valgrind --tool=callgrind --toggle-collect=lsched_schedule bench_decisions once
 */
#include "bench_support.h"

#include <libsched/counters.h>

#include <string.h>

enum { NODES = 5000, TASKS = 40000, QUEUES = 8, RUNS = 5, MANY_SHAPES = 10000 };

static const char *const lua_score =
    "return { api = 1, name = 'score', placement = 'binpack',\n"
    "  score = function(job, node) return 100 - 10 * node.gpu_free - 0.01 * node.cpu_free end }\n";

/* Bytes of the cluster for each task, with its job and its decision, of the latest one_cycle(). */
static double bytes_kept, bytes_peak;

static uint64_t memory_of(const lsched_cluster *c, uint64_t *peak) {
    lsched_counters n = {.size = sizeof n};
    lsched_error err = LSCHED_ERROR_INIT;
    bench_check(lsched_counters_get(c, &n, &err), &err, "counters_get");
    *peak = n.memory_peak_bytes;
    return n.memory_bytes;
}

static double one_cycle(const char *policy, uint32_t shapes, uint64_t *hash) {
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    if (policy)
        bench_check(lsched_policy_load(c, LSCHED_TEXT("score"), lsched_cstr(policy), NULL, &err),
                    &err, "policy_load");
    bench_add_nodes(c, NODES, 0);
    uint32_t queues = shapes > 1 ? TASKS / shapes : QUEUES;
    bench_add_queues(c, queues);
    uint64_t peak, before = memory_of(c, &peak);
    bench_add_jobs(c, TASKS, 0, queues, shapes);
    double t0 = bench_seconds();
    lsched_plan *plan = bench_schedule(c, 1000000);
    double t = bench_seconds() - t0;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(plan, &info, NULL);
    if (info.decisions != TASKS || info.policy_error) {
        fprintf(stderr, "expected %d decisions, got %llu (%s)\n", TASKS,
                (unsigned long long)info.decisions, lsched_plan_policy_error(plan));
        exit(1);
    }
    *hash = info.plan_hash;
    lsched_plan_destroy(plan);
    bytes_kept = (double)(memory_of(c, &peak) - before) / TASKS;
    bytes_peak = (double)(peak - before) / TASKS;
    lsched_cluster_destroy(c);
    return t;
}

/* The cheapest scan there is: arrays, one compare per resource, one multiply for the score. */
static double scan_baseline(void) {
    static int64_t cpu[NODES], mem[NODES], gpu[NODES];
    static volatile uint32_t sink;
    for (int i = 0; i < NODES; i++) cpu[i] = 96000, mem[i] = (int64_t)1 << 40, gpu[i] = 8000;
    double t0 = bench_seconds();
    for (int t = 0; t < TASKS; t++) {
        int64_t best = INT64_MIN;
        int at = -1;
        for (int i = 0; i < NODES; i++) {
            if (cpu[i] < 4000 || mem[i] < (int64_t)32 << 30 || gpu[i] < 1000) continue;
            int64_t score = -(gpu[i] * 10 + cpu[i] / 100);
            if (score > best) best = score, at = i;
        }
        if (at < 0) break;
        cpu[at] -= 4000, mem[at] -= (int64_t)32 << 30, gpu[at] -= 1000;
        sink = (uint32_t)at;
    }
    (void)sink;
    return bench_seconds() - t0;
}

int main(int argc, char **argv) {
    double native[RUNS], lua[RUNS], scan[RUNS];
    uint64_t h = 0, first = 0;
    argc = rows_open("decisions", argc, argv);
    if (argc == 2 && strcmp(argv[1], "once") == 0) return one_cycle(NULL, 1, &h), 0;
    for (int i = 0; i < RUNS; i++) {
        native[i] = one_cycle(NULL, 1, &h);
        if (i == 0) first = h;
        if (h != first) return fprintf(stderr, "plans differ between runs\n"), 1;
        lua[i] = one_cycle(lua_score, 1, &h);
        scan[i] = scan_baseline();
    }
    double n = rows_median(native, RUNS), l = rows_median(lua, RUNS), s = rows_median(scan, RUNS);
    rows_note("%d nodes x 8 GPUs, %d one-GPU tasks, %d queues, one cycle, median of %d", NODES,
              TASKS, QUEUES, RUNS);
    rows_put("binpack", "decisions/s", TASKS / n, "bare scan of arrays", TASKS / s);
    rows_put("lua_score", "decisions/s", TASKS / l, "binpack, built in", TASKS / n);
    one_cycle(NULL, 1, &h);
    rows_put("memory", "bytes/task", bytes_kept, "at the peak of the cycle", bytes_peak);
    double many = one_cycle(NULL, MANY_SHAPES, &h);
    rows_put("shapes_10000", "decisions/s", TASKS / many, "one shape", TASKS / n);
    return 0;
}
