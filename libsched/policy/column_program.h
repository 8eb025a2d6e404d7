/*
 * column_program.h -- a graph of operations, arranged as a program that runs over many rows: the
 * form of a compiled hook, which needs no Lua.
 *
 * Inputs and constants that are the same for all rows of a call are uniform values. Operations on
 * uniform values give uniform values, and are computed once per call. All other operations are
 * computed for 256 rows at a time, one instruction after the other; a register is used again when
 * its value is no longer needed. A run allocates nothing: the caller passes the scratch memory. A
 * program never changes after col_compile() and can be run any number of times.
 *
 * Order of a run: col_begin, col_set_* for the uniform inputs, col_uniform. Then for each block of
 * rows: fill the lanes of the other inputs (col_lanes), col_block, and read the results (col_read).
 */
#ifndef LIBSCHED_COLUMN_PROGRAM_H
#define LIBSCHED_COLUMN_PROGRAM_H

#include "policy/column_graph.h"

enum { COL_NO_PLACE = INT32_MAX };

struct col_program {
    struct alloc *alloc;
    void *memory; /* one block for all arrays below */
    size_t bytes;
    struct col_instr *code, *uniform_code;
    uint32_t n_code, n_uniform_code;
    /* by input number: its register or uniform value, as in col_instr; COL_NO_PLACE: unused */
    int32_t *inputs;
    int32_t *roots;
    struct col_constant {
        int32_t place;
        uint64_t word;
    } * constants;
    uint32_t n_inputs, n_roots, n_constants;
    uint32_t n_registers, n_uniform;
};

/* Arranges the operations that the roots need. On failure returns LSCHED_E_NOMEM, or the error of
 * the graph. */
int32_t col_compile(const struct col_graph *g, const uint32_t *roots, uint32_t n_roots,
                    uint32_t n_inputs, struct col_program *out);
void col_program_free(struct col_program *p); /* a zeroed program is allowed */
/* Returns the cost of one row: the number of operations and inputs, including the uniform ones.
 * At least 1. */
uint32_t col_cost(const struct col_program *p);

struct col_run {
    const struct col_program *program;
    const struct col_kernels *kernels;
    union col_lane *registers, *uniform;
    size_t lanes; /* lanes of the latest block, rounded up to a multiple of 4 */
};

size_t col_scratch_bytes(const struct col_program *p);
/* Starts a run. scratch: col_scratch_bytes() bytes, aligned to 32. */
void col_begin(struct col_run *run, const struct col_program *p, const struct col_kernels *kernels,
               void *scratch);
void col_set_number(struct col_run *run, uint32_t input, double x);
void col_set_mask(struct col_run *run, uint32_t input, int truth);
void col_uniform(struct col_run *run);
/* Returns where the caller must write the lanes of an input that is not uniform. */
union col_lane *col_lanes(struct col_run *run, uint32_t input);
void col_block(struct col_run *run, size_t rows);
/* Read the results of the latest block. */
void col_read_numbers(const struct col_run *run, uint32_t root, double *out, size_t rows);
void col_read_masks(const struct col_run *run, uint32_t root, uint8_t *out, size_t rows);

#endif
