/*
 * column_graph.h -- a function of columns as a graph of operations; equal operations share one
 * node.
 *
 * The functions col_*() make nodes, operands before their users. A node never changes and is named
 * by its number. An operation on constants is computed at once, by the kernels that would compute
 * it later, so it has the same bits. A node is a number or a mask; it is uniform if it is the same
 * for all rows of a call. Rewriting uses only rules that IEEE 754 guarantees to the bit: x * 1 is
 * x, but x + 0 is not x (-0).
 *
 * The functions that make nodes report no error themselves: if memory runs out or the graph has
 * COL_NODES_MAX nodes, `failed` is set and node 0 is returned. The builder checks `failed` once, at
 * the end. Cost: O(1) per node.
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
    uint64_t word; /* CONST: the lane; INPUT: number of the input */
};

struct col_graph {
    struct alloc *alloc;
    struct col_node *nodes;
    uint32_t n, cap;
    uint32_t *slots; /* hash table of 2 * cap entries; each is node + 1 */
    int32_t failed;  /* LSCHED_E_NOMEM or LSCHED_E_LIMIT after a failure */
};

void col_graph_init(struct col_graph *g, struct alloc *alloc);
void col_graph_free(struct col_graph *g);
void col_graph_clear(struct col_graph *g); /* keeps the memory */

uint32_t col_number(struct col_graph *g, double x);
uint32_t col_truth(struct col_graph *g, int truth);
uint32_t col_input(struct col_graph *g, uint32_t input, int is_mask, int is_uniform);
/* Makes an operation; op must not be a leaf. Operands that op does not take are 0. */
uint32_t col_apply(struct col_graph *g, enum col_op op, uint32_t a, uint32_t b, uint32_t c);
/* True if the node is a constant mask of this truth value. */
int col_is_truth(const struct col_graph *g, uint32_t node, int truth);

#endif
