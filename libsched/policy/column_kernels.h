/*
 * column_kernels.h -- the arithmetic of column programs: one instruction over a block of rows.
 *
 * A lane is 64 bits: a double, or a mask of all ones or zeros. A block is 256 lanes; uniform values
 * (constants, and what is the same for all rows of a call) are four equal lanes. One body
 * (column_kernels.inc) is compiled for the baseline and, on x86-64, for AVX2; both give the same
 * bits, since every operation is one that IEEE 754 defines (no fused multiply-add) or a call of
 * base/fixed. Vector types of the compiler rather than intrinsics or trust in its vectoriser: the
 * same text for all machines, and no -O3.
 */
#ifndef LIBSCHED_COLUMN_KERNELS_H
#define LIBSCHED_COLUMN_KERNELS_H

#include <stddef.h>
#include <stdint.h>

enum { COL_BLOCK = 256, COL_UNIFORM_LANES = 4 };

/* Operations by what they take: leaves, one number, two numbers, two numbers to a mask, masks, a
 * choice. Lua's: a > b is b < a, and `%` is a - floor(a / b) * b. MIN and MAX give b unless a is
 * less (more), as LuaJIT's. */
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
    COL_SAME,   /* of two masks */
    COL_SELECT, /* a (mask) ? b : c, where b and c are both numbers or both masks */
    COL_OPS
};

/* 0 and above: a register, 256 lanes; below: uniform value number ~x. */
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
    /* The code over the first `lanes` lanes (a multiple of 4) of each register. */
    void (*block)(const struct col_instr *code, size_t n, union col_lane *registers,
                  union col_lane *uniform, size_t lanes);
    /* The same over uniform values alone. */
    void (*uniform)(const struct col_instr *code, size_t n, union col_lane *uniform);
    /* The first of n that is NaN or infinite, or n. */
    size_t (*find_odd)(const double *x, size_t n);
};

extern const struct col_kernels col_kernels_portable;
/* The fastest that this machine can run. */
const struct col_kernels *col_kernels_best(void);

/* The remainder of C's fmod, which is exact: by shifts and subtractions, without the mathematics
 * library. */
double col_fmod(double x, double y);

#endif
