/*
 * bench_pick.c -- which k of the free devices of a node: by table, and beside it in the same run by
 * going through all sets.
 *
 * Machines of 8 devices (a hybrid cube mesh, two PCIe sockets, an NVSwitch) and of 16; all k,
 * random masks of free devices, the same ones for both. Then what a table costs to make.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "../tests/support/link_matrices.h"
#include "bench_support.h"

enum { QUESTIONS = 4096, ROUNDS = 200, SEARCHED = 256 };

struct question {
    uint32_t k, free;
};

static void ask(struct question *q, uint32_t n) {
    uint64_t seed = 1;
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        q[i].free = (uint32_t)(seed >> 33) & ((1u << n) - 1);
        if (q[i].free == 0) q[i].free = 1;
        q[i].k = 1 + (uint32_t)(seed >> 20) % (uint32_t)__builtin_popcount(q[i].free);
    }
}

static void bench_machine(const char *name, const struct link_matrix *m) {
    static struct question q[QUESTIONS];
    static uint32_t found[QUESTIONS];
    struct alloc alloc;
    struct link_table t;
    bench_check(alloc_init(&alloc, NULL, UINT64_MAX), NULL, "alloc_init");
    double begin = bench_seconds();
    bench_check(link_table_open(&t, &alloc, m), NULL, "open");
    double open = bench_seconds() - begin;
    begin = bench_seconds();
    for (uint32_t k = 1; k <= m->n; k++)
        bench_check(link_table_ready(&t, &alloc, k, 0), NULL, "ready");
    double rows = bench_seconds() - begin;

    ask(q, m->n);
    uint32_t sum = 0;
    begin = bench_seconds();
    for (uint32_t r = 0; r < ROUNDS; r++)
        for (uint32_t i = 0; i < QUESTIONS; i++) {
            found[i] = link_pick(&t, q[i].k, 0, q[i].free);
            sum += found[i];
        }
    double pick = (bench_seconds() - begin) / ((double)ROUNDS * QUESTIONS);
    uint32_t searched = m->n > 8 ? SEARCHED / 16 : SEARCHED, differ = 0;
    begin = bench_seconds();
    for (uint32_t i = 0; i < searched; i++)
        differ += link_search(m, q[i].k, 0, q[i].free) != found[i];
    double search = (bench_seconds() - begin) / searched;
    printf("  %-22s %7.1f ns %14.1f ns %9.0f x   %8.3f ms + %8.3f ms  %7.1f KiB%s\n", name,
           pick * 1e9, search * 1e9, search / pick, open * 1e3, rows * 1e3, (double)t.bytes / 1024,
           differ || sum == 0 ? "   ANSWERS DIFFER" : "");
    link_table_close(&t, &alloc);
    if (differ) exit(1);
}

int main(void) {
    puts("the best k of the free devices     bound 200 ns for 8\n"
         "  machine                   by table      by search             table made: sets + rows");
    struct link_matrix m = matrix_cube_mesh();
    bench_machine("8, hybrid cube mesh", &m);
    m = matrix_pcie(8);
    bench_machine("8, PCIe, two sockets", &m);
    m = matrix_nvswitch(8, 450000);
    bench_machine("8, NVSwitch", &m);
    m = matrix_islands(16, 8, 300000);
    bench_machine("16, two islands", &m);
    uint64_t seed = 5;
    m = matrix_random(16, &seed);
    bench_machine("16, no two links alike", &m);
    return 0;
}
