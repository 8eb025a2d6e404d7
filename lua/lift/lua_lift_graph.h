/*
 * lua_lift_graph.h -- the state of the hook compiler while it walks over the tree, and the values
 * that it has found for expressions.
 *
 * The compiler builds a graph, from which the column program is made. A value is a node of the
 * graph or exists only at compile time, such as a table of constants or a function. A mask is a
 * node of the graph whose value is true or false for each element. A function that finds a
 * construct that cannot be compiled calls lift_refuse(), which records the first reason. All
 * results after the call are discarded.
 */
#ifndef LSCHED_LUA_LIFT_GRAPH_H
#define LSCHED_LUA_LIFT_GRAPH_H

#include "lua/state/lua_host.h"
#include "lua/lift/lua_lift.h"

enum lift_kind {
    V_NONE, /* no usable value: a word, or a local whose type depends on a condition */
    V_NIL,
    V_NUMBER,
    V_MASK,
    V_TEXT,
    V_LABEL,   /* a label of a node: a text or nil */
    V_GUARDED, /* a number if the mask `cond` holds, else false or nil */
    /* a value about which the compiler only knows that it counts as true where the mask `cond`
     * is 1 */
    V_SOME,
    V_OBJECT,
    V_LABELS,
    V_PARAMS,
    V_LIBRARY,
    V_BUILTIN,
    V_FUNCTION,
    V_TABLE
};

struct lift_value {
    uint8_t kind;
    uint8_t object; /* OBJECT, LABELS: index of the hook's argument; LIBRARY: enum lift_library */
    uint16_t id;    /* BUILTIN: enum lift_builtin */
    uint32_t node;  /* NUMBER, MASK, GUARDED: node of the graph; FUNCTION: node of the tree */
    uint32_t cond;  /* GUARDED, SOME: node of the graph */
    /* FUNCTION, TABLE: index on the Lua stack; 0 for a function made inside the hook */
    int32_t slot;
    struct lift_text text;
};

enum lift_library { LIBRARY_MATH, LIBRARY_UNITS, LIBRARY_DECAY, LIBRARY_USAGE };

enum lift_builtin {
    BUILTIN_ABS,
    BUILTIN_CEIL,
    BUILTIN_FLOOR,
    BUILTIN_FMOD,
    BUILTIN_MAX,
    BUILTIN_MIN,
    BUILTIN_SQRT,
    BUILTIN_EXP,
    BUILTIN_LOG,
    BUILTIN_POW,
    BUILTIN_HOUR,
    BUILTIN_WEEKDAY,
    BUILTIN_HALF_LIFE,
    BUILTIN_LINEAR,
    BUILTIN_RISE,
    BUILTIN_OVER,
    BUILTIN_UNDER,
    BUILTIN_RATIO
};

enum {
    LIFT_DEPTH_MAX = 256,  /* maximum nesting depth of blocks, ifs and calls */
    LIFT_CALLS_MAX = 8,    /* maximum nesting depth of function calls */
    LIFT_LOCALS_MAX = 512, /* maximum number of locals in scope at the same time */
    LIFT_RETURNS_MAX = 256,
    /* maximum number of tables and functions of the chunk on the Lua stack; LuaJIT guarantees 20
     * stack slots */
    LIFT_SLOTS_MAX = 10,
    LIFT_SAVED_MAX = 4096, /* maximum number of values of locals that are saved at ifs */
    /* maximum number of visits of nodes; the nodes of a called function are visited again at each
     * call */
    LIFT_VISITS_MAX = 32768
};

struct lift_local {
    uint32_t variable; /* VARIABLE node of the tree */
    struct lift_value value;
};

struct lift_returned {
    /* Mask for the clauses around the return statement. An element whose mask is 1 leaves the
     * function here, unless an earlier return statement was reached. */
    uint32_t path;
    /* RETURN node of the tree; the FUNCTION node if the function ends without a return statement */
    uint32_t node;
    struct lift_value value;
};

