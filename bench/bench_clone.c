/*
 * bench_clone.c -- copying a whole cluster: 130,000 nodes and 1,100,000 jobs of which some run.
 *
 * Beside each figure, in turn with it so that both see the same machine: memcpy of the very same
 * column bytes into memory that is there already, and malloc with memcpy. Then the other things
 * that touch all state: hash, save, load, verify.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include <string.h>

#include "bench_support.h"
#include "engine/state/cluster.h"

enum { NODES = 130000, JOBS = 1100000, QUEUES = 8, SHAPES = 1000, ROUNDS = 7 };

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

static double rate(const struct blocks *b, double seconds) {
    return (double)b->total / seconds / 1e9;
}

static void print_pair(const char *what, const struct blocks *b, double seconds, const char *base,
                       double plain, int bound) {
    printf("  %-21s %6.2f GB/s   %-16s %6.2f GB/s   %5.1f %%   (bound %d %%)\n", what,
           rate(b, seconds), base, rate(b, plain), 100 * plain / seconds, bound);
}

static void least(double *best, double begin) {
    double t = bench_seconds() - begin;
    if (*best == 0 || t < *best) *best = t;
}

static void bench_copies(const lsched_cluster *c) {
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
    printf("clone: %d nodes, %d jobs, %.1f MB of columns\n", NODES, JOBS, (double)b.total / 1e6);
    print_pair("into a reused target", &b, reused, "memcpy", plain, 50);
    print_pair("fresh", &b, fresh, "malloc + memcpy", plain_fresh, 80);
}

/* ---- all else that touches the whole state ---- */

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

static void bench_rest(const lsched_cluster *c) {
    struct blocks b;
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t hash;
    blocks_of(&b, &c->k);
    struct buffer buffer = {malloc(b.total + (1 << 20)), 0, b.total + (1 << 20)};
    if (!buffer.p) exit(1);
    memset(buffer.p, 1, buffer.cap);
    double t[6] = {bench_seconds()};
    bench_check(lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &hash), NULL, "hash");
    t[1] = bench_seconds();
    bench_check(lsched_cluster_hash(c, LSCHED_HASH_MEANING, &hash), NULL, "hash");
    t[2] = bench_seconds();
    bench_check(lsched_cluster_save(c, keep, &buffer, &err), &err, "save");
    t[3] = bench_seconds();
    bench_check(lsched_verify(c, NULL, &err), &err, "verify");
    t[4] = bench_seconds();
    lsched_cluster *loaded = NULL;
    bench_check(lsched_cluster_load(NULL, buffer.p, buffer.n, &loaded, &err), &err, "load");
    t[5] = bench_seconds();
    static const char *const what[] = {"image hash", "meaning hash", "save", "verify", "load"};
    for (int i = 0; i < 5; i++) printf("  %-21s %6.0f ms\n", what[i], 1e3 * (t[i + 1] - t[i]));
    lsched_cluster_destroy(loaded);
    free(buffer.p);
}

int main(void) {
    lsched_cluster *c = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    bench_check(lsched_cluster_create(NULL, &c, &err), &err, "create");
    bench_add_queues(c, QUEUES);
    bench_add_nodes(c, NODES, 3);
    bench_add_jobs(c, JOBS, 0, QUEUES, SHAPES);
    bench_copies(c);
    bench_rest(c);
    lsched_cluster_destroy(c);
    return 0;
}
