/*
 * lua_source.h -- facts about a policy text that are known without running it: whether it is pure,
 * which fields of its objects a hook reads, which parameters nothing reads, and where a word is
 * written.
 *
 * Each answer is safe in uncertain cases. An object is followed through locals that are initialized
 * with it, and through parameters of functions that a call certainly means. An object that is used
 * in any other way "escapes". For an escaped object, the caller must assume that the hook reads
 * every field whose name occurs in the text (source_words). The functions read the tree without
 * recursion and use memory of fixed size on the caller's stack. A call takes O(n) for each variable
 * that it follows, with n nodes in the tree.
 */
#ifndef LSCHED_LUA_SOURCE_H
#define LSCHED_LUA_SOURCE_H

#include "lua/front/lua_fault.h"
#include "lua/front/lua_tree.h"

enum { SOURCE_OBJECTS_MAX = 4, SOURCE_FOLLOWED_MAX = 64 };

struct source_facts {
    /* 1: some function assigns an entry of a table that the function has possibly not made itself.
     * Two other sorts of assignments are errors: to globals, and to entries of tables that
     * certainly belong to the chunk. */
    uint32_t assigns;
};

/* Checks that the text is pure. A variable must be assigned only in the function that declares it.
 * A function must not assign entries of a table that a variable of the chunk holds. Returns
 * LSCHED_OK, or an error code with *fault filled. */
int32_t source_check(const struct parse_tree *tree, struct source_facts *facts,
                     struct fault *fault);

/* Returns the FUNCTION node whose first and last line these are, as Lua's debug information gives
 * them. If several functions have the same lines, it returns the one that the policy text returns
 * under `key`. Returns PARSE_NONE if the function cannot be determined. */
uint32_t source_function(const struct parse_tree *tree, uint32_t line, uint32_t last_line,
                         const char *key);

/* Facts about the arguments of a function. Arguments are numbered from 0. */
struct source_arguments {
    uint32_t n_params; /* number of parameters in the text; `self` is counted, `...` is not */
    uint32_t is_vararg;
    uint32_t escapes; /* bit i is set if argument i escapes (see the head of this file) */
    uint32_t is_used; /* bit i is set if the function uses its parameter i */
};

/* Called for each field with which an argument is indexed. `word` is not always the name of an
 * existing field. is_certain is 1 if the indexed variable is the function's own parameter or a
 * local initialized with it. It is 0 if the variable belongs to another function. A result other
 * than 0 ends the walk. */
typedef int32_t (*source_field_fn)(void *user, uint32_t argument, uint32_t node, const char *word,
                                   uint32_t len, int is_assigned, int is_certain);
/* Follows the first n arguments of `function` through the text, fills *out and calls `visit` for
 * each field. `visit` can be NULL. Returns the first result of `visit` that is not 0, or
 * LSCHED_OK. */
int32_t source_follow(const struct parse_tree *tree, uint32_t function, uint32_t n,
                      struct source_arguments *out, source_field_fn visit, void *user);

/* Visits every word that follows '.' or ':', and every string literal. */
void source_words(const struct parse_tree *tree,
                  void (*visit)(void *user, const char *word, uint32_t len), void *user);

/* Returns the node of `key` in the item `key = value` of a table constructor. If there are several
 * such items, it returns the least nested one. Returns PARSE_NONE if there is none. */
uint32_t source_key(const struct parse_tree *tree, const char *key);
/* Returns the node of `key` in the constructor of `table = {...}`, or PARSE_NONE if there is
 * none. */
uint32_t source_inner_key(const struct parse_tree *tree, const char *table, const char *key);
/* Returns the node of the innermost key of a path of at most n keys, which NULL can end. If the
 * text does not have a key there, for example because the table comes from a variable, it returns
 * the key before it; PARSE_NONE if the text does not even have the first. */
uint32_t source_path(const struct parse_tree *tree, const char *const *path, uint32_t n);

/* Fills `text` with the next warning after `node`, in the order of the text, and returns the node
 * of the warning. To get the first warning, pass PARSE_NONE. Returns PARSE_NONE if there are no
 * more warnings. The warnings are about harmless mistakes: a parameter that nothing reads, a key
 * that is given twice. At most 128 keys are checked. */
uint32_t source_warning(const struct parse_tree *tree, uint32_t node, char *text, size_t cap);

/* Sets *at to the first token on a line that has this text, without a tree. Line 0 means any line;
 * the word "" means the end of the text. Returns 0 if there is no such token. */
int source_token(const char *text, size_t len, uint32_t line, const char *word,
                 struct lex_token *at);

#endif
