/*
 * lua_tokens.h -- reads the tokens of a policy text one after the other, with one token of
 * look-ahead, and checks the limits that concern tokens alone: nesting, chains, and forbidden
 * tokens.
 *
 * After a failure, which is recorded once, every further token is LEX_END.
 */
#ifndef LSCHED_LUA_TOKENS_H
#define LSCHED_LUA_TOKENS_H

#include "lua/front/lua_fault.h"
#include "lua/front/lua_lex.h"

enum {
    TOKENS_NEST_MAX = 32, /* nesting depth of ( [ { function do then else repeat */
    /* number of and, or, elseif, goto: the time of LuaJIT's parser is quadratic in them */
    TOKENS_CHAIN_MAX = 2000
};

struct tokens {
    struct fault *fault;
    int32_t code;
    struct lex lex;
    /* token that was taken last, the current token, the next token */
    struct lex_token last, now, ahead;
    uint32_t last_end_line; /* line on which the token taken last ends */
    uint32_t end_line, ahead_end_line;
    uint32_t has_ahead, nest, chain;
    uint32_t else_if_line; /* line of the first `else if` on one line; 0: none */
};

void tokens_begin(struct tokens *t, const char *text, size_t len, struct fault *fault);
/* Takes the current token. The caller must take a closing token only if something is open. */
void tokens_take(struct tokens *t);
int tokens_take_if(struct tokens *t, uint32_t kind);
uint32_t tokens_ahead(struct tokens *t); /* returns the kind of the token after the current one */
/* True if the token is the keyword goto. goto is a plain name if no name follows it. */
int tokens_is_goto(const struct tokens *t, const struct lex_token *token);

void tokens_fail_at(struct tokens *t, int32_t code, const struct lex_token *token,
                    const char *text);
/* Fails at the current token, with a message in LuaJIT's form: "text near 'token'". */
void tokens_fail(struct tokens *t, const char *text);
/* Fails with "'what' expected". If `opener` (may be NULL) is on another line, the message also
 * names the token that should have been closed. */
void tokens_fail_expected(struct tokens *t, const char *what, const struct lex_token *opener);

#endif
