/*
 * lua_tree.h -- the syntax tree of a policy text, in the grammar of Lua 5.1 as LuaJIT accepts it
 * (goto and labels included), without LuaJIT's 5.2 options.
 *
 * All code that examines the policy text without running it uses this tree: limits, purity, the
 * fields that a hook reads, warnings, the compiler of hooks. The parser refuses everything that
 * LuaJIT's grammar refuses, with the same messages. The parser also refuses everything that LuaJIT
 * accepts in some builds only. Therefore, if the parser builds a tree for a text, LuaJIT
 * understands the text as the tree says. Only LuaJIT checks the rules beyond grammar: labels,
 * `break` outside of a loop, the number of registers. A text that breaks one of these rules has a
 * tree, but LuaJIT refuses to compile it.
 *
 * Nodes are stored in one array and identified by their index; the chunk is node 0. The order of
 * indexes is not the order in the text; the field `at` gives the position in the text. Neither the
 * parser nor the code that reads the tree recurses, because tree_step() walks any subtree. The
 * nodes are in one block of the allocator, at most 32,768. The parser's own stack takes 24 KB of
 * the caller's stack. Building takes O(n), except that each name is searched among the locals in
 * scope.
 */
#ifndef LSCHED_LUA_TREE_H
#define LSCHED_LUA_TREE_H

#include "base/alloc.h"
#include "lua/front/lua_lex.h"

#define PARSE_NONE UINT32_MAX

enum {
    PARSE_TEXT_BYTES_MAX = 64 * 1024,
    PARSE_NODES_MAX = 32768,
    /* maximum number of operators that wait for their right operand at the same time; LuaJIT's own
     * maximum is 200 */
    PARSE_LEVELS_MAX = 150,
    PARSE_LOCALS_MAX = 1024 /* maximum number of locals in scope at the same time */
};

/* Kinds of nodes. Each comment lists the children in their order. [x] is optional; x... is any
 * number of x. */
enum parse_kind {
    PARSE_CHUNK,          /* BLOCK. Always node 0; code outside of functions has `function` 0 */
    PARSE_BLOCK,          /* statement... */
    PARSE_LIST,           /* children as described for the parent */
    PARSE_LOCAL,          /* LIST of VARIABLE, [LIST of expressions] */
    PARSE_ASSIGN,         /* LIST of NAME or INDEX (the targets), LIST of expressions */
    PARSE_CALL_STATEMENT, /* CALL or METHOD_CALL */
    PARSE_DO,             /* BLOCK */
    PARSE_WHILE,          /* condition, BLOCK */
    PARSE_REPEAT, /* BLOCK, condition (the locals of the block are in scope in the condition) */
    PARSE_IF,     /* condition, BLOCK, [condition, BLOCK]..., [BLOCK of else] */
    PARSE_FOR_NUMERIC,        /* VARIABLE, first, last, [step], BLOCK */
    PARSE_FOR_IN,             /* LIST of VARIABLE, LIST of expressions, BLOCK */
    PARSE_FUNCTION_STATEMENT, /* NAME or INDEX, FUNCTION */
    PARSE_LOCAL_FUNCTION,     /* VARIABLE (in scope inside the function), FUNCTION */
    PARSE_RETURN,             /* expression... */
    PARSE_BREAK,
    PARSE_GOTO,     /* WORD */
    PARSE_LABEL,    /* WORD */
    PARSE_VARIABLE, /* declaration of a local, a parameter or a variable of `for` */
    PARSE_WORD,     /* a name that is not a variable: after '.' or ':', before '=' in { } */
    /* the kinds below are expressions */
    PARSE_NIL,
    PARSE_TRUE,
    PARSE_FALSE,
    PARSE_NUMBER,
    PARSE_STRING,
    PARSE_DOTS, /* `...`; as the last child of a LIST of parameters, it marks a vararg function */
    /* LIST of VARIABLE and [DOTS], BLOCK. The node's text begins with the keyword `function`, so it
     * contains the function's name if the node belongs to a function statement. */
    PARSE_FUNCTION,
    PARSE_NAME,  /* use of a variable */
    PARSE_PAREN, /* expression; parentheses reduce several values to one */
    /* object, key. The key is a WORD for a.b, else an expression, such as STRING for a["b"] */
    PARSE_INDEX,
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
    /* VARIABLE is used in a function nested inside the function that declares it */
    PARSE_IS_CAPTURED = 4,
    PARSE_IS_SELF = 8,   /* VARIABLE is the implicit parameter `self` of a method; its `len` is 0 */
    PARSE_IS_VARARG = 16 /* FUNCTION or CHUNK has the parameter `...` */
};

