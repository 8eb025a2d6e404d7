/*
 * bench_pack_compare.c -- the programme against ruin and recreate at equal work, per kind of
 * problem: sum of prices over problems, starting from the same seed plan; also half of the work
 * each, the second from the plan of the first. Kinds are made here from seeds; files given as
 * arguments are added: TBPP text ("n C 0 0" first) and days of services (name and values of 5
 * minutes per row, in per cent of a bin). WORK=units changes the work per item (default 2000).
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <libsched/pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench_support.h"

#define MINUTE INT64_C(60000000)
#define HOUR   (60 * MINUTE)
enum { ITEMS_MAX = 2000, SLOTS_MAX = 288, RESOURCES = 2, SEEDS = 10, LINE_BYTES = 4096, WAYS = 5 };

struct made {
    lsched_pack_problem problem;
    lsched_pack_resource resources[RESOURCES];
    lsched_pack_class class;
    int64_t capacity[RESOURCES], slots[SLOTS_MAX + 1];
    lsched_pack_item items[ITEMS_MAX];
    lsched_pack_config configs[ITEMS_MAX];
    uint32_t where[ITEMS_MAX];
    int64_t demand[ITEMS_MAX][RESOURCES * SLOTS_MAX];
    int64_t load[ITEMS_MAX][RESOURCES * SLOTS_MAX];
};

struct sum {
    double price[WAYS], seconds[WAYS];
    int64_t left_out[WAYS];
    uint32_t n;
};

static uint32_t below(uint64_t *state, uint32_t n) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 33) % n);
}

static double process_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- problems -------------------------------------------------------------------------------- */

static void begin(struct made *m, uint32_t n_resources, uint32_t n_bins, int64_t capacity) {
    memset(&m->problem, 0, sizeof m->problem);
    for (uint32_t r = 0; r < RESOURCES; r++) {
        m->resources[r] = (lsched_pack_resource){.size = sizeof m->resources[r]};
        m->capacity[r] = capacity;
    }
    m->class = (lsched_pack_class){.size = sizeof m->class,
                                   .count = n_bins,
                                   .capacity = m->capacity,
                                   .open_price_micro = 1000000};
    m->problem = (lsched_pack_problem){.size = sizeof m->problem,
                                       .n_resources = n_resources,
                                       .resources = m->resources,
                                       .classes = &m->class,
                                       .items = m->items,
                                       .n_classes = 1,
                                       .slot_bounds = m->slots,
                                       .resource_size = sizeof m->resources[0],
                                       .class_size = sizeof m->class,
                                       .item_size = sizeof m->items[0],
                                       .config_size = sizeof m->configs[0],
                                       .reservation_size = sizeof(lsched_pack_reservation)};
}

static lsched_pack_item *add_item(struct made *m, int64_t ready, int64_t latest, int64_t duration) {
    uint32_t i = m->problem.n_items++;
    if (i == ITEMS_MAX) {
        fprintf(stderr, "more than %d items\n", ITEMS_MAX);
        exit(1);
    }
    m->configs[i] = (lsched_pack_config){
        .size = sizeof m->configs[i], .duration_us = duration, .demand = m->demand[i]};
    m->items[i] = (lsched_pack_item){.size = sizeof m->items[i],
                                     .flags = LSCHED_PACK_ITEM_HAS_LATEST,
                                     .ready_us = ready,
                                     .latest_us = latest,
                                     .configs = &m->configs[i],
                                     .n_configs = 1};
    return &m->items[i];
}

static void make_services(struct made *m, uint64_t seed, uint32_t n, uint32_t n_bins) {
    uint64_t random = seed;
    begin(m, RESOURCES, n_bins, 1000);
    m->problem.n_slots = 44;
    for (uint32_t s = 0; s < 44; s++)
        m->slots[s + 1] = m->slots[s] + (s < 12 ? 5 : s < 24 ? 15 : 60) * MINUTE;
    for (uint32_t i = 0; i < n; i++) {
        (void)add_item(m, 0, 0, 0);
        m->configs[i].n_slots = 44;
        int64_t low = 20 + below(&random, 120), hump = below(&random, 250),
                peak = below(&random, 24);
        int64_t memory = 40 + below(&random, 200);
        for (uint32_t s = 0; s < 44; s++) {
            int64_t off = (m->slots[s] / HOUR - peak + 36) % 24 - 12;
            m->demand[i][s] = low + (off * off < 36 ? hump * (36 - off * off) / 36 : 0);
            m->demand[i][44 + s] = memory;
        }
    }
}

/* Each service where the first bin from a random one on has room. */
static void make_replan(struct made *m, uint64_t seed) {
    uint64_t random = seed + 99;
    make_services(m, seed, 150, 60);
    memset(m->load, 0, sizeof m->load);
    for (uint32_t i = 0; i < 150; i++) {
        uint32_t bin = below(&random, 60);
        for (uint32_t k = 0, fits = 0; k < 60 && !fits;
             k += !fits, bin = fits ? bin : (bin + 1) % 60) {
            fits = 1;
            for (uint32_t x = 0; x < 88; x++) fits &= m->load[bin][x] + m->demand[i][x] <= 1000;
        }
        for (uint32_t x = 0; x < 88; x++) m->load[bin][x] += m->demand[i][x];
        m->where[i] = bin;
        m->items[i].bins_now = &m->where[i];
        m->items[i].move_price_micro = 100000 + 10000 * below(&random, 20);
    }
}

