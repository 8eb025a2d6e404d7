/*
 * bound_graph.h -- lower bounds of FIXED problems from conflicts: pairs of items that no bin can
 * hold together. For constant items of one resource, pairs prove no more than single cells do,
 * because intervals that overlap pairwise have a common cell. Therefore pairs are used only if
 * items have profiles or if several resources are limited.
 *
 * Clique: items that exclude each other pairwise need one bin each. A large clique is found
 * greedily. The search is repeated with each of the items that have the most conflicts as the first
 * item. Matching: if no three items of a set fit together, a bin holds one or two items of the set.
 * The set then needs as many bins as it has items, less the size of a greatest matching of the
 * pairs that can share a bin. The set is found greedily, in descending order of the number of
 * conflicts. Each new item is tested together with all pairs of earlier items. The matching is
 * found by the algorithm of Edmonds (1965). It represents a blossom by the base of its vertices,
 * uses no recursion, and costs n^3 for n items, at most PAIRS_MOST.
 */
#ifndef LIBSCHED_PACK_BOUND_GRAPH_H
#define LIBSCHED_PACK_BOUND_GRAPH_H

#include "pack/bound/bound_fixed.h"

struct graph_bound {
    const struct pack_problem *p;
    const struct fixed_bound *fixed;
    /* `n` is the number of items; 0 if there are too many items, or if pairs cannot prove more than
     * single cells. `words` is the number of 64-bit words of a row of `conflicts`. */
    uint32_t n, words;
    /* [n][words] one row for each item: mask of the items that no bin can hold together with it */
    uint64_t *conflicts;
    uint32_t row;     /* next row of `conflicts` to compute */
    uint32_t *degree; /* [n] number of conflicts of each item */
    uint32_t *rank;   /* [n] items in descending order of their number of conflicts */
    /* items of the set that graph_pairs finds; the arrays below have one element for each item of
     * the set */
    uint32_t *set;
    uint32_t *mate, *base, *parent, *queue;
    uint64_t *in_set;
    uint8_t *mark, *in_blossom;
};
void graph_new(struct graph_bound *g, const struct fixed_bound *f, struct pack_arena *arena);
/* Computes the next row of `conflicts`. Returns 0 if all rows are complete. */
int graph_step(struct graph_bound *g, struct pack_meter *m);
/* Finds a large set of items that exclude each other pairwise, and returns its size. */
uint32_t graph_clique(struct graph_bound *g, struct pack_meter *m);
/* Finds a set of items of which no three fit together in one bin. Returns the number of bins that
 * the set needs: its size less the size of a greatest matching of the pairs that fit together. */
uint32_t graph_pairs(struct graph_bound *g, struct pack_meter *m);
static inline int graph_excludes(const struct graph_bound *g, uint32_t i, uint32_t j) {
    return g->n && (g->conflicts[(uint64_t)i * g->words + j / 64] >> j % 64 & 1);
}

#endif
