/*
 * lua_tokens.h -- the tokens of a text one after the other, with one to look ahead, and the limits
 * that concern tokens alone: nesting, chains, what no policy may hold.
 *
 * A failure is noted once and sticks: from then on every token is LEX_END.
 */
#ifndef LSCHED_LUA_TOKENS_H
#define LSCHED_LUA_TOKENS_H

#include "lua/front/lua_fault.h"
#include "lua/front/lua_lex.h"

enum {
    TOKENS_NEST_MAX = 32,   /* of ( [ { function do then else repeat */
    TOKENS_CHAIN_MAX = 2000 /* of and, or, elseif, goto: LuaJIT's parser is quadratic in them */
};

struct tokens {
    struct fault *fault;
    int32_t code;
    struct lex lex;
    struct lex_token last, now, ahead; /* taken last, the current one, the next */
    uint32_t last_end_line;            /* where the one taken last ends */
    uint32_t end_line, ahead_end_line;
    uint32_t has_ahead, nest, chain;
    uint32_t else_if_line; /* of the first `else if` on one line; 0: none */
};

void tokens_begin(struct tokens *t, const char *text, size_t len, struct fault *fault);
/* The caller takes what closes only where something is open. */
void tokens_take(struct tokens *t);
int tokens_take_if(struct tokens *t, uint32_t kind);
uint32_t tokens_ahead(struct tokens *t); /* kind of the token after the current one */
/* goto is a name where no name follows. */
int tokens_is_goto(const struct tokens *t, const struct lex_token *token);

void tokens_fail_at(struct tokens *t, int32_t code, const struct lex_token *token,
                    const char *text);
/* At the current token, in LuaJIT's words: "text near 'token'". */
void tokens_fail(struct tokens *t, const char *text);
/* "'what' expected"; or, where `opener` (may be NULL) stands on another line, also what it was to
 * close. */
void tokens_fail_expected(struct tokens *t, const char *what, const struct lex_token *opener);

#endif
