/*
 * lua_parse.h -- the syntax tree of a policy text, in the grammar of Lua 5.1 as LuaJIT accepts it
 * (goto and labels included), without LuaJIT's 5.2 options.
 *
 * All code that looks at the policy text without running it uses this tree: limits, purity, the
 * fields that a hook reads, warnings, the compiler of hooks. The parser refuses everything that
 * LuaJIT's grammar refuses, with the same messages. The parser also refuses everything that LuaJIT
 * accepts in some builds only. Therefore, if a text has a tree, LuaJIT understands the text as the
 * tree says. LuaJIT alone checks the rules beyond grammar (labels, break outside of a loop, numbers
 * of registers): a text that breaks them has a tree but never runs.
 *
 * Nodes are stored in one array and identified by their index; the chunk is node 0. The order of
 * indexes is not the order in the text; the field `at` gives that. Neither the parser nor its
 * readers recurse: parse_step() walks any subtree. Memory is one block of the allocator, for at
 * most 32,768 nodes; the parser's own stack takes 24 KB of the caller's stack. O(n), except for the
 * search of a name among the locals in scope.
 */
#ifndef LSCHED_LUA_PARSE_H
#define LSCHED_LUA_PARSE_H

#include "base/alloc.h"
#include "lua/front/lua_fault.h"
#include "lua/front/lua_lex.h"

#define PARSE_NONE UINT32_MAX

enum {
    PARSE_TEXT_BYTES_MAX = 64 * 1024,
    PARSE_NODES_MAX = 32768,
    /* levels of operators that wait for their right operand; LuaJIT has 200 levels */
    PARSE_LEVELS_MAX = 150,
    PARSE_LOCALS_MAX = 1024 /* locals in scope at once */
};

/* Each comment lists the children in order; [x]: optional; x...: any number. */
enum parse_kind {
    PARSE_CHUNK,              /* BLOCK. Node 0; the `function` of all code outside functions */
    PARSE_BLOCK,              /* statement... */
    PARSE_LIST,               /* children as the parent says */
    PARSE_LOCAL,              /* LIST of VARIABLE, [LIST of expressions] */
    PARSE_ASSIGN,             /* LIST of NAME or INDEX, LIST of expressions */
    PARSE_CALL_STATEMENT,     /* CALL or METHOD_CALL */
    PARSE_DO,                 /* BLOCK */
    PARSE_WHILE,              /* condition, BLOCK */
    PARSE_REPEAT,             /* BLOCK, condition (which sees the locals of the block) */
    PARSE_IF,                 /* condition, BLOCK, [condition, BLOCK]..., [BLOCK of else] */
    PARSE_FOR_NUMERIC,        /* VARIABLE, first, last, [step], BLOCK */
    PARSE_FOR_IN,             /* LIST of VARIABLE, LIST of expressions, BLOCK */
    PARSE_FUNCTION_STATEMENT, /* NAME or INDEX, FUNCTION */
    PARSE_LOCAL_FUNCTION,     /* VARIABLE (in scope inside), FUNCTION */
    PARSE_RETURN,             /* expression... */
    PARSE_BREAK,
    PARSE_GOTO,     /* WORD */
    PARSE_LABEL,    /* WORD */
    PARSE_VARIABLE, /* a local, parameter or for variable, where it is declared */
    PARSE_WORD,     /* a word that is not a variable: after '.' and ':', before '=' in { } */
    /* expressions */
    PARSE_NIL,
    PARSE_TRUE,
    PARSE_FALSE,
    PARSE_NUMBER,
    PARSE_STRING,
    PARSE_DOTS, /* also the last child of a LIST of parameters */
    /* LIST of VARIABLE and [DOTS], BLOCK; its text begins with the keyword, so it also contains the
     * name in a function statement */
    PARSE_FUNCTION,
    PARSE_NAME,        /* a variable, where it is used */
    PARSE_PAREN,       /* expression; parentheses reduce several values to one */
    PARSE_INDEX,       /* object, key: WORD for a.b, else an expression (STRING for a["b"]) */
    PARSE_CALL,        /* callee, argument... */
    PARSE_METHOD_CALL, /* object, WORD, argument... */
    PARSE_UNARY,       /* operand */
    PARSE_BINARY,      /* left, right */
    PARSE_TABLE,       /* ITEM, ITEM_WORD or ITEM_KEY ... */
    PARSE_ITEM,        /* value */
    PARSE_ITEM_WORD,   /* WORD, value:  x = 1 */
    PARSE_ITEM_KEY     /* key, value: [x] = 1 */
};

