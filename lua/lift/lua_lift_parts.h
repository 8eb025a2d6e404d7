/*
 * lua_lift_parts.h -- what the files of the lifter share: the value of an expression as it is known
 * before it runs, and the state of the walk.
 *
 * A value is a node of the graph, or something that only exists while lifting (a table of
 * constants, a function). Makers refuse by lift_refuse(), which notes the first reason; everything
 * after that is done for nothing and thrown away.
 */
#ifndef LSCHED_LUA_LIFT_PARTS_H
#define LSCHED_LUA_LIFT_PARTS_H

#include "lua/front/lua_host.h"
#include "lua/lift/lua_lift.h"

enum lift_kind {
    V_NONE, /* nothing that could be used: a word, a poisoned local */
    V_NIL,
    V_NUMBER,
    V_MASK,
    V_TEXT,
    V_LABEL,   /* a text or nil */
    V_GUARDED, /* `cond` holds: the number; else false or nil */
    V_SOME,    /* only whether it counts as true is known: cond */
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
    uint8_t object; /* OBJECT, LABELS: number of the hook's object; LIBRARY: enum lift_library */
    uint16_t id;    /* BUILTIN: enum lift_builtin */
    uint32_t node;  /* NUMBER, MASK, GUARDED: of the graph; FUNCTION: of the tree */
    uint32_t cond;  /* GUARDED, SOME: of the graph */
    int32_t slot;   /* FUNCTION, TABLE: on the Lua stack; 0: made inside the hook */
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
    LIFT_DEPTH_MAX = 256,  /* of blocks, ifs and calls within each other */
    LIFT_CALLS_MAX = 8,    /* functions within each other */
    LIFT_LOCALS_MAX = 512, /* alive at once */
    LIFT_RETURNS_MAX = 256,
    LIFT_SLOTS_MAX = 10,    /* tables and functions of the chunk: LuaJIT grants 20 */
    LIFT_SAVED_MAX = 4096,  /* locals kept at forks */
    LIFT_VISITS_MAX = 32768 /* nodes of the tree looked at, calls unfolded */
};

struct lift_local {
    uint32_t variable; /* of the tree */
    struct lift_value value;
};

struct lift_returned {
    uint32_t path; /* mask: this return is reached, unless one before it is */
    uint32_t node; /* of the tree */
    struct lift_value value;
};

enum lift_step_kind { STEP_BLOCK, STEP_IF, STEP_VALUES, STEP_CALL };

struct lift_step {
    uint8_t kind;
    uint8_t phase;
    uint8_t ends;       /* IF: all clauses so far return */
    uint8_t has_merged; /* IF: a clause so far goes on */
    uint32_t node;  /* BLOCK, IF, CALL (0 for the hook): of the tree; VALUES: expression in hand */
    uint32_t next;  /* BLOCK: statement; IF: child; VALUES: node in hand */
    uint32_t path;  /* mask at its begin */
    uint32_t taken; /* IF: mask: a clause before this one, that goes on, was it */
    uint32_t condition;     /* IF: of the clause in hand */
    uint32_t locals;        /* number of them at its begin */
    uint32_t saved;         /* IF: where its copies begin: before, merged */
    uint32_t returns;       /* CALL: where its begin */
    uint32_t function;      /* CALL: FUNCTION of the tree */
    int32_t slot;           /* CALL: of the Lua function, or that of its surroundings */
    uint32_t slot_function; /* CALL: FUNCTION of the tree that is in the slot */
};

struct lift {
    struct lua_host *host;
    const struct parse_tree *tree;
    const struct hook *hook;
    struct lifted *out;
    struct col_graph graph;
    struct lift_value *of; /* by node of the tree */
    uint32_t n_of;
    struct lift_local locals[LIFT_LOCALS_MAX];
    struct lift_step steps[LIFT_DEPTH_MAX];
    struct lift_returned returns[LIFT_RETURNS_MAX];
    struct lift_value saved[LIFT_SAVED_MAX];
    uint32_t n_locals, n_steps, n_returns, n_saved, n_calls, visits;
    int32_t n_slots;
    struct lift_local chunk[LIFT_SLOTS_MAX]; /* locals of the chunk that have a slot */
    uint32_t n_chunk;
    uint32_t path;      /* mask: the statement in hand is reached, unless a return before it was */
    uint32_t odd;       /* mask: the interpreter must look at it */
    uint32_t has_ended; /* the block just left returns on all paths */
    uint32_t texts;     /* bytes used */
    uint32_t term_values[LIFT_TERMS_MAX];
    struct lift_input inputs[LIFT_INPUTS_MAX];
    uint32_t n_inputs;
    struct lift_term terms[LIFT_TERMS_MAX];
    uint32_t n_terms;
    int is_refused;
};

/* Integers and strings only. Notes the first reason. */
void lift_refuse(struct lift *l, uint32_t node, const char *format, ...) FAULT_PRINTF(3, 4);
uint32_t lift_node(struct lift *l, enum col_op op, uint32_t a, uint32_t b);
/* Where `bad` holds, Lua must look. */
void lift_watch(struct lift *l, uint32_t bad);
struct lift_value lift_number(uint32_t node);
struct lift_value lift_mask(uint32_t node);
/* Mask: does it count as true? */
uint32_t lift_truth(struct lift *l, uint32_t at, struct lift_value v);
/* The value that is x where `mask` holds and else y; V_NONE if there is no such value. */
struct lift_value lift_merge(struct lift *l, uint32_t mask, struct lift_value x,
                             struct lift_value y);

/* lua_lift_values.c: names, fields, constants. */
struct lift_value lift_leaf(struct lift *l, uint32_t at);
struct lift_value lift_index(struct lift *l, uint32_t at);
uint32_t lift_input(struct lift *l, const struct lift_input *input);

/* lua_lift_operators.c */
struct lift_value lift_unary(struct lift *l, uint32_t at);
struct lift_value lift_binary(struct lift *l, uint32_t at);
/* A builtin with its arguments, which are lifted. */
struct lift_value lift_builtin(struct lift *l, uint32_t at, uint16_t id);

#endif
