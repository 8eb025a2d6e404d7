/*
 * row_scan.h -- reads rows with any number of fields, and reads decimal numbers as integers. The
 * fields point into the input text.
 *
 * csv_reader.h is for lists with a header and up to 64 columns. row_scan.h is for two other kinds
 * of files: time series, which have hundreds of columns, and instances of the literature, whose
 * columns are separated by blanks. Numbers are read as whole millionths and rounded up. Therefore
 * other code needs no floating point, and a number is never smaller than in the file.
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
    size_t len, at; /* `at` is the offset of the next row in `text` */
    uint32_t line;  /* line number of the current row */
    /* first byte and end of the current row; `from` is the first byte of its next field, or NULL if
     * rows_field() has returned the last field */
    const char *row, *end, *from;
};

void rows_begin(struct rows *rows, const char *text, size_t len);
/* Moves to the next row that is not empty. Returns false if there is none. Blanks and carriage
 * returns at the end of a line do not belong to the row. */
bool rows_next(struct rows *rows);
/* Reads the next field of the row, where fields are separated by commas. Blanks around the field do
 * not belong to it. Returns false after the last field. */
bool rows_field(struct rows *rows, struct csv_field *out);
/* Reads the next field of the row, where fields are separated by blanks. Returns false after the
 * last field. */
bool rows_word(struct rows *rows, struct csv_field *out);
/* Returns the column behind the last byte of the row, for error messages. */
uint32_t rows_end_column(const struct rows *rows);

#define MILLION           ((int64_t)1000000)
#define DECIMAL_MICRO_MAX (((int64_t)1 << 62) - 1)

enum decimal { DECIMAL_OK, DECIMAL_BAD, DECIMAL_NEGATIVE, DECIMAL_HUGE };
/* Reads a number such as "12", "0.5" or "3.2e10" and writes it as millionths, rounded up. */
enum decimal decimal_parse(const char *text, size_t len, int64_t *micro);

/* Fills *err with the position of a field and with a message that ends in ", got '...'", where the
 * quotes have the text of the field. Returns `code`. */
int32_t scan_field_error(lsched_error *err, int32_t code, uint32_t line,
                         const struct csv_field *field, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Reads a field as a number that is not negative, and writes it as millionths. `what` is the name
 * of the number in error messages. */
int32_t scan_decimal(lsched_error *err, uint32_t line, const struct csv_field *field,
                     const char *what, int64_t *micro);

#endif
