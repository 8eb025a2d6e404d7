/*
 * column_program.h -- a graph of operations, arranged to be run over many rows: what a function of
 * a policy becomes that needs no Lua.
 *
 * Inputs and constants that are the same for all rows of a call are uniform values, and so is what
 * is made of them: it is computed once per call. The rest is computed 256 rows at a time, one
 * instruction after the other, in registers that are used again when their value is dead. Running
 * allocates nothing; the caller brings the scratch. A program never changes after col_compile() and
 * may be run again at any time.
 *
 * Order of a run: col_begin, col_set_* for the uniform inputs, col_uniform, and for each block of
 * rows the lanes of the other inputs (col_lanes), col_block, then results (col_read).
 */
#ifndef LIBSCHED_COLUMN_PROGRAM_H
#define LIBSCHED_COLUMN_PROGRAM_H

#include "policy/column_graph.h"

enum { COL_NO_PLACE = INT32_MAX };

struct col_program {
    struct alloc *alloc;
    void *memory; /* all arrays below */
    size_t bytes;
    struct col_instr *code, *uniform_code;
    uint32_t n_code, n_uniform_code;
    int32_t
        *inputs; /* by number of the input: its place, as in col_instr; COL_NO_PLACE: not used */
    int32_t *roots;
    struct col_constant {
        int32_t place;
        uint64_t word;
    } * constants;
    uint32_t n_inputs, n_roots, n_constants;
    uint32_t n_registers, n_uniform;
};

/* Arranges what the roots need. On failure LSCHED_E_NOMEM, or what the graph failed with. */
int32_t col_compile(const struct col_graph *g, const uint32_t *roots, uint32_t n_roots,
                    uint32_t n_inputs, struct col_program *out);
void col_program_free(struct col_program *p); /* a zeroed one is allowed */
/* What one row costs: operations and inputs, those of the whole call included. At least 1. */
uint32_t col_cost(const struct col_program *p);

struct col_run {
    const struct col_program *program;
    const struct col_kernels *kernels;
    union col_lane *registers, *uniform;
    size_t lanes; /* of the latest block, rounded up to a multiple of 4 */
};

size_t col_scratch_bytes(const struct col_program *p);
/* scratch: that many bytes, aligned to 32. */
void col_begin(struct col_run *run, const struct col_program *p, const struct col_kernels *kernels,
               void *scratch);
void col_set_number(struct col_run *run, uint32_t input, double x);
void col_set_mask(struct col_run *run, uint32_t input, int truth);
void col_uniform(struct col_run *run);
/* Where the lanes of an input go that is not uniform. */
union col_lane *col_lanes(struct col_run *run, uint32_t input);
void col_block(struct col_run *run, size_t rows);
/* The results of the latest block. */
void col_read_numbers(const struct col_run *run, uint32_t root, double *out, size_t rows);
void col_read_masks(const struct col_run *run, uint32_t root, uint8_t *out, size_t rows);

#endif
