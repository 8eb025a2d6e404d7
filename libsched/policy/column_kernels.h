/*
 * column_kernels.h -- the arithmetic of column programs: one instruction over a block of rows.
 *
 * A lane is 64 bits: a double, or a mask of all ones or all zeros. A block is 256 lanes. A uniform
 * value (a constant, or a value that is the same for all rows of a call) is stored as four equal
 * lanes. The same source (column_kernels.inc) is compiled for the baseline and, on x86-64, for
 * AVX2. Both give the same bits, because every operation is defined by IEEE 754 (no fused
 * multiply-add) or is a call of base/fixed. Why vector types of the compiler, and neither
 * intrinsics nor its automatic vectoriser: the source is the same for all machines, and no -O3 is
 * needed.
 */
#ifndef LIBSCHED_COLUMN_KERNELS_H
#define LIBSCHED_COLUMN_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum { COL_BLOCK = 256, COL_UNIFORM_LANES = 4 };

/* Operations, grouped by operands: leaves, one number, two numbers, two numbers to a mask, masks, a
 * choice. They have Lua's meaning: a > b is b < a, and `%` is a - floor(a / b) * b. MIN and MAX
 * give b unless a is less (greater), as in LuaJIT. */
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
    COL_SAME,   /* equality of two masks */
    COL_SELECT, /* a (mask) ? b : c, where b and c are both numbers or both masks */
    COL_OPS
};

/* An operand or result: 0 and above is the number of a register of 256 lanes; x below 0 is uniform
 * value number ~x. */
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
    /* Runs the code over the first `lanes` lanes (a multiple of 4) of each register. */
    void (*block)(const struct col_instr *code, size_t n, union col_lane *registers,
                  union col_lane *uniform, size_t lanes);
    /* Runs the code over uniform values only. */
    void (*uniform)(const struct col_instr *code, size_t n, union col_lane *uniform);
    /* Returns the index of the first of n values that is NaN or infinite, or n. */
    size_t (*find_odd)(const double *x, size_t n);
};

extern const struct col_kernels col_kernels_portable;
/* Returns the fastest kernels that this machine can run. */
const struct col_kernels *col_kernels_best(void);

/* Returns the remainder as C's fmod does, exactly: by shifts and subtractions, without the
 * mathematics library. */
double col_fmod(double x, double y);

#endif