enum parse_flag {
    PARSE_IS_PARAM = 1,    /* VARIABLE is a parameter of a function */
    PARSE_IS_ASSIGNED = 2, /* VARIABLE is assigned somewhere after its declaration */
    PARSE_IS_CAPTURED = 4, /* VARIABLE is used in a function inside its own function */
    PARSE_IS_SELF = 8,     /* VARIABLE is the implicit `self` of a method: len is 0 */
    PARSE_IS_VARARG = 16   /* FUNCTION or CHUNK takes `...` */
};

struct parse_node {
    uint8_t kind;  /* enum parse_kind */
    uint8_t flags; /* enum parse_flag */
    /* UNARY: '-', '#' or LEX_NOT. BINARY: '+', '-', '*', '/', '%', '<', '>', LEX_CONCAT, LEX_EQUAL,
     * LEX_UNLIKE, LEX_LESS_EQUAL, LEX_MORE_EQUAL, LEX_AND or LEX_OR. */
    uint16_t operator;
    /* The position that a message points at: the operator of BINARY, the key of INDEX, the word of
     * METHOD_CALL, the opening token of CALL, '(' of the LIST of parameters, else the begin of the
     * node. */
    uint32_t line, column;
    uint32_t at, len;  /* position and length in bytes of the node's text, its children included */
    uint32_t line_end; /* line of its last token */
    uint32_t first, next, parent; /* first child, next sibling, parent; PARSE_NONE: none */
    uint32_t ref; /* NAME: its VARIABLE, PARSE_NONE for a global. Other kinds: PARSE_NONE */
    /* FUNCTION or CHUNK that contains the node; for a parameter: its own function */
    uint32_t function;
};

struct parse_tree {
    struct alloc *alloc;
    const char *text; /* policy text of the caller, which must outlive the tree */
    uint32_t text_len;
    struct parse_node *nodes;
    uint32_t n, cap;
};

/* Builds the tree. On an error (LSCHED_E_SYNTAX, _LIMIT, _NOMEM), *fault holds text, line and
 * column, and there is nothing to free. Also refuses bytecode and the operator `^`. */
int32_t parse_text(struct parse_tree *tree, struct alloc *alloc, const char *text, size_t len,
                   struct fault *fault);
void parse_free(struct parse_tree *tree); /* frees the nodes; a zeroed tree is allowed */

static inline const struct parse_node *parse_at(const struct parse_tree *tree, uint32_t node) {
    return &tree->nodes[node];
}

/* Returns child number i of a node, PARSE_NONE if it has fewer children. */
uint32_t parse_child(const struct parse_tree *tree, uint32_t node, uint32_t i);
uint32_t parse_count(const struct parse_tree *tree, uint32_t node); /* number of children */
/* Returns the next node of a walk over `root`: first child, next sibling, next sibling of a parent.
 * PARSE_NONE at the end. */
uint32_t parse_step(const struct parse_tree *tree, uint32_t root, uint32_t node);

/* Returns the name of a NAME, VARIABLE or WORD, or the content of a STRING if the text has it
 * verbatim (short quotes, no escapes; else NULL). Not terminated by a zero byte. */
const char *parse_word(const struct parse_tree *tree, uint32_t node, uint32_t *len);
int parse_is_word(const struct parse_tree *tree, uint32_t node, const char *word);

/* Returns the expression that initializes a VARIABLE of `local` (the FUNCTION for `local
 * function`), or PARSE_NONE if it has no expression of its own or is not such a variable. If that
 * expression is a call that returns several values, the variable gets the first of them. */
uint32_t parse_initial(const struct parse_tree *tree, uint32_t variable);
/* Returns the FUNCTION that a NAME certainly stands for: a local that is declared with a function
 * and never assigned again. For a FUNCTION, it returns the FUNCTION itself; for parentheses, the
 * result for their content; else PARSE_NONE. */
uint32_t parse_known_function(const struct parse_tree *tree, uint32_t expression);
/* Returns the line that debug information gives as the function's first line (linedefined). */
uint32_t parse_function_line(const struct parse_tree *tree, uint32_t function);

/* The functions below are for the parser only. */

/* Adds a node and returns its index; PARSE_NONE: no memory, or the tree has PARSE_NODES_MAX nodes.
 */
uint32_t parse_add(struct parse_tree *tree, enum parse_kind kind, const struct lex_token *token,
                   uint32_t function);
void parse_attach(struct parse_tree *tree, uint32_t parent, uint32_t child);
void parse_settle(struct parse_tree *tree);

#endif
