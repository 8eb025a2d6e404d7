/* lua_tokens.c -- see lua_tokens.h. */
#include "lua/front/lua_tokens.h"

#include <stdio.h>

#include "lua/front/lua_cures.h"

/* ---- failing ---- */

void tokens_fail_at(struct tokens *t, int32_t code, const struct lex_token *token,
                    const char *text) {
    if (t->code == LSCHED_OK)
        t->code = fault_at(t->fault, code, token->line, token->column, "%s", text);
    t->now.kind = t->ahead.kind = LEX_END;
}

void tokens_fail(struct tokens *t, const char *text) {
    char full[FAULT_TEXT_BYTES], cure[CURE_BYTES];
    const struct lex_token *now = &t->now;
    int is_end = now->kind == LEX_END;
    cure_syntax(t, text, cure);
    snprintf(full, sizeof full, "%s near '%.*s'%s", text,
             is_end          ? 5
             : now->len < 40 ? (int)now->len
                             : 40,
             is_end ? "<eof>" : t->lex.text + now->at, cure);
    tokens_fail_at(t, LSCHED_E_SYNTAX, now, full);
}

void tokens_fail_expected(struct tokens *t, const char *what, const struct lex_token *opener) {
    char text[80];
    if (!opener || opener->line == t->now.line)
        snprintf(text, sizeof text, "'%s' expected", what);
    else
        snprintf(text, sizeof text, "'%s' expected (to close '%.*s' at line %u)", what,
                 (int)opener->len, t->lex.text + opener->at, (unsigned)opener->line);
    tokens_fail(t, text);
}

/* ---- taking ---- */

int tokens_is_goto(const struct tokens *t, const struct lex_token *token) {
    return token->kind == LEX_NAME && lex_is(&t->lex, token, "goto", 4);
}

static void lua_tokens_scan(struct tokens *t, struct lex_token *token, uint32_t *end_line) {
    int32_t rc = lex_next(&t->lex, token);
    uint32_t kind = token->kind;
    *end_line = t->lex.line;
    if (rc < 0) {
        tokens_fail_at(t, rc, token, t->lex.complaint);
    } else if (kind == '^') {
        tokens_fail_at(
            t, LSCHED_E_SYNTAX, token,
            "the operator ^ is not allowed, because its last bit depends on the machine; "
            "write math.pow(x, y)");
    } else if (kind == LEX_AND || kind == LEX_OR || kind == LEX_ELSEIF ||
               tokens_is_goto(t, token)) {
        if (++t->chain > TOKENS_CHAIN_MAX)
            tokens_fail_at(t, LSCHED_E_LIMIT, token,
                           "the text has more than 2000 of the words and, or, elseif and goto");
    }
}

void tokens_begin(struct tokens *t, const char *text, size_t len, struct fault *fault) {
    *t = (struct tokens){.fault = fault};
    lex_begin(&t->lex, text, len);
    lua_tokens_scan(t, &t->now, &t->end_line);
}

static void count_nesting(struct tokens *t) {
    switch (t->now.kind) {
    case ')':
    case ']':
    case '}':
    case LEX_ELSEIF:
    case LEX_UNTIL:
    case LEX_KEY_END: t->nest--; return;
    case '(':
    case '[':
    case '{':
    case LEX_DO:
    case LEX_FUNCTION:
    case LEX_REPEAT:
    case LEX_THEN: break;
    default: return; /* includes LEX_ELSE, which closes one block and opens another */
    }
    if (++t->nest > TOKENS_NEST_MAX)
        tokens_fail_at(t, LSCHED_E_LIMIT, &t->now, "nested more than 32 deep");
}

void tokens_take(struct tokens *t) {
    if (t->code == LSCHED_OK) count_nesting(t);
    if (t->code < 0) return;
    t->last = t->now;
    t->last_end_line = t->end_line;
    if (t->has_ahead) {
        t->now = t->ahead;
        t->end_line = t->ahead_end_line;
        t->has_ahead = 0;
    } else {
        lua_tokens_scan(t, &t->now, &t->end_line);
    }
    if (t->last.kind == LEX_ELSE && t->now.kind == LEX_IF && t->last.line == t->now.line &&
        !t->else_if_line)
        t->else_if_line = t->now.line;
}

int tokens_take_if(struct tokens *t, uint32_t kind) {
    if (t->code < 0 || t->now.kind != kind) return 0;
    tokens_take(t);
    return 1;
}

uint32_t tokens_ahead(struct tokens *t) {
    if (t->code < 0) return LEX_END;
    if (!t->has_ahead) lua_tokens_scan(t, &t->ahead, &t->ahead_end_line);
    t->has_ahead = 1;
    return t->ahead.kind;
}
