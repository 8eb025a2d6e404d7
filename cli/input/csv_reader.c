/*
 * csv_reader.c -- see csv_reader.h.
 */
#include "cli/input/csv_reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/input/last_line.h"
#include "cli/support/cli_errors.h"
#include "cli/support/utf8.h"

enum { SHOWN_MAX = 40 }; /* largest number of bytes of a wrong field that a message shows */

/* Writes a shortened copy of a field for an error message to `out`. Replaces bytes that would
 * disturb a terminal. Returns `out`. */
static const char *shown(const char *text, size_t len, char out[SHOWN_MAX + 8]) {
    if (len == 0) return strcpy(out, "nothing");
    size_t n = len < SHOWN_MAX ? len : SHOWN_MAX;
    out[0] = '\'';
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = (unsigned char)text[i];
        out[1 + i] = byte < 0x20 || byte == 0x7f ? '?' : text[i];
    }
    strcpy(out + 1 + n, len > n ? "...'" : "'");
    return out;
}

int32_t csv_error(const struct csv *csv, size_t field, int32_t code, lsched_error *err,
                  const char *expected, ...) {
    const struct csv_field *bad = &csv->fields[field];
    char wish[LSCHED_MESSAGE_BYTES], got[SHOWN_MAX + 8];
    va_list args;
    va_start(args, expected);
    vsnprintf(wish, sizeof wish, expected, args);
    va_end(args);
    return error_at(err, code, csv->line, bad->column, "%.*s: expected %s, got %s",
                    (int)csv->header[field].len, csv->header[field].text, wish,
                    shown(bad->text, bad->len, got));
}

/* Splits the line at csv->at into fields, which it writes to `out`. Returns 1, or 0 at the end of
 * the text, or a negative error code. */
static int32_t split_line(struct csv *csv, struct csv_field *out, size_t *n_out,
                          lsched_error *err) {
    if (csv->at == csv->len) return 0;
    csv->line++;
    const char *line = csv->text + csv->at;
    const char *newline = memchr(line, '\n', csv->len - csv->at);
    if (newline == NULL) {
        return last_line_error(csv->line, (uint32_t)(csv->len - csv->at) + 1, err);
    }
    size_t len = (size_t)(newline - line);
    csv->at += len + 1;
    if (len > 0 && line[len - 1] == '\r') len--;
    const char *nul = memchr(line, '\0', len);
    if (nul != NULL)
        return error_at(err, LSCHED_E_SYNTAX, csv->line, (uint32_t)(nul - line) + 1,
                        "expected text, got a NUL byte");
    size_t n = 0;
    for (size_t from = 0; from <= len;) {
        const char *comma = memchr(line + from, ',', len - from);
        size_t to = comma != NULL ? (size_t)(comma - line) : len;
        if (n == CSV_COLUMNS_MAX) {
            return error_at(err, LSCHED_E_SYNTAX, csv->line, (uint32_t)from + 1,
                            "expected at most %d fields, got more", CSV_COLUMNS_MAX);
        }
        if (to > from && line[from] == '"') {
            return error_at(err, LSCHED_E_SYNTAX, csv->line, (uint32_t)from + 1,
                            "expected a plain field, got a quoted one");
        }
        out[n++] = (struct csv_field){line + from, to - from, (uint32_t)from + 1};
        from = to + 1;
    }
    *n_out = n;
    return 1;
}

static int32_t find_columns(const struct csv *csv, const char *const *wanted, size_t n_wanted,
                            size_t *place, lsched_error *err) {
    for (size_t i = 0; i < n_wanted; i++) {
        size_t found = CSV_COLUMNS_MAX;
        for (size_t c = 0; c < csv->n_fields; c++) {
            const struct csv_field *name = &csv->header[c];
            if (name->len != strlen(wanted[i]) || memcmp(name->text, wanted[i], name->len) != 0)
                continue;
            if (found != CSV_COLUMNS_MAX) {
                return error_at(err, LSCHED_E_SYNTAX, csv->line, name->column,
                                "header: expected one column '%s', got two", wanted[i]);
            }
            found = c;
        }
        if (found == CSV_COLUMNS_MAX) {
            char got[SHOWN_MAX + 8];
            const struct csv_field *last = &csv->header[csv->n_fields - 1];
            size_t len = (size_t)(last->text + last->len - csv->header[0].text);
            return error_at(err, LSCHED_E_SYNTAX, csv->line, 1,
                            "header: expected a column '%s', got %s", wanted[i],
                            shown(csv->header[0].text, len, got));
        }
        place[i] = found;
    }
    return LSCHED_OK;
}

