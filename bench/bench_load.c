/*
 * bench_load.c -- what touches the whole state of a large cluster: save, load, verify, clone and
 * both hashes, and the longest single event. Each node runs 8 tasks, and 100,000 jobs wait. Beside
 * it, in the same run: memcpy of the very same column bytes into memory that is there already, and
 * into fresh memory. No load can be faster.
 *
 *   bench_load [NODES] [EVENTS]   default: 100000 nodes, 500 ended tasks
 *
 * Seconds are CPU time of this thread, because the machine may be shared. 1,000,000 nodes need
 * about 12 GB.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "bench_support.h"
#include "engine/state/cluster.h"

enum { QUEUES = 8, SHAPES = 8, PENDING = 100000, TASKS = 8, BATCH = 1000 };

static double cpu(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double print_step(const char *what, double begin, double units, const char *unit) {
    double s = cpu() - begin;
    printf("  %-22s %9.1f ms", what, 1e3 * s);
    if (units > 0) printf("   %8.3f us per %s", 1e6 * s / units, unit);
    printf("\n");
    fflush(stdout);
    return cpu();
}

/* One job of one task for each place of a node; the tasks already run. */
static void import_running(lsched_cluster *c, uint32_t nodes) {
    static lsched_task_import tasks[BATCH];
    static char job_names[BATCH][32], node_names[BATCH][32];
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t first = 0; first < nodes * TASKS; first += BATCH) {
        uint32_t m = nodes * TASKS - first < BATCH ? nodes * TASKS - first : BATCH;
        for (uint32_t i = 0; i < m; i++) {
            int job = snprintf(job_names[i], sizeof job_names[i], "job-%010u.user-0042", first + i);
            int node = snprintf(node_names[i], sizeof node_names[i], "node-%010u.cluster-a",
                                (first + i) / TASKS);
            tasks[i] = (lsched_task_import){.size = sizeof tasks[i], .start_us = 1};
            tasks[i].job_name = (lsched_text){job_names[i], (uint64_t)job};
            tasks[i].node_name = (lsched_text){node_names[i], (uint64_t)node};
        }
        bench_check(lsched_tasks_import(c, tasks, m, sizeof tasks[0], NULL, &err), &err, "import");
    }
}

static lsched_cluster *build(uint32_t nodes) {
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t running = nodes * TASKS;
    static const char policy[] = "return {api=1, name='load', pipeline={'allocate'}}";
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    bench_check(lsched_policy_load(c, "load", policy, sizeof policy - 1, NULL, &err), &err,
                "policy");
    bench_add_queues(c, QUEUES);
    double t = cpu();
    bench_add_nodes(c, nodes, 0);
    t = print_step("nodes_add", t, nodes, "node");
    bench_add_jobs(c, running, 0, QUEUES, SHAPES);
    t = print_step("jobs_submit", t, running, "job");
    import_running(c, nodes);
    t = print_step("tasks_import", t, running, "task");
    bench_add_jobs(c, PENDING, running, QUEUES, SHAPES);
    t = print_step("pending", t, PENDING, "job");
    lsched_plan_destroy(bench_schedule(c, 1000000));
    t = print_step("first cycle", t, 0, NULL);
    return c;
}

/* ---- events ---- */

static void worst_event(lsched_cluster *c, uint32_t nodes, uint32_t events) {
    lsched_error err = LSCHED_ERROR_INIT;
    double worst_end = 0, worst_cycle = 0, end = 0, cycle = 0;
    uint64_t placed = 0;
    for (uint32_t i = 0; i < events; i++) {
        char name[32];
        uint64_t job = (uint64_t)i * 7919 % ((uint64_t)nodes * TASKS);
        int len = snprintf(name, sizeof name, "job-%010u.user-0042", (uint32_t)job);
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = LSCHED_EVENT_ENDED;
        e.job = lsched_find(c, LSCHED_KIND_JOB, name, (size_t)len);
        double t0 = cpu();
        bench_check(lsched_tasks_report(c, &e, 1, sizeof e, NULL, &err), &err, "report");
        double t1 = cpu();
        lsched_plan *plan = bench_schedule(c, 1000000 + i);
        double t2 = cpu();
        placed += lsched_plan_size(plan);
        lsched_plan_destroy(plan);
        end += t1 - t0;
        cycle += t2 - t1;
        if (t1 - t0 > worst_end) worst_end = t1 - t0;
        if (t2 - t1 > worst_cycle) worst_cycle = t2 - t1;
    }
    if (events == 0) return;
    printf("  %-22s %9.4f ms   worst %9.3f ms\n", "ended task", 1e3 * end / events,
           1e3 * worst_end);
    printf("  %-22s %9.4f ms   worst %9.3f ms   (%llu placed)\n", "cycle after it",
           1e3 * cycle / events, 1e3 * worst_cycle, (unsigned long long)placed);
}

