/*
 * bench_parked.c -- what a cycle costs when many jobs wait and one task ends. 1,000 nodes are full; 10^4, 10^5 and 10^6 jobs of 1,000 shapes are
 * parked. One task ends, one job takes its place. The cost should follow what woke, not what waits. Beside it, in the same run: one
 * pass over all waiting jobs that only adds up their priorities, the least that a scheduler without parking does per cycle.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "bench_support.h"

enum { NODES = 1000, QUEUES = 8, SHAPES = 1000, ROUNDS = 200 };

static double scan_all(const lsched_cluster *c, uint64_t *sum) {
    double t0 = bench_seconds();
    uint64_t cursor = 0;
    for (lsched_id id; (id = lsched_next(c, LSCHED_KIND_JOB, &cursor)) != 0;) {
        lsched_job_info info = {.size = sizeof info};
        lsched_job_get(c, id, &info, NULL);
        *sum += (uint64_t)info.priority + info.tasks_wanted;
    }
    return bench_seconds() - t0;
}

static void settle_all(lsched_cluster *c, const lsched_plan *plan, lsched_id *running, size_t *n) {
    bench_report_placed(c, plan, LSCHED_EVENT_STARTED);
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        running[(*n)++] = lsched_plan_at(plan, i)->job;
}

static void put(uint32_t parked, const char *what, const char *unit, double value, double scan) {
    char name[48];
    snprintf(name, sizeof name, "%s.%u", what, parked);
    rows_put(name, unit, value, "one pass over all jobs", scan);
}

static void measure(uint32_t parked) {
    static double spent[ROUNDS], event[ROUNDS];
    static lsched_id running[NODES * 8 + ROUNDS * 2];
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    size_t n = 0, next = 0;
    uint64_t sum = 0, tried = 0;
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    bench_add_nodes(c, NODES, 0);
    bench_add_queues(c, QUEUES);
    bench_add_jobs(c, NODES * 8 + parked, 0, QUEUES, SHAPES);
    double t0 = bench_seconds();
    lsched_plan *plan = bench_schedule(c, 1000000);
    double first = bench_seconds() - t0;
    settle_all(c, plan, running, &n);
    lsched_plan_destroy(plan);
    for (int i = 0; i < ROUNDS; i++) {
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = LSCHED_EVENT_ENDED;
        e.job = running[next++];
        t0 = bench_seconds();
        bench_check(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &err), &err, "report");
        event[i] = bench_seconds() - t0;
        t0 = bench_seconds();
        plan = bench_schedule(c, 1000000 + i);
        spent[i] = bench_seconds() - t0;
        lsched_plan_info info = {.size = sizeof info};
        lsched_plan_get(plan, &info, NULL);
        tried += info.jobs_tried;
        settle_all(c, plan, running, &n);
        lsched_plan_destroy(plan);
    }
    double scan = scan_all(c, &sum);
    put(parked, "first_cycle", "ms", first * 1e3, scan * 1e3);
    put(parked, "cycle", "us", rows_median(spent, ROUNDS) * 1e6, scan * 1e6);
    put(parked, "event", "us", rows_median(event, ROUNDS) * 1e6, scan * 1e6);
    rows_note("%u jobs: a cycle tries %.1f jobs%s", parked, (double)tried / ROUNDS, sum ? "" : "!");
    lsched_cluster_destroy(c);
}

int main(int argc, char **argv) {
    rows_open("parked", argc, argv);
    rows_note("%d nodes, %d shapes, %d queues; one task ends, then a cycle; median of %d", NODES,
              SHAPES, QUEUES, ROUNDS);
    measure(10000);
    measure(100000);
    measure(1000000);
    return 0;
}
