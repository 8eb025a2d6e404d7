/*
 * row_scan.c -- see row_scan.h.
 */
#include "cli/input/row_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/support/cli_errors.h"
#include "cli/support/utf8.h"

enum { SHOWN_MAX = 40, DIGITS_MAX = 19, SCALE_DIGITS = 6, EXPONENT_MAX = 99 };

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

void rows_begin(struct rows *rows, const char *text, size_t len) {
    memset(rows, 0, sizeof *rows);
    rows->text = text;
    rows->len = len;
    rows->at = utf8_mark(text, len);
}

bool rows_next(struct rows *rows) {
    while (rows->at < rows->len) {
        rows->row = rows->text + rows->at;
        size_t left = rows->len - rows->at;
        const char *newline = memchr(rows->row, '\n', left);
        rows->end = newline != NULL ? newline : rows->row + left;
        rows->at = (size_t)(rows->end - rows->text) + (newline != NULL);
        rows->line++;
        while (rows->end > rows->row && (rows->end[-1] == '\r' || is_blank(rows->end[-1])))
            rows->end--;
        rows->from = rows->row;
        if (rows->end > rows->row) return true;
    }
    return false;
}

static void set_field(const struct rows *rows, const char *from, const char *to,
                      struct csv_field *out) {
    *out = (struct csv_field){from, (size_t)(to - from), (uint32_t)(from - rows->row) + 1};
}

bool rows_field(struct rows *rows, struct csv_field *out) {
    if (rows->from == NULL) return false;
    const char *from = rows->from, *to = memchr(from, ',', (size_t)(rows->end - from));
    rows->from = to != NULL ? to + 1 : NULL;
    if (to == NULL) to = rows->end;
    while (from < to && is_blank(*from)) from++;
    while (to > from && is_blank(to[-1])) to--;
    set_field(rows, from, to, out);
    return true;
}

bool rows_word(struct rows *rows, struct csv_field *out) {
    const char *from = rows->from;
    while (from < rows->end && is_blank(*from)) from++;
    const char *to = from;
    while (to < rows->end && !is_blank(*to)) to++;
    rows->from = to;
    if (from == to) return false;
    set_field(rows, from, to, out);
    return true;
}

uint32_t rows_end_column(const struct rows *rows) {
    return (uint32_t)(rows->end - rows->row) + 1;
}

/* ---- numbers ---- */

struct digits {
    /* value of the first DIGITS_MAX digits without leading zeros; later digits are dropped */
    uint64_t value;
    int n, dropped;
    bool lost; /* true if at least one dropped digit is not 0 */
};

static size_t take_digits(const char *text, size_t len, struct digits *out) {
    size_t i = 0;
    for (; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
        if (out->n > 0 || text[i] != '0') out->n++;
        if (out->n > DIGITS_MAX) {
            out->dropped++;
            out->lost |= text[i] != '0';
        } else {
            out->value = 10 * out->value + (uint64_t)(text[i] - '0');
        }
    }
    return i;
}

/* Reads an exponent such as "e-3" at the beginning of `text`. Returns its length in bytes, or 0 if
 * the text does not begin with an exponent. */
static size_t take_exponent(const char *text, size_t len, int *out) {
    size_t i = 1, first;
    int value = 0;
    if (len < 2 || (text[0] != 'e' && text[0] != 'E')) return 0;
    bool down = text[i] == '-';
    if (text[i] == '-' || text[i] == '+') i++;
    for (first = i; i < len && text[i] >= '0' && text[i] <= '9'; i++)
        if (value < EXPONENT_MAX) value = 10 * value + (text[i] - '0');
    *out = down ? -value : value;
    return i > first ? i : 0;
}

static enum decimal scale(const struct digits *digits, int shift, int64_t *micro) {
    uint64_t value = digits->value, most = (uint64_t)DECIMAL_MICRO_MAX;
    bool lost = digits->lost;
    for (; shift > 0 && value > 0; shift--) {
        if (value > most / 10) return DECIMAL_HUGE;
        value *= 10;
    }
    for (; shift < 0 && value > 0; shift++) {
        lost |= value % 10 != 0;
        value /= 10;
    }
    if (lost) value++;
    if (value > most) return DECIMAL_HUGE;
    *micro = (int64_t)value;
    return DECIMAL_OK;
}

enum decimal decimal_parse(const char *text, size_t len, int64_t *micro) {
    struct digits digits = {0};
    size_t at = 0;
    int exponent = 0;
    bool negative = len > 0 && text[0] == '-';
    if (negative || (len > 0 && text[0] == '+')) at++;
    size_t whole = take_digits(text + at, len - at, &digits), fraction = 0;
    at += whole;
    int shift = digits.dropped;
    if (at < len && text[at] == '.') {
        int dropped = digits.dropped;
        fraction = take_digits(text + at + 1, len - at - 1, &digits);
        shift -= (int)fraction - (digits.dropped - dropped);
        at += 1 + fraction;
    }
    if (whole + fraction == 0 || fraction > 1000) return DECIMAL_BAD;
    at += take_exponent(text + at, len - at, &exponent);
    if (at != len) return DECIMAL_BAD;
    enum decimal code = scale(&digits, shift + exponent + SCALE_DIGITS, micro);
    return code == DECIMAL_OK && negative && *micro > 0 ? DECIMAL_NEGATIVE : code;
}

/* ---- errors ---- */

int32_t scan_field_error(lsched_error *err, int32_t code, uint32_t line,
                         const struct csv_field *field, const char *format, ...) {
    char wish[LSCHED_MESSAGE_BYTES - SHOWN_MAX - 16], got[SHOWN_MAX + 1];
    va_list args;
    va_start(args, format);
    vsnprintf(wish, sizeof wish, format, args);
    va_end(args);
    size_t n = field->len < SHOWN_MAX ? field->len : SHOWN_MAX;
    /* the message must not have bytes that would disturb a terminal */
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = (unsigned char)field->text[i];
        got[i] = byte < 0x20 || byte == 0x7f ? '?' : field->text[i];
    }
    got[n] = '\0';
    if (field->len == 0) return error_at(err, code, line, field->column, "%s, got nothing", wish);
    return error_at(err, code, line, field->column, "%s, got '%s%s'", wish, got,
                    field->len > n ? "..." : "");
}

int32_t scan_decimal(lsched_error *err, uint32_t line, const struct csv_field *field,
                     const char *what, int64_t *micro) {
    switch (decimal_parse(field->text, field->len, micro)) {
    case DECIMAL_OK: return LSCHED_OK;
    case DECIMAL_BAD:
        return scan_field_error(err, LSCHED_E_SYNTAX, line, field, "%s: expected a number", what);
    case DECIMAL_NEGATIVE:
        return scan_field_error(err, LSCHED_E_RANGE, line, field,
                                "%s: expected a number of at least 0", what);
    default:
        return scan_field_error(err, LSCHED_E_RANGE, line, field,
                                "%s: expected a number below 4.6e12", what);
    }
}
