/*
 * bench_topology.c -- what a gang with a wish for its place costs: 64 GPUs with a required block
 * and a preferred rack on 2,500 and on 25,000 nodes that are in part taken, as eight tasks of 8
 * GPUs and as 64 of one. Gangs come and go, so every cycle meets nodes that changed. Beside it, in
 * the same run: the least that a request costs which counts its domains anew, one pass over all
 * nodes that adds up what each holds by rack and by block.
 *
 * `bench_topology wide` runs two cycles, each with one gang of 2,304 tasks, and prints nothing, so
 * that their instructions can be counted: valgrind --tool=callgrind --dump-before=lsched_schedule
 * --toggle-collect=lsched_schedule bench_topology wide
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "bench_support.h"

#include <string.h>

enum {
    RACK_NODES = 25,
    BLOCK_NODES = 250,
    ROUNDS = 400,
    WARM = 40,
    ALIVE = 8,
    BATCH = 500,
    WIDE_RUNS = 5
};

static uint64_t random_state;
static uint32_t below(uint32_t n) {
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) % n);
}

static void add_tree(lsched_cluster *c) {
    static const lsched_text levels[2] = {LSCHED_TEXT_INIT("block"), LSCHED_TEXT_INIT("rack")};
    lsched_topology_desc t = LSCHED_TOPOLOGY_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    t.name = LSCHED_TEXT("fabric");
    t.levels = levels;
    t.n_levels = 2;
    bench_check(lsched_topologies_add(c, &t, 1, sizeof t, NULL, NULL, NULL, &err), &err,
                "topologies");
}

static void add_nodes(lsched_cluster *c, uint32_t n) {
    static lsched_node_desc nodes[BATCH];
    static char names[BATCH][32], racks[BATCH][16], blocks[BATCH][16];
    static lsched_label labels[BATCH][2];
    const lsched_amount capacity[2] = {{LSCHED_CPU, 0, 96000},
                                       {LSCHED_MEMORY, 0, (int64_t)1 << 40}};
    lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    gpus.count = 8;
    gpus.model = LSCHED_TEXT("H100-80GB");
    for (uint32_t first = 0; first < n; first += BATCH) {
        for (uint32_t i = 0; i < BATCH; i++) {
            uint32_t id = first + i;
            snprintf(names[i], sizeof names[i], "node-%06u", id);
            snprintf(racks[i], sizeof racks[i], "rack-%u", id / RACK_NODES);
            snprintf(blocks[i], sizeof blocks[i], "block-%u", id / BLOCK_NODES);
            labels[i][0] = (lsched_label){LSCHED_TEXT("block"), lsched_cstr(blocks[i])};
            labels[i][1] = (lsched_label){LSCHED_TEXT("rack"), lsched_cstr(racks[i])};
            lsched_init(&nodes[i], sizeof nodes[i]);
            nodes[i].name = lsched_cstr(names[i]);
            nodes[i].capacity = capacity;
            nodes[i].n_capacity = 2;
            nodes[i].labels = labels[i];
            nodes[i].n_labels = 2;
            nodes[i].devices = &gpus;
            nodes[i].n_devices = 1;
        }
        bench_check(lsched_nodes_add(c, nodes, BATCH, sizeof nodes[0], NULL, NULL, NULL, &err),
                    &err, "nodes_add");
    }
}

/* Other people's work: of ten nodes five are idle, three full, two taken in part. */
static void take_nodes(lsched_cluster *c, uint32_t n, uint8_t *idle_gpus) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t dice = below(10), used = dice < 5 ? 0 : dice < 8 ? 8 : 1 + below(7);
        idle_gpus[i] = (uint8_t)(8 - used);
        if (!used) continue;
        char name[32], node[32];
        snprintf(name, sizeof name, "taken-%06u", i);
        snprintf(node, sizeof node, "node-%06u", i);
        lsched_amount request = {LSCHED_GPU, 0, 1000 * (int64_t)used};
        lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
        lsched_job_desc job = LSCHED_JOB_DESC_INIT;
        lsched_task_import task = LSCHED_TASK_IMPORT_INIT;
        group.request = &request;
        group.n_request = 1;
        job.name = task.job_name = lsched_cstr(name);
        job.queue_name = LSCHED_TEXT("queue-0");
        job.groups = &group;
        job.n_groups = 1;
        task.node_name = lsched_cstr(node);
        bench_check(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, &err), &err,
                    "submit");
        bench_check(lsched_tasks_import(c, &task, 1, sizeof task, NULL, NULL, &err), &err,
                    "import");
    }
}