/* ---- the whole state ---- */

struct buffer {
    char *p;
    size_t n, cap;
};

static int32_t keep(void *user, const void *bytes, size_t n) {
    struct buffer *b = user;
    if (b->n + n > b->cap) return 1;
    memcpy(b->p + b->n, bytes, n);
    b->n += n;
    return 0;
}

static size_t column_bytes_used(const struct columns *k, uint32_t c) {
    return k->c[c].u8 ? (size_t)table_rows(k, column_defs[c].table) * column_defs[c].stride : 0;
}

/* The copies are made column by column and freed at once, so that the program needs little more
 * memory than the state. */
static void baseline(const struct columns *k, char *reused) {
    double fresh = 0, plain = 0;
    size_t bytes = 0;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        size_t n = column_bytes_used(k, c);
        if (n == 0) continue;
        double t = cpu();
        char *p = malloc(n);
        if (!p) exit(1);
        memcpy(p, k->c[c].u8, n);
        fresh += cpu() - t;
        if (*(volatile char *)p != *(const char *)k->c[c].u8) exit(1); /* keeps the copy */
        free(p);
        t = cpu();
        memcpy(reused + bytes, k->c[c].u8, n);
        plain += cpu() - t;
        bytes += n;
    }
    printf("  %-22s %9.1f ms   into reused memory %9.1f ms   (%.1f MB)\n", "memcpy, fresh memory",
           1e3 * fresh, 1e3 * plain, (double)bytes / 1e6);
}

static void whole_state(lsched_cluster *c, uint32_t nodes) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t hash;
    struct buffer b = {NULL, 0, (size_t)1 << 20};
    for (uint32_t i = 0; i < COLUMNS; i++) b.cap += column_bytes_used(&c->k, i) + 128;
    b.p = malloc(b.cap);
    if (!b.p) exit(1);
    memset(b.p, 1, b.cap);
    baseline(&c->k, b.p);
    double t = cpu();
    bench_check(lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &hash), NULL, "hash");
    t = print_step("image hash", t, nodes, "node");
    bench_check(lsched_cluster_hash(c, LSCHED_HASH_MEANING, &hash), NULL, "hash");
    t = print_step("meaning hash", t, nodes, "node");
    bench_check(lsched_cluster_save(c, keep, &b, &err), &err, "save");
    t = print_step("save", t, nodes, "node");
    bench_check(lsched_verify(c, NULL, &err), &err, "verify");
    t = print_step("verify", t, nodes, "node");
    lsched_cluster *copy = NULL;
    bench_check(lsched_cluster_clone(c, &copy, &err), &err, "clone");
    t = print_step("clone", t, nodes, "node");
    lsched_cluster_destroy(copy);
    lsched_cluster_destroy(c);
    copy = NULL;
    t = cpu();
    bench_check(lsched_cluster_load(NULL, b.p, b.n, &copy, &err), &err, "load");
    t = print_step("load", t, nodes, "node");
    lsched_plan_destroy(bench_schedule(copy, 2000000));
    print_step("cycle after the load", t, 0, NULL);
    lsched_cluster_destroy(copy);
    free(b.p);
}

int main(int argc, char **argv) {
    uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
    uint32_t events = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 500;
    printf("load: %u nodes, %u running tasks, %d pending jobs (CPU time)\n", nodes, nodes * TASKS,
           PENDING);
    lsched_cluster *c = build(nodes);
    worst_event(c, nodes, events);
    whole_state(c, nodes);
    return 0;
}
