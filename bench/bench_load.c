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

static void put(const char *what, uint32_t nodes, double seconds, const char *base, double plain) {
    char name[48];
    snprintf(name, sizeof name, "%s.%u_nodes", what, nodes);
    rows_put(name, "ms", 1e3 * seconds, base, 1e3 * plain);
}

/* Prints the row of a step that began at `begin`. Returns the time at which the next one begins. */
static double put_step(const char *what, uint32_t nodes, double begin, double plain) {
    double seconds = bench_seconds() - begin;
    put(what, nodes, seconds, plain > 0 ? "memcpy of the columns" : NULL, plain);
    return bench_seconds();
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
        bench_check(lsched_tasks_import(c, tasks, m, sizeof tasks[0], NULL, NULL, &err), &err,
                    "import");
    }
}

static lsched_cluster *build(uint32_t nodes) {
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t running = nodes * TASKS;
    static const char policy[] = "return {api=1, name='load', pipeline={'allocate'}}";
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    bench_check(lsched_policy_load(c, LSCHED_TEXT("load"), (lsched_text){policy, sizeof policy - 1},
                                   NULL, &err),
                &err, "policy");
    bench_add_queues(c, QUEUES);
    double t = bench_seconds();
    bench_add_nodes(c, nodes, 0);
    t = put_step("nodes_add", nodes, t, 0);
    bench_add_jobs(c, running, 0, QUEUES, SHAPES);
    t = put_step("jobs_submit", nodes, t, 0);
    import_running(c, nodes);
    t = put_step("tasks_import", nodes, t, 0);
    bench_add_jobs(c, PENDING, running, QUEUES, SHAPES);
    t = put_step("pending_submit", nodes, t, 0);
    lsched_plan_destroy(bench_schedule(c, 1000000));
    (void)put_step("first_cycle", nodes, t, 0);
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
        e.job = lsched_find(c, LSCHED_KIND_JOB, (lsched_text){name, (size_t)len});
        double t0 = bench_seconds();
        bench_check(lsched_tasks_report(c, &e, 1, sizeof e, NULL, NULL, &err), &err, "report");
        double t1 = bench_seconds();
        lsched_plan *plan = bench_schedule(c, 1000000 + i);
        double t2 = bench_seconds();
        placed += lsched_plan_size(plan);
        lsched_plan_destroy(plan);
        end += t1 - t0;
        cycle += t2 - t1;
        if (t1 - t0 > worst_end) worst_end = t1 - t0;
        if (t2 - t1 > worst_cycle) worst_cycle = t2 - t1;
    }
    if (events == 0) return;
    put("ended_task", nodes, end / events, NULL, 0);
    put("ended_task_worst", nodes, worst_end, NULL, 0);
    put("cycle_after_end", nodes, cycle / events, NULL, 0);
    put("cycle_after_end_worst", nodes, worst_cycle, NULL, 0);
    rows_note("%u tasks ended, %llu tasks placed", events, (unsigned long long)placed);
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

/* Copies all columns into fresh memory, and frees the copies after the last one: memory that is
 * freed before would serve the next column, and a clone has no such memory. Returns the seconds. */
static double copy_fresh(const struct columns *k) {
    static char *copies[COLUMNS];
    double t = bench_seconds();
    for (uint32_t c = 0; c < COLUMNS; c++) {
        size_t n = column_bytes_used(k, c);
        if (n == 0) continue;
        copies[c] = malloc(n);
        if (!copies[c]) exit(1);
        memcpy(copies[c], k->c[c].u8, n);
    }
    t = bench_seconds() - t;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        if (copies[c] && *(volatile char *)copies[c] != *(const char *)k->c[c].u8) exit(1);
        free(copies[c]);
        copies[c] = NULL;
    }
    return t;
}

/* Returns the time of memcpy into memory that is there already. *fresh: the time of copies into
 * fresh memory, the lesser of two: the first one can also wait for memory that the computer has not
 * given to this process yet. */
static double baseline(const struct columns *k, uint32_t nodes, char *reused, double *fresh) {
    size_t bytes = 0;
    double t = bench_seconds();
    for (uint32_t c = 0; c < COLUMNS; c++) {
        size_t n = column_bytes_used(k, c);
        if (n) memcpy(reused + bytes, k->c[c].u8, n);
        bytes += n;
    }
    double plain = bench_seconds() - t, first = copy_fresh(k), second = copy_fresh(k);
    *fresh = first < second ? first : second;
    rows_note("%.1f MB of columns", (double)bytes / 1e6);
    put("malloc_and_memcpy", nodes, *fresh, "memcpy of the columns", plain);
    return plain;
}

/* The lesser time of two clones, for the same reason as in the baseline. */
static double clone_seconds(const lsched_cluster *c) {
    lsched_error err = LSCHED_ERROR_INIT;
    double least = 0;
    for (int i = 0; i < 2; i++) {
        lsched_cluster *copy = NULL;
        double t = bench_seconds();
        bench_check(lsched_cluster_clone(c, &copy, &err), &err, "clone");
        t = bench_seconds() - t;
        if (i == 0 || t < least) least = t;
        lsched_cluster_destroy(copy);
    }
    return least;
}

static void whole_state(lsched_cluster *c, uint32_t nodes) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t hash;
    struct buffer b = {NULL, 0, (size_t)1 << 20};
    for (uint32_t i = 0; i < COLUMNS; i++) b.cap += column_bytes_used(&c->k, i) + 128;
    b.p = malloc(b.cap);
    if (!b.p) exit(1);
    memset(b.p, 1, b.cap);
    double fresh, plain = baseline(&c->k, nodes, b.p, &fresh);
    double t = bench_seconds();
    bench_check(lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &hash, NULL), NULL, "hash");
    t = put_step("image_hash", nodes, t, plain);
    bench_check(lsched_cluster_hash(c, LSCHED_HASH_MEANING, &hash, NULL), NULL, "hash");
    t = put_step("meaning_hash", nodes, t, plain);
    bench_check(lsched_cluster_save(c, keep, &b, &err), &err, "save");
    t = put_step("save", nodes, t, plain);
    bench_check(lsched_verify(c, NULL, &err), &err, "verify");
    (void)put_step("verify", nodes, t, plain);
    put("clone", nodes, clone_seconds(c), "malloc and memcpy", fresh);
    lsched_cluster_destroy(c);
    lsched_cluster *copy = NULL;
    t = bench_seconds();
    bench_check(lsched_cluster_load(NULL, b.p, b.n, &copy, &err), &err, "load");
    t = put_step("load", nodes, t, plain);
    lsched_plan_destroy(bench_schedule(copy, 2000000));
    (void)put_step("cycle_after_load", nodes, t, 0);
    lsched_cluster_destroy(copy);
    free(b.p);
}

int main(int argc, char **argv) {
    argc = rows_open("load", argc, argv);
    uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
    uint32_t events = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 500;
    rows_note("%u nodes, %u running tasks, %d pending jobs", nodes, nodes * TASKS, PENDING);
    lsched_cluster *c = build(nodes);
    worst_event(c, nodes, events);
    whole_state(c, nodes);
    return 0;
}
