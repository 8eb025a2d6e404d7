/*
 * lua_lift_parts.h -- definitions that the files of the hook compiler share: the value of an
 * expression as far as it is known at compile time, and the state of the walk over the tree.
 *
 * A value is a node of the graph, from which the column program is made, or something that exists
 * only at compile time (a table of constants, a function). A mask is a node of the graph whose
 * value is true or false for each element. Functions refuse a hook by lift_refuse(), which records
 * the first reason; all results after that are discarded.
 */
#ifndef LSCHED_LUA_LIFT_PARTS_H
#define LSCHED_LUA_LIFT_PARTS_H

#include "lua/front/lua_host.h"
#include "lua/lift/lua_lift.h"

enum lift_kind {
    V_NONE, /* no usable value: a word, a local whose value is unknown */
    V_NIL,
    V_NUMBER,
    V_MASK,
    V_TEXT,
    V_LABEL,   /* a label: a text or nil */
    V_GUARDED, /* a number if `cond` holds; else false or nil */
    V_SOME,    /* only its truth is known: `cond` */
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
    int32_t slot;   /* FUNCTION, TABLE: slot on the Lua stack; 0: made inside the hook */
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
    LIFT_DEPTH_MAX = 256,  /* nesting depth of blocks, ifs and calls */
    LIFT_CALLS_MAX = 8,    /* nesting depth of function calls */
    LIFT_LOCALS_MAX = 512, /* locals in scope at once */
    LIFT_RETURNS_MAX = 256,
    /* tables and functions of the chunk; LuaJIT guarantees 20 stack slots */
    LIFT_SLOTS_MAX = 10,
    LIFT_SAVED_MAX = 4096, /* values of locals that are saved at ifs */
    /* nodes of the tree that are visited; a called function counts again at each call */
    LIFT_VISITS_MAX = 32768
};

struct lift_local {
    uint32_t variable; /* VARIABLE of the tree */
    struct lift_value value;
};

struct lift_returned {
    /* mask: the condition under which this return is reached, unless a return before it is */
    uint32_t path;
    uint32_t node; /* RETURN of the tree, or the FUNCTION if its end is reached */
    struct lift_value value;
};

enum lift_step_kind { STEP_BLOCK, STEP_IF, STEP_VALUES, STEP_CALL };

struct lift_step {
    uint8_t kind;
    uint8_t phase;
    uint8_t ends;       /* IF: 1 if all clauses so far return */
    uint8_t has_merged; /* IF: 1 if some clause so far does not return */
    /* BLOCK, IF, CALL (PARSE_NONE for the hook): node of the tree; VALUES: current expression */
    uint32_t node;
    uint32_t next;      /* BLOCK: statement; IF: child; VALUES: current node */
    uint32_t path;      /* value of lift.path at its begin */
    uint32_t taken;     /* IF: mask: an earlier clause, which does not return, was taken */
    uint32_t condition; /* IF: condition of the current clause */
    uint32_t locals;    /* number of locals at its begin */
    /* IF: index in `saved` of its copies: locals before the if, merged locals */
    uint32_t saved;
    uint32_t returns;       /* CALL: index of its first return */
    uint32_t function;      /* CALL: FUNCTION of the tree */
    int32_t slot;           /* CALL: slot of the Lua function, or of the function around it */
    uint32_t slot_function; /* CALL: FUNCTION of the tree that belongs to the slot */
};

struct lift {
    struct lua_host *host;
    const struct parse_tree *tree;
    const struct hook *hook;
    struct lifted *out;
    struct col_graph graph;
    struct lift_value *of; /* value of each node of the tree */
    uint32_t n_of;
    struct lift_local locals[LIFT_LOCALS_MAX];
    struct lift_step steps[LIFT_DEPTH_MAX];
    struct lift_returned returns[LIFT_RETURNS_MAX];
    struct lift_value saved[LIFT_SAVED_MAX];
    uint32_t n_locals, n_steps, n_returns, n_saved, n_calls, visits;
    int32_t n_slots;
    struct lift_local chunk[LIFT_SLOTS_MAX]; /* locals of the chunk that have a slot */
    uint32_t n_chunk;
    uint32_t path;      /* mask: the current statement is reached, unless a return before it was */
    uint32_t odd;       /* mask: the interpreter must decide */
    uint32_t has_ended; /* 1: the block that was just left returns on all paths */
    uint32_t texts;     /* bytes used of lifted.texts */
    uint32_t term_values[LIFT_TERMS_MAX];
    struct lift_input inputs[LIFT_INPUTS_MAX];
    uint32_t n_inputs;
    struct lift_term terms[LIFT_TERMS_MAX];
    uint32_t n_terms;
    int is_refused;
};

/* Refuses the hook and records the first reason. The format must use only integers and strings. */
void lift_refuse(struct lift *l, uint32_t node, const char *format, ...) FAULT_PRINTF(3, 4);
uint32_t lift_node(struct lift *l, enum col_op op, uint32_t a, uint32_t b);
/* Elements for which the mask `bad` holds must be decided by Lua. */
void lift_watch(struct lift *l, uint32_t bad);
struct lift_value lift_number(uint32_t node);
struct lift_value lift_mask(uint32_t node);
/* Returns the mask that says whether the value counts as true. */
uint32_t lift_truth(struct lift *l, uint32_t at, struct lift_value v);
/* Returns the value that is x where `mask` holds and y elsewhere; V_NONE if such a value cannot be
 * expressed. */
struct lift_value lift_merge(struct lift *l, uint32_t mask, struct lift_value x,
                             struct lift_value y);

/* functions of lua_lift_values.c: names, fields, constants */
struct lift_value lift_leaf(struct lift *l, uint32_t at);
struct lift_value lift_index(struct lift *l, uint32_t at);
uint32_t lift_input(struct lift *l, const struct lift_input *input);

/* functions of lua_lift_operators.c: */
struct lift_value lift_unary(struct lift *l, uint32_t at);
struct lift_value lift_binary(struct lift *l, uint32_t at);
/* Returns the value of a builtin function for its arguments, whose values are known. */
struct lift_value lift_builtin(struct lift *l, uint32_t at, uint16_t id);

#endif
