/*
 * bound_price.h -- the pricing problem of the linear programme over patterns: finds the set of
 * candidates with the greatest value that one bin can hold in every cell of a window, or an upper
 * bound of this value. This is a temporal knapsack problem of several dimensions.
 *
 * A dimension is one resource in one cell; dimensions are in the order of the cells. Candidates are
 * added in the order of their first cell. A label is a set of candidates with its value and its
 * load in the dimensions that have not ended. The promise of a label is its value plus lambda x
 * free capacity. By a Lagrangian relaxation, later candidates can raise the value of a label at
 * most to its promise plus the sum over these candidates of max(0, value - lambda x amount). A
 * label is dropped if this limit does not exceed the threshold. It is also dropped if another label
 * has at least the same value, and no more load in every dimension that has not ended. The list of
 * labels is sorted by promise; therefore a full list loses the labels with the least promise.
 * `over` is an upper bound of the values of the sets that full lists have lost.
 * Therefore the greatest value of any set is at most the greater of `over` and the value of the
 * best label.
 *
 * All arithmetic is in integers; PRICE_ONE stands for 1. The bound holds for any lambda >= 0;
 * therefore lambda can be computed in floating point.
 */
#ifndef LIBSCHED_PACK_BOUND_PRICE_H
#define LIBSCHED_PACK_BOUND_PRICE_H

#include "pack/problem/problem.h"

#define PRICE_ONE ((int64_t)1 << 40)
enum { PRICE_DIMS = 96, PRICE_CANDIDATES = 768, PRICE_LABELS = 1024, PRICE_NARROW = 48 };

struct pricer {
    /* number of candidates, of dimensions, and of 64-bit words in the mask of a set of
     * candidates */
    uint32_t n, dims, words;
    uint32_t room_n, room_labels;
    int32_t *capacity; /* [dims] capacity of a bin in each dimension */
    int32_t *amount;   /* [n][dims] demands of the candidates */
    /* [n] first dimension of the cell in which the candidate begins; dimensions before it have
     * ended when the candidate is added */
    uint32_t *first;
    int64_t *value; /* [n] values of the candidates */
    /* [n][words] for each candidate, mask of the candidates that cannot be in a set with it; only
     * if has_excludes */
    uint64_t *excludes;
    uint8_t has_excludes;

    /* [words] mask of the candidates whose gain is above 0; only if has_excludes */
    uint64_t *gains;
    int64_t *gain;   /* [n] value of each candidate minus the sum of lambda x amount */
    int64_t *suffix; /* [n + 1] sum of those gains of candidates i and later that are above 0 */
    /* [dims] multipliers of the Lagrangian relaxation: value per unit of capacity */
    int64_t *lambda;
    double *wish; /* [dims] lambda before it is rounded; kept from one search to the next */
    double *best_wish;

    /* The fields below store the labels of the search. Each label has a slot, which is its index in
     * these arrays. */
    int64_t *promise, *worth;
    int32_t *load;     /* [slots][dims] load of each label */
    uint64_t *members; /* [slots][words] mask of the candidates in each label */
    /* [slots][words] mask of the candidates that a candidate of the label excludes */
    uint64_t *barred;
    uint8_t *is_new;
    uint32_t *list, *merged, *unused, *dead;
    uint32_t n_list, n_unused, n_dead;

    uint32_t at, dim, beam;
    int64_t threshold;
    /* upper bound of the values of all sets that were lost because the list was full; 0 if no set
     * was lost */
    int64_t over;
};

void pricer_new(struct pricer *pr, uint32_t candidates, uint32_t dims, int with_excludes,
                struct pack_arena *arena);
/* Resets the pricer for a new window. Before the call, the caller sets n, dims, capacity, amount,
 * first and excludes. */
void pricer_open(struct pricer *pr);
/* Starts a search for sets with a value above `threshold`, with at most `beam` labels. Before the
 * call, the caller sets the values of the candidates. */
void pricer_start(struct pricer *pr, int64_t threshold, uint32_t beam, struct pack_meter *m);
/* Processes the next candidate. Returns 0 after the last one. The labels list[0] to list[n_list -
 * 1] are then the sets that were found, in no particular order. */
int pricer_step(struct pricer *pr, struct pack_meter *m);

#endif
