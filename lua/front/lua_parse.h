/*
 * lua_parse.h -- the tree of a policy text, in the grammar of Lua 5.1 as LuaJIT takes it (goto and
 * labels included), without its 5.2 options.
 *
 * Everything that looks at source without running it stands on this tree: limits, purity, the
 * fields that a hook reads, warnings, lifting. The parser refuses what LuaJIT refuses for its
 * grammar, in the same words, and what LuaJIT may take or not by how it was built; so a text that
 * has a tree means to LuaJIT what the tree says. What LuaJIT checks beyond grammar (labels, break
 * outside of a loop, counts of registers) is left to it: such a text has a tree but never runs.
 *
 * Nodes stand in one array and are named by their index; the chunk is 0. An index says nothing of
 * the order in the text, `at` does. No recursion in here and none needed by readers: parse_step()
 * walks any subtree. Memory is one block of the allocator, of at most 32,768 nodes; the parser's
 * stack is 24 KB of the caller's. O(n) but for the search of names among the locals in scope.
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
    PARSE_LEVELS_MAX = 150, /* of operators that wait for their right side: LuaJIT has 200 levels */
    PARSE_LOCALS_MAX = 1024 /* in scope at once */
};

/* Children in the order given; [x]: may be absent; x...: any number. */
enum parse_kind {
    PARSE_CHUNK,              /* BLOCK. Node 0; the function of what stands in no other */
    PARSE_BLOCK,              /* statement... */
    PARSE_LIST,               /* what its parent says */
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
    PARSE_VARIABLE, /* a local, parameter or for variable where it is declared */
    PARSE_WORD,     /* a bare word that is no variable: after '.' and ':', before '=' in { } */
    /* expressions */
    PARSE_NIL,
    PARSE_TRUE,
    PARSE_FALSE,
    PARSE_NUMBER,
    PARSE_STRING,
    PARSE_DOTS,        /* also as the last of the LIST of parameters */
    PARSE_FUNCTION,    /* LIST of VARIABLE and [DOTS], BLOCK; begins with its keyword, hence also
                        * contains the name that a statement gives it */
    PARSE_NAME,        /* a variable where it is used */
    PARSE_PAREN,       /* expression; not transparent: it cuts to one value */
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
    PARSE_IS_PARAM = 1,    /* VARIABLE of a function's parameters */
    PARSE_IS_ASSIGNED = 2, /* VARIABLE that is assigned after its declaration, anywhere */
    PARSE_IS_CAPTURED = 4, /* VARIABLE that is used in a function inside of its own */
    PARSE_IS_SELF = 8,     /* VARIABLE `self` of a method, which is not written: len is 0 */
    PARSE_IS_VARARG = 16   /* FUNCTION, CHUNK */
};

struct parse_node {
    uint8_t kind;  /* enum parse_kind */
    uint8_t flags; /* enum parse_flag */
    /* UNARY: '-', '#' or LEX_NOT. BINARY: '+', '-', '*', '/', '%', '<', '>', LEX_CONCAT, LEX_EQUAL,
     * LEX_UNLIKE, LEX_LESS_EQUAL, LEX_MORE_EQUAL, LEX_AND or LEX_OR. */
    uint16_t operator;
    /* What a message points at: the operator of BINARY, the key of INDEX, the word of METHOD_CALL,
     * the opening token of CALL, '(' of the LIST of parameters, else the begin. */
    uint32_t line, column;
    uint32_t at, len;  /* bytes of the text from begin to end, those of its children included */
    uint32_t line_end; /* where its last token stands */
    uint32_t first, next, parent; /* PARSE_NONE: there is none */
    uint32_t ref;      /* NAME: its VARIABLE, PARSE_NONE for a global. BREAK, others: PARSE_NONE */
    uint32_t function; /* the FUNCTION or CHUNK that it belongs to; parameters: their own */
};

struct parse_tree {
    struct alloc *alloc;
    const char *text; /* the caller's; must outlive the tree */
    uint32_t text_len;
    struct parse_node *nodes;
    uint32_t n, cap;
};

/* Builds the tree or notes in *fault what is wrong (LSCHED_E_SYNTAX, _LIMIT, _NOMEM) with line and
 * column; then there is nothing to free. Also refuses bytecode and `^`. */
int32_t parse_text(struct parse_tree *tree, struct alloc *alloc, const char *text, size_t len,
                   struct fault *fault);
void parse_free(struct parse_tree *tree); /* a zeroed tree is allowed */

static inline const struct parse_node *parse_at(const struct parse_tree *tree, uint32_t node) {
    return &tree->nodes[node];
}

/* Child number i of a node, PARSE_NONE if it has fewer. */
uint32_t parse_child(const struct parse_tree *tree, uint32_t node, uint32_t i);
uint32_t parse_count(const struct parse_tree *tree, uint32_t node); /* of its children */
/* The node after this one in the order of a walk over `root`: first child, next sibling, next
 * sibling of a parent. PARSE_NONE at the end. */
uint32_t parse_step(const struct parse_tree *tree, uint32_t root, uint32_t node);

/* What a NAME, VARIABLE or WORD is called, or a STRING holds where it stands in the text as it is
 * (short quotes, no escapes; else NULL). Not terminated. */
const char *parse_word(const struct parse_tree *tree, uint32_t node, uint32_t *len);
int parse_is_word(const struct parse_tree *tree, uint32_t node, const char *word);

/* The expression that a VARIABLE of `local` gets (FUNCTION for `local function`); PARSE_NONE:
 * none of its own, or no such variable. A call gives it its first value. */
uint32_t parse_initial(const struct parse_tree *tree, uint32_t variable);
/* The FUNCTION that a NAME must stand for: a local that is given one where it is declared and is
 * never assigned again. A FUNCTION is itself; parentheses are looked into. Else PARSE_NONE. */
uint32_t parse_known_function(const struct parse_tree *tree, uint32_t expression);
/* The line that debug information gives as the function's first (linedefined). */
uint32_t parse_function_line(const struct parse_tree *tree, uint32_t function);

/* For the parser: */

/* PARSE_NONE: no memory, or n is PARSE_NODES_MAX. */
uint32_t parse_add(struct parse_tree *tree, enum parse_kind kind, const struct lex_token *token,
                   uint32_t function);
void parse_attach(struct parse_tree *tree, uint32_t parent, uint32_t child);
void parse_settle(struct parse_tree *tree);

#endif
