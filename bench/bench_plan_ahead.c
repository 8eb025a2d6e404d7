/*
 * bench_plan_ahead.c -- the action ts-dpbp on large clusters of nodes with 8 GPUs. Each row has the
 * same work on a quarter of the nodes as its baseline: a ratio near 4 says that the cost follows
 * the nodes, 16 would be their square.
 *
 *   whole_nodes.idle   one cycle plans 1,000 gangs of whole nodes with known lengths, all in one
 *                      window and without the packer: conservative backfill
 *   whole_nodes.busy   the same while every node runs 8 tasks that end at different times
 *   fill               one cycle starts eight one-GPU jobs of unknown length on each node
 *   task_ended         one task ends on a full cluster while 2,000 jobs wait; the ready-made window
 *   no_start           one job is submitted while 20,000 equal jobs wait, for which no start is known
 *                      because all work runs for an unknown time
 *   start_all          one cycle starts one job of known length on each node, all that wait
 *
 *   bench_plan_ahead [NODES [ROW]]   default: 4096, 16384 for fill and task_ended; all rows
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "bench_support.h"

#define MINUTE INT64_C(60000000)

enum { GPUS = 8, WAITING = 2000, GANGS = 1000 };

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static lsched_cluster *begin(uint32_t nodes, const char *params) {
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    char policy[256];
    int len = snprintf(policy, sizeof policy,
                       "return {api=1, name='bench', fair_share='drf', placement='binpack', "
                       "pipeline={'ts-dpbp'}, params={%s}}",
                       params);
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    bench_check(
        lsched_policy_load(c, LSCHED_TEXT("bench"), (lsched_text){policy, (size_t)len}, NULL, &err),
        &err, "policy");
    bench_add_queues(c, 1);
    bench_add_nodes(c, nodes, 0);
    return c;
}

/* Submits a job of `tasks` tasks, each with `gpus` GPUs, that runs for `length`; 0: unknown. */
static lsched_id submit(lsched_cluster *c, uint32_t number, uint32_t tasks, int64_t gpus,
                        int64_t length) {
    char name[32];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount request[] = {{LSCHED_CPU, 0, 1000 * gpus}, {LSCHED_GPU, 0, 1000 * gpus}};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    group.request = request;
    group.n_request = 2;
    group.max_count = tasks;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = lsched_cstr(name);
    job.name.len = (uint64_t)snprintf(name, sizeof name, "job-%07u", number);
    job.queue_name = LSCHED_TEXT("queue-0");
    job.groups = &group;
    job.n_groups = 1;
    job.submit_us = number;
    job.duration_us = length;
    lsched_id id = 0;
    bench_check(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, &id, NULL, &err), &err, "submit");
    return id;
}

/* Starts a task of a new job on each GPU; the task of GPU g of node n ends after a time of its own. */
static void make_busy(lsched_cluster *c, uint32_t nodes, int has_length) {
    uint64_t random = 17;
    for (uint32_t i = 0; i < nodes * GPUS; i++) {
        char node[32];
        lsched_error err = LSCHED_ERROR_INIT;
        int64_t length = (1 + (int64_t)(next_random(&random) % 240)) * MINUTE;
        lsched_task_import task = LSCHED_TASK_IMPORT_INIT;
        task.job = submit(c, i, 1, 1, has_length ? length : 0);
        task.start_us = 1;
        task.node_name = lsched_cstr(node);
        task.node_name.len =
            (uint64_t)snprintf(node, sizeof node, "node-%010u.cluster-a", i / GPUS);
        bench_check(lsched_tasks_import(c, &task, 1, sizeof task, NULL, NULL, &err), &err,
                    "import");
    }
}

static double timed_cycle(lsched_cluster *c, int64_t now_us, size_t *decisions) {
    double begin = bench_seconds();
    lsched_plan *plan = bench_schedule(c, now_us);
    double seconds = bench_seconds() - begin;
    if (decisions) *decisions = lsched_plan_size(plan);
    lsched_plan_destroy(plan);
    return seconds;
}

