/* check_errors.c -- see check_errors.h. */
#include "cli/policy/check_errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 64 };

/* a word that was replaced, and its position in the changed text */
struct edit {
    uint32_t line, column;
    int grown; /* bytes that the new word has more than the old word; can be negative */
};

struct attempt {
    char *text; /* owned, NUL-terminated */
    size_t len;
    struct edit edits[CHECK_ERRORS_MAX];
    size_t n;
};

/* Returns the column in the original text that belongs to a column of the same line in the changed
 * text. */
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

/* Replaces the column of an error, which is a column of the changed text, by the column in the
 * original text. Changes the field and the message of the error. */
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

/* Reads the word from `at`, which is behind an opening quote, to the closing quote. Returns false
 * if there is no closing quote or if the word is empty or too long. */
static bool read_quoted(const char *at, char out[WORD_BYTES]) {
    size_t n = strcspn(at, "'");
    if (at[n] != '\'' || n == 0 || n >= WORD_BYTES) return false;
    memcpy(out, at, n);
    out[n] = '\0';
    return true;
}

/* Reads the two words in quotes from a message such as "... 'wrong' ...; did you mean 'right'?".
 * The wrong word is the last quoted word before "did you mean". */
static bool read_words(const char *message, char wrong[WORD_BYTES], char right[WORD_BYTES]) {
    static const char between[] = "; did you mean '";
    const char *middle = strstr(message, between), *at = middle;
    if (middle == NULL) return false;
    /* moves `at` behind the closing quote of the wrong word */
    while (at > message && at[-1] != '\'') at--;
    if (at == message) return false;
    for (at--; at > message && at[-1] != '\'';) at--;
    return at > message && read_quoted(at, wrong) &&
           read_quoted(middle + sizeof between - 1, right);
}

static bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Returns the first place in the line where the word stands, at or after the column. Returns NULL
 * if the rest of the line does not have the word. */
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

/* Replaces the misspelled word by the word that the message suggests. `line` and `column` are a
 * position in the changed text. Returns false if the message suggests no word, or if the text does
 * not have the misspelled word there. */
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
        /* a second error at the same position was caused by the replaced word */
        if (is_told(out, err)) break;
        out->n++;
        if (!source->is_file || !correct(&attempt, message, err->line, column)) break;
        again.file.text = attempt.text;
        again.file.len = attempt.len;
    }
    qsort(out->items, out->n, sizeof out->items[0], by_place);
    free(attempt.text);
}
