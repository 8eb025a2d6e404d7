/*
 * column_program.h -- a graph of operations, translated to a program that runs over many rows. A
 * compiled hook is such a program and needs no Lua.
 *
 * A uniform value is the same for all rows of a call. Constants and some inputs are uniform. The
 * result of an operation on uniform values is uniform, too, and is computed once for each call. All
 * other operations are computed for 256 rows at a time, one instruction after the other. When the
 * value in a register is no longer needed, the register is used for another value.
 *
 * A run allocates no memory, because the caller passes the scratch memory. A program does not
 * change after col_compile() and can be run any number of times.
 *
 * The caller makes these calls for a run:
 *   - col_begin, then col_set_number or col_set_mask for each uniform input, then col_uniform
 *   - for each block of rows, col_lanes for each other input, to write its lanes; then col_block;
 *     then col_read_numbers or col_read_masks for each result
 */
#ifndef LIBSCHED_COLUMN_PROGRAM_H
#define LIBSCHED_COLUMN_PROGRAM_H

#include "policy/column_graph.h"

enum { COL_NO_PLACE = INT32_MAX };

struct col_program {
    struct alloc *alloc;
    void *memory; /* one block of memory for all arrays below */
    size_t bytes;
    struct col_instr *code, *uniform_code;
    uint32_t n_code, n_uniform_code;
    /* for each input, its register or uniform value as in col_instr; COL_NO_PLACE if the input is
     * unused */
    int32_t *inputs;
    int32_t *roots;
    struct col_constant {
        int32_t place;
        uint64_t word;
    } * constants;
    uint32_t n_inputs, n_roots, n_constants;
    uint32_t n_registers, n_uniform;
};

/* Makes a program of the operations that the root nodes need; the roots are the results. Returns
 * LSCHED_OK, LSCHED_E_NOMEM, or the error with which the graph failed. */
int32_t col_compile(const struct col_graph *g, const uint32_t *roots, uint32_t n_roots,
                    uint32_t n_inputs, struct col_program *out);
/* Frees the memory of the program. A program whose bytes are all 0 is allowed. */
void col_program_free(struct col_program *p);
/* Returns the cost of one row: 1, plus the number of operations, plus the number of used inputs.
 * Uniform operations and inputs count, too. */
uint32_t col_cost(const struct col_program *p);

struct col_run {
    const struct col_program *program;
    const struct col_kernels *kernels;
    union col_lane *registers, *uniform;
    size_t lanes; /* number of lanes in the latest block, rounded up to a multiple of 4 */
};

size_t col_scratch_bytes(const struct col_program *p);
/* Starts a run. `scratch` has col_scratch_bytes() bytes and is aligned to 32 bytes. */
void col_begin(struct col_run *run, const struct col_program *p, const struct col_kernels *kernels,
               void *scratch);
void col_set_number(struct col_run *run, uint32_t input, double x);
void col_set_mask(struct col_run *run, uint32_t input, int truth);
void col_uniform(struct col_run *run);
/* Returns the address to which the caller must write the lanes of an input that is not uniform. */
union col_lane *col_lanes(struct col_run *run, uint32_t input);
void col_block(struct col_run *run, size_t rows);
/* Copy the results of the latest block for its first `rows` rows to `out`. */
void col_read_numbers(const struct col_run *run, uint32_t root, double *out, size_t rows);
void col_read_masks(const struct col_run *run, uint32_t root, uint8_t *out, size_t rows);

#endif