static void make_fire_ups(struct made *m, uint64_t seed) {
    uint64_t random = seed;
    begin(m, 1, LSCHED_PACK_UNLIMITED, 100);
    m->class.open_price_micro = 200000;
    m->class.on_price_micro_per_hour = 100000;
    m->class.switch_price_micro = 500000;
    for (uint32_t i = 0; i < 120; i++) {
        int64_t start = below(&random, 600) * MINUTE;
        m->demand[i][0] = 10 + below(&random, 50);
        (void)add_item(m, start, start, (10 + (int64_t)below(&random, 110)) * MINUTE);
    }
}

static void make_jobs(struct made *m, uint64_t seed, uint32_t gangs) {
    uint64_t random = seed;
    begin(m, RESOURCES, 8, 100);
    m->class.open_price_micro = 0;
    m->problem.makespan_price_micro_per_hour = 1000000;
    for (uint32_t i = 0; i < 60; i++) {
        m->demand[i][0] = 10 + below(&random, 50);
        m->demand[i][1] = 5 + below(&random, 60);
        lsched_pack_item *item = add_item(m, below(&random, 4) * 30 * MINUTE, INT64_MAX,
                                          (5 + (int64_t)below(&random, 115)) * MINUTE);
        item->flow_price_micro_per_hour = 100000;
        item->late_price_micro_per_hour = 500000;
        item->flags |= LSCHED_PACK_ITEM_HAS_DEADLINE;
        item->deadline_us = item->ready_us + m->configs[i].duration_us + 3 * HOUR;
        item->tasks = gangs ? 1 + below(&random, 4) : 1;
        item->apart = gangs;
    }
}

