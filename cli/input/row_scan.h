/*
 * row_scan.h -- reads rows with any number of fields, in place, and decimal numbers as integers.
 *
 * csv_reader.h is for lists with a header and up to 64 columns. Series of a day have hundreds of
 * columns, and instances of the literature have columns separated by blanks. Numbers become whole
 * millionths, rounded up. Therefore later code needs no floating point, and no number becomes
 * smaller than it was written.
 */
#ifndef LSCHED_CLI_ROW_SCAN_H
#define LSCHED_CLI_ROW_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

#include "cli/input/csv_reader.h"

struct rows {
    const char *text;
    size_t len, at;               /* at: offset of the next row */
    uint32_t line;                /* number of the current row's line */
    const char *row, *end, *from; /* current row; from: its next field, NULL after the last one */
};

void rows_begin(struct rows *rows, const char *text, size_t len);
/* Moves to the next row that is not empty; returns false at the end. A carriage return before the
 * newline does not belong to the row. */
bool rows_next(struct rows *rows);
/* Reads the next field between commas, without blanks around it. */
bool rows_field(struct rows *rows, struct csv_field *out);
/* Reads the next field between blanks. */
bool rows_word(struct rows *rows, struct csv_field *out);
/* Returns the column of the row's end, for errors. */
uint32_t rows_end_column(const struct rows *rows);

#define MILLION           ((int64_t)1000000)
#define DECIMAL_MICRO_MAX (((int64_t)1 << 62) - 1)

enum decimal { DECIMAL_OK, DECIMAL_BAD, DECIMAL_NEGATIVE, DECIMAL_HUGE };
/* Reads a number such as "12", "0.5" or "3.2e10" as millionths, rounded up. */
enum decimal decimal_parse(const char *text, size_t len, int64_t *micro);

/* Fills err with code, place and message. Returns code. */
int32_t scan_error(lsched_error *err, int32_t code, uint32_t line, uint32_t column,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Fills err with "what: expected ..., got '...'" about a field. Returns code. */
int32_t scan_field_error(lsched_error *err, int32_t code, uint32_t line,
                         const struct csv_field *field, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Reads a field as a number of at least 0, in millionths; `what` is its name in messages. */
int32_t scan_decimal(lsched_error *err, uint32_t line, const struct csv_field *field,
                     const char *what, int64_t *micro);

#endif