static lsched_id submit_gang(lsched_cluster *c, uint32_t number, uint32_t tasks) {
    lsched_error err = LSCHED_ERROR_INIT;
    char name[32];
    snprintf(name, sizeof name, "gang-%06u", number);
    lsched_amount request = {LSCHED_GPU, 0, 64000 / (int64_t)tasks};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_id id = 0;
    group.request = &request;
    group.n_request = 1;
    group.max_count = tasks;
    group.required_level = LSCHED_TEXT("block");
    group.preferred_level = LSCHED_TEXT("rack");
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("queue-0");
    job.groups = &group;
    job.n_groups = 1;
    job.submit_us = number;
    bench_check(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, &id, NULL, &err), &err, "submit");
    return id;
}

/* What a request costs at least that counts its domains anew. */
static double count_anew(const uint8_t *idle_gpus, uint32_t n, uint32_t each) {
    static uint32_t rack[25000 / RACK_NODES], block[25000 / BLOCK_NODES];
    static volatile uint32_t sink;
    double t0 = bench_seconds();
    for (int round = 0; round < 100; round++) {
        memset(rack, 0, sizeof rack);
        memset(block, 0, sizeof block);
        for (uint32_t i = 0; i < n; i++) rack[i / RACK_NODES] += idle_gpus[i] / each;
        for (uint32_t r = 0; r < n / RACK_NODES; r++)
            block[r / (BLOCK_NODES / RACK_NODES)] += rack[r];
        sink = block[(uint32_t)round % (n / BLOCK_NODES)];
    }
    (void)sink;
    return (bench_seconds() - t0) / 100;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double settle_all(lsched_cluster *c, const lsched_plan *plan, uint32_t tasks) {
    static lsched_settlement answers[64];
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_plan_size(plan) != tasks) {
        fprintf(stderr, "expected %u decisions, got %zu\n", tasks, lsched_plan_size(plan));
        exit(1);
    }
    for (uint32_t i = 0; i < tasks; i++) {
        answers[i].size = sizeof answers[i];
        answers[i].decision = lsched_plan_at(plan, i)->id;
        answers[i].outcome = LSCHED_OUTCOME_CONFIRMED;
    }
    double t0 = bench_seconds();
    bench_check(lsched_settle(c, answers, tasks, sizeof answers[0], NULL, NULL, NULL, &err), &err,
                "settle");
    return bench_seconds() - t0;
}

static void put(uint32_t nodes, uint32_t tasks, const char *what, double seconds, double anew) {
    char name[64];
    snprintf(name, sizeof name, "nodes_%u.tasks_%u.%s", nodes, tasks, what);
    rows_put(name, "us", seconds * 1e6, "counting all nodes", anew * 1e6);
}

static void gangs(lsched_cluster *c, const uint8_t *idle_gpus, uint32_t n, uint32_t tasks) {
    static double cycle[ROUNDS];
    const int64_t from_us = (int64_t)tasks * 1000000;
    lsched_id alive[ALIVE] = {0};
    lsched_error err = LSCHED_ERROR_INIT;
    double events = 0, settled = 0;
    for (uint32_t i = 0; i < WARM + ROUNDS; i++) {
        lsched_id *oldest = &alive[i % ALIVE];
        double t0 = bench_seconds();
        if (*oldest)
            bench_check(lsched_jobs_remove(c, oldest, 1, NULL, NULL, &err), &err, "remove");
        *oldest = submit_gang(c, i, tasks);
        double t1 = bench_seconds();
        lsched_plan *plan = bench_schedule(c, from_us + i);
        double t2 = bench_seconds();
        double t = settle_all(c, plan, tasks);
        lsched_plan_destroy(plan);
        if (i < WARM) continue;
        cycle[i - WARM] = t2 - t1;
        events += t1 - t0;
        settled += t;
    }
    const double anew = count_anew(idle_gpus, n, 64 / tasks);
    qsort(cycle, ROUNDS, sizeof cycle[0], by_value);
    put(n, tasks, "cycle.p50", cycle[ROUNDS / 2], anew);
    put(n, tasks, "cycle.p95", cycle[ROUNDS * 19 / 20], anew);
    put(n, tasks, "submit_and_remove", events / ROUNDS, anew);
    put(n, tasks, "settle", settled / ROUNDS, anew);
    for (uint32_t i = 0; i < ALIVE; i++)
        bench_check(lsched_jobs_remove(c, &alive[i], 1, NULL, NULL, &err), &err, "remove");
}

