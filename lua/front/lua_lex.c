/* lua_lex.c -- see lua_lex.h. */
#include "lua/front/lua_lex.h"

#include <libsched/libsched.h>
#include <string.h>

enum { LEX_EOF = -1 };

static int peek(const struct lex *lex, uint32_t ahead) {
    uint32_t at = lex->at + ahead;
    return at < lex->len ? (unsigned char)lex->text[at] : LEX_EOF;
}

static int lua_lex_is_digit(int c) {
    return c >= '0' && c <= '9';
}

static int lua_lex_is_name(int c) { /* LuaJIT treats every byte from 0x80 as a letter */
    return lua_lex_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c >= 0x80;
}

static int is_newline(int c) {
    return c == '\n' || c == '\r';
}

static int is_space(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_newline(struct lex *lex) { /* "\r\n" and "\n\r" count as one newline */
    int first = peek(lex, 0);
    lex->at++;
    if (is_newline(peek(lex, 0)) && peek(lex, 0) != first) lex->at++;
    lex->line++;
    lex->line_at = lex->at;
}

static int32_t lua_lex_refuse(struct lex *lex, int32_t code, const char *complaint) {
    lex->complaint = complaint;
    return code;
}

/* Returns the number of '=' signs of the long bracket that begins at the current position, or -1 if
 * there is none. */
static int32_t bracket_level(const struct lex *lex) {
    uint32_t n = 1;
    while (peek(lex, n) == '=') n++;
    return peek(lex, n) == '[' ? (int32_t)n - 1 : -1;
}

static int32_t skip_long_bracket(struct lex *lex, int32_t level) {
    lex->at += (uint32_t)level + 2;
    while (lex->at < lex->len) {
        if (is_newline(peek(lex, 0))) {
            skip_newline(lex);
            continue;
        }
        if (peek(lex, 0) == ']') {
            uint32_t n = 1;
            while (peek(lex, n) == '=') n++;
            if (n == (uint32_t)level + 1 && peek(lex, n) == ']') {
                lex->at += n + 1;
                return LSCHED_OK;
            }
        }
        lex->at++;
    }
    return lua_lex_refuse(lex, LSCHED_E_SYNTAX, "a long bracket is not closed");
}

static struct lex_token token_here(const struct lex *lex) {
    return (struct lex_token){LEX_END, lex->at, 0, lex->line, lex->at - lex->line_at + 1};
}

/* Skips white space and comments. If a comment is not closed, *token is the position where the
 * comment began. */
static int32_t skip_blank(struct lex *lex, struct lex_token *token) {
    for (;;) {
        int c = peek(lex, 0);
        if (is_newline(c)) {
            skip_newline(lex);
        } else if (is_space(c)) {
            lex->at++;
        } else if (c == '-' && peek(lex, 1) == '-') {
            *token = token_here(lex);
            lex->at += 2;
            int32_t level = peek(lex, 0) == '[' ? bracket_level(lex) : -1;
            if (level >= 0) {
                int32_t rc = skip_long_bracket(lex, level);
                if (rc < 0) return rc;
            } else {
                while (lex->at < lex->len && !is_newline(peek(lex, 0))) lex->at++;
            }
        } else {
            return LSCHED_OK;
        }
    }
}

static int32_t skip_string(struct lex *lex) {
    int quote = peek(lex, 0);
    lex->at++;
    for (;;) {
        int c = peek(lex, 0);
        if (c == LEX_EOF || is_newline(c))
            return lua_lex_refuse(lex, LSCHED_E_SYNTAX, "a string is not closed");
        lex->at++;
        if (c == quote) return LSCHED_OK;
        if (c != '\\') continue;
        if (peek(lex, 0) == 'z') { /* \z skips all white space after it */
            lex->at++;
            while (is_space(peek(lex, 0))) {
                if (is_newline(peek(lex, 0)))
                    skip_newline(lex);
                else
                    lex->at++;
            }
        } else if (is_newline(peek(lex, 0))) {
            skip_newline(lex);
        } else if (lex->at < lex->len) {
            lex->at++;
        }
    }
}

static int32_t skip_number(struct lex *lex) {
    uint32_t start = lex->at;
    int exponent = peek(lex, 0) == '0' && (peek(lex, 1) | 0x20) == 'x' ? 'p' : 'e', last = 0;
    for (;;) {
        int c = peek(lex, 0);
        int sign = (c == '+' || c == '-') && (last | 0x20) == exponent;
        if (!lua_lex_is_name(c) && c != '.' && !sign) break;
        last = c;
        lex->at++;
    }
    for (uint32_t i = start; i < lex->at; i++) {
        if (strchr("iIuUlL", lex->text[i]) && lex->text[i])
            return lua_lex_refuse(
                lex, LSCHED_E_SYNTAX,
                "numbers have no suffix LL, ULL or i: a policy has only one kind of number");
    }
    return LSCHED_OK;
}

static uint32_t keyword_kind(const char *p, uint32_t len) {
    static const char *const words[] = {"and",   "break", "do",       "else",   "elseif", "end",
                                        "false", "for",   "function", "if",     "in",     "local",
                                        "nil",   "not",   "or",       "repeat", "return", "then",
                                        "true",  "until", "while"};
    for (uint32_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == len && memcmp(words[i], p, len) == 0) return LEX_AND + i;
    }
    return LEX_NAME;
}

