/*
 * column_graph.h -- a function of columns as a graph of operations; two equal operations are the
 * same node.
 *
 * The functions col_*() make nodes. The operands of a node are made before the node. A node never
 * changes and is named by its number. The value of a node is a number or a mask (a truth value). A
 * node is uniform if its value is the same for all rows of a call.
 *
 * An operation on constants is computed when its node is made. The kernels that would compute it
 * later do this, so the result has the same bits. Rewriting uses only rules that are exact under
 * IEEE 754. For example, x * 1 is replaced by x, but x + 0 is not, because -0 + 0 is +0.
 *
 * The functions that make nodes return no error. If memory is short or the graph has COL_NODES_MAX
 * nodes, they set `failed` and return node 0. The builder of a graph checks `failed` once, at the
 * end. Cost: O(1) for each node.
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
    uint64_t word; /* for COL_CONST, the bits of the lane; for COL_INPUT, the number of the input */
};

struct col_graph {
    struct alloc *alloc;
    struct col_node *nodes;
    uint32_t n, cap;
    /* hash table of 2 * cap entries; an entry is the number of a node plus 1, or 0 */
    uint32_t *slots;
    int32_t failed; /* LSCHED_E_NOMEM or LSCHED_E_LIMIT after a node could not be made, else 0 */
};

void col_graph_init(struct col_graph *g, struct alloc *alloc);
void col_graph_free(struct col_graph *g);
void col_graph_clear(struct col_graph *g); /* removes all nodes and keeps the memory */

uint32_t col_number(struct col_graph *g, double x);
uint32_t col_truth(struct col_graph *g, int truth);
uint32_t col_input(struct col_graph *g, uint32_t input, int is_mask, int is_uniform);
/* Returns the node of the operation `op`, which must not be COL_CONST or COL_INPUT. Operands that
 * the operation does not have are 0. */
uint32_t col_apply(struct col_graph *g, enum col_op op, uint32_t a, uint32_t b, uint32_t c);
/* True if the node is a constant mask with the truth value `truth`. */
int col_is_truth(const struct col_graph *g, uint32_t node, int truth);

#endif
