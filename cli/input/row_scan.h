/*
 * row_scan.h -- rows with any number of fields, read in place, and decimal numbers as integers.
 *
 * csv_reader.h is for lists with a header and up to 64 columns; series of a day have hundreds and
 * instances of the literature are columns of blanks. Numbers become whole millionths, rounded up,
 * so that nothing after this is floating point and nothing reads as smaller than it is.
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
    size_t len, at;               /* at: where the next row begins */
    uint32_t line;                /* of the row */
    const char *row, *end, *from; /* of the row; from: its next field, NULL after the last */
};

void rows_begin(struct rows *rows, const char *text, size_t len);
/* The next row that is not empty; false at the end. A carriage return before the newline is no part
 * of it. */
bool rows_next(struct rows *rows);
/* The next field, between commas and without blanks around it. */
bool rows_field(struct rows *rows, struct csv_field *out);
/* The next field, between blanks. */
bool rows_word(struct rows *rows, struct csv_field *out);
/* Where the row ends, as a place for complaints. */
uint32_t rows_end_column(const struct rows *rows);

#define MILLION           ((int64_t)1000000)
#define DECIMAL_MICRO_MAX (((int64_t)1 << 62) - 1)

enum decimal { DECIMAL_OK, DECIMAL_BAD, DECIMAL_NEGATIVE, DECIMAL_HUGE };
/* "12", "0.5", "3.2e10": in millionths, rounded up. */
enum decimal decimal_parse(const char *text, size_t len, int64_t *micro);

/* Fills err: code, place, and a message. Returns code. */
int32_t scan_error(lsched_error *err, int32_t code, uint32_t line, uint32_t column,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));
/* "what: expected ..., got '...'" at a field. Returns code. */
int32_t scan_field_error(lsched_error *err, int32_t code, uint32_t line,
                         const struct csv_field *field, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* A field as a number of at least 0. what: for the message. */
int32_t scan_decimal(lsched_error *err, uint32_t line, const struct csv_field *field,
                     const char *what, int64_t *micro);

#endif
