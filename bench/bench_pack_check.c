/*
 * bench_pack_check.c -- does one item fit in one bin of 44 slots: nanoseconds of a check, of services with a profile and of constant items, by
 * how full bins are (what does not fit is told early), and of putting one in and taking it out. Best of ROUNDS.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "bench_support.h"
#include "pack/fit/fit_state.h"
#include "pack/problem/problem_check.h"
#include "pack/problem/problem.h"

#define MINUTE INT64_C(60000000)
enum { ITEMS = 500, BINS = 200, SLOTS = 44, CHECKS = 20000, ROUNDS = 200 };

struct made {
    lsched_pack_resource resource;
    lsched_pack_class class;
    lsched_pack_problem problem;
    lsched_pack_item items[ITEMS];
    lsched_pack_config configs[ITEMS];
    int64_t capacity, slots[SLOTS + 1], demand[ITEMS][SLOTS];
};

static uint32_t below(uint64_t *state, uint32_t n) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((*state >> 32) * n) >> 32);
}

static void make(struct made *m, int profiles) {
    uint64_t random = 1;
    memset(m, 0, sizeof *m);
    m->capacity = 1000;
    m->resource.size = sizeof m->resource;
    m->class = (lsched_pack_class){.size = sizeof m->class,
                                   .count = BINS,
                                   .capacity = &m->capacity,
                                   .open_price_micro = 1000000};
    m->problem = (lsched_pack_problem){.size = sizeof m->problem,
                                       .n_resources = 1,
                                       .resources = &m->resource,
                                       .classes = &m->class,
                                       .items = m->items,
                                       .n_classes = 1,
                                       .n_items = ITEMS,
                                       .n_slots = SLOTS,
                                       .slot_bounds = m->slots,
                                       .resource_size = sizeof m->resource,
                                       .class_size = sizeof m->class,
                                       .item_size = sizeof m->items[0],
                                       .config_size = sizeof m->configs[0],
                                       .reservation_size = sizeof(lsched_pack_reservation)};
    for (uint32_t s = 0; s < SLOTS; s++)
        m->slots[s + 1] = m->slots[s] + (s < 12 ? 5 : s < 24 ? 15 : 60) * MINUTE;
    for (uint32_t i = 0; i < ITEMS; i++) {
        for (uint32_t s = 0; s < SLOTS; s++) m->demand[i][s] = 20 + below(&random, 230);
        m->configs[i] = (lsched_pack_config){.size = sizeof m->configs[i],
                                             .n_slots = profiles ? SLOTS : 0,
                                             .duration_us = profiles ? 0 : m->slots[SLOTS],
                                             .demand = m->demand[i]};
        m->items[i] = (lsched_pack_item){.size = sizeof m->items[i],
                                         .flags = LSCHED_PACK_ITEM_HAS_LATEST,
                                         .configs = &m->configs[i],
                                         .n_configs = 1};
    }
}

/* A block for an arena that has counted. */
static void *block_of(struct pack_arena *arena) {
    void *block = aligned_alloc(PACK_ARENA_ALIGN, (size_t)arena->used + PACK_ARENA_ALIGN);
    if (!block) exit(1);
    memset(block, 0, (size_t)arena->used + PACK_ARENA_ALIGN);
    *arena = (struct pack_arena){.base = block, .room = arena->used};
    return block;
}

/* Checks of random items against random bins: ns each, and how many of a hundred fit. */
static double checks(struct fit *f, uint32_t bins, uint32_t *fit_percent) {
    double least = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t random = 7;
        uint32_t fits = 0;
        double start = bench_seconds();
        for (uint32_t c = 0; c < CHECKS; c++)
            fits += fit_check(f, below(&random, ITEMS), below(&random, bins)) != FIT_NO_FIT;
        double ns = (bench_seconds() - start) * 1e9 / CHECKS;
        if (ns < least) least = ns;
        *fit_percent = fits / (CHECKS / 100);
    }
    return least;
}

static double moves(struct fit *f, uint32_t bins) {
    double least = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t random = 7;
        uint32_t n = 0;
        double start = bench_seconds();
        for (uint32_t c = 0; c < CHECKS; c++) {
            uint32_t i = below(&random, ITEMS), b = below(&random, bins);
            if (f->items[i].bin != FIT_NONE) continue;
            fit_put(f, i, b); /* beyond the capacity too: loads are loads */
            fit_take(f, i);
            n++;
        }
        double ns = (bench_seconds() - start) * 1e9 / (n ? n : 1);
        if (ns < least) least = ns;
    }
    return least;
}

static void measure(struct made *m, const char *what) {
    struct pack_totals totals;
    struct pack_problem p;
    lsched_pack_opts opts = {.size = sizeof opts};
    lsched_error err = LSCHED_ERROR_INIT;
    struct pack_arena a = {0}, b = {0};
    bench_check(pack_problem_check(&m->problem, &opts, &totals, &err), &err, "check");
    bench_check(pack_problem_make(&m->problem, &opts, &totals, &a, &p, &err), &err, "make");
    void *problem = block_of(&a);
    bench_check(pack_problem_make(&m->problem, &opts, &totals, &a, &p, &err), &err, "make");
    (void)fit_new(&p, &opts, &b);
    void *solver = block_of(&b);
    struct fit *f = fit_new(&p, &opts, &b);
    double empty = 0;
    for (uint32_t per_bin = 0; per_bin <= 4; per_bin += 2) {
        uint32_t percent, bins = 100;
        fit_clear(f);
        for (uint32_t i = 0; i < per_bin * bins; i++) fit_put(f, i, i % bins);
        double check = checks(f, bins, &percent), move = moves(f, bins);
        char name[48];
        if (per_bin == 0) empty = check;
        rows_note("%s, %u items per bin: %u %% fit", what, per_bin, percent);
        snprintf(name, sizeof name, "%s.items_%u.check", what, per_bin);
        rows_put(name, "ns", check, "empty bins", empty);
        snprintf(name, sizeof name, "%s.items_%u.in_and_out", what, per_bin);
        rows_put(name, "ns", move, "one check in the same bins", check);
    }
    free(solver);
    free(problem);
}

int main(int argc, char **argv) {
    rows_open("pack_check", argc, argv);
    static struct made m;
    make(&m, 1);
    measure(&m, "profiles");
    make(&m, 0);
    measure(&m, "constant");
    return 0;
}
