/*
 * lua_lift.h -- compiles hooks: when a policy is loaded, a hook that consists of plain expressions
 * becomes a column program (policy/column_program.h). The program gives bit for bit the same
 * results as LuaJIT's interpreter and needs no Lua.
 *
 * A hook can be compiled if it uses only the following constructs:
 *   statements   local variables, assignments to locals, `if` with any clauses, `return`
 *   values       numbers, booleans, fields, params; numbers, strings and tables of the chunk
 *   operators    arithmetic, comparisons, and, or, not; == and ~= for labels and texts
 *   calls        functions of the chunk that can be compiled themselves; math.*, hour, weekday,
 *                units, decay, usage
 * None of these constructs can fail once the types are known. Therefore the program can compute
 * both sides of a condition. If a hook uses any other construct, LuaJIT runs the hook, and the
 * first such construct is recorded with its position in the text.
 *
 * Cases for which Lua would report an error are not reproduced: NaN, infinity, a negative weight, a
 * wrong argument of a library function. lift_run() declines a batch with such a case. The
 * interpreter, which still has the hook, then reports the error. Therefore all error messages come
 * from the interpreter.
 */
#ifndef LSCHED_LUA_LIFT_H
#define LSCHED_LUA_LIFT_H

#include "lua/state/lua_host.h"
#include "policy/column_program.h"

enum {
    LIFT_INPUTS_MAX = 96,
    LIFT_TERMS_MAX = 32,
    LIFT_REASON_BYTES = 160,
    LIFT_TEXT_BYTES = 1024 /* size of the buffer for all constant texts of a hook */
};

enum lift_text_kind { LIFT_TEXT_CONSTANT, LIFT_TEXT_FIELD, LIFT_TEXT_LABEL };

/* A text in a compiled hook. A compiled hook can only compare texts. */
struct lift_text {
    uint8_t kind;   /* enum lift_text_kind */
    uint8_t object; /* index of the hook's argument to which the field or label belongs */
    uint8_t field;  /* enum policy_field */
    /* position and length in lifted.texts of the constant, or of the label's key */
    uint16_t at, len;
};

enum lift_input_kind {
    LIFT_NUMBER,
    LIFT_FLAG,
    LIFT_NOW,
    LIFT_EQUAL,  /* 1 if the texts `a` and `b` are equal */
    LIFT_PRESENT /* 1 if the label `a` exists */
};

struct lift_input {
    uint8_t kind; /* enum lift_input_kind */
    uint8_t is_uniform;
    /* texts for LIFT_EQUAL and LIFT_PRESENT; for numbers and flags, only object and field of `a`
     * are used */
    struct lift_text a, b;
};

/* A summand of a returned expression. Explanations of a score list the summands. */
struct lift_term {
    uint32_t at, len; /* position and length in the policy text of the summand */
    uint32_t line, column;
    uint32_t returned; /* index of the return statement to which the summand belongs */
    uint32_t is_negative;
};

/* The roots (results) of a hook's program, for each element:
 *   LIFT_VALUE   the value that the hook returns
 *   LIFT_GIVEN   a mask: 1 if there is a value, 0 for nil
 *   LIFT_ODD     a mask: 1 if LuaJIT must run the hook for the element */
enum { LIFT_VALUE, LIFT_GIVEN, LIFT_ODD, LIFT_ROOTS };

struct lifted {
    uint32_t is_lifted;
    uint32_t gives_mask; /* 1: the value is a boolean */
    uint32_t ops;        /* number of operations of the program */
    /* Instructions charged per element. An operation is charged less than the interpreter's
     * instructions for the same expression. */
    uint32_t cost;
    uint32_t reason_line, reason_column;
    /* instructions that the interpreter needs per element, measured in the trial run */
    uint32_t instructions;
    char reason[LIFT_REASON_BYTES];
    /* the program; its roots are LIFT_VALUE, LIFT_GIVEN and LIFT_ODD */
    struct col_program program;
    struct lift_input *inputs;
    uint32_t n_inputs;
    char *texts; /* buffer of LIFT_TEXT_BYTES bytes */
    /* Program for explanations. Its roots are: for each return statement, whether it gave the
     * result; then the values of the terms. */
    struct col_program term_program;
    struct lift_term *terms;
    uint32_t n_terms, n_returns;
};

/* Allocates host->lifted. lift_close() frees it. */
int32_t lift_open(struct lua_host *host);
/* In host_run only: tries to compile the hook whose Lua function is on top of the stack. Throws an
 * error only if there is no memory. If the hook cannot be compiled, host->lifted holds the
 * reason. */
void lift_hook(struct lua_host *host, uint32_t hook);
/* Must be called after the last hook is compiled: chooses the kernels and allocates scratch memory.
 * Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t lift_ready(struct lua_host *host);
void lift_close(struct lua_host *host);

#endif
