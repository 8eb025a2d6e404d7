/*
 * bound_price.h -- the most valuable set of candidates that one bin holds in every cell of a
 * window: the pricing problem of the linear programme over patterns (a temporal knapsack of
 * several dimensions), or an upper bound on its value.
 *
 * A dimension is one resource in one cell, in order of cells. Candidates come in order of their
 * first cell; a label is a set of candidates with its value and its load in the dimensions to
 * come. What it can still gain is at most the value of the rest of a Lagrangian relaxation: sum
 * over later candidates of max(0, value - lambda x amount) + lambda x free capacity. A label
 * whose value and gain do not pass the threshold is dropped, and one that another one matches in
 * value and beats in every dimension to come. Labels are kept in order of that promise, so a full
 * list loses the least promising ones, and the greatest promise among them still bounds the
 * answer: it is `over`.
 *
 * Integers throughout; PRICE_ONE is 1. Any lambda >= 0 is right, so it may come from floating
 * point.
 */
#ifndef LIBSCHED_PACK_BOUND_PRICE_H
#define LIBSCHED_PACK_BOUND_PRICE_H

#include "pack/problem/problem.h"

#define PRICE_ONE ((int64_t)1 << 40)
enum { PRICE_DIMS = 96, PRICE_CANDIDATES = 768, PRICE_LABELS = 1024, PRICE_NARROW = 48 };

struct pricer {
    uint32_t n, dims, words; /* words of a set of candidates */
    uint32_t room_n, room_labels;
    int32_t *capacity;  /* [dims] */
    int32_t *amount;    /* [n][dims] */
    uint32_t *first;    /* [n] dimensions before it are over when the candidate comes */
    int64_t *value;     /* [n] */
    uint64_t *excludes; /* [n][words] candidates that may not be with it; used if has_excludes */
    uint8_t has_excludes;

    uint64_t *gains; /* [words] candidates whose gain is above 0, if has_excludes */
    int64_t *gain;   /* [n] value - lambda x amount */
    int64_t *suffix; /* [n + 1] sum of the gains above 0 from there */
    int64_t *lambda; /* [dims] */
    double *wish;    /* [dims] lambda before it is rounded, kept from one run to the next */
    double *best_wish;

    /* labels, by slot */
    int64_t *promise, *worth;
    int32_t *load;     /* [slots][dims] */
    uint64_t *members; /* [slots][words] */
    uint64_t *barred;  /* [slots][words] */
    uint8_t *is_new;
    uint32_t *list, *merged, *unused, *dead;
    uint32_t n_list, n_unused, n_dead;

    uint32_t at, dim, beam;
    int64_t threshold;
    int64_t over; /* no set that was dropped is worth more; 0: none was */
};

void pricer_new(struct pricer *pr, uint32_t candidates, uint32_t dims, int with_excludes,
                struct pack_arena *arena);
/* The window is set (n, dims, capacity, amount, first, excludes): forget what was. */
void pricer_open(struct pricer *pr);
/* Values are set: look for sets worth more than `threshold`, with at most `beam` labels. */
void pricer_start(struct pricer *pr, int64_t threshold, uint32_t beam, struct pack_meter *m);
/* One candidate more; 0: done. Then labels list[0 .. n_list) are what was found, in no order. */
int pricer_step(struct pricer *pr, struct pack_meter *m);

#endif
