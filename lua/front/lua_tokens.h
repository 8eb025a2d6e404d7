/*
 * lua_tokens.h -- reads the tokens of a policy text one after the other, with one token of
 * look-ahead, and checks the limits that concern tokens alone: nesting depth, number of keywords
 * such as `and`, and forbidden tokens.
 *
 * Only the first failure is recorded. After it, every token is LEX_END.
 */
#ifndef LSCHED_LUA_TOKENS_H
#define LSCHED_LUA_TOKENS_H

#include "lua/front/lua_fault.h"
#include "lua/front/lua_lex.h"

enum {
    TOKENS_NEST_MAX = 32, /* maximum nesting depth of ( [ { function do then else repeat */
    /* maximum number of the keywords and, or, elseif, goto together, because the time of LuaJIT's
     * parser is quadratic in this number */
    TOKENS_CHAIN_MAX = 2000
};

struct tokens {
    struct fault *fault;
    int32_t code;
    struct lex lex;
    /* The tokens around the current position:
     *   last    the token taken last
     *   now     the current token
     *   ahead   the token after the current one, valid if has_ahead is 1 */
    struct lex_token last, now, ahead;
    uint32_t last_end_line; /* line on which the token `last` ends */
    uint32_t end_line, ahead_end_line;
    uint32_t has_ahead, nest, chain;
    /* line of the first `else if` whose two words are on one line; 0 if there is none */
    uint32_t else_if_line;
};

void tokens_begin(struct tokens *t, const char *text, size_t len, struct fault *fault);
/* Takes the current token; the next token becomes the current one. The caller must take a closing
 * token only if a construct is open. */
void tokens_take(struct tokens *t);
int tokens_take_if(struct tokens *t, uint32_t kind);
uint32_t tokens_ahead(struct tokens *t); /* returns the kind of the token after the current one */
/* True if the token is the word `goto`. `goto` is a plain name if the token after it is not a
 * name. */
int tokens_is_goto(const struct tokens *t, const struct lex_token *token);

void tokens_fail_at(struct tokens *t, int32_t code, const struct lex_token *token,
                    const char *text);
/* Records a syntax error at the current token. The message has LuaJIT's form: "text near
 * 'token'". */
void tokens_fail(struct tokens *t, const char *text);
/* Records the syntax error "'what' expected" at the current token. `opener` can be NULL. If
 * `opener` is on another line, the message also names the opening token and its line. */
void tokens_fail_expected(struct tokens *t, const char *what, const struct lex_token *opener);

#endif
