/* conf_reader.c -- see conf_reader.h. */
#include "cli/slurm_records/conf_reader.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"
#include "cli/support/utf8.h"

struct conf {
    const struct conf_calls *calls;
    struct record record;
    char *line; /* owned by this struct; one line whose parts are joined, without its comment */
    size_t n, capacity;
    lsched_error *err;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\0';
}

static void add_char(struct conf *conf, char c) {
    conf->line = must_grow(conf->line, conf->n, &conf->capacity, 1);
    conf->line[conf->n++] = c;
}

/* Appends a line of the file to conf->line. Returns true if the line goes on behind a '\'. */
static bool add_line(struct conf *conf, const char *text, size_t len) {
    while (len > 0 && is_blank(text[len - 1])) len--;
    bool goes_on = len > 0 && text[len - 1] == '\\';
    if (goes_on) len--;
    for (size_t i = 0; i < len; i++) {
        /* "\#" is a '#' that begins no comment */
        if (text[i] == '#' && (i == 0 || text[i - 1] != '\\')) return false;
        if (text[i] == '\\' && i + 1 < len && text[i + 1] == '#') continue;
        add_char(conf, is_blank(text[i]) ? ' ' : text[i]);
    }
    if (goes_on) add_char(conf, ' ');
    return goes_on;
}

static void odd(struct conf *conf, const char *what, size_t from, size_t end) {
    conf->calls->odd(conf->calls->user, conf->record.line, what, conf->line + from, end - from);
}

static size_t skip_blanks(const struct conf *conf, size_t at) {
    while (at < conf->n && conf->line[at] == ' ') at++;
    return at;
}

/* Returns the index of the first of two characters behind `at`, or the length of the line. */
static size_t find_either(const struct conf *conf, size_t at, char a, char b) {
    while (at < conf->n && conf->line[at] != a && conf->line[at] != b) at++;
    return at;
}

/* Reads one field that begins at *at. Blanks around '=' are allowed. */
static int32_t read_field(struct conf *conf, size_t *at) {
    size_t from = *at, key_end = find_either(conf, from, '=', ' ');
    size_t i = skip_blanks(conf, key_end);
    if (i == conf->n || conf->line[i] != '=' || key_end == from) {
        *at = i > key_end || i == conf->n ? i : i + 1;
        odd(conf, "expected Key=Value", from, key_end > from ? key_end : from + 1);
        return LSCHED_OK;
    }
    i = skip_blanks(conf, i + 1);
    bool quoted = i < conf->n && conf->line[i] == '"';
    size_t value = i + quoted;
    i = quoted ? find_either(conf, value, '"', '"') : find_either(conf, value, ' ', ' ');
    if (quoted && i == conf->n) odd(conf, "expected a second quote", from, i);
    *at = i + (quoted && i < conf->n);
    return record_add(&conf->record, conf->line + from, key_end - from, conf->line + value,
                      i - value, conf->record.line, conf->err);
}

static int32_t read_include(struct conf *conf, size_t at) {
    while (at < conf->n && conf->line[at] == ' ') at++;
    size_t end = conf->n;
    while (end > at && conf->line[end - 1] == ' ') end--;
    if (conf->calls->include == NULL || end == at) {
        return error_at(conf->err, LSCHED_E_SYNTAX, conf->record.line, 1,
                        "expected the name of a file after include%s",
                        conf->calls->include == NULL ? " only in slurm.conf" : "");
    }
    char *name = must_copy(conf->line + at, end - at);
    int32_t rc = conf->calls->include(conf->calls->user, name, conf->record.line, conf->err);
    free(name);
    return rc;
}

static int32_t read_line(struct conf *conf) {
    size_t at = 0;
    int32_t rc = LSCHED_OK;
    while (at < conf->n && conf->line[at] == ' ') at++;
    if (at == conf->n) return LSCHED_OK;
    if (conf->n - at > 8 && same_word(conf->line + at, 7, "include", 7) &&
        conf->line[at + 7] == ' ')
        return read_include(conf, at + 7);
    while (rc >= 0 && at < conf->n) {
        if (conf->line[at] == ' ') {
            at++;
        } else {
            rc = read_field(conf, &at);
        }
    }
    if (rc < 0 || conf->record.n == 0) return rc;
    return conf->calls->line(conf->calls->user, &conf->record, conf->err);
}

int32_t conf_read(const char *text, size_t len, const struct conf_calls *calls, lsched_error *err) {
    struct conf conf = {.calls = calls, .err = err};
    uint32_t line = 0;
    bool goes_on = false;
    int32_t rc = LSCHED_OK;
    for (size_t at = utf8_mark(text, len); rc >= 0 && at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t line_len = end != NULL ? (size_t)(end - (text + at)) : len - at;
        line++;
        if (!goes_on) {
            conf.n = 0;
            record_begin(&conf.record, line);
        }
        goes_on = add_line(&conf, text + at, line_len);
        if (!goes_on) rc = read_line(&conf);
        at += line_len + 1;
    }
    if (rc >= 0 && goes_on) rc = read_line(&conf);
    record_free(&conf.record);
    free(conf.line);
    return rc;
}
