/*
 * bound_sets.h -- pricing for services: the most valuable set of items with profiles that one bin
 * holds in every cell, exactly. Few fit together, and what excludes what decides most, so sets are
 * tried depth first, with the list of candidates that still fit beside what was chosen; labels
 * (bound_price.c) would all be kept, for no load is below another one in hundreds of cells.
 *
 * A list is coloured: candidates that exclude each other pairwise make a colour, of which one can
 * be chosen at most. So what a list can add is at most the sum of the most valuable of each colour;
 * those that cannot pass what was found are not tried (after Tomita's clique search).
 */
#ifndef LIBSCHED_PACK_BOUND_SETS_H
#define LIBSCHED_PACK_BOUND_SETS_H

#include "pack/problem/problem.h"

enum { SETS_CANDIDATES = 320, SETS_DEPTH = 40, SETS_FOUND = 4 };

struct sets {
    uint32_t n, words, cells, resources, dims; /* dims: [resources][cells] */
    uint32_t room_n;                           /* 0: too large to be tried */
    int32_t capacity[LSCHED_PACK_RESOURCES_MAX];
    int32_t *amount;          /* [n][dims] */
    const uint64_t *excludes; /* [n][words] */
    const int64_t *value;     /* [n] */
    /* by depth */
    int32_t *load;     /* [SETS_DEPTH + 1][dims] */
    uint16_t *list;    /* [SETS_DEPTH + 1][n] by colour */
    int64_t *most;     /* [SETS_DEPTH + 1][n] what the list up to here can add */
    uint32_t *left;    /* [SETS_DEPTH + 1] of the list, not tried yet */
    int64_t *worth;    /* [SETS_DEPTH + 1] of what is chosen */
    uint16_t *chosen;  /* [SETS_DEPTH] */
    uint64_t *colours; /* [n][words] scratch */
    uint32_t *colour;  /* [n] scratch */
    uint32_t depth;
    int64_t best; /* greatest worth found, or the threshold */
    /* the last that were better than all before */
    uint16_t *found; /* [SETS_FOUND][SETS_DEPTH] */
    uint32_t found_n[SETS_FOUND], n_found;
};

void sets_new(struct sets *s, uint32_t candidates, uint32_t cells, uint32_t resources,
              struct pack_arena *arena);
/* Candidates, amounts, excludes and values are set: look for sets worth more than `threshold`. */
void sets_start(struct sets *s, int64_t threshold, struct pack_meter *m);
/* One set more; 0: all were tried, and none is worth more than `best`. */
int sets_step(struct sets *s, struct pack_meter *m);

#endif