static void make_mig(struct made *m, uint64_t seed) {
    static const lsched_text kinds[] = {LSCHED_TEXT_INIT("1g.10gb"), LSCHED_TEXT_INIT("2g.20gb"),
                                        LSCHED_TEXT_INIT("3g.40gb"), LSCHED_TEXT_INIT("7g.80gb")};
    uint64_t random = seed;
    begin(m, 0, 8, 1);
    m->class.mig_table = LSCHED_TEXT("h100-80gb");
    m->class.open_price_micro = 0;
    m->problem.makespan_price_micro_per_hour = 60000000;
    for (uint32_t i = 0; i < 80; i++) {
        uint32_t x = below(&random, 100), minutes = 4;
        for (uint32_t k = 0; k < 6; k++) minutes += below(&random, 2) * minutes * 47 / 100;
        (void)add_item(m, 0, INT64_MAX, minutes * MINUTE + below(&random, 60) * INT64_C(1000000));
        m->configs[i].demand = NULL;
        m->configs[i].mig_profile = kinds[x < 30 ? 0 : x < 60 ? 1 : x < 85 ? 2 : 3];
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The numbers of a line; how many there are. */
static uint32_t numbers_of(FILE *f, long out[4]) {
    char line[256], *at = line, *next;
    uint32_t n = 0;
    if (!fgets(line, sizeof line, f)) return 0;
    for (; n < 4; n++, at = next) {
        out[n] = strtol(at, &next, 10);
        if (next == at) break;
    }
    return n;
}

static int read_tbpp(struct made *m, FILE *f) {
    long head[4], row[4];
    if (numbers_of(f, head) != 4) return 0;
    begin(m, 1, LSCHED_PACK_UNLIMITED, head[1]);
    while (head[0]-- > 0) {
        if (numbers_of(f, row) != 4) return 0;
        (void)add_item(m, row[1] * MINUTE, row[1] * MINUTE, (row[2] - row[1]) * MINUTE);
        m->demand[m->problem.n_items - 1][0] = row[3];
    }
    return 1;
}

static int read_services(struct made *m, FILE *f) {
    static char line[LINE_BYTES];
    begin(m, 1, LSCHED_PACK_UNLIMITED, 100);
    m->problem.n_slots = SLOTS_MAX;
    for (uint32_t s = 0; s < SLOTS_MAX; s++) m->slots[s + 1] = m->slots[s] + 5 * MINUTE;
    while (fgets(line, sizeof line, f)) {
        uint32_t i = m->problem.n_items;
        char *at = strchr(line, ',');
        (void)add_item(m, 0, 0, 0);
        m->configs[i].n_slots = SLOTS_MAX;
        for (uint32_t s = 0; s < SLOTS_MAX; s++) {
            if (!at) return 0;
            m->demand[i][s] = strtol(at + 1, &at, 10);
        }
    }
    return m->problem.n_items > 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void run(const struct made *m, uint32_t method, uint64_t work, const lsched_pack_place *from,
                lsched_pack_place *to, lsched_pack_info *info) {
    lsched_pack_opts opts = {.size = sizeof opts, .method = method, .bound_percent = 1};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_packer *packer;
    static lsched_pack_place places[4 * ITEMS_MAX];
    bench_check(lsched_packer_create(&m->problem, &opts, &packer, &err), &err, "create");
    int64_t n = 0;
    if (from) {
        for (; from[n].task != UINT32_MAX; n++) continue;
        bench_check(lsched_packer_start_from(packer, from, (size_t)n, &err), &err, "start_from");
    }
    bench_check(lsched_packer_run(packer, work, &err), &err, "run");
    n = lsched_packer_places(packer, places, 4 * ITEMS_MAX, &err);
    bench_check(n, &err, "places");
    *info = (lsched_pack_info){.size = sizeof *info};
    bench_check(lsched_packer_get(packer, info, &err), &err, "info");
    if (to) {
        memcpy(to, places, (size_t)n * sizeof *to);
        to[n].task = UINT32_MAX;
    }
    lsched_packer_destroy(packer);
}

/* 0: seed; 1: programme; 2: ruin and recreate; 3: half and half; 4: what the packer does itself. */
static void compare(const struct made *m, struct sum *sum, uint64_t per_item) {
    static lsched_pack_place half[4 * ITEMS_MAX + 1];
    lsched_pack_info info;
    uint64_t seed_work = 0;
    for (uint32_t k = 0; k < WAYS; k++) {
        uint64_t work = per_item * m->problem.n_items + seed_work;
        double start = process_seconds();
        if (k == 0) {
            run(m, LSCHED_PACK_METHOD_SEED, 1, NULL, NULL, &info);
            seed_work = info.work;
        } else if (k != 3) {
            static const uint32_t methods[WAYS] = {LSCHED_PACK_METHOD_SEED, LSCHED_PACK_METHOD_DP,
                                                   LSCHED_PACK_METHOD_RUIN, 0,
                                                   LSCHED_PACK_METHOD_AUTO};
            run(m, methods[k], work, NULL, NULL, &info);
        } else {
            run(m, LSCHED_PACK_METHOD_DP, seed_work + (work - seed_work) / 2, NULL, half, &info);
            run(m, LSCHED_PACK_METHOD_RUIN, seed_work + (work - seed_work) / 2, half, NULL, &info);
        }
        sum->seconds[k] += process_seconds() - start;
        sum->price[k] += (double)info.compared_micro / 1e6;
        sum->left_out[k] += info.left_out_weight;
    }
    sum->n++;
}

static void report(const char *name, const struct sum *sum) {
    static const char *const ways[WAYS] = {"seed", "programme", "ruin", "half_half", "auto"};
    char row[64];
    for (uint32_t k = 0; k < WAYS; k++) {
        snprintf(row, sizeof row, "%s.%s.price", name, ways[k]);
        rows_put(row, "price", sum->price[k], "seed", sum->price[0]);
        snprintf(row, sizeof row, "%s.%s.time", name, ways[k]);
        rows_put(row, "ms", sum->seconds[k] * 1e3 / sum->n, "seed", sum->seconds[0] * 1e3 / sum->n);
        if (sum->left_out[k])
            rows_note("%s.%s leaves out %lld", name, ways[k], (long long)sum->left_out[k]);
    }
}

static void add_file(struct made *m, const char *path, struct sum *tbpp, struct sum *services,
                     uint64_t work) {
    FILE *f = fopen(path, "r");
    size_t length = strlen(path);
    int is_days = length > 4 && strcmp(path + length - 4, ".csv") == 0;
    if (!f || !(is_days ? read_services(m, f) : read_tbpp(m, f))) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    fclose(f);
    compare(m, is_days ? services : tbpp, work);
}

int main(int argc, char **argv) {
    static struct made m;
    static const char *const names[] = {"services_new",  "services_replanned", "fire_ups",
                                        "flexible_jobs", "flexible_gangs",     "mig_makespan"};
    struct sum tbpp = {0}, services = {0};
    uint64_t work = getenv("WORK") ? strtoull(getenv("WORK"), NULL, 10) : 2000;
    argc = rows_open("pack_compare", argc, argv);
    rows_note("%llu units per item; sums of prices, and time per problem",
              (unsigned long long)work);
    for (uint32_t kind = 0; kind < sizeof names / sizeof *names && argc == 1; kind++) {
        struct sum sum = {0};
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            if (kind == 0) make_services(&m, seed, 150, LSCHED_PACK_UNLIMITED);
            if (kind == 1) make_replan(&m, seed);
            if (kind == 2) make_fire_ups(&m, seed);
            if (kind == 3 || kind == 4) make_jobs(&m, seed, kind == 4);
            if (kind == 5) make_mig(&m, seed);
            compare(&m, &sum, work);
        }
        report(names[kind], &sum);
    }
    for (int i = 1; i < argc; i++) add_file(&m, argv[i], &tbpp, &services, work);
    if (tbpp.n) report("tbpp", &tbpp);
    if (services.n) report("days_of_services", &services);
    return 0;
}
