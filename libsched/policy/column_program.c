/* column_program.c -- see column_program.h. Cost of col_compile: O(nodes). */
#include "policy/column_program.h"

#include <libsched/libsched.h>
#include <string.h>

/* ---- arranging the instructions ---- */

struct arranging {
    const struct col_graph *g;
    const uint32_t *roots;
    uint32_t n_roots;
    /* for each node, the last node that uses its value; 0 if unused; UINT32_MAX if it is a
     * result */
    uint32_t *last;
    int32_t *place;  /* for each node, its register or uniform value */
    int32_t *unused; /* stack of the registers that hold no value */
    uint32_t n_unused;
    struct col_program *p;
};

static uint32_t operands_of(const struct col_node *x, uint32_t *out) {
    if (x->op == COL_CONST || x->op == COL_INPUT) return 0;
    out[0] = x->a;
    if (x->op == COL_NOT || (x->op >= COL_NEG && x->op <= COL_LOG)) return 1;
    out[1] = x->b;
    if (x->op != COL_SELECT) return 2;
    out[2] = x->c;
    return 3;
}

/* Finds for each node the last node that uses its value, 0 if no node does. The operands of a node
 * have smaller numbers than the node. Therefore one pass from the last node to the first is
 * enough. */
static void find_lives(struct arranging *r) {
    uint32_t operands[3];
    memset(r->last, 0, r->g->n * sizeof *r->last);
    for (uint32_t i = 0; i < r->n_roots; i++) r->last[r->roots[i]] = UINT32_MAX;
    for (uint32_t i = r->g->n; i-- > 0;) {
        if (!r->last[i]) continue;
        uint32_t n = operands_of(&r->g->nodes[i], operands);
        for (uint32_t k = 0; k < n; k++)
            if (!r->last[operands[k]]) r->last[operands[k]] = i;
    }
}

static int32_t take_register(struct arranging *r) {
    if (r->n_unused) return r->unused[--r->n_unused];
    return (int32_t)r->p->n_registers++;
}

static void release(struct arranging *r, uint32_t node, uint32_t user) {
    if (r->last[node] != user || r->place[node] < 0) return;
    /* The register is released once, even if the node is the value of both operands. */
    r->last[node] = UINT32_MAX;
    r->unused[r->n_unused++] = r->place[node];
}

static void place_leaf(struct arranging *r, uint32_t i) {
    const struct col_node *x = &r->g->nodes[i];
    struct col_program *p = r->p;
    r->place[i] = x->is_uniform ? ~(int32_t)p->n_uniform++ : take_register(r);
    if (x->op == COL_CONST)
        p->constants[p->n_constants++] = (struct col_constant){r->place[i], x->word};
    else
        p->inputs[x->word] = r->place[i];
}

static void place_node(struct arranging *r, uint32_t i) {
    const struct col_node *x = &r->g->nodes[i];
    struct col_program *p = r->p;
    uint32_t operands[3] = {0, 0, 0}, n = operands_of(x, operands);
    struct col_instr in = {x->op, 0, 0, 0, 0};
    int32_t *const of[3] = {&in.a, &in.b, &in.c};
    for (uint32_t k = 0; k < n; k++) *of[k] = r->place[operands[k]];
    for (uint32_t k = n; k < 3; k++) *of[k] = in.a;
    for (uint32_t k = 0; k < n; k++) release(r, operands[k], i);
    r->place[i] = in.to = x->is_uniform ? ~(int32_t)p->n_uniform++ : take_register(r);
    if (x->is_uniform)
        p->uniform_code[p->n_uniform_code++] = in;
    else
        p->code[p->n_code++] = in;
}

/* Gives each node its register or uniform value. Inputs and constants get their places first,
 * because the caller writes all of them before the first instruction runs. */
static void place_all(struct arranging *r) {
    for (int leaves = 1; leaves >= 0; leaves--) {
        for (uint32_t i = 0; i < r->g->n; i++) {
            int is_leaf = r->g->nodes[i].op <= COL_INPUT;
            if (!r->last[i] || is_leaf != leaves) continue;
            if (is_leaf)
                place_leaf(r, i);
            else
                place_node(r, i);
        }
    }
    for (uint32_t i = 0; i < r->n_roots; i++) r->p->roots[i] = r->place[r->roots[i]];
}

static int program_new(struct col_program *p, const struct col_graph *g, uint32_t n_inputs,
                       uint32_t n_roots) {
    size_t constants = g->n * sizeof *p->constants, code = g->n * sizeof *p->code;
    p->bytes = constants + 2 * code + (n_inputs + n_roots) * sizeof *p->inputs;
    p->memory = alloc_new(p->alloc, p->bytes);
    if (!p->memory) return 0;
    char *at = p->memory;
    p->constants = (struct col_constant *)at;
    p->code = (struct col_instr *)(at + constants);
    p->uniform_code = p->code + g->n;
    p->inputs = (int32_t *)(p->uniform_code + g->n);
    p->roots = p->inputs + n_inputs;
    for (uint32_t i = 0; i < n_inputs; i++) p->inputs[i] = COL_NO_PLACE;
    p->n_inputs = n_inputs;
    p->n_roots = n_roots;
    return 1;
}

