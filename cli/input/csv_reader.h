/*
 * csv_reader.h -- comma-separated rows with a header line, read in place; every error has a line
 * and a column.
 *
 * Traces are written by programs, so this is strict where a damaged file would otherwise read as
 * a different one: each row has as many fields as the header, the last line ends with a newline
 * (a file cut off inside a number would look whole), and quotes are refused instead of guessed
 * at. Only empty lines at the very end are passed over. Columns are found by name, so their order
 * and additional ones do not matter. No row is copied; a file is read in one pass.
 */
#ifndef LSCHED_CLI_CSV_READER_H
#define LSCHED_CLI_CSV_READER_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

enum { CSV_COLUMNS_MAX = 64 };

struct csv_field {
    const char *text; /* into the text that is read */
    size_t len;
    uint32_t column; /* from 1, in bytes */
};

struct csv {
    const char *text;
    size_t len, at;
    uint32_t line; /* of the row read last */
    size_t n_fields;
    struct csv_field header[CSV_COLUMNS_MAX];
    struct csv_field fields[CSV_COLUMNS_MAX];
};

/* Reads the header; place[i] becomes the index of the column wanted[i]. Returns 0 or
 * LSCHED_E_SYNTAX with err filled. */
int32_t csv_begin(struct csv *csv, const char *text, size_t len, const char *const *wanted,
                  size_t n_wanted, size_t *place, lsched_error *err);
/* Reads a row into fields. Returns 1, 0 after the last, or LSCHED_E_SYNTAX. */
int32_t csv_next(struct csv *csv, lsched_error *err);

/* A field as a whole number from min to max. Returns 0, LSCHED_E_SYNTAX, or LSCHED_E_RANGE. */
int32_t csv_number(const struct csv *csv, size_t field, int64_t min, int64_t max, int64_t *out,
                   lsched_error *err);

/* Fills err with a message about a field: its line, its column, "name: expected ..., got ...".
 * Returns code. */
int32_t csv_error(const struct csv *csv, size_t field, int32_t code, lsched_error *err,
                  const char *expected, ...) __attribute__((format(printf, 5, 6)));

#endif
