/*
 * bound_price.h -- the pricing problem of the linear programme over patterns: finds the most
 * valuable set of candidates that one bin holds in every cell of a window (a temporal knapsack of
 * several dimensions), or an upper bound on its value.
 *
 * A dimension is one resource in one cell, in order of cells. Candidates are added in order of
 * their first cell. A label is a set of candidates with its value and its load in the remaining
 * dimensions. A Lagrangian relaxation limits what a label can still gain: the sum over the later
 * candidates of max(0, value - lambda x amount), plus lambda x free capacity. The promise of a
 * label is its value plus lambda x free capacity. A label is dropped if its value plus its possible
 * gain does not exceed the threshold, or if another label has at least its value and no more load
 * in every remaining dimension. Labels are kept in order of promise, so a full list loses the least
 * promising ones. `over` is the greatest possible value of a set that was lost in this way, and
 * therefore still bounds the answer.
 *
 * All arithmetic is in integers; PRICE_ONE stands for 1. The bound holds for any lambda >= 0, so
 * lambda can come from floating point.
 */
#ifndef LIBSCHED_PACK_BOUND_PRICE_H
#define LIBSCHED_PACK_BOUND_PRICE_H

#include "pack/problem/problem.h"

#define PRICE_ONE ((int64_t)1 << 40)
enum { PRICE_DIMS = 96, PRICE_CANDIDATES = 768, PRICE_LABELS = 1024, PRICE_NARROW = 48 };

struct pricer {
    uint32_t n, dims, words; /* words: length of the mask of a set of candidates */
    uint32_t room_n, room_labels;
    int32_t *capacity; /* [dims] capacity of a bin */
    int32_t *amount;   /* [n][dims] demands of the candidates */
    /* [n] first dimension of the candidate's first cell; earlier dimensions have ended when the
     * candidate is added */
    uint32_t *first;
    int64_t *value; /* [n] values of the candidates */
    /* [n][words] candidates that cannot be in one set with this one; used if has_excludes */
    uint64_t *excludes;
    uint8_t has_excludes;

    /* [words] mask of the candidates whose gain is above 0; used if has_excludes */
    uint64_t *gains;
    int64_t *gain;   /* [n] value - lambda x amount */
    int64_t *suffix; /* [n + 1] sum of the gains above 0 from this candidate on */
    /* [dims] multipliers of the Lagrangian relaxation: value per unit of capacity */
    int64_t *lambda;
    double *wish; /* [dims] lambda before it is rounded, kept from one run to the next */
    double *best_wish;

    /* The next members hold the labels, by slot. */
    int64_t *promise, *worth;
    int32_t *load;     /* [slots][dims] load of each label */
    uint64_t *members; /* [slots][words] candidates in each label */
    uint64_t *barred;  /* [slots][words] candidates that conflict with the label */
    uint8_t *is_new;
    uint32_t *list, *merged, *unused, *dead;
    uint32_t n_list, n_unused, n_dead;

    uint32_t at, dim, beam;
    int64_t threshold;
    int64_t over; /* no set lost from a full list is worth more; 0 if no set was lost */
};

void pricer_new(struct pricer *pr, uint32_t candidates, uint32_t dims, int with_excludes,
                struct pack_arena *arena);
/* Resets the pricer for a new window. The caller has set n, dims, capacity, amount, first and
 * excludes. */
void pricer_open(struct pricer *pr);
/* Starts a search for sets worth more than `threshold`, with at most `beam` labels. The caller has
 * set the values. */
void pricer_start(struct pricer *pr, int64_t threshold, uint32_t beam, struct pack_meter *m);
/* Adds one more candidate. Returns 0 after the last one; the labels list[0 .. n_list) are then the
 * sets found, in no particular order. */
int pricer_step(struct pricer *pr, struct pack_meter *m);

#endif
