/*
 * books_main.c -- runs the driver of books.h: `random_books [--seed S] [--runs R] [--calls N]
 * [--fail P]`. R runs of N calls each from seeds S, S + 1, ...; P of 1,000 calls lose an
 * allocation. A finding prints its seed and step and aborts; `--seed S --runs 1` repeats it.
 */
#include "books/books.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t option(int argc, char **argv, const char *name, uint64_t otherwise) {
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0) return strtoull(argv[i + 1], NULL, 10);
    return otherwise;
}

static void add(struct book_counts *sum, const struct book_counts *x) {
    sum->calls += x->calls;
    sum->refused += x->refused;
    sum->plans += x->plans;
    sum->decisions += x->decisions;
    sum->evictions += x->evictions;
    sum->waits_checked += x->waits_checked;
    sum->copies += x->copies;
    sum->failed_allocations += x->failed_allocations;
}

int main(int argc, char **argv) {
    static struct books b;
    struct book_counts sum = {0};
    const char *scale = getenv("LSCHED_TEST_SCALE");
    uint64_t seed = option(argc, argv, "--seed", 1), runs = option(argc, argv, "--runs", 20),
             calls = option(argc, argv, "--calls", 1000), fail = option(argc, argv, "--fail", 0);
    if (scale) runs = (runs * strtoull(scale, NULL, 10) + 99) / 100;
    for (uint64_t i = 0; i < runs; i++) {
        b.fail_per_mille = (uint32_t)fail;
        books_open(&b, seed + i, NULL, 0);
        while (b.counts.calls < calls) books_step(&b);
        books_close(&b);
        add(&sum, &b.counts);
    }
    printf("seeds %llu to %llu: %llu calls, %llu refused, %llu plans, %llu decisions, "
           "%llu evictions, %llu reasons checked, %llu copies, %llu failed allocations\n",
           (unsigned long long)seed, (unsigned long long)(seed + runs - 1),
           (unsigned long long)sum.calls, (unsigned long long)sum.refused,
           (unsigned long long)sum.plans, (unsigned long long)sum.decisions,
           (unsigned long long)sum.evictions, (unsigned long long)sum.waits_checked,
           (unsigned long long)sum.copies, (unsigned long long)sum.failed_allocations);
    return 0;
}
