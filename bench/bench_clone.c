/*
 * bench_clone.c -- copies a whole cluster of 100,000 nodes and ten waiting jobs for each node.
 * `bench_clone 1000000` takes a million nodes.
 *
 * The baselines copy the very same column bytes: memcpy into memory that is there already, and
 * malloc with memcpy. bench_load.c measures the other calls that touch the whole state.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "bench_support.h"
#include "engine/state/cluster.h"

enum { NODES = 100000, JOBS_PER_NODE = 10, QUEUES = 8, SHAPES = 1000, ROUNDS = 7 };

struct blocks {
    void *to[COLUMNS];
    size_t n[COLUMNS];
    size_t total;
};

static void blocks_of(struct blocks *b, const struct columns *k) {
    memset(b, 0, sizeof *b);
    for (uint32_t c = 0; c < COLUMNS; c++) {
        if (!k->c[c].u8) continue;
        b->n[c] = (size_t)table_rows(k, column_defs[c].table) * column_defs[c].stride;
        b->total += b->n[c];
    }
}

static void blocks_copy(struct blocks *b, const struct columns *k, int fresh) {
    for (uint32_t c = 0; c < COLUMNS; c++) {
        if (b->n[c] == 0) continue;
        if (fresh && !(b->to[c] = malloc(b->n[c]))) exit(1);
        memcpy(b->to[c], k->c[c].u8, b->n[c]);
    }
}

static void blocks_free(struct blocks *b) {
    for (uint32_t c = 0; c < COLUMNS; c++) free(b->to[c]);
    memset(b->to, 0, sizeof b->to);
}

static void put(const char *what, uint32_t nodes, double seconds, const char *base, double plain) {
    char name[48];
    snprintf(name, sizeof name, "%s.%u_nodes", what, nodes);
    rows_put(name, "ms", 1e3 * seconds, base, 1e3 * plain);
}

static void least(double *best, double begin) {
    double t = bench_seconds() - begin;
    if (*best == 0 || t < *best) *best = t;
}

static void bench_copies(const lsched_cluster *c, uint32_t nodes) {
    struct blocks b;
    double reused = 0, fresh = 0, plain = 0, plain_fresh = 0;
    lsched_cluster *to = NULL, *new = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    blocks_of(&b, &c->k);
    bench_check(lsched_cluster_clone(c, &to, &err), &err, "clone");
    for (int i = 0; i < ROUNDS; i++) {
        double begin = bench_seconds();
        bench_check(lsched_cluster_clone(c, &to, &err), &err, "clone");
        least(&reused, begin);
        begin = bench_seconds();
        blocks_copy(&b, &c->k, 1);
        least(&plain_fresh, begin);
        begin = bench_seconds();
        blocks_copy(&b, &c->k, 0);
        least(&plain, begin);
        blocks_free(&b);
        begin = bench_seconds();
        bench_check(lsched_cluster_clone(c, &new, &err), &err, "clone");
        least(&fresh, begin);
        lsched_cluster_destroy(new);
        new = NULL;
    }
    lsched_cluster_destroy(to);
    rows_note("%u nodes, %.1f MB of columns; least of %d", nodes, (double)b.total / 1e6, ROUNDS);
    put("reused_target", nodes, reused, "memcpy", plain);
    put("fresh", nodes, fresh, "malloc and memcpy", plain_fresh);
}

int main(int argc, char **argv) {
    argc = rows_open("clone", argc, argv);
    uint32_t nodes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : NODES;
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    bench_add_queues(c, QUEUES);
    bench_add_nodes(c, nodes, 3);
    bench_add_jobs(c, nodes * JOBS_PER_NODE, 0, QUEUES, SHAPES);
    bench_copies(c, nodes);
    lsched_cluster_destroy(c);
    return 0;
}
