/* column_graph.c -- see column_graph.h. */
#include "policy/column_graph.h"

#include <libsched/libsched.h>
#include <string.h>

#include "base/hash.h"

#define ALL_ONES UINT64_MAX

void col_graph_init(struct col_graph *g, struct alloc *alloc) {
    memset(g, 0, sizeof *g);
    g->alloc = alloc;
}

void col_graph_free(struct col_graph *g) {
    alloc_free(g->alloc, g->nodes, g->cap * sizeof *g->nodes);
    alloc_free(g->alloc, g->slots, 2 * g->cap * sizeof *g->slots);
    col_graph_init(g, g->alloc);
}

void col_graph_clear(struct col_graph *g) {
    g->n = 0;
    g->failed = 0;
    if (g->slots) memset(g->slots, 0, 2 * g->cap * sizeof *g->slots);
}

/* ---- sharing equal nodes ---- */

static uint64_t node_hash(const struct col_node *x) {
    return hash_mix(hash_mix((uint64_t)x->op << 1 | x->is_mask, x->word),
                    (uint64_t)x->a << 40 ^ (uint64_t)x->b << 20 ^ x->c);
}

static int node_equals(const struct col_node *x, const struct col_node *y) {
    return x->op == y->op && x->is_mask == y->is_mask && x->is_uniform == y->is_uniform &&
           x->a == y->a && x->b == y->b && x->c == y->c && x->word == y->word;
}

static uint32_t *slot_of(struct col_graph *g, const struct col_node *x) {
    uint32_t mask = 2 * g->cap - 1, i = (uint32_t)node_hash(x) & mask;
    while (g->slots[i] && !node_equals(&g->nodes[g->slots[i] - 1], x)) i = (i + 1) & mask;
    return &g->slots[i];
}

static int column_graph_grow(struct col_graph *g) {
    uint32_t cap = g->cap ? 2 * g->cap : 128;
    if (cap > COL_NODES_MAX) {
        g->failed = LSCHED_E_LIMIT;
        return 0;
    }
    struct col_node *nodes = alloc_new(g->alloc, cap * sizeof *nodes);
    uint32_t *slots = alloc_zero(g->alloc, 2 * cap * sizeof *slots);
    if (!nodes || !slots) {
        alloc_free(g->alloc, nodes, cap * sizeof *nodes);
        alloc_free(g->alloc, slots, 2 * cap * sizeof *slots);
        g->failed = LSCHED_E_NOMEM;
        return 0;
    }
    uint32_t n = g->n;
    if (n) memcpy(nodes, g->nodes, n * sizeof *nodes);
    alloc_free(g->alloc, g->nodes, g->cap * sizeof *g->nodes);
    alloc_free(g->alloc, g->slots, 2 * g->cap * sizeof *g->slots);
    g->nodes = nodes;
    g->slots = slots;
    g->cap = cap;
    for (uint32_t i = 0; i < n; i++) *slot_of(g, &nodes[i]) = i + 1;
    return 1;
}

static uint32_t column_graph_make(struct col_graph *g, struct col_node x) {
    if (g->failed) return 0;
    if (g->n == g->cap && !column_graph_grow(g)) return 0;
    uint32_t *slot = slot_of(g, &x);
    if (*slot) return *slot - 1;
    g->nodes[g->n] = x;
    *slot = ++g->n;
    return g->n - 1;
}

/* ---- leaves ---- */

static uint32_t constant(struct col_graph *g, uint64_t word, int is_mask) {
    return column_graph_make(g, (struct col_node){COL_CONST, (uint8_t)is_mask, 1, 0, 0, 0, word});
}

uint32_t col_number(struct col_graph *g, double x) {
    return constant(g, (union col_lane){.number = x}.mask, 0);
}

uint32_t col_truth(struct col_graph *g, int truth) {
    return constant(g, truth ? ALL_ONES : 0, 1);
}

uint32_t col_input(struct col_graph *g, uint32_t input, int is_mask, int is_uniform) {
    return column_graph_make(
        g, (struct col_node){COL_INPUT, (uint8_t)is_mask, (uint8_t)is_uniform, 0, 0, 0, input});
}

int col_is_truth(const struct col_graph *g, uint32_t node, int truth) {
    const struct col_node *x = &g->nodes[node];
    return x->op == COL_CONST && x->is_mask && x->word == (truth ? ALL_ONES : 0);
}

/* ---- rewriting ---- */

static uint32_t arity(enum col_op op) {
    if (op == COL_SELECT) return 3;
    return op == COL_NOT || (op >= COL_NEG && op <= COL_LOG) ? 1 : 2;
}

static int is_number(const struct col_graph *g, uint32_t node, double x) {
    const struct col_node *n = &g->nodes[node];
    return n->op == COL_CONST && !n->is_mask && n->word == (union col_lane){.number = x}.mask;
}

/* Simplifies COL_AND or COL_OR of two masks. Returns the node of the result, or COL_NODES_MAX if
 * the operation cannot be simplified. */