static void measure(uint32_t n) {
    static uint8_t idle_gpus[25000];
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    random_state = 1;
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    add_tree(c);
    add_nodes(c, n);
    bench_add_queues(c, 1);
    take_nodes(c, n, idle_gpus);
    gangs(c, idle_gpus, n, 8);
    gangs(c, idle_gpus, n, 64);
    lsched_cluster_destroy(c);
}

/* Submits one gang of so many tasks of a GPU each. level: its preferred level, NULL: none. */
static void submit_wide(lsched_cluster *c, uint32_t tasks, const char *level, uint32_t number) {
    lsched_error err = LSCHED_ERROR_INIT;
    char name[32];
    snprintf(name, sizeof name, "wide-%u", number);
    lsched_amount request = {LSCHED_GPU, 0, 1000};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    group.request = &request;
    group.n_request = 1;
    group.max_count = tasks;
    if (level) group.preferred_level = lsched_cstr(level);
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("queue-0");
    job.groups = &group;
    job.n_groups = 1;
    bench_check(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, NULL, NULL, &err), &err, "submit");
}

/* The wide gang on an empty cluster. warm: the second gang of its kind, after the first has left.
 */
static double wide_gang(uint32_t nodes, uint32_t tasks, const char *level, int warm) {
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    double spent = 0;
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    add_tree(c);
    add_nodes(c, nodes);
    bench_add_queues(c, 1);
    for (int i = 0; i <= warm; i++) {
        submit_wide(c, tasks, level, (uint32_t)i);
        double t0 = bench_seconds();
        lsched_plan *plan = bench_schedule(c, 1000000 + i);
        spent = bench_seconds() - t0;
        if (lsched_plan_size(plan) != tasks) {
            fprintf(stderr, "expected %u decisions, got %zu\n", tasks, lsched_plan_size(plan));
            exit(1);
        }
        lsched_id job = lsched_plan_at(plan, 0)->job;
        lsched_plan_destroy(plan);
        bench_check(lsched_jobs_remove(c, &job, 1, NULL, NULL, &err), &err, "remove");
    }
    lsched_cluster_destroy(c);
    return spent;
}

static void wide(uint32_t nodes, uint32_t tasks) {
    double plain[WIDE_RUNS], first[WIDE_RUNS], again[WIDE_RUNS];
    char name[64];
    for (int i = 0; i < WIDE_RUNS; i++) {
        plain[i] = wide_gang(nodes, tasks, NULL, 1);
        first[i] = wide_gang(nodes, tasks, "rack", 0);
        again[i] = wide_gang(nodes, tasks, "rack", 1);
    }
    double base = rows_median(plain, WIDE_RUNS) * 1e3;
    snprintf(name, sizeof name, "wide_%u.nodes_%u.first", tasks, nodes);
    rows_put(name, "ms", rows_median(first, WIDE_RUNS) * 1e3, "a gang without a level", base);
    snprintf(name, sizeof name, "wide_%u.nodes_%u.again", tasks, nodes);
    rows_put(name, "ms", rows_median(again, WIDE_RUNS) * 1e3, "a gang without a level", base);
}

int main(int argc, char **argv) {
    argc = rows_open("topology", argc, argv);
    if (argc == 2 && strcmp(argv[1], "wide") == 0) return (void)wide_gang(2500, 2304, "rack", 1), 0;
    rows_note("a 64-GPU gang, required block of %d nodes, preferred rack of %d; median of %d",
              BLOCK_NODES, RACK_NODES, ROUNDS);
    measure(2500);
    measure(25000);
    rows_note("one gang of 2,304 one-GPU tasks that prefers one rack, empty cluster");
    wide(2500, 2304);
    return 0;
}
