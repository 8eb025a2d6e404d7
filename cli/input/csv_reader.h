/*
 * csv_reader.h -- reads comma-separated rows with a header line, in place; every error has a line
 * and a column.
 *
 * Programs write the traces, therefore the reader is strict where it would otherwise read a
 * damaged file as a different one. Each row must have as many fields as the header. The last line
 * must end with a newline, because a file that is cut off inside a number would otherwise look
 * complete. Quotes are refused instead of guessed. Only empty lines at the very end are skipped.
 * Columns are found by name, therefore their order and additional columns do not matter. No row is
 * copied; a file is read in one pass.
 */
#ifndef LSCHED_CLI_CSV_READER_H
#define LSCHED_CLI_CSV_READER_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum { CSV_COLUMNS_MAX = 64 };

struct csv_field {
    const char *text; /* points into the text that is being read */
    size_t len;
    uint32_t column; /* byte in the line, from 1 */
};

struct csv {
    const char *text;
    size_t len, at;
    uint32_t line; /* line of the row that was read last */
    size_t n_fields;
    struct csv_field header[CSV_COLUMNS_MAX];
    struct csv_field fields[CSV_COLUMNS_MAX];
};

/* Reads the header; place[i] becomes the index of the column wanted[i]. Returns 0, or
 * LSCHED_E_SYNTAX with err filled. */
int32_t csv_begin(struct csv *csv, const char *text, size_t len, const char *const *wanted,
                  size_t n_wanted, size_t *place, lsched_error *err);
/* Reads a row into `fields`. Returns 1, 0 after the last row, or LSCHED_E_SYNTAX with err
 * filled. */
int32_t csv_next(struct csv *csv, lsched_error *err);

/* Reads a field as a whole number from min to max. Returns 0, LSCHED_E_SYNTAX, or
 * LSCHED_E_RANGE. */
int32_t csv_number(const struct csv *csv, size_t field, int64_t min, int64_t max, int64_t *out,
                   lsched_error *err);

/* Fills err with the line and column of a field and a message "name: expected ..., got ...".
 * Returns code. */
int32_t csv_error(const struct csv *csv, size_t field, int32_t code, lsched_error *err,
                  const char *expected, ...) __attribute__((format(printf, 5, 6)));

#endif
