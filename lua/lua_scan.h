/*
 * lua_scan.h -- what is known of a policy text without running it.
 *
 * It works on tokens and the nesting of blocks, which is enough for four questions: may LuaJIT be
 * given this text (limits, no `^`), does a function assign what is not its own, which fields of its
 * parameters does a function read, where does a word stand. Each answer errs on the safe side: a
 * parameter that is used in any way but `name.field` escapes, and then whoever asks falls back to
 * every field word of the text (scan_words). Only texts that LuaJIT accepts get an analysis that
 * counts. No recursion; state of fixed size on the caller's stack; O(n).
 */
#ifndef LSCHED_LUA_SCAN_H
#define LSCHED_LUA_SCAN_H

#include "lua/lua_fault.h"
#include "lua/lua_lex.h"

enum {
    SCAN_TEXT_BYTES_MAX = 64 * 1024,
    SCAN_NEST_MAX = 32,
    SCAN_LOCALS_MAX = 1024,
    SCAN_CHAIN_MAX = 2000, /* of and, or, elseif, goto: LuaJIT's parser is quadratic in them */
    SCAN_PARAMS_MAX = 4
};

struct scan_facts {
    uint32_t
        is_misnested; /* so LuaJIT must refuse it; if it does not, the text cannot be analysed */
    uint32_t assigns; /* a function assigns something, other than by local and for */
};

/* Is the text one that LuaJIT may see? Notes what is wrong in *fault. */
int32_t scan_text(const char *text, size_t len, struct scan_facts *facts, struct fault *fault);

struct scan_param {
    struct lex_token name;
    uint32_t escapes;  /* used in another way than name.field */
    uint32_t assigned; /* name.field = ... */
};

struct scan_function {
    uint32_t matches; /* functions that begin on that line, methods twice; with 1 the rest counts */
    uint32_t line, column;
    uint32_t n_params; /* also beyond SCAN_PARAMS_MAX */
    uint32_t is_vararg;
    struct scan_param params[SCAN_PARAMS_MAX];
};

/* A field that a parameter is indexed with; word need not be a field that exists. Non-zero ends
 * the scan. */
typedef int32_t (*scan_field_fn)(void *user, uint32_t param, const char *word, uint32_t len,
                                 const struct lex_token *token, int is_assigned);
/* The function whose debug information says that it begins on line. Returns what `visit`
 * returned. */
int32_t scan_function(const char *text, size_t len, uint32_t line, struct scan_function *out,
                      scan_field_fn visit, void *user);

/* Every word that follows '.' or ':' and every string literal. */
void scan_words(const char *text, size_t len,
                void (*visit)(void *user, const char *word, uint32_t len), void *user);

/* Where `key =` stands in a table constructor, the least nested first. 0 if nowhere. */
int scan_find_key(const char *text, size_t len, const char *key, size_t key_len,
                  struct lex_token *at);
/* Where `key =` stands in the table constructor of `table = {...}`, each the least nested first. 0 if
 * nowhere. */
int scan_find_inner_key(const char *text, size_t len, const char *table, const char *key,
                        struct lex_token *at);
/* Where a token stands on a line (0: on any). 0 if nowhere. */
int scan_find_word(const char *text, size_t len, uint32_t line, const char *word, size_t word_len,
                   struct lex_token *at);

#endif