int32_t csv_begin(struct csv *csv, const char *text, size_t len, const char *const *wanted,
                  size_t n_wanted, size_t *place, lsched_error *err) {
    memset(csv, 0, sizeof *csv);
    csv->text = text;
    csv->len = len;
    if (len >= 2 && memcmp(text, "\x1f\x8b", 2) == 0) {
        return error_at(err, LSCHED_E_SYNTAX, 1, 1,
                        "expected plain CSV, got gzip; unpack it with gunzip first");
    }
    csv->at = utf8_mark(text, len);
    int32_t rc = split_line(csv, csv->header, &csv->n_fields, err);
    if (rc < 0) return rc;
    if (rc == 0)
        return error_at(err, LSCHED_E_SYNTAX, 1, 1, "expected a header line, got an empty file");
    return find_columns(csv, wanted, n_wanted, place, err);
}

/* Returns true if only empty lines remain. Some traces end with empty lines. */
static bool at_the_end(const struct csv *csv) {
    size_t at = csv->at;
    while (at < csv->len && (csv->text[at] == '\n' || csv->text[at] == '\r')) at++;
    return at == csv->len;
}

int32_t csv_next(struct csv *csv, lsched_error *err) {
    size_t n = 0;
    if (at_the_end(csv)) return 0;
    int32_t rc = split_line(csv, csv->fields, &n, err);
    if (rc <= 0) return rc;
    if (n != csv->n_fields) {
        const struct csv_field *last = &csv->fields[n - 1];
        return error_at(err, LSCHED_E_SYNTAX, csv->line, last->column + (uint32_t)last->len,
                        "expected %zu fields as in the header, got %zu", csv->n_fields, n);
    }
    return 1;
}

int32_t csv_read(struct csv *csv, const char *text, size_t len, const char *const *wanted,
                 size_t n_wanted,
                 int32_t (*add_row)(void *user, const struct csv *csv, const size_t *place,
                                    lsched_error *err),
                 void *user, lsched_error *err) {
    size_t place[CSV_COLUMNS_MAX];
    int32_t rc = csv_begin(csv, text, len, wanted, n_wanted, place, err);
    while (rc == 0 && (rc = csv_next(csv, err)) == 1) rc = add_row(user, csv, place, err);
    return rc;
}

int32_t csv_number(const struct csv *csv, size_t field, int64_t min, int64_t max, int64_t *out,
                   lsched_error *err) {
    const struct csv_field *text = &csv->fields[field];
    size_t digits = 0;
    int64_t value = 0;
    bool negative = text->len > 0 && text->text[0] == '-';
    bool huge = false;
    for (size_t i = negative; i < text->len && text->text[i] >= '0' && text->text[i] <= '9';
         i++, digits++) {
        int64_t digit = text->text[i] - '0';
        if (value > (INT64_MAX - digit) / 10) huge = true;
        if (!huge) value = 10 * value + digit;
    }
    if (digits == 0 || digits + negative != text->len) {
        return csv_error(csv, field, LSCHED_E_SYNTAX, err, "a whole number");
    }
    if (negative) value = -value;
    if (huge || value < min || value > max) {
        return csv_error(csv, field, LSCHED_E_RANGE, err, "a number from %" PRId64 " to %" PRId64,
                         min, max);
    }
    *out = value;
    return LSCHED_OK;
}

int32_t csv_name(const struct csv *csv, size_t field, lsched_text *out, lsched_error *err) {
    const struct csv_field *name = &csv->fields[field];
    if (name->len == 0 || name->len > LSCHED_NAME_BYTES_MAX)
        return csv_error(csv, field, LSCHED_E_RANGE, err, "a name of 1 to %d bytes",
                         LSCHED_NAME_BYTES_MAX);
    *out = (lsched_text){name->text, name->len};
    return LSCHED_OK;
}
