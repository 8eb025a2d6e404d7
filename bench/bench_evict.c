/*
 * bench_evict.c -- the actions that evict, on the sizes at which other schedulers publish their
 * times (docs/evictions.md): 4,000 one-GPU jobs reclaimed by 4,000 others; proofs that a gang cannot
 * be seated; gangs of 250 and of 500 x 8 GPUs; a consolidation that moves 400 tasks. The baseline
 * is the time in the same run to place the running tasks on the empty cluster.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "bench_support.h"

static const char policy[] =
    "return { api = 1, name = 'bench', fair_share = 'quota', placement = 'binpack',\n"
    "  pipeline = { 'allocate', 'consolidate', 'reclaim', 'preempt' },\n"
    "  eviction = { moves_max = 100000 } }\n";

struct world {
    lsched_cluster *c;
    lsched_error err;
    int64_t now;
};

static void open_world(struct world *w) {
    memset(w, 0, sizeof *w);
    w->err = (lsched_error)LSCHED_ERROR_INIT;
    w->now = INT64_C(1700000000000000);
    bench_check(lsched_cluster_create(NULL, &w->c, &w->err), &w->err, "create");
    bench_check(lsched_policy_load(w->c, LSCHED_TEXT("bench"),
                                   (lsched_text){policy, sizeof policy - 1}, NULL, &w->err),
                &w->err, "policy_load");
}

static void add_nodes(struct world *w, uint32_t n, uint32_t per_rack) {
    static const lsched_text level = LSCHED_TEXT_INIT("rack");
    lsched_topology_desc t = {sizeof t, 1, LSCHED_TEXT("racks"), &level, 0};
    bench_check(lsched_topologies_add(w->c, &t, 1, sizeof t, NULL, NULL, NULL, &w->err), &w->err,
                "topologies_add");
    for (uint32_t i = 0; i < n; i++) {
        char name[32], rack[32];
        snprintf(name, sizeof name, "node-%05u", i);
        snprintf(rack, sizeof rack, "rack-%04u", i / per_rack);
        lsched_label label = {LSCHED_TEXT("rack"), lsched_cstr(rack)};
        lsched_amount capacity[2] = {{LSCHED_CPU, 0, 96000}, {LSCHED_MEMORY, 0, (int64_t)1 << 40}};
        lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
        gpus.count = 8;
        gpus.model = LSCHED_TEXT("H100");
        lsched_node_desc d = LSCHED_NODE_DESC_INIT;
        d.name = lsched_cstr(name);
        d.capacity = capacity;
        d.n_capacity = 2;
        d.labels = &label;
        d.n_labels = 1;
        d.devices = &gpus;
        d.n_devices = 1;
        bench_check(lsched_nodes_add(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &w->err), &w->err,
                    "nodes");
    }
}

static void add_queue(struct world *w, const char *name, int64_t gpus) {
    lsched_amount quota = {LSCHED_GPU, 0, gpus * 1000};
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    q.name = lsched_cstr(name);
    q.quota = &quota;
    q.n_quota = 1;
    bench_check(lsched_queues_add(w->c, &q, 1, sizeof q, NULL, NULL, NULL, &w->err), &w->err,
                "queues");
}

struct job {
    const char *queue;
    uint32_t tasks;
    int64_t gpus;
    const char *required, *spread;
};

static void add_jobs(struct world *w, const struct job *j, const char *prefix, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s-%05u", prefix, i);
        lsched_amount request[2] = {{LSCHED_CPU, 0, 1000 * j->gpus},
                                    {LSCHED_GPU, 0, 1000 * j->gpus}};
        lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
        g.request = request;
        g.n_request = 2;
        g.max_count = j->tasks;
        if (j->required) g.required_level = lsched_cstr(j->required);
        if (j->spread) g.spread_level = lsched_cstr(j->spread);
        if (j->spread) g.spread_max = 1;
        lsched_job_desc d = LSCHED_JOB_DESC_INIT;
        d.name = lsched_cstr(name);
        d.queue_name = lsched_cstr(j->queue);
        d.groups = &g;
        d.n_groups = 1;
        d.submit_us = w->now + i;
        bench_check(lsched_jobs_submit(w->c, &d, 1, sizeof d, NULL, NULL, NULL, &w->err), &w->err,
                    "jobs");
    }
}

static double cycle(struct world *w, lsched_plan **plan) {
    double t0 = bench_seconds();
    *plan = bench_schedule(w->c, w->now);
    return bench_seconds() - t0;
}

/* Everything that is placed starts, and has run for an hour. */
static double fill(struct world *w) {
    lsched_plan *plan;
    double spent = cycle(w, &plan);
    bench_report_placed(w->c, plan, LSCHED_EVENT_STARTED);
    lsched_plan_destroy(plan);
    w->now += INT64_C(3600000000);
    return spent;
}