static uint32_t simplify_logic(struct col_graph *g, enum col_op op, uint32_t a, uint32_t b) {
    /* the truth value that decides the result alone: true for `or`, false for `and` */
    int absorbs = op == COL_OR;
    if (a == b || col_is_truth(g, b, !absorbs) || col_is_truth(g, a, absorbs)) return a;
    if (col_is_truth(g, a, !absorbs) || col_is_truth(g, b, absorbs)) return b;
    return COL_NODES_MAX;
}

/* Computes an operation on constants with the kernels, and returns the node of the result. */
static uint32_t fold(struct col_graph *g, enum col_op op, const uint32_t *operands, int is_mask) {
    _Alignas(32) union col_lane lanes[4 * COL_UNIFORM_LANES];
    const struct col_instr code = {op, ~3, ~0, ~1, ~2};
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = 0; i < COL_UNIFORM_LANES; i++)
            lanes[k * COL_UNIFORM_LANES + i].mask = g->nodes[operands[k]].word;
    col_kernels_portable.uniform(&code, 1, lanes);
    return constant(g, lanes[3 * COL_UNIFORM_LANES].mask, is_mask);
}

static int commutes(enum col_op op) {
    return op == COL_ADD || op == COL_MUL || op == COL_EQ || op == COL_NE || op == COL_AND ||
           op == COL_OR || op == COL_SAME;
}

/* Makes the node of an operation that cannot be simplified. If all operands are constants, computes
 * the operation and makes a constant instead. */
static uint32_t column_graph_finish(struct col_graph *g, enum col_op op, uint32_t a, uint32_t b,
                                    uint32_t c) {
    uint32_t n = arity(op);
    if (commutes(op) && a > b) {
        uint32_t t = a;
        a = b;
        b = t;
    }
    const uint32_t operands[3] = {a, n > 1 ? b : a, n > 2 ? c : a};
    int constants = 1, uniform = 1;
    for (uint32_t i = 0; i < 3; i++) {
        constants &= g->nodes[operands[i]].op == COL_CONST;
        uniform &= g->nodes[operands[i]].is_uniform;
    }
    int is_mask = op == COL_SELECT ? g->nodes[b].is_mask : op >= COL_LT && op <= COL_SAME;
    if (constants) return fold(g, op, operands, is_mask);
    return column_graph_make(g, (struct col_node){(uint8_t)op, (uint8_t)is_mask, (uint8_t)uniform,
                                                  a, n > 1 ? b : 0, n > 2 ? c : 0, 0});
}

static uint32_t negate(struct col_graph *g, uint32_t a) {
    const struct col_node *x = &g->nodes[a];
    return x->op == COL_NOT ? x->a : column_graph_finish(g, COL_NOT, a, 0, 0);
}

/* an operation that is being rewritten */
struct col_term {
    enum col_op op;
    uint32_t a, b, c;
};

/* Simplifies a COL_SELECT. Returns the node of the result if the choice is decided. Returns
 * COL_NODES_MAX if nothing can be simplified, or if *t has been rewritten as a simpler operation. A
 * choice between truth values becomes COL_AND or COL_OR. Therefore at most three rewritings follow
 * each other. */
static uint32_t simplify_choice(struct col_graph *g, struct col_term *t) {
    uint32_t a = t->a, b = t->b, c = t->c;
    if (b == c || col_is_truth(g, a, 1)) return b;
    if (col_is_truth(g, a, 0)) return c;
    if (g->nodes[a].op == COL_NOT)
        *t = (struct col_term){COL_SELECT, g->nodes[a].a, c, b};
    else if (!g->nodes[b].is_mask)
        return COL_NODES_MAX;
    else if (col_is_truth(g, b, 1))
        *t = (struct col_term){COL_OR, a, c, 0};
    else if (col_is_truth(g, c, 0))
        *t = (struct col_term){COL_AND, a, b, 0};
    else if (col_is_truth(g, b, 0))
        *t = (struct col_term){COL_AND, negate(g, a), c, 0};
    else if (col_is_truth(g, c, 1))
        *t = (struct col_term){COL_OR, negate(g, a), b, 0};
    return COL_NODES_MAX;
}

static uint32_t simplify(struct col_graph *g, struct col_term *t) {
    uint32_t a = t->a, b = t->b;
    switch (t->op) {
    case COL_NOT: return g->nodes[a].op == COL_NOT ? g->nodes[a].a : COL_NODES_MAX;
    case COL_AND:
    case COL_OR: return simplify_logic(g, t->op, a, b);
    case COL_SELECT: return simplify_choice(g, t);
    case COL_MUL:
        if (is_number(g, b, 1)) return a;
        return is_number(g, a, 1) ? b : COL_NODES_MAX;
    case COL_DIV: return is_number(g, b, 1) ? a : COL_NODES_MAX;
    case COL_SUB: return is_number(g, b, 0) ? a : COL_NODES_MAX;
    default: return COL_NODES_MAX;
    }
}

uint32_t col_apply(struct col_graph *g, enum col_op op, uint32_t a, uint32_t b, uint32_t c) {
    struct col_term t = {op, a, b, c}, before;
    do {
        if (g->failed) return 0;
        before = t;
        uint32_t simple = simplify(g, &t);
        if (simple != COL_NODES_MAX) return simple;
    } while (t.op != before.op || t.a != before.a);
    return g->failed ? 0 : column_graph_finish(g, t.op, t.a, t.b, t.c);
}