static uint32_t symbol_kind(struct lex *lex) {
    static const struct {
        char spelling[4];
        uint32_t kind;
    } longs[] = {{"...", LEX_DOTS},  {"..", LEX_CONCAT},     {"==", LEX_EQUAL},
                 {"~=", LEX_UNLIKE}, {"<=", LEX_LESS_EQUAL}, {">=", LEX_MORE_EQUAL},
                 {"::", LEX_LABEL}};
    for (uint32_t i = 0; i < sizeof longs / sizeof longs[0]; i++) {
        size_t n = strlen(longs[i].spelling);
        if (lex->len - lex->at < n || memcmp(lex->text + lex->at, longs[i].spelling, n) != 0)
            continue;
        lex->at += (uint32_t)n;
        return longs[i].kind;
    }
    return (unsigned char)lex->text[lex->at++];
}

void lex_begin(struct lex *lex, const char *text, size_t len) {
    *lex = (struct lex){.text = text, .len = (uint32_t)len, .line = 1};
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        lex->at = lex->line_at = 3; /* skips the byte order mark that some editors write */
}

/* Skips a name or keyword and sets token->kind. */
static int32_t skip_word(struct lex *lex, struct lex_token *token) {
    while (lua_lex_is_name(peek(lex, 0))) {
        if (peek(lex, 0) == 0xC2 && peek(lex, 1) == 0xA0)
            return lua_lex_refuse(
                lex, LSCHED_E_SYNTAX,
                "Lua reads a no-break space (U+00A0) as a letter: write a plain space");
        lex->at++;
    }
    static const char reserved[] = "__lsched"; /* lua_rewrite.h writes such names into the text */
    const char *word = lex->text + token->at;
    token->kind = keyword_kind(word, lex->at - token->at);
    if (lex->at - token->at >= sizeof reserved - 1 &&
        memcmp(word, reserved, sizeof reserved - 1) == 0)
        return lua_lex_refuse(lex, LSCHED_E_SYNTAX,
                              "names that begin with __lsched belong to the library");
    if (memchr(word, 0xFF, lex->at - token->at))
        return lua_lex_refuse(lex, LSCHED_E_SYNTAX,
                              "a name contains the byte 0xFF, which is not UTF-8");
    return LSCHED_OK;
}

static int32_t skip_long_string(struct lex *lex) {
    int32_t level = bracket_level(lex);
    return level < 0 ? lua_lex_refuse(lex, LSCHED_E_SYNTAX, "'[=' opens no long string")
                     : skip_long_bracket(lex, level);
}

static int32_t lex_token(struct lex *lex, struct lex_token *token) {
    int c = peek(lex, 0), next = peek(lex, 1);
    int32_t rc = LSCHED_OK;
    if (lua_lex_is_digit(c) || (c == '.' && lua_lex_is_digit(next))) {
        token->kind = LEX_NUMBER;
        rc = skip_number(lex);
    } else if (lua_lex_is_name(c)) {
        rc = skip_word(lex, token);
    } else if (c == '"' || c == '\'') {
        token->kind = LEX_STRING;
        rc = skip_string(lex);
    } else if (c == '[' && (next == '[' || next == '=')) {
        token->kind = LEX_STRING;
        rc = skip_long_string(lex);
    } else if (c >= 0 && c < ' ') {
        rc = lua_lex_refuse(lex, LSCHED_E_SYNTAX, "a control character: a policy is plain text");
    } else {
        token->kind = symbol_kind(lex);
    }
    token->len = lex->at - token->at;
    if (rc == LSCHED_OK && token->kind == LEX_STRING && token->len > LEX_STRING_BYTES_MAX)
        rc = lua_lex_refuse(lex, LSCHED_E_LIMIT, "a string longer than 1024 bytes");
    return rc;
}

int32_t lex_next(struct lex *lex, struct lex_token *token) {
    int32_t rc = skip_blank(lex, token);
    if (rc < 0) return rc;
    *token = token_here(lex);
    if (lex->at >= lex->len) return LSCHED_OK;
    return lex_token(lex, token);
}

int lex_is(const struct lex *lex, const struct lex_token *token, const char *word, size_t len) {
    return token->len == len && memcmp(lex->text + token->at, word, len) == 0;
}