struct parse_node {
    uint8_t kind;  /* an enum parse_kind */
    uint8_t flags; /* bits of enum parse_flag */
    /* Operator of UNARY: '-', '#' or LEX_NOT. Operator of BINARY: '+', '-', '*', '/', '%', '<',
     * '>', LEX_CONCAT, LEX_EQUAL, LEX_UNLIKE, LEX_LESS_EQUAL, LEX_MORE_EQUAL, LEX_AND or LEX_OR. */
    uint16_t operator;
    /* The position that an error message about this node names:
     *   BINARY            the operator
     *   INDEX             the key
     *   METHOD_CALL       the word
     *   CALL              the opening token of the arguments
     *   LIST of parameters  '('
     *   all other kinds   the beginning of the node */
    uint32_t line, column;
    uint32_t at, len;  /* position and length in bytes of the node's text, including its children */
    uint32_t line_end; /* line of the node's last token */
    /* first child, next sibling and parent; PARSE_NONE if there is none */
    uint32_t first, next, parent;
    /* NAME: the VARIABLE that the name means, PARSE_NONE for a global. Other kinds: PARSE_NONE */
    uint32_t ref;
    /* FUNCTION or CHUNK that contains the node; for a parameter, the function to which it
     * belongs */
    uint32_t function;
};

struct parse_tree {
    struct alloc *alloc;
    const char *text; /* policy text, owned by the caller; it must outlive the tree */
    uint32_t text_len;
    struct parse_node *nodes;
    uint32_t n, cap;
};

void tree_free(struct parse_tree *tree); /* frees the nodes; the tree can be zeroed memory */

static inline const struct parse_node *tree_at(const struct parse_tree *tree, uint32_t node) {
    return &tree->nodes[node];
}

/* Returns the child with index i (from 0), or PARSE_NONE if the node has fewer children. */
uint32_t tree_child(const struct parse_tree *tree, uint32_t node, uint32_t i);
/* returns the number of children */
uint32_t tree_count(const struct parse_tree *tree, uint32_t node);
/* Returns the node that follows `node` in a walk over the subtree of `root`. The next node is the
 * first child of `node`. If there is no child, it is the next sibling of `node`, or else the next
 * sibling of the nearest ancestor that has one. Returns PARSE_NONE at the end. */
uint32_t tree_step(const struct parse_tree *tree, uint32_t root, uint32_t node);

/* Returns the name of a NAME, VARIABLE or WORD, or the content of a STRING. The result is not
 * terminated by a zero byte. Returns NULL for a STRING with long brackets or with escapes, because
 * its content is not in the text verbatim, and for all other nodes. */
const char *tree_word(const struct parse_tree *tree, uint32_t node, uint32_t *len);
int tree_is_word(const struct parse_tree *tree, uint32_t node, const char *word);

/* Returns the expression that initializes a VARIABLE of a `local` statement; for `local function`
 * this is the FUNCTION. Returns PARSE_NONE if the variable has no expression of its own or is
 * declared in another way. If the expression is a call that returns several values, the variable
 * gets the first value. */
uint32_t tree_initial(const struct parse_tree *tree, uint32_t variable);
/* Returns the FUNCTION that an expression certainly means, or PARSE_NONE. A FUNCTION means itself,
 * and parentheses mean their content. A NAME means a FUNCTION if it names a local that is
 * initialized with a function and never assigned again. */
uint32_t tree_known_function(const struct parse_tree *tree, uint32_t expression);
/* Returns the function's first line as Lua's debug information gives it (linedefined). */
uint32_t tree_function_line(const struct parse_tree *tree, uint32_t function);

/* Only the parser calls the functions below. */

/* Adds a node and returns its index. Returns PARSE_NONE if there is no memory or the tree has
 * PARSE_NODES_MAX nodes. */
uint32_t tree_add(struct parse_tree *tree, enum parse_kind kind, const struct lex_token *token,
                  uint32_t function);
void tree_attach(struct parse_tree *tree, uint32_t parent, uint32_t child);
void tree_settle(struct parse_tree *tree);

#endif
