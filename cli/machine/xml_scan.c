/*
 * xml_scan.c -- see xml_scan.h.
 */
#include "cli/machine/xml_scan.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/support/cli_errors.h"
#include "cli/support/utf8.h"

enum { SHOWN_MAX = 32 };

struct name {
    const char *text;
    size_t len;
};

struct xml {
    const char *text;
    size_t len, at;
    struct name open[XML_DEPTH_MAX];
    size_t depth;
    const char *root;
    bool closed; /* true after the end of the outermost element */
};

static uint32_t line_at(const struct xml *x, size_t at) {
    uint32_t line = 1;
    for (size_t i = 0; i < at && i < x->len; i++) line += x->text[i] == '\n';
    return line;
}

static uint32_t column_at(const struct xml *x, size_t at) {
    uint32_t column = 1;
    for (size_t i = at; i > 0 && x->text[i - 1] != '\n'; i--) column++;
    return column;
}

#define fail_at(x, at, err, ...) \
    error_at(err, LSCHED_E_SYNTAX, line_at(x, at), column_at(x, at), __VA_ARGS__)

/* Returns the line of the tag that has this name. */
static uint32_t line_of(const struct xml *x, const struct name *name) {
    return line_at(x, (size_t)(name->text - x->text));
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(char c) {
    unsigned char u = (unsigned char)c;
    return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || (u >= '0' && u <= '9') || u == '_' ||
           u == '-' || u == '.' || u == ':' || u >= 0x80;
}

static int shown_len(size_t len) {
    return (int)(len < SHOWN_MAX ? len : SHOWN_MAX);
}

static void skip_space(struct xml *x) {
    while (x->at < x->len && is_space(x->text[x->at])) x->at++;
}

/* Moves x->at behind the next place where the text `end` stands. Returns false if the text `end`
 * does not follow. */
static bool skip_past(struct xml *x, const char *end) {
    size_t n = strlen(end);
    for (; x->at + n <= x->len; x->at++) {
        if (memcmp(x->text + x->at, end, n) != 0) continue;
        x->at += n;
        return true;
    }
    return false;
}

static struct name read_name(struct xml *x) {
    struct name name = {x->text + x->at, 0};
    while (x->at < x->len && is_name(x->text[x->at])) x->at++;
    name.len = (size_t)(x->text + x->at - name.text);
    return name;
}

static int32_t cut_off(const struct xml *x, const char *what, lsched_error *err) {
    return fail_at(x, x->len, err, "the file is cut off: expected %s, got the end of the file",
                   what);
}

/* Checks an attribute of the form name="value" and moves behind it. */
static int32_t read_attribute(struct xml *x, lsched_error *err) {
    size_t from = x->at;
    struct name name = read_name(x);
    if (name.len == 0) return fail_at(x, from, err, "expected an attribute or the end of a tag");
    skip_space(x);
    if (x->at == x->len) return cut_off(x, "the rest of a tag", err);
    if (x->text[x->at] != '=')
        return fail_at(x, x->at, err, "expected '=' after the attribute '%.*s'",
                       shown_len(name.len), name.text);
    x->at++;
    skip_space(x);
    if (x->at == x->len) return cut_off(x, "the rest of a tag", err);
    char quote = x->text[x->at];
    if (quote != '"' && quote != '\'')
        return fail_at(x, x->at, err, "expected the value of the attribute '%.*s' in quotes",
                       shown_len(name.len), name.text);
    const char *end = memchr(x->text + x->at + 1, quote, x->len - x->at - 1);
    if (end == NULL) return cut_off(x, "the closing quote of a value", err);
    x->at = (size_t)(end + 1 - x->text);
    return LSCHED_OK;
}

static int32_t close_tag(struct xml *x, size_t from, lsched_error *err) {
    struct name name = read_name(x);
    skip_space(x);
    if (x->at == x->len) return cut_off(x, "the rest of a tag", err);
    if (x->depth == 0)
        return fail_at(x, from, err, "expected an element, got the end of '%.*s'",
                       shown_len(name.len), name.text);
    const struct name *open = &x->open[x->depth - 1];
    if (x->text[x->at] != '>' || name.len != open->len ||
        memcmp(name.text, open->text, name.len) != 0)
        return fail_at(
            x, from, err, "expected </%.*s>, which ends the element of line %u, got </%.*s",
            shown_len(open->len), open->text, line_of(x, open), shown_len(name.len), name.text);
    x->at++;
    x->closed = --x->depth == 0;
    return LSCHED_OK;
}

static int32_t check_open(const struct xml *x, size_t from, const struct name *name,
                          lsched_error *err) {
    if (name->len == 0) return fail_at(x, from, err, "expected the name of an element after '<'");
    if (x->closed) return fail_at(x, from, err, "expected nothing after </%s>", x->root);
    if (x->depth == 0 &&
        (name->len != strlen(x->root) || memcmp(name->text, x->root, name->len) != 0))
        return fail_at(x, from, err, "expected <%s> as the outermost element, got <%.*s>", x->root,
                       shown_len(name->len), name->text);
    if (x->depth < XML_DEPTH_MAX) return LSCHED_OK;
    fail_at(x, from, err, "expected elements at most %d deep, got a deeper one", XML_DEPTH_MAX);
    return err->code = LSCHED_E_LIMIT;
}

static int32_t open_tag(struct xml *x, size_t from, lsched_error *err) {
    struct name name = read_name(x);
    int32_t rc = check_open(x, from, &name, err);
    if (rc != LSCHED_OK) return rc;
    for (;;) {
        skip_space(x);
        if (x->at == x->len) return cut_off(x, "the rest of a tag", err);
        if (x->text[x->at] == '>') break;
        if (x->text[x->at] == '/') {
            x->at++;
            if (x->at == x->len) return cut_off(x, "the rest of a tag", err);
            if (x->text[x->at] != '>') return fail_at(x, x->at, err, "expected '>' after '/'");
            x->at++;
            x->closed = x->depth == 0;
            return LSCHED_OK;
        }
        rc = read_attribute(x, err);
        if (rc != LSCHED_OK) return rc;
    }
    x->at++;
    x->open[x->depth++] = name;
    return LSCHED_OK;
}

/* Checks a tag, a comment, an instruction or a declaration, and moves behind it. Before the call,
 * x->at is at its '<'. */
static int32_t read_tag(struct xml *x, lsched_error *err) {
    size_t from = x->at, left = x->len - x->at;
    const char *at = x->text + x->at;
    if (left >= 4 && memcmp(at, "<!--", 4) == 0) {
        x->at += 4;
        return skip_past(x, "-->") ? LSCHED_OK : cut_off(x, "the end of a comment", err);
    }
    if (left >= 2 && at[1] == '?')
        return skip_past(x, "?>") ? LSCHED_OK : cut_off(x, "the end of an instruction", err);
    if (left >= 2 && at[1] == '!') {
        /* hwloc writes a document type with a name only; a document type with declarations would
         * have brackets */
        const char *end = memchr(at, '>', left), *inner = memchr(at, '[', left);
        if (end == NULL) return cut_off(x, "the end of a declaration", err);
        if (inner != NULL && inner < end)
            return fail_at(x, from, err, "expected no declarations inside a document type");
        x->at += (size_t)(end - at) + 1;
        return LSCHED_OK;
    }
    x->at++;
    if (left >= 2 && at[1] == '/') {
        x->at++;
        return close_tag(x, from, err);
    }
    return open_tag(x, from, err);
}

int32_t xml_scan(const char *text, size_t len, const char *root, lsched_error *err) {
    struct xml x = {.text = text, .len = len, .root = root};
    const char *nul = memchr(text, '\0', len);
    if (nul != NULL) return fail_at(&x, (size_t)(nul - text), err, "expected text, got a NUL byte");
    x.at = utf8_mark(text, len);
    while (x.at < len) {
        if (text[x.at] == '<') {
            int32_t rc = read_tag(&x, err);
            if (rc != LSCHED_OK) return rc;
        } else if (x.depth == 0 && !is_space(text[x.at])) {
            return fail_at(&x, x.at, err,
                           x.closed ? "expected nothing after </%s>" : "expected <%s>", root);
        } else {
            x.at++;
        }
    }
    if (x.depth > 0) {
        const struct name *open = &x.open[x.depth - 1];
        return fail_at(&x, len, err,
                       "the file is cut off: expected </%.*s>, which ends the element of line %u, "
                       "got the end of the file",
                       shown_len(open->len), open->text, line_of(&x, open));
    }
    return x.closed ? LSCHED_OK : fail_at(&x, len, err, "expected <%s>, got an empty file", root);
}
