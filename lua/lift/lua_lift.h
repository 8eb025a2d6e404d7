/*
 * lua_lift.h -- hooks that need no Lua: a function built of plain expressions becomes, once at
 * load, a column program (policy/column_program.h) that gives the same bits as the interpreter.
 *
 * Liftable are: local variables, assignments to them, if with any clauses, return; numbers, truths,
 * comparisons, and, or, not; fields, labels and texts compared with == and ~=; params; numbers,
 * strings and tables of the chunk; functions of the chunk that are liftable themselves; math.*,
 * hour, weekday, units, decay, usage. All of these are total once their types are known, so both
 * sides of a condition may be computed. Anything else keeps the hook in Lua, with the first reason
 * and its place.
 *
 * What Lua would answer with an error (NaN, infinity, a negative weight, a wrong argument of a
 * library function) is not reproduced: lift_run() declines such a batch, and the interpreter, which
 * stays there, says what is wrong. So there is one source of messages.
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
    LIFT_TEXT_BYTES = 1024 /* of constants, together */
};

enum lift_text_kind { LIFT_TEXT_CONSTANT, LIFT_TEXT_FIELD, LIFT_TEXT_LABEL };

/* A text that can only be compared. */
struct lift_text {
    uint8_t kind;     /* enum lift_text_kind */
    uint8_t object;   /* number of the hook's object */
    uint8_t field;    /* enum policy_field */
    uint16_t at, len; /* of the constant or the label's key, in lifted.texts */
};

enum lift_input_kind {
    LIFT_NUMBER,
    LIFT_FLAG,
    LIFT_NOW,
    LIFT_EQUAL,  /* are two texts equal? */
    LIFT_PRESENT /* is the label there? */
};

struct lift_input {
    uint8_t kind; /* enum lift_input_kind */
    uint8_t is_uniform;
    struct lift_text a, b; /* numbers and flags: object and field of a */
};

/* A summand of a returned expression. */
struct lift_term {
    uint32_t at, len; /* of its source */
    uint32_t line, column;
    uint32_t returned; /* number of the return that it belongs to */
    uint32_t is_negative;
};

/* What the roots of a hook's program are. */
enum { LIFT_VALUE, LIFT_GIVEN, LIFT_ODD, LIFT_ROOTS };

struct lifted {
    uint32_t is_lifted;
    uint32_t gives_mask; /* the value is a truth */
    uint32_t ops;        /* of the program */
    uint32_t cost; /* instructions charged per element: an op takes less than the interpreter's */
    uint32_t reason_line, reason_column;
    uint32_t instructions; /* of the interpreter, per element, in the trial run */
    char reason[LIFT_REASON_BYTES];
    struct col_program program; /* roots: the value; is there one (not nil); must Lua look at it */
    struct lift_input *inputs;
    uint32_t n_inputs;
    char *texts; /* LIFT_TEXT_BYTES */
    struct col_program
        term_program; /* roots: for each return whether it is the one, then the terms */
    struct lift_term *terms;
    uint32_t n_terms, n_returns;
};

/* In host_run only: tries to lift a hook whose Lua function is on top of the stack. Throws only if
 * memory is out: what cannot be lifted has a reason. */
void lift_hook(struct lua_host *host, uint32_t hook);
int32_t lift_ready(struct lua_host *host); /* after the last hook: kernels and scratch */
void lift_close(struct lua_host *host);

/* One batch, as in policy_ops; `out` is what that hook fills. */
struct lift_call {
    uint32_t hook;
    const uint32_t *rows[2];
    const struct policy_candidate *candidates;
    size_t n;
    void *out;
};
/* LIFT_DONE; LIFT_DECLINED: Lua must answer this batch; or an error, noted in host->fault with its
 * element. */
enum { LIFT_DONE = 0, LIFT_DECLINED = 1 };
int32_t lift_run(struct lua_host *host, const struct policy_view *view,
                 const struct lift_call *call);
/* policy_ops.describe and policy_ops.terms. */
void lift_describe(const void *self, enum policy_hook hook, struct policy_hook_note *out);
size_t lift_terms(void *self, const struct policy_view *view, enum policy_hook hook, uint32_t a,
                  uint32_t b, lsched_policy_term *out, size_t cap);
#endif
