/*
 * lua_source.h -- what is known of a policy text without running it: is it pure, which fields of
 * its objects does a hook read, which parameters does nobody read, where does a word stand.
 *
 * Each answer errs on the safe side. An object is followed through locals that are given it and
 * through parameters of functions that a call must mean; where it is used in any other way it
 * escapes, and then whoever asks falls back to every field word of the text (source_words). All of
 * it reads the tree, iterative, with memory of fixed size on the caller's stack; O(n) per question
 * and followed variable.
 */
#ifndef LSCHED_LUA_SOURCE_H
#define LSCHED_LUA_SOURCE_H

#include "lua/front/lua_parse.h"

enum { SOURCE_OBJECTS_MAX = 4, SOURCE_FOLLOWED_MAX = 64 };

struct source_facts {
    /* A function assigns an entry of a table that it may not have made itself. What is the
     * chunk's or a global by name is refused outright. */
    uint32_t assigns;
};

/* A variable may be assigned by the function that declared it only, and what a variable of the
 * chunk holds by no function. Notes what is wrong in *fault. */
int32_t source_check(const struct parse_tree *tree, struct source_facts *facts,
                     struct fault *fault);

/* The FUNCTION whose debug information names these two lines; of several on one line the one that
 * the text returns under `key`. PARSE_NONE: it cannot be told. */
uint32_t source_function(const struct parse_tree *tree, uint32_t line, uint32_t last_line,
                         const char *key);

/* What is known of the arguments of a function, by their number. */
struct source_arguments {
    uint32_t n_params; /* written, `self` included; `...` is not counted */
    uint32_t is_vararg;
    uint32_t escapes; /* bit i: argument i */
    uint32_t is_used; /* bit i: its parameter is named in the function */
};

/* A field that an argument is indexed with. word need not be a field that exists; is_certain: it
 * is the function's own parameter that is indexed, or a local that is given it. Non-zero ends the
 * walk. */
typedef int32_t (*source_field_fn)(void *user, uint32_t argument, uint32_t node, const char *word,
                                   uint32_t len, int is_assigned, int is_certain);
/* Follows the first n arguments. visit may be NULL. Returns what it returned. */
int32_t source_follow(const struct parse_tree *tree, uint32_t function, uint32_t n,
                      struct source_arguments *out, source_field_fn visit, void *user);

/* Every word that follows '.' or ':' and every string literal. */
void source_words(const struct parse_tree *tree,
                  void (*visit)(void *user, const char *word, uint32_t len), void *user);

/* Where `key =` stands in a table constructor, the least nested first; PARSE_NONE: nowhere. */
uint32_t source_key(const struct parse_tree *tree, const char *key);
/* Where `key =` stands in the constructor of `table = {...}`. */
uint32_t source_inner_key(const struct parse_tree *tree, const char *table, const char *key);

/* What is worth a word to the author though it does no harm: a parameter that nothing reads, a key
 * that is given twice. Of the first hundred or so; in the order of the text; the next after `node`
 * (PARSE_NONE: the first).
 * Fills text, PARSE_NONE at the end. */
uint32_t source_warning(const struct parse_tree *tree, uint32_t node, char *text, size_t cap);

/* Needs no tree. Where a token stands on a line (0: on any; "" is the end). 0 if nowhere. */
int source_token(const char *text, size_t len, uint32_t line, const char *word,
                 struct lex_token *at);

#endif
