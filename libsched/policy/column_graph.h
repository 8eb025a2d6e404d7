/*
 * column_graph.h -- a function of columns as a graph of operations, in which equal operations are
 * one.
 *
 * Nodes are made by col_*() in the order of their operands, never changed, and named by their
 * number. What is made of constants alone is computed at once, by the kernels that would compute it
 * later, so it has the same bits. A node is a number or a mask; it is uniform if it is the same for
 * all rows of a call. Rewriting is only what IEEE 754 allows to the bit: x * 1 is x, x + 0 is not
 * (-0).
 *
 * Makers never fail at their caller: when memory ends or the graph has LIMIT nodes, `failed` is set
 * and node 0 comes back, so that who builds asks once, at the end. Cost: O(1) per node.
 */
#ifndef LIBSCHED_COLUMN_GRAPH_H
#define LIBSCHED_COLUMN_GRAPH_H

#include "base/alloc.h"
#include "policy/column_kernels.h"

enum { COL_NODES_MAX = 4096 };

struct col_node {
    uint8_t op; /* enum col_op */
    uint8_t is_mask;
    uint8_t is_uniform;
    uint32_t a, b, c;
    uint64_t word; /* CONST: the lane; INPUT: its number */
};

struct col_graph {
    struct alloc *alloc;
    struct col_node *nodes;
    uint32_t n, cap;
    uint32_t *slots; /* 2 * cap, node + 1 */
    int32_t failed;  /* LSCHED_E_NOMEM, LSCHED_E_LIMIT */
};

void col_graph_init(struct col_graph *g, struct alloc *alloc);
void col_graph_free(struct col_graph *g);
void col_graph_clear(struct col_graph *g); /* keeps its memory */

uint32_t col_number(struct col_graph *g, double x);
uint32_t col_truth(struct col_graph *g, int truth);
uint32_t col_input(struct col_graph *g, uint32_t input, int is_mask, int is_uniform);
/* op is none of the leaves; operands that it does not take are 0. */
uint32_t col_apply(struct col_graph *g, enum col_op op, uint32_t a, uint32_t b, uint32_t c);
/* Is it a constant mask of that truth? */
int col_is_truth(const struct col_graph *g, uint32_t node, int truth);

#endif
