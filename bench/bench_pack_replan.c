/*
 * bench_pack_replan.c -- what planning anew costs the programme over prefixes: 200 nodes, 500
 * services that are somewhere, a day of 44 slots (12 x 5 minutes, 12 x 15 minutes, 20 x 1 hour),
 * two resources, every move with a price. One pass of the programme at beam 32, in process time,
 * median of runs; beside it the price of staying, and what more passes find.
 */
#define _POSIX_C_SOURCE 200809L

#include <libsched/pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_support.h"

#define MINUTE INT64_C(60000000)
enum { NODES = 200, SERVICES = 500, SLOTS = 44, RESOURCES = 2, RUNS = 7 };

static lsched_pack_item items[SERVICES];
static lsched_pack_config configs[SERVICES];
static int64_t demand[SERVICES][RESOURCES][SLOTS];
static uint32_t where[SERVICES];
static int64_t bounds[SLOTS + 1];

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static double process_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A hump of some hours over a floor, for CPU; memory nearly flat. */
static void fill_demand(uint32_t i, uint64_t *random) {
    int64_t floor_cpu = 20 + (int64_t)(next_random(random) % 120);
    int64_t hump = (int64_t)(next_random(random) % 200),
            memory = 40 + (int64_t)(next_random(random) % 260);
    int64_t peak_hour = (int64_t)(next_random(random) % 24);
    for (uint32_t s = 0; s < SLOTS; s++) {
        int64_t hour = bounds[s] / (60 * MINUTE), off = (hour - peak_hour + 36) % 24 - 12;
        int64_t near = off * off < 36 ? 36 - off * off : 0;
        demand[i][0][s] = floor_cpu + hump * near / 36 + (int64_t)(next_random(random) % 8);
        demand[i][1][s] = memory + (int64_t)(next_random(random) % 4);
    }
}

/* Where they are: first fit of the day before, so no worse than what a cluster looks like. */
static void place(uint64_t *random) {
    static int64_t load[NODES][RESOURCES][SLOTS];
    for (uint32_t i = 0; i < SERVICES; i++) {
        uint32_t node = (uint32_t)(next_random(random) % NODES);
        for (uint32_t tries = 0; tries < NODES; tries++, node = (node + 1) % NODES) {
            int fits = 1;
            for (uint32_t r = 0; r < RESOURCES; r++)
                for (uint32_t s = 0; s < SLOTS; s++)
                    fits &= load[node][r][s] + demand[i][r][s] <= 1000;
            if (fits) break;
        }
        for (uint32_t r = 0; r < RESOURCES; r++)
            for (uint32_t s = 0; s < SLOTS; s++) load[node][r][s] += demand[i][r][s];
        where[i] = node;
    }
}

static void make(lsched_pack_problem *p, lsched_pack_resource *resources, lsched_pack_class *class,
                 const int64_t *capacity) {
    uint64_t random = 4711;
    for (uint32_t s = 0; s < SLOTS; s++)
        bounds[s + 1] = bounds[s] + (s < 12 ? 5 : s < 24 ? 15 : 60) * MINUTE;
    for (uint32_t i = 0; i < SERVICES; i++) fill_demand(i, &random);
    place(&random);
    for (uint32_t i = 0; i < SERVICES; i++) {
        configs[i] = (lsched_pack_config){
            .size = sizeof configs[i], .n_slots = SLOTS, .demand = &demand[i][0][0]};
        items[i] = (lsched_pack_item){.size = sizeof items[i],
                                      .configs = &configs[i],
                                      .n_configs = 1,
                                      .bins_now = &where[i],
                                      .move_price_micro = 150000};
    }
    for (uint32_t r = 0; r < RESOURCES; r++) resources[r].size = sizeof resources[r];
    *class = (lsched_pack_class){
        .size = sizeof *class, .count = NODES, .capacity = capacity, .open_price_micro = 1000000};
    *p = (lsched_pack_problem){.size = sizeof *p,
                               .n_resources = RESOURCES,
                               .resources = resources,
                               .classes = class,
                               .items = items,
                               .n_classes = 1,
                               .n_items = SERVICES,
                               .n_slots = SLOTS,
                               .slot_bounds = bounds,
                               .resource_size = sizeof *resources,
                               .class_size = sizeof *class,
                               .item_size = sizeof *items,
                               .config_size = sizeof *configs,
                               .reservation_size = sizeof(lsched_pack_reservation)};
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of `work` units from nothing, and what came out. */
static double run(const lsched_pack_problem *p, uint32_t method, uint64_t work,
                  lsched_pack_info *info) {
    lsched_pack_opts opts = {.size = sizeof opts, .method = method, .beam = 32};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_packer *packer;
    bench_check(lsched_packer_create(p, &opts, &packer, &err), &err, "create");
    double start = process_seconds();
    bench_check(lsched_packer_run(packer, work, &err), &err, "run");
    double took = process_seconds() - start;
    *info = (lsched_pack_info){.size = sizeof *info};
    bench_check(lsched_packer_get(packer, info, &err), &err, "info");
    lsched_packer_destroy(packer);
    return took;
}

/* *seed: the time of the first report, which is the baseline of all. */
static void report(const char *name, const lsched_pack_problem *p, uint32_t method, uint64_t work,
                   double *seed) {
    double took[RUNS];
    lsched_pack_info info;
    for (uint32_t i = 0; i < RUNS; i++) took[i] = run(p, method, work, &info);
    qsort(took, RUNS, sizeof *took, by_value);
    rows_note("%s: %u nodes, %u moves, price %.2f, bound %.2f, %llu units, %.1f MB", name,
              info.bins, info.moves, (double)info.compared_micro / 1e6,
              (double)info.lower_bound_micro / 1e6, (unsigned long long)info.work,
              (double)info.memory_bytes / 1e6);
    if (*seed == 0) *seed = took[RUNS / 2];
    rows_put(name, "ms", took[RUNS / 2] * 1e3, "the seed plan", *seed * 1e3);
}

int main(int argc, char **argv) {
    rows_open("pack_replan", argc, argv);
    double seed = 0;
    static const int64_t capacity[RESOURCES] = {1000, 1000};
    lsched_pack_resource resources[RESOURCES] = {{0}};
    lsched_pack_class class;
    lsched_pack_problem p;
    make(&p, resources, &class, capacity);
    rows_note("%d services on %d nodes, %d slots, moves 0.15 of a node, patience 1.5", SERVICES,
              NODES, SLOTS);
    report("seed", &p, LSCHED_PACK_METHOD_SEED, 1, &seed);
    report("programme.3000000", &p, LSCHED_PACK_METHOD_DP, 3000000, &seed);
    report("programme.6000000", &p, LSCHED_PACK_METHOD_DP, 6000000, &seed);
    report("ruin.3000000", &p, LSCHED_PACK_METHOD_RUIN, 3000000, &seed);
    report("ruin.6000000", &p, LSCHED_PACK_METHOD_RUIN, 6000000, &seed);
    return 0;
}
