/* check_errors.c -- see check_errors.h. */
#include "cli/policy/check_errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 64 };

/* A word that was replaced. The column is that of the changed text. */
struct edit {
    uint32_t line, column;
    int grown;
};

struct attempt {
    char *text; /* owned, NUL-terminated */
    size_t len;
    struct edit edits[CHECK_ERRORS_MAX];
    size_t n;
};

/* Returns the column in the original text for a column in the changed text. */
static uint32_t column_before(const struct attempt *attempt, uint32_t line, uint32_t column) {
    int64_t at = column;
    for (size_t i = attempt->n; i-- > 0;) {
        const struct edit *edit = &attempt->edits[i];
        if (edit->line == line && at > edit->column) at -= edit->grown;
    }
    return at > 0 ? (uint32_t)at : 1;
}

const char *error_place(const char *message, const char *name, uint32_t *line, uint32_t *column) {
    size_t n = strlen(name);
    char *end = NULL;
    *line = *column = 0;
    if (strncmp(message, name, n) != 0 || message[n] != ':') return message;
    unsigned long first = strtoul(message + n + 1, &end, 10), second = 0;
    if (end == message + n + 1 || *end != ':') return message;
    if (end[1] >= '0' && end[1] <= '9') second = strtoul(end + 1, &end, 10);
    if (end[0] != ':' || end[1] != ' ') return message;
    *line = (uint32_t)first;
    *column = (uint32_t)second;
    return end + 2;
}

/* Changes the place "name:line:column" of an error to the column in the original text. */
static void place_error(const struct attempt *attempt, const char *name, lsched_error *err) {
    char rest[LSCHED_MESSAGE_BYTES];
    uint32_t line, column;
    if (attempt->n == 0 || err->column == 0) return;
    err->column = column_before(attempt, err->line, err->column);
    const char *what = error_place(err->message, name, &line, &column);
    if (column == 0) return;
    snprintf(rest, sizeof rest, "%s", what);
    snprintf(err->message, sizeof err->message, "%s:%u:%u: %s", name, line, err->column, rest);
}

/* Reads the word in quotes that begins at `at`. */
static bool read_quoted(const char *at, char out[WORD_BYTES]) {
    size_t n = strcspn(at, "'");
    if (at[n] != '\'' || n == 0 || n >= WORD_BYTES) return false;
    memcpy(out, at, n);
    out[n] = '\0';
    return true;
}

/* Reads the two words of a message "... 'wrong' ...; did you mean 'right'?". The wrong word is the
 * last one in quotes before "did you mean". */
static bool read_words(const char *message, char wrong[WORD_BYTES], char right[WORD_BYTES]) {
    static const char between[] = "; did you mean '";
    const char *middle = strstr(message, between), *at = middle;
    if (middle == NULL) return false;
    while (at > message && at[-1] != '\'') at--; /* moves behind the closing quote */
    if (at == message) return false;
    for (at--; at > message && at[-1] != '\'';) at--;
    return at > message && read_quoted(at, wrong) &&
           read_quoted(middle + sizeof between - 1, right);
}

static bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Returns the first occurrence of the word at or after the column of the line; NULL if there is
 * none. */
static char *find_word(const struct attempt *attempt, uint32_t line, uint32_t column,
                       const char *word) {
    char *at = attempt->text;
    size_t n = strlen(word);
    for (uint32_t i = 1; i < line; i++) {
        at = strchr(at, '\n');
        if (at++ == NULL) return NULL;
    }
    char *begin = at, *end = at + strcspn(at, "\n");
    for (at += column > 0 ? column - 1 : 0; at + n <= end; at++) {
        bool joined = (at > begin && is_word_byte(at[-1])) || is_word_byte(at[n]);
        if (!joined && memcmp(at, word, n) == 0) return at;
    }
    return NULL;
}

/* Replaces the wrong word by the word that was probably meant. `line` and `column` are those of
 * the changed text. */
static bool correct(struct attempt *attempt, const char *message, uint32_t line, uint32_t column) {
    char wrong[WORD_BYTES], right[WORD_BYTES];
    if (attempt->n == CHECK_ERRORS_MAX || line == 0) return false;
    if (!read_words(message, wrong, right)) return false;
    char *at = find_word(attempt, line, column, wrong);
    if (at == NULL) return false;
    size_t before = (size_t)(at - attempt->text), n = strlen(wrong), m = strlen(right);
    size_t begin = before, bytes = attempt->len + m + 1;
    char *fresh = must_alloc(bytes);
    snprintf(fresh, bytes, "%.*s%s%s", (int)before, attempt->text, right, at + n);
    while (begin > 0 && attempt->text[begin - 1] != '\n') begin--;
    attempt->edits[attempt->n++] =
        (struct edit){line, (uint32_t)(before - begin) + 1, (int)m - (int)n};
    free(attempt->text);
    attempt->text = fresh;
    attempt->len = strlen(fresh);
    return true;
}

static int by_place(const void *a, const void *b) {
    const lsched_error *x = a, *y = b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

static bool is_told(const struct check_errors *errors, const lsched_error *err) {
    for (size_t i = 0; i < errors->n; i++)
        if (errors->items[i].line == err->line && errors->items[i].column == err->column)
            return true;
    return false;
}

void check_load(const struct policy_source *source, lsched_cluster *cluster,
                struct check_errors *out) {
    struct attempt attempt = {.text = must_copy(source->file.text, source->file.len),
                              .len = source->file.len};
    struct policy_source again = *source;
    out->n = 0;
    while (out->n < CHECK_ERRORS_MAX) {
        lsched_error *err = &out->items[out->n];
        *err = (lsched_error)LSCHED_ERROR_INIT;
        if (policy_source_load(&again, cluster, err) >= 0) break;
        uint32_t column = err->column;
        char message[LSCHED_MESSAGE_BYTES];
        memcpy(message, err->message, sizeof message);
        if (source->is_file) place_error(&attempt, policy_source_name(source), err);
        if (is_told(out, err)) break; /* an error at the same place is caused by the replacement */
        out->n++;
        if (!source->is_file || !correct(&attempt, message, err->line, column)) break;
        again.file.text = attempt.text;
        again.file.len = attempt.len;
    }
    qsort(out->items, out->n, sizeof out->items[0], by_place);
    free(attempt.text);
}
