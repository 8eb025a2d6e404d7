/*
 * bound_sets.h -- pricing for services: finds the most valuable set of items with profiles that one
 * bin holds in every cell. The result is exact. Only few items fit together, and the set depends
 * most on which items exclude each other. Therefore the sets are searched depth first, with the
 * list of candidates that still fit beside the chosen ones. Labels (bound_price.c) would not help:
 * no load is below another one in hundreds of cells, so no label could be dropped.
 *
 * The candidates of a list are divided into colours. Candidates of one colour exclude each other
 * pairwise, so a set contains at most one of them. A list can therefore add at most the sum of the
 * most valuable candidates of its colours. Candidates that cannot pass the best set found are not
 * tried (after Tomita's clique search).
 */
#ifndef LIBSCHED_PACK_BOUND_SETS_H
#define LIBSCHED_PACK_BOUND_SETS_H

#include "pack/problem/problem.h"

enum { SETS_CANDIDATES = 320, SETS_DEPTH = 40, SETS_FOUND = 4 };

struct sets {
    uint32_t n, words, cells, resources, dims; /* dims = resources x cells */
    /* capacity in candidates; 0 if the problem is too large for this search */
    uint32_t room_n;
    int32_t capacity[LSCHED_PACK_RESOURCES_MAX];
    int32_t *amount;          /* [n][dims] demands of the candidates */
    const uint64_t *excludes; /* [n][words] candidates that cannot be in one set with this one */
    const int64_t *value;     /* [n] values of the candidates */
    /* Arrays by depth of the search. */
    int32_t *load;  /* [SETS_DEPTH + 1][dims] load of the chosen candidates */
    uint16_t *list; /* [SETS_DEPTH + 1][n] candidates in order of colour */
    /* [SETS_DEPTH + 1][n] greatest value that the list up to this candidate can add */
    int64_t *most;
    uint32_t *left;    /* [SETS_DEPTH + 1] candidates of the list that are not tried yet */
    int64_t *worth;    /* [SETS_DEPTH + 1] value of the chosen candidates */
    uint16_t *chosen;  /* [SETS_DEPTH] chosen candidates */
    uint64_t *colours; /* [n][words] work space: candidates of each colour */
    uint32_t *colour;  /* [n] work space: colour of each candidate in a list */
    uint32_t depth;
    int64_t best; /* greatest value found, or the threshold */
    /* The last sets found that were better than all sets before. */
    uint16_t *found; /* [SETS_FOUND][SETS_DEPTH] candidates of each set found */
    uint32_t found_n[SETS_FOUND], n_found;
};

void sets_new(struct sets *s, uint32_t candidates, uint32_t cells, uint32_t resources,
              struct pack_arena *arena);
/* Starts a search for sets worth more than `threshold`. The caller has set candidates, amounts,
 * excludes and values. */
void sets_start(struct sets *s, int64_t threshold, struct pack_meter *m);
/* Tries one more set. Returns 0 if all sets were tried; then no set is worth more than `best`. */
int sets_step(struct sets *s, struct pack_meter *m);

#endif