static double whole_nodes(uint32_t nodes, int is_busy) {
    lsched_cluster *c = begin(nodes, "ts_window=1000, ts_work=0");
    uint64_t random = 3;
    if (is_busy) make_busy(c, nodes, 1);
    for (uint32_t i = 0; i < GANGS; i++) {
        uint32_t tasks = 1u << next_random(&random) % 9;
        if (tasks > nodes) tasks = nodes;
        submit(c, 1000000 + i, tasks, GPUS, (10 + (int64_t)(next_random(&random) % 600)) * MINUTE);
    }
    double seconds = timed_cycle(c, 2, NULL);
    lsched_cluster_destroy(c);
    return seconds;
}

static double fill(uint32_t nodes) {
    lsched_cluster *c = begin(nodes, "ts_window=64, ts_work=20000");
    size_t n;
    for (uint32_t i = 0; i < nodes * GPUS; i++) submit(c, i, 1, 1, 0);
    double seconds = timed_cycle(c, 2, &n);
    if (n != (size_t)nodes * GPUS) exit(1);
    lsched_cluster_destroy(c);
    return seconds;
}

static double task_ended(uint32_t nodes) {
    enum { EVENTS = 9 };
    lsched_cluster *c = begin(nodes, "ts_window=64, ts_work=20000");
    double worst = 0;
    make_busy(c, nodes, 1);
    for (uint32_t i = 0; i < WAITING; i++) submit(c, 1000000 + i, 1, 2, 30 * MINUTE);
    timed_cycle(c, 2, NULL);
    for (uint32_t i = 0; i < EVENTS; i++) {
        char name[32];
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        lsched_text job = lsched_cstr(name);
        job.len = (uint64_t)snprintf(name, sizeof name, "job-%07u", i * 1009);
        e.event = LSCHED_EVENT_ENDED;
        e.job = lsched_find(c, LSCHED_KIND_JOB, job);
        bench_check(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &err), &err, "report");
        double seconds = timed_cycle(c, 3 + i, NULL);
        if (seconds > worst) worst = seconds;
    }
    lsched_cluster_destroy(c);
    return worst;
}

static double no_start(uint32_t nodes) {
    enum { EVENTS = 5, WITHOUT = 20000 };
    lsched_cluster *c = begin(nodes, "ts_window=64, ts_work=20000");
    double worst = 0;
    make_busy(c, nodes, 0);
    for (uint32_t i = 0; i < WITHOUT; i++) submit(c, 1000000 + i, 1, 2, 0);
    timed_cycle(c, 2, NULL);
    for (uint32_t i = 0; i < EVENTS; i++) {
        submit(c, 2000000 + i, 2, 1 + i, 10 * MINUTE);
        double seconds = timed_cycle(c, 3 + i, NULL);
        if (seconds > worst) worst = seconds;
    }
    lsched_cluster_destroy(c);
    return worst;
}

static double start_all(uint32_t nodes) {
    lsched_cluster *c = begin(nodes, "ts_window=64, ts_work=20000");
    size_t n;
    uint64_t random = 5;
    for (uint32_t i = 0; i < nodes; i++)
        submit(c, i, 1, GPUS, (10 + (int64_t)(next_random(&random) % 600)) * MINUTE);
    double seconds = timed_cycle(c, 2, &n);
    if (n != nodes) exit(1);
    lsched_cluster_destroy(c);
    return seconds;
}

static void put(const char *work, uint32_t nodes, double seconds, double quarter) {
    char name[48];
    snprintf(name, sizeof name, "%s.%u_nodes", work, nodes);
    rows_put(name, "ms", 1e3 * seconds, "a quarter of the nodes", 1e3 * quarter);
}

static double whole_nodes_idle(uint32_t nodes) {
    return whole_nodes(nodes, 0);
}

static double whole_nodes_busy(uint32_t nodes) {
    return whole_nodes(nodes, 1);
}

static const struct {
    const char *name;
    double (*run)(uint32_t nodes);
    uint32_t nodes;
} work[] = {{"whole_nodes.idle", whole_nodes_idle, 4096},
            {"whole_nodes.busy", whole_nodes_busy, 4096},
            {"fill", fill, 16384},
            {"task_ended", task_ended, 16384},
            {"no_start", no_start, 4096},
            {"start_all", start_all, 20000}};

int main(int argc, char **argv) {
    argc = rows_open("plan_ahead", argc, argv);
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : work[i].nodes;
        if (argc > 2 && strcmp(argv[2], work[i].name) != 0) continue;
        put(work[i].name, nodes, work[i].run(nodes), work[i].run(nodes / 4));
    }
    return 0;
}
