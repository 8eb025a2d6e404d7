/*
 * bound_sets.h -- pricing for items with profiles, such as services: finds the set of candidates
 * with the greatest value that one bin can hold in every cell. The result is exact. Few such items
 * fit together, and conflicts between pairs of items decide which sets are possible. Therefore the
 * sets are searched depth first, with a list of the candidates that still fit together with the
 * chosen ones. Labels (bound_price.c) would not help: over hundreds of cells, a load is never below
 * another load in every cell; therefore no label could be dropped.
 *
 * The candidates of a list are divided into colours. Candidates of one colour exclude each other
 * pairwise; therefore a set contains at most one candidate of each colour. Thus a list can add at
 * most the sum over its colours of the greatest value of a candidate. A candidate is not tried if
 * by this limit no set with it can exceed the best value found (as in Tomita's clique search).
 */
#ifndef LIBSCHED_PACK_BOUND_SETS_H
#define LIBSCHED_PACK_BOUND_SETS_H

#include "pack/problem/problem.h"

enum { SETS_CANDIDATES = 320, SETS_DEPTH = 40, SETS_FOUND = 4 };

struct sets {
    /* number of candidates, of 64-bit words in a mask of candidates, of cells, of resources, and of
     * dimensions (resources x cells) */
    uint32_t n, words, cells, resources, dims;
    /* greatest number of candidates; 0 if the problem is too large for this search */
    uint32_t room_n;
    int32_t capacity[LSCHED_PACK_RESOURCES_MAX];
    int32_t *amount; /* [n][dims] demands of the candidates */
    /* [n][words] for each candidate, mask of the candidates that cannot be in a set with it */
    const uint64_t *excludes;
    const int64_t *value; /* [n] values of the candidates */
    /* The arrays from here on have one element or row for each depth of the search. */
    int32_t *load; /* [SETS_DEPTH + 1][dims] load of the chosen candidates */
    /* [SETS_DEPTH + 1][n] candidates that still fit, in the order of their colours */
    uint16_t *list;
    /* [SETS_DEPTH + 1][n] upper bound of the value that the candidates of the list up to this
     * position can add */
    int64_t *most;
    uint32_t *left;   /* [SETS_DEPTH + 1] number of candidates of the list that are not tried yet */
    int64_t *worth;   /* [SETS_DEPTH + 1] sum of the values of the chosen candidates */
    uint16_t *chosen; /* [SETS_DEPTH] candidate that is chosen at each depth */
    uint64_t *colours; /* [n][words] work space: mask of the candidates of each colour */
    uint32_t *colour;  /* [n] work space: colour of each candidate in a list */
    uint32_t depth;
    int64_t best; /* greatest value of a set that was found; at first the threshold */
    /* The last SETS_FOUND sets that were better than all sets before them. */
    uint16_t *found; /* [SETS_FOUND][SETS_DEPTH] candidates of each set found */
    uint32_t found_n[SETS_FOUND], n_found;
};

void sets_new(struct sets *s, uint32_t candidates, uint32_t cells, uint32_t resources,
              struct pack_arena *arena);
/* Starts a search for sets with a value above `threshold`. Before the call, the caller sets the
 * candidates, amounts, excludes and values. */
void sets_start(struct sets *s, int64_t threshold, struct pack_meter *m);
/* Tries one more set. Returns 0 if all sets were tried; then no set has a value above `best`. */
int sets_step(struct sets *s, struct pack_meter *m);

#endif