enum lift_step_kind { STEP_BLOCK, STEP_IF, STEP_VALUES, STEP_CALL };

struct lift_step {
    uint8_t kind;
    uint8_t phase;
    uint8_t ends;       /* IF: 1 if all clauses so far always return */
    uint8_t has_merged; /* IF: 1 if at least one clause so far does not always return */
    /* BLOCK, IF: node of the tree. CALL: node of the tree, PARSE_NONE for the hook itself. VALUES:
     * current expression. */
    uint32_t node;
    uint32_t next; /* BLOCK: next statement. IF: next child. VALUES: next node to visit. */
    uint32_t path; /* value of lift.path at the begin of the step */
    /* IF: mask that is 1 if an earlier clause was taken that does not always return */
    uint32_t taken;
    uint32_t condition; /* IF: mask for the condition of the current clause */
    uint32_t locals;    /* number of locals at the begin of the step */
    /* IF: index in lift.saved of two copies of the locals: their values before the `if`, then the
     * values merged from the clauses */
    uint32_t saved;
    uint32_t returns;  /* CALL: index in lift.returns of the first return of the called function */
    uint32_t function; /* CALL: FUNCTION node of the called function */
    /* CALL: stack index of the called Lua function; if the function was made inside another one,
     * that of the function around it */
    int32_t slot;
    uint32_t slot_function; /* CALL: FUNCTION node of the Lua function at `slot` */
};

struct lift {
    struct lua_host *host;
    const struct parse_tree *tree;
    const struct hook *hook;
    struct lifted *out;
    struct col_graph graph;
    struct lift_value *of; /* value of each node of the tree, by node index */
    uint32_t n_of;
    struct lift_local locals[LIFT_LOCALS_MAX];
    struct lift_step steps[LIFT_DEPTH_MAX];
    struct lift_returned returns[LIFT_RETURNS_MAX];
    struct lift_value saved[LIFT_SAVED_MAX];
    uint32_t n_locals, n_steps, n_returns, n_saved, n_calls, visits;
    int32_t n_slots;
    /* locals of the chunk whose table or function is on the Lua stack */
    struct lift_local chunk[LIFT_SLOTS_MAX];
    uint32_t n_chunk;
    /* mask for the clauses around the current statement; an element whose mask is 1 reaches the
     * statement, unless it has returned before */
    uint32_t path;
    uint32_t odd;       /* mask of the elements for which LuaJIT must run the hook */
    uint32_t has_ended; /* 1: all paths through the block that was just left end with a return */
    uint32_t texts;     /* number of bytes used in lifted.texts */
    uint32_t term_values[LIFT_TERMS_MAX];
    struct lift_input inputs[LIFT_INPUTS_MAX];
    uint32_t n_inputs;
    struct lift_term terms[LIFT_TERMS_MAX];
    uint32_t n_terms;
    int is_refused;
};

/* Refuses to compile the hook. Only the first call records its message and the position of `node`.
 * The format must print only integers and strings. */
void lift_refuse(struct lift *l, uint32_t node, const char *format, ...) FAULT_PRINTF(3, 4);
uint32_t lift_node(struct lift *l, enum col_op op, uint32_t a, uint32_t b);
/* Marks the elements for which the mask `bad` is 1: LuaJIT must run the hook for them. */
void lift_watch(struct lift *l, uint32_t bad);
struct lift_value lift_number(uint32_t node);
struct lift_value lift_mask(uint32_t node);
/* Returns the value that is x for the elements whose mask is 1, and y for all other elements.
 * Returns V_NONE if no value can express this. */
struct lift_value lift_merge(struct lift *l, uint32_t mask, struct lift_value x,
                             struct lift_value y);
int lift_is_same_text(const struct lift_text *a, const struct lift_text *b);
/* Returns the graph node that is `a` where the mask is 1, and `b` elsewhere. */
uint32_t lift_choose(struct lift *l, uint32_t mask, uint32_t a, uint32_t b);
uint32_t lift_not(struct lift *l, uint32_t mask);

#endif
