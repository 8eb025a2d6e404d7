/*
 * lua_lex.h -- splits a policy text into tokens, exactly as LuaJIT's own lexer does.
 *
 * All code that examines the policy text without LuaJIT uses this one lexer: limits, fields that a
 * hook reads, purity, columns of errors. The lexer refuses texts for which it could differ from
 * LuaJIT's lexer: a number with a suffix, a long string literal. The lexer does not recurse,
 * allocates nothing, and takes O(n) for a text of n bytes. Columns count bytes from 1.
 */
#ifndef LSCHED_LUA_LEX_H
#define LSCHED_LUA_LEX_H

#include <stddef.h>
#include <stdint.h>

/* Kinds of tokens. The kind of a symbol of one byte is the byte itself. */
enum lex_kind {
    LEX_END = 0,
    LEX_NAME = 256,
    LEX_NUMBER,
    LEX_STRING,
    LEX_EQUAL,  /* == */
    LEX_UNLIKE, /* ~= */
    LEX_LESS_EQUAL,
    LEX_MORE_EQUAL,
    LEX_CONCAT, /* .. */
    LEX_DOTS,   /* ... */
    LEX_LABEL,  /* :: */
    /* Keywords in alphabetical order. `goto` has the kind LEX_NAME, because LuaJIT allows a
     * variable with this name. */
    LEX_AND,
    LEX_BREAK,
    LEX_DO,
    LEX_ELSE,
    LEX_ELSEIF,
    LEX_KEY_END,
    LEX_FALSE,
    LEX_FOR,
    LEX_FUNCTION,
    LEX_IF,
    LEX_IN,
    LEX_LOCAL,
    LEX_NIL,
    LEX_NOT,
    LEX_OR,
    LEX_REPEAT,
    LEX_RETURN,
    LEX_THEN,
    LEX_TRUE,
    LEX_UNTIL,
    LEX_WHILE
};

enum { LEX_STRING_BYTES_MAX = 1024 };

struct lex_token {
    uint32_t kind, at, len; /* position and length in bytes; a string's quotes are included */
    uint32_t line, column;
};

struct lex {
    const char *text;
    uint32_t len, at, line, line_at;
    const char *complaint; /* error message about the token at which lex_next failed */
};

void lex_begin(struct lex *lex, const char *text, size_t len);
/* Reads the next token. Returns LSCHED_OK, LSCHED_E_SYNTAX or LSCHED_E_LIMIT. On an error,
 * token->line and token->column are the position of the error. */
int32_t lex_next(struct lex *lex, struct lex_token *token);
int lex_is(const struct lex *lex, const struct lex_token *token, const char *word, size_t len);

#endif