static void tell(const char *row, const char *what, double spent, const lsched_plan *plan,
                 double floor) {
    lsched_plan_info i = {.size = sizeof i};
    lsched_plan_get(plan, &i, NULL);
    rows_note("%s: %llu decisions, %llu evicted, %llu moved, %llu proven", what,
              (unsigned long long)i.decisions, (unsigned long long)i.evictions,
              (unsigned long long)i.moves, (unsigned long long)i.searches_proven);
    rows_put(row, "ms", spent * 1e3, "placing or importing what runs there", floor * 1e3);
}

static void reclaim_many(void) {
    struct world w;
    lsched_plan *plan;
    open_world(&w);
    add_nodes(&w, 500, 20);
    add_queue(&w, "a", 0);
    add_queue(&w, "b", 4000);
    struct job one = {"a", 1, 1, NULL, NULL};
    add_jobs(&w, &one, "a", 4000);
    double floor = fill(&w);
    one.queue = "b";
    add_jobs(&w, &one, "b", 4000);
    double spent = cycle(&w, &plan);
    tell("reclaim_4000", "reclaim 4,000 of 4,000 one-GPU jobs, 500 nodes", spent, plan, floor);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(w.c);
}

/* Queue a runs one-GPU jobs everywhere; a gang of queue b wants 10 x 8 GPUs, its guarantee. */
static void prove(const char *row, const char *what, uint32_t nodes, uint32_t per_rack,
                  int64_t keeps, const char *required, const char *spread) {
    struct world w;
    lsched_plan *plan;
    open_world(&w);
    add_nodes(&w, nodes, per_rack);
    add_queue(&w, "a", (int64_t)nodes * 8 - keeps);
    add_queue(&w, "b", 80);
    struct job one = {"a", 1, 1, NULL, NULL}, gang = {"b", 10, 8, required, spread};
    add_jobs(&w, &one, "a", nodes * 8);
    double floor = fill(&w);
    add_jobs(&w, &gang, "gang", 1);
    double spent = cycle(&w, &plan);
    tell(row, what, spent, plan, floor);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(w.c);
}

/* A gang of nodes / 2 tasks of 8 GPUs takes the half of the cluster that it is guaranteed. */
static void reclaim_gang(const char *row, uint32_t nodes) {
    struct world w;
    lsched_plan *plan;
    open_world(&w);
    add_nodes(&w, nodes, 20);
    add_queue(&w, "a", 4 * (int64_t)nodes);
    add_queue(&w, "b", 4 * (int64_t)nodes);
    struct job one = {"a", 1, 1, NULL, NULL}, gang = {"b", nodes / 2, 8, NULL, NULL};
    add_jobs(&w, &one, "a", 8 * nodes);
    double floor = fill(&w);
    add_jobs(&w, &gang, "gang", 1);
    double spent = cycle(&w, &plan);
    tell(row, "reclaim for one gang of 8-GPU tasks, half of the nodes", spent, plan, floor);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(w.c);
}

/* Four one-GPU jobs on each node, wherever a scheduler before us put them. */
static void import_four_each(struct world *w, uint32_t nodes) {
    for (uint32_t i = 0; i < 4 * nodes; i++) {
        char job[32], node[32];
        snprintf(job, sizeof job, "one-%05u", i);
        snprintf(node, sizeof node, "node-%05u", i / 4);
        lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
        m.job_name = lsched_cstr(job);
        m.node_name = lsched_cstr(node);
        m.start_us = w->now;
        bench_check(lsched_tasks_import(w->c, &m, 1, sizeof m, NULL, NULL, &w->err), &w->err,
                    "import");
    }
    w->now += INT64_C(3600000000);
}

/* 500 nodes with 4 of 8 GPUs used by 4 one-GPU jobs; 100 jobs of 8 GPUs need 100 whole nodes: 400 tasks move. */
static void consolidate(void) {
    struct world w;
    lsched_plan *plan;
    open_world(&w);
    add_nodes(&w, 500, 20);
    add_queue(&w, "a", 2000);
    add_queue(&w, "b", 2000);
    struct job one = {"a", 1, 1, NULL, NULL}, whole = {"b", 1, 8, NULL, NULL};
    add_jobs(&w, &one, "one", 2000);
    double t0 = bench_seconds();
    import_four_each(&w, 500);
    double import = bench_seconds() - t0;
    add_jobs(&w, &whole, "whole", 100);
    double spent = cycle(&w, &plan);
    tell("consolidate_400", "400 tasks move, 500 nodes", spent, plan, import);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(w.c);
}

int main(int argc, char **argv) {
    rows_open("evict", argc, argv);
    rows_note("one cycle each, plan included");
    reclaim_many();
    prove("prove.one_short", "the guarantee one GPU short, 1,000 nodes", 1000, 20, 79, NULL, NULL);
    prove("prove.racks", "racks of 9 nodes, rack required, 999 nodes", 999, 9, 80, "rack", NULL);
    prove("prove.one_per_rack", "one task per rack, 9 racks, 1,000 nodes", 1000, 112, 80, NULL,
          "rack");
    reclaim_gang("reclaim_gang.250x8", 500);
    reclaim_gang("reclaim_gang.500x8", 1000);
    consolidate();
    return 0;
}
