/*
 * column_kernels.h -- the arithmetic of column programs: a kernel computes one instruction for a
 * block of rows.
 *
 * A lane is 64 bits: a double, or a mask of all ones (true) or all zeros (false). A block has 256
 * lanes, one for each row. A uniform value (a constant, or a value that is the same for all rows of
 * a call) is stored as four equal lanes.
 *
 * The same source (column_kernels.inc) is compiled for the baseline of the machine and, on x86-64,
 * also for AVX2. Both kernels give the same bits, because every operation is defined by IEEE 754
 * without fused multiply-add, or is a call of base/fixed.
 *
 * The source uses vector types of the compiler. With intrinsics, each machine would need a source
 * of its own. The automatic vectoriser of the compiler would need -O3.
 */
#ifndef LIBSCHED_COLUMN_KERNELS_H
#define LIBSCHED_COLUMN_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum { COL_BLOCK = 256, COL_UNIFORM_LANES = 4 };

/* Operations, grouped by their operands:
 *   CONST and INPUT   leaves of the graph
 *   NEG to LOG        one number
 *   ADD to MAX        two numbers
 *   LT to NE          two numbers; the result is a mask
 *   NOT to SAME       one or two masks; the result is a mask
 *   SELECT            a choice
 * The operations have the meaning that they have in Lua: a > b is b < a, and `%` is a - floor(a /
 * b) * b. MIN gives a if a < b, else b. MAX gives a if a > b, else b. LuaJIT does the same. */
enum col_op {
    COL_CONST,
    COL_INPUT,
    COL_NEG,
    COL_ABS,
    COL_FLOOR,
    COL_CEIL,
    COL_SQRT,
    COL_EXP,
    COL_LOG,
    COL_ADD,
    COL_SUB,
    COL_MUL,
    COL_DIV,
    COL_MOD,
    COL_FMOD,
    COL_POW,
    COL_MIN,
    COL_MAX,
    COL_LT,
    COL_LE,
    COL_EQ,
    COL_NE,
    COL_NOT,
    COL_AND,
    COL_OR,
    COL_SAME,   /* true if the two masks are equal */
    COL_SELECT, /* a ? b : c, where a is a mask, and b and c are two numbers or two masks */
    COL_OPS
};

/* An instruction with the places of its result and its operands. A place of 0 or more is the number
 * of a register of 256 lanes. A place x below 0 is the uniform value with the number ~x. */
struct col_instr {
    uint32_t op;
    int32_t to, a, b, c;
};

union col_lane {
    double number;
    uint64_t mask;
};

struct col_kernels {
    const char *name;
    /* Runs the code on the first `lanes` lanes of each register. `lanes` must be a multiple of
     * 4. */
    void (*block)(const struct col_instr *code, size_t n, union col_lane *registers,
                  union col_lane *uniform, size_t lanes);
    /* Runs code that has only uniform values. */
    void (*uniform)(const struct col_instr *code, size_t n, union col_lane *uniform);
    /* Returns the index of the first of n values that is NaN or infinite, n if there is none. */
    size_t (*find_odd)(const double *x, size_t n);
};

extern const struct col_kernels col_kernels_portable;
/* Returns the kernels with the widest vectors that this machine has. */
const struct col_kernels *col_kernels_best(void);

#endif
