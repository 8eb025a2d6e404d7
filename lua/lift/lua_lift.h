/*
 * lua_lift.h -- compiles hooks: when a policy is loaded, a hook that consists of plain expressions
 * becomes a column program (policy/column_program.h), which gives bit for bit the results of the
 * interpreter and needs no Lua.
 *
 * A hook can be compiled if it uses only: local variables, assignments to them, if with any
 * clauses, return; numbers, booleans, comparisons, and, or, not; fields; labels and texts compared
 * with == and ~=; params; numbers, strings and tables of the chunk; functions of the chunk that can
 * be compiled themselves; math.*, hour, weekday, units, decay, usage. All of these are total once
 * their types are known, so both sides of a condition can be computed. If a hook uses anything
 * else, it stays in Lua, and the first reason is recorded with its place.
 *
 * Cases for which Lua would give an error (NaN, infinity, a negative weight, a wrong argument of a
 * library function) are not reproduced: lift_run() declines such a batch, and the interpreter,
 * which still has the hook, reports what is wrong. Therefore all messages have one source.
 */
#ifndef LSCHED_LUA_LIFT_H
#define LSCHED_LUA_LIFT_H

#include "lua/front/lua_parse.h"
#include "policy/column_program.h"
#include "policy/policy.h"

struct lua_host;

enum {
    LIFT_INPUTS_MAX = 96,
    LIFT_TERMS_MAX = 32,
    LIFT_REASON_BYTES = 160,
    LIFT_TEXT_BYTES = 1024 /* bytes of all constants together */
};

enum lift_text_kind { LIFT_TEXT_CONSTANT, LIFT_TEXT_FIELD, LIFT_TEXT_LABEL };

/* A text in a compiled hook; it can only be compared. */
struct lift_text {
    uint8_t kind;   /* enum lift_text_kind */
    uint8_t object; /* index of the argument of the hook */
    uint8_t field;  /* enum policy_field */
    /* position and length, in lifted.texts, of the constant or of the label's key */
    uint16_t at, len;
};

enum lift_input_kind {
    LIFT_NUMBER,
    LIFT_FLAG,
    LIFT_NOW,
    LIFT_EQUAL,  /* 1 if two texts are equal */
    LIFT_PRESENT /* 1 if the label exists */
};

struct lift_input {
    uint8_t kind; /* enum lift_input_kind */
    uint8_t is_uniform;
    struct lift_text a, b; /* for numbers and flags: object and field of `a` */
};

/* A summand of a returned expression, for explanations. */
struct lift_term {
    uint32_t at, len; /* position and length of its source text */
    uint32_t line, column;
    uint32_t returned; /* number of the return statement that it belongs to */
    uint32_t is_negative;
};

/* The roots of a hook's program: the value, whether there is one, whether Lua must decide. */
enum { LIFT_VALUE, LIFT_GIVEN, LIFT_ODD, LIFT_ROOTS };

struct lifted {
    uint32_t is_lifted;
    uint32_t gives_mask; /* 1: the value is a boolean */
    uint32_t ops;        /* operations of the program */
    /* instructions charged per element; an operation costs less than the interpreter's instructions
     */
    uint32_t cost;
    uint32_t reason_line, reason_column;
    uint32_t instructions; /* instructions of the interpreter per element, in the trial run */
    char reason[LIFT_REASON_BYTES];
    /* roots: the value; whether there is one (not nil); whether Lua must decide */
    struct col_program program;
    struct lift_input *inputs;
    uint32_t n_inputs;
    char *texts; /* buffer of LIFT_TEXT_BYTES bytes */
    /* roots: for each return whether it gave the result, then the terms */
    struct col_program term_program;
    struct lift_term *terms;
    uint32_t n_terms, n_returns;
};

/* In host_run only: tries to compile the hook whose Lua function is on top of the stack. Throws
 * only if there is no memory. If the hook cannot be compiled, the reason is recorded. */
void lift_hook(struct lua_host *host, uint32_t hook);
/* called after the last hook: chooses kernels and allocates scratch memory */
int32_t lift_ready(struct lua_host *host);
void lift_close(struct lua_host *host);

/* One batch, with arguments as in policy_ops; `out` is the array that this hook fills. */
struct lift_call {
    uint32_t hook;
    const uint32_t *rows[2];
    const struct policy_candidate *candidates;
    size_t n;
    void *out;
};
/* lift_run runs a batch. Returns LIFT_DONE; LIFT_DECLINED if Lua must answer this batch; or an
 * error, which host->fault holds together with its element. */
enum { LIFT_DONE = 0, LIFT_DECLINED = 1 };
int32_t lift_run(struct lua_host *host, const struct policy_view *view,
                 const struct lift_call *call);
/* Implement policy_ops.describe and policy_ops.terms. */
void lift_describe(const void *self, enum policy_hook hook, struct policy_hook_note *out);
size_t lift_terms(void *self, const struct policy_view *view, enum policy_hook hook, uint32_t a,
                  uint32_t b, lsched_policy_term *out, size_t cap);
#endif
