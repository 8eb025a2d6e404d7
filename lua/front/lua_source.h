/*
 * lua_source.h -- facts about a policy text that are known without running it: whether it is pure,
 * which fields of its objects a hook reads, which parameters nothing reads, and where a word is
 * written.
 *
 * Each answer errs on the safe side. An object is followed through locals that are initialized with
 * it, and through parameters of functions that a call certainly means. If the object is used in any
 * other way, it escapes: then the caller must assume that every field word of the text
 * (source_words) is read. All functions read the tree, without recursion, with memory of fixed size
 * on the caller's stack; O(n) per question and followed variable.
 */
#ifndef LSCHED_LUA_SOURCE_H
#define LSCHED_LUA_SOURCE_H

#include "lua/front/lua_parse.h"

enum { SOURCE_OBJECTS_MAX = 4, SOURCE_FOLLOWED_MAX = 64 };

struct source_facts {
    /* 1: some function assigns an entry of a table that it may not have made itself. Assignments to
     * globals, and to tables that certainly belong to the chunk, are refused instead. */
    uint32_t assigns;
};

/* Checks that the text is pure: a variable must be assigned only by the function that declared it,
 * and no function may assign entries of a table in a variable of the chunk. On an error, *fault
 * says what is wrong. */
int32_t source_check(const struct parse_tree *tree, struct source_facts *facts,
                     struct fault *fault);

/* Returns the FUNCTION whose debug information names these two lines; if there are several on one
 * line, the one that the text returns under `key`. PARSE_NONE: unknown. */
uint32_t source_function(const struct parse_tree *tree, uint32_t line, uint32_t last_line,
                         const char *key);

/* Facts about the arguments of a function, by argument number. */
struct source_arguments {
    uint32_t n_params; /* parameters in the text, `self` included; `...` is not counted */
    uint32_t is_vararg;
    uint32_t escapes; /* bit i: argument i escapes */
    uint32_t is_used; /* bit i: parameter i is used in the function */
};

/* Called for each field with which an argument is indexed. `word` need not be an existing field.
 * is_certain: the function's own parameter is indexed, or a local that is initialized with it. A
 * result other than 0 ends the walk. */
typedef int32_t (*source_field_fn)(void *user, uint32_t argument, uint32_t node, const char *word,
                                   uint32_t len, int is_assigned, int is_certain);
/* Follows the first n arguments. `visit` may be NULL. Returns the result of `visit`, or LSCHED_OK.
 */
int32_t source_follow(const struct parse_tree *tree, uint32_t function, uint32_t n,
                      struct source_arguments *out, source_field_fn visit, void *user);

/* Visits every word that follows '.' or ':', and every string literal. */
void source_words(const struct parse_tree *tree,
                  void (*visit)(void *user, const char *word, uint32_t len), void *user);

/* Returns the node of `key =` in a table constructor, the least nested one first; PARSE_NONE: there
 * is none. */
uint32_t source_key(const struct parse_tree *tree, const char *key);
/* Returns the node of `key =` in the constructor of `table = {...}`. */
uint32_t source_inner_key(const struct parse_tree *tree, const char *table, const char *key);

/* Returns the next warning after `node` (PARSE_NONE: the first) in the order of the text,
 * PARSE_NONE at the end, and fills `text`. Warnings concern harmless mistakes: a parameter that
 * nothing reads, a key that is given twice. Only about the first hundred keys are checked. */
uint32_t source_warning(const struct parse_tree *tree, uint32_t node, char *text, size_t cap);

/* Finds a token on a line (0: on any line; "" is the end of the text) and sets *at. Returns 0 if
 * the token is not there. Needs no tree. */
int source_token(const char *text, size_t len, uint32_t line, const char *word,
                 struct lex_token *at);

#endif
