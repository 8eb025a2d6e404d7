/*
 * bench_longest.c -- the longest single call while a cluster grows to many nodes: one node, its
 * eight jobs and their running tasks come with one call each, every hundredth job ends, and a cycle
 * runs after every 1,000 nodes. A row says the longest call of a kind; the baseline is the mean
 * call of that kind in the same run. A call that copies or hashes a whole table stands out.
 *
 *   bench_longest [NODES]   default: 20000 nodes
 *
 * Times are CPU time of this thread, with the page faults of new memory. 1,000,000 nodes need about
 * 5 GB.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "bench_support.h"

enum { QUEUES = 8, SHAPES = 8, TASKS = 8, CYCLE_AFTER = 1000, ENDED_AFTER = 100 };
enum kind { NODES_ADD, JOBS_SUBMIT, TASKS_IMPORT, TASKS_REPORT, SCHEDULE, KINDS };

struct longest {
    double worst, sum;
    uint64_t calls, slow, worst_at; /* slow: calls of more than 20 ms */
};

static struct longest longest[KINDS];

static void note(enum kind kind, double begin, uint64_t at) {
    struct longest *x = &longest[kind];
    double seconds = bench_seconds() - begin;
    x->sum += seconds;
    x->calls++;
    x->slow += seconds > 0.02;
    if (seconds <= x->worst) return;
    x->worst = seconds;
    x->worst_at = at;
}

static void add_job(lsched_cluster *c, uint32_t job, uint32_t node) {
    double t = bench_seconds();
    bench_add_jobs(c, 1, job, QUEUES, SHAPES);
    note(JOBS_SUBMIT, t, job);
    char name[32], node_name[32];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_task_import task = LSCHED_TASK_IMPORT_INIT;
    task.start_us = 1;
    task.job_name = lsched_cstr(name);
    task.job_name.len = (uint64_t)snprintf(name, sizeof name, "job-%010u.user-0042", job);
    task.node_name = lsched_cstr(node_name);
    task.node_name.len =
        (uint64_t)snprintf(node_name, sizeof node_name, "node-%010u.cluster-a", node);
    t = bench_seconds();
    bench_check(lsched_tasks_import(c, &task, 1, sizeof task, NULL, NULL, &err), &err, "import");
    note(TASKS_IMPORT, t, job);
    if (job % ENDED_AFTER) return;
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    e.event = LSCHED_EVENT_ENDED;
    e.job = lsched_find(c, LSCHED_KIND_JOB, lsched_cstr(name));
    t = bench_seconds();
    bench_check(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &err), &err, "report");
    note(TASKS_REPORT, t, job);
}

static void put(enum kind kind, uint32_t nodes) {
    static const char *const names[KINDS] = {"nodes_add", "jobs_submit", "tasks_import",
                                             "tasks_report", "schedule"};
    const struct longest *x = &longest[kind];
    char name[48];
    snprintf(name, sizeof name, "%s.%u_nodes", names[kind], nodes);
    rows_put(name, "ms", 1e3 * x->worst, "the mean call", 1e3 * x->sum / (double)x->calls);
    rows_note("%s: %llu calls, %llu of more than 20 ms, the longest is number %llu", names[kind],
              (unsigned long long)x->calls, (unsigned long long)x->slow,
              (unsigned long long)x->worst_at);
}

int main(int argc, char **argv) {
    argc = rows_open("longest", argc, argv);
    uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 20000;
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    static const char policy[] = "return {api=1, name='load', pipeline={'allocate'}}";
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    bench_check(lsched_policy_load(c, LSCHED_TEXT("load"), (lsched_text){policy, sizeof policy - 1},
                                   NULL, &err),
                &err, "policy");
    bench_add_queues(c, QUEUES);
    for (uint32_t node = 0; node < nodes; node++) {
        double t = bench_seconds();
        bench_add_nodes_from(c, node, 1, 0);
        note(NODES_ADD, t, node);
        for (uint32_t i = 0; i < TASKS; i++) add_job(c, node * TASKS + i, node);
        if ((node + 1) % CYCLE_AFTER) continue;
        t = bench_seconds();
        lsched_plan_destroy(bench_schedule(c, 1000000 + node));
        note(SCHEDULE, t, node);
    }
    for (int kind = 0; kind < KINDS; kind++) put((enum kind)kind, nodes);
    lsched_cluster_destroy(c);
    return 0;
}