int32_t col_compile(const struct col_graph *g, const uint32_t *roots, uint32_t n_roots,
                    uint32_t n_inputs, struct col_program *out) {
    struct arranging r = {.g = g, .roots = roots, .n_roots = n_roots, .p = out};
    memset(out, 0, sizeof *out);
    if (g->failed) return g->failed;
    out->alloc = g->alloc;
    const size_t words = g->n * 3 * sizeof *r.last;
    r.last = alloc_new(g->alloc, words);
    if (!r.last || !program_new(out, g, n_inputs, n_roots)) {
        alloc_free(g->alloc, r.last, words);
        memset(out, 0, sizeof *out);
        return LSCHED_E_NOMEM;
    }
    r.place = (int32_t *)(r.last + g->n);
    r.unused = r.place + g->n;
    find_lives(&r);
    place_all(&r);
    alloc_free(g->alloc, r.last, words);
    return LSCHED_OK;
}

void col_program_free(struct col_program *p) {
    if (p->memory) alloc_free(p->alloc, p->memory, p->bytes);
    memset(p, 0, sizeof *p);
}

uint32_t col_cost(const struct col_program *p) {
    uint32_t n = p->n_code + p->n_uniform_code + 1;
    for (uint32_t i = 0; i < p->n_inputs; i++) n += p->inputs[i] != COL_NO_PLACE;
    return n;
}

/* ---- running ---- */

size_t col_scratch_bytes(const struct col_program *p) {
    return ((size_t)p->n_registers * COL_BLOCK + (size_t)p->n_uniform * COL_UNIFORM_LANES) *
           sizeof(union col_lane);
}

static void spread(const struct col_run *run, int32_t place, union col_lane x) {
    if (place == COL_NO_PLACE) return;
    union col_lane *at = run->uniform + (size_t)~place * COL_UNIFORM_LANES;
    for (int i = 0; i < COL_UNIFORM_LANES; i++) at[i] = x;
}

void col_begin(struct col_run *run, const struct col_program *p, const struct col_kernels *kernels,
               void *scratch) {
    *run = (struct col_run){p, kernels, scratch, scratch, 0};
    run->uniform += (size_t)p->n_registers * COL_BLOCK;
    for (uint32_t i = 0; i < p->n_constants; i++)
        spread(run, p->constants[i].place, (union col_lane){.mask = p->constants[i].word});
}

void col_set_number(struct col_run *run, uint32_t input, double x) {
    spread(run, run->program->inputs[input], (union col_lane){.number = x});
}

void col_set_mask(struct col_run *run, uint32_t input, int truth) {
    spread(run, run->program->inputs[input], (union col_lane){.mask = truth ? UINT64_MAX : 0});
}

void col_uniform(struct col_run *run) {
    const struct col_program *p = run->program;
    run->kernels->uniform(p->uniform_code, p->n_uniform_code, run->uniform);
}

union col_lane *col_lanes(struct col_run *run, uint32_t input) {
    return run->registers + (size_t)run->program->inputs[input] * COL_BLOCK;
}

void col_block(struct col_run *run, size_t rows) {
    const struct col_program *p = run->program;
    run->lanes = (rows + 3) & ~(size_t)3;
    /* The kernels also compute the lanes after the last row. These lanes are never read, but they
     * must be initialised. */
    for (uint32_t i = 0; i < p->n_inputs; i++) {
        if (p->inputs[i] == COL_NO_PLACE || p->inputs[i] < 0) continue;
        union col_lane *lanes = run->registers + (size_t)p->inputs[i] * COL_BLOCK;
        for (size_t k = rows; k < run->lanes; k++) lanes[k].mask = 0;
    }
    run->kernels->block(p->code, p->n_code, run->registers, run->uniform, run->lanes);
}

static const union col_lane *result(const struct col_run *run, uint32_t root, size_t *step) {
    int32_t place = run->program->roots[root];
    *step = place >= 0;
    return place >= 0 ? run->registers + (size_t)place * COL_BLOCK
                      : run->uniform + (size_t)~place * COL_UNIFORM_LANES;
}

void col_read_numbers(const struct col_run *run, uint32_t root, double *out, size_t rows) {
    size_t step;
    const union col_lane *from = result(run, root, &step);
    if (step) {
        memcpy(out, from, rows * sizeof *out);
        return;
    }
    for (size_t i = 0; i < rows; i++) out[i] = from->number;
}

void col_read_masks(const struct col_run *run, uint32_t root, uint8_t *out, size_t rows) {
    size_t step;
    const union col_lane *from = result(run, root, &step);
    for (size_t i = 0; i < rows; i++) out[i] = from[i * step].mask != 0;
}
